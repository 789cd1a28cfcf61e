// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_COMPARISON_HPP
#define EXAKTPERF_COMPARISON_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ExaktPerf {

/// \brief Several ways to compute the same number, timed side by side for each size.
///
/// The first way is the plain Kokkos one, the second the best plain one: their times are the denominators of the
/// counters `vs_plain` and `vs_best` (below 1: faster than that one). Google Benchmark runs in order of
/// registration, so both are known when the others are reported; a filter that leaves them out leaves the ratios out.
class Comparison {
 public:
  Comparison(std::string name, double bytes_per_entry) : m_name(std::move(name)), m_bytes_per_entry(bytes_per_entry) {}

  /// \param run     Computes the number from n entries; returns after the last kernel has finished.
  /// \param is_right  Judges it, before anything is timed; empty for the plain ways, whose bits nobody promises.
  void add(std::string const& way, std::int64_t n, std::function<double()> run,
           std::function<bool(double)> is_right = {}) {
    auto& times = m_times[n];
    auto const rank = times.size();
    times.push_back(std::numeric_limits<double>::quiet_NaN());

    auto const measure = [this, n, rank, run, is_right](benchmark::State& state) {
      if (is_right && !is_right(run())) {
        state.SkipWithError("wrong bits");
        return;
      }
      double fastest = std::numeric_limits<double>::infinity();
      for (auto _ : state) {
        auto const begin = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(run());
        std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
        state.SetIterationTime(elapsed.count());
        fastest = std::min(fastest, elapsed.count());
      }
      auto& of_size = m_times.at(n);
      of_size[rank] = fastest;
      state.counters["GB/s"] = m_bytes_per_entry * n / fastest * 1e-9;
      if (of_size[0] > 0) state.counters["vs_plain"] = fastest / of_size[0];
      if (of_size.size() > 1 && of_size[1] > 0) state.counters["vs_best"] = fastest / of_size[1];
    };
    benchmark::RegisterBenchmark((m_name + '/' + way + '/' + std::to_string(n)).c_str(), measure)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }

 private:
  std::string m_name;
  double m_bytes_per_entry;
  std::map<std::int64_t, std::vector<double>> m_times;  // seconds, by number of entries, in order of registration
};

/// Defined by each perf_<verb>.cpp: registers its comparisons for the given numbers of entries.
void register_comparisons(std::vector<std::int64_t> const& sizes);

}  // namespace ExaktPerf

#endif
