// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Reporter.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>

namespace ExaktPerf {
namespace {

template <class... Values>
std::string formatted(char const* format, Values... values) {
  char text[200];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

double counter(benchmark::BenchmarkReporter::Run const& run, std::string const& name) {
  auto const found = run.counters.find(name);
  return found != run.counters.end() ? found->second.value : std::numeric_limits<double>::quiet_NaN();
}

// Calls f(rest of the name, value) for each counter whose name has the prefix.
template <class Function>
void for_each_counter(benchmark::BenchmarkReporter::Run const& run, std::string const& prefix, Function const& f) {
  for (auto const& [name, value] : run.counters) {
    if (name.compare(0, prefix.size(), prefix) == 0) f(name.substr(prefix.size()), value.value);
  }
}

double gelem(double entries_per_second) { return entries_per_second * 1e-9; }

}  // namespace

bool Reporter::ReportContext(Context const& context) {
  PrintBasicContext(&GetErrorStream(), context);
  GetOutputStream() << (m_floors_only ? formatted("%-52s %8s  %-18s %8s %8s\n", "", "Gelem/s", "times as fast as",
                                                  "ratio", "floor")
                                      : formatted("%-32s %8s %8s %8s %8s\n", "", "Gelem/s", "GB/s", "ratio", "floor"));
  return true;
}

void Reporter::ReportRuns(std::vector<Run> const& runs) {
  for (Run const& run : runs) {
    std::string const& name = run.run_name.function_name;
    if (run.counters.empty()) {
      GetOutputStream() << name << ": failed\n";
    } else if (m_floors_only) {
      report_floors(run, name);
    } else {
      report_ways(run, name);
    }
  }
  GetOutputStream().flush();
}

void Reporter::Finalize() {
  if (m_met + m_missed > 0) GetOutputStream() << formatted("\n%d floors met, %d missed\n", m_met, m_missed);
}

void Reporter::report_ways(Run const& run, std::string const& name) {
  double const bytes = counter(run, "bytes_per_entry");
  auto const print = [&](std::string const& way, double speed) {
    GetOutputStream() << formatted("  %-30s %8.3f %8.1f", way.c_str(), gelem(speed), gelem(speed) * bytes)
                      << verdict(run, way) << '\n';
  };
  GetOutputStream() << name << '\n';
  print(run.report_label, counter(run, "speed_" + run.report_label));
  for_each_counter(run, "speed_", [&](std::string const& way, double speed) {
    if (way != run.report_label) print(way, speed);
  });
}

void Reporter::report_floors(Run const& run, std::string const& name) {
  std::string label = name, speed = formatted("%8.3f", gelem(counter(run, "speed_" + run.report_label)));
  for_each_counter(run, "floor_", [&](std::string const& way, double) {
    GetOutputStream() << formatted("%-52s %8s  %-18s", label.c_str(), speed.c_str(), way.c_str()) << verdict(run, way)
                      << '\n';
    label.clear();
    speed.clear();
  });
}

// Ratio, floor, and whether it is met; what there is of them.
std::string Reporter::verdict(Run const& run, std::string const& way) {
  double const ratio = counter(run, "vs_" + way), floor = counter(run, "floor_" + way);
  if (std::isnan(floor)) return std::isnan(ratio) ? "" : formatted(" %8.2f", ratio);
  if (std::isnan(ratio)) return formatted(" %8s %8.2f  not found here", "", floor);
  bool const met = ratio >= floor;
  ++(met ? m_met : m_missed);
  return formatted(" %8.2f %8.2f  %s", ratio, floor, met ? "pass" : "MISS");
}

}  // namespace ExaktPerf
