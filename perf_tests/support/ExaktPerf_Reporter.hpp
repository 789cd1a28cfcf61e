// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_REPORTER_HPP
#define EXAKTPERF_REPORTER_HPP

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace ExaktPerf {

/// \brief Prints the cases as a table.
///
/// A case arrives with its subject as the label and with counters: speed_<way> in entries per second, vs_<way>, how
/// many times as fast as the way the subject is, floor_<way>, how many times it has to be, and bytes_per_entry.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  /// \param floors_only  One line for each floor, instead of one for each way.
  explicit Reporter(bool floors_only) : m_floors_only(floors_only) {}

  bool ReportContext(Context const& context) override;
  void ReportRuns(std::vector<Run> const& runs) override;
  void Finalize() override;

  int missed() const { return m_missed; }

 private:
  void report_ways(Run const& run, std::string const& name);
  void report_floors(Run const& run, std::string const& name);
  std::string verdict(Run const& run, std::string const& way);

  bool m_floors_only;
  int m_met = 0, m_missed = 0;
};

}  // namespace ExaktPerf

#endif
