// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_COMPARISON_HPP
#define EXAKTPERF_COMPARISON_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ExaktPerf {

/// \brief Several ways to compute the same number from the same n entries, timed in turns.
///
/// Each round calls every way, and speeds are compared within rounds: a disturbance that lasts longer than a round
/// hits all ways alike. The first exact way is the subject; ratios tell how many times as fast it is.
class Comparison {
 public:
  using Run = std::function<double()>;

  /// Looks at what the named way has left in memory, and throws a std::runtime_error where it is not the exact result.
  using Check = std::function<void(std::string const& way)>;

  /// \param expected         The exact result, rounded once.
  /// \param bytes_per_entry  That have to be read for each of the n entries.
  Comparison(std::int64_t n, double bytes_per_entry, double expected)
      : m_n(n), m_bytes_per_entry(bytes_per_entry), m_expected(expected) {}

  /// \param check  For results that are not a number: all ways return 0 then.
  Comparison(std::int64_t n, double bytes_per_entry, Check check)
      : m_n(n), m_bytes_per_entry(bytes_per_entry), m_expected(0), m_check(std::move(check)) {}

  /// \brief Adds a way that promises the expected bits. Like all ways it keeps the data that it needs alive.
  void add_exact(std::string name, Run run) { m_ways.push_back({std::move(name), std::move(run), true}); }

  /// \brief Adds a way that promises nothing.
  void add_plain(std::string name, Run run) { m_ways.push_back({std::move(name), std::move(run), false}); }

  /// \brief Calls every way once.
  /// \throws std::runtime_error  An exact one gave other bits than the expected ones, both of which are named.
  void check();

  /// \brief Decides, after check(), how many calls of each way make a sample of at least so many seconds.
  void calibrate(double seconds);

  /// \brief One round. \return Seconds that a call of the subject took.
  double time_round();

  /// \brief Median time of a call in seconds; NaN for an unknown name.
  double seconds(std::string const& name) const;

  /// \brief How many times as fast as the named way the subject is: the median of the rounds; NaN for an unknown name.
  double ratio_to(std::string const& name) const;

  std::vector<std::string> ways() const;
  std::string const& subject() const { return find_subject().name; }
  std::int64_t entries() const { return m_n; }
  double bytes_per_entry() const { return m_bytes_per_entry; }

 private:
  struct Way {
    std::string name;
    Run run;
    bool is_exact;
    double one_call = 0;               // seconds, as calibrate() found
    std::int64_t calls = 1;            // in a sample
    std::vector<double> seconds = {};  // of a call, by round
  };

  Way const& find_subject() const;
  Way const* find(std::string const& name) const;

  std::int64_t m_n;
  double m_bytes_per_entry;
  double m_expected;
  Check m_check;
  std::vector<Way> m_ways;
};

}  // namespace ExaktPerf

#endif
