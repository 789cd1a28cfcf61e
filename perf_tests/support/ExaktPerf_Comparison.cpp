// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Comparison.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace ExaktPerf {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double seconds_of(Comparison::Run const& run, std::int64_t calls) {
  auto const begin = std::chrono::steady_clock::now();
  for (std::int64_t call = 0; call < calls; ++call) benchmark::DoNotOptimize(run());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void Comparison::check() {
  for (Way& way : m_ways) {
    double const result = way.run();
    if (way.is_exact && std::bit_cast<std::uint64_t>(result) != std::bit_cast<std::uint64_t>(m_expected)) {
      char text[200];
      std::snprintf(text, sizeof(text), "wrong bits: %s gives %a, the exact result is %a", way.name.c_str(), result,
                    m_expected);
      throw std::runtime_error(text);
    }
    if (way.is_exact && m_check) m_check(way.name);
  }
}

void Comparison::calibrate(double seconds) {
  for (Way& way : m_ways) {
    // Not the call of check(), which may have met cold caches and started threads.
    double elapsed = way.one_call = seconds_of(way.run, 1);
    while (elapsed < seconds) {
      // Short times are uncertain: no bold steps.
      auto const wanted = static_cast<double>(way.calls) * std::min(1.2 * seconds / elapsed, 20.0);
      way.calls = std::max(way.calls + 1, static_cast<std::int64_t>(wanted));
      elapsed = seconds_of(way.run, way.calls);
    }
  }
}

double Comparison::time_round() {
  // Each round begins with another way: what one leaves in the caches is not always the same one's advantage. Short calls
  // find the entries where they would after themselves: calls before the sample bring back what the way before has evicted.
  // Two, for a last level of cache may keep only what is read again.
  constexpr double short_call = 20e-3;  // seconds
  std::size_t const round = m_ways.front().seconds.size();
  for (std::size_t turn = 0; turn < m_ways.size(); ++turn) {
    Way& way = m_ways[(round + turn) % m_ways.size()];
    for (int call = 0; call < 2 && way.one_call < short_call; ++call) way.run();
    way.seconds.push_back(seconds_of(way.run, way.calls) / static_cast<double>(way.calls));
  }
  return find_subject().seconds.back();
}

double Comparison::seconds(std::string const& name) const {
  Way const* const way = find(name);
  return way != nullptr ? median(way->seconds) : std::numeric_limits<double>::quiet_NaN();
}

double Comparison::ratio_to(std::string const& name) const {
  Way const* const way = find(name);
  if (way == nullptr) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> ratios;
  for (std::size_t round = 0; round < way->seconds.size(); ++round) {
    ratios.push_back(way->seconds[round] / find_subject().seconds[round]);
  }
  return median(ratios);
}

std::vector<std::string> Comparison::ways() const {
  std::vector<std::string> names;
  for (Way const& way : m_ways) names.push_back(way.name);
  return names;
}

Comparison::Way const& Comparison::find_subject() const {
  auto const subject = std::find_if(m_ways.begin(), m_ways.end(), [](Way const& way) { return way.is_exact; });
  if (subject == m_ways.end()) throw std::logic_error("a comparison needs an exact way");
  return *subject;
}

Comparison::Way const* Comparison::find(std::string const& name) const {
  auto const way = std::find_if(m_ways.begin(), m_ways.end(), [&](Way const& w) { return w.name == name; });
  return way != m_ways.end() ? &*way : nullptr;
}

}  // namespace ExaktPerf
