// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Sums of weights in bins, beside a plain loop and plain atomics that look for the bin in the same way.

#include "ExaktPerf_Suite.hpp"

#include <ExaktScatter_histogram.hpp>
#include <Exakt_Accumulator.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace ExaktPerf {
namespace {

/// Where x is among edges of which the first is below it and the last above.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t bin_of(double x, Data const& edges) {
  std::int64_t first = 0, count = static_cast<std::int64_t>(edges.extent(0)) - 1;
  while (count > 1) {
    std::int64_t const half = count / 2;
    first = x < edges(first + half) ? first : first + half;
    count -= half;
  }
  return first;
}

Comparison compare_histograms(std::int64_t n, std::int64_t bins) {
  Data const weights = log_uniform(n, 1), x("x", static_cast<std::size_t>(n));
  Data const edges("edges", static_cast<std::size_t>(bins) + 1), sums("sums", static_cast<std::size_t>(bins));
  for (std::int64_t b = 0; b <= bins; ++b) edges(b) = static_cast<double>(b);
  std::vector<Exakt::SumAccumulator<double>> exact(static_cast<std::size_t>(bins));
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x(i) = static_cast<double>(state >> 11) * 0x1p-53 * static_cast<double>(bins);
    exact[static_cast<std::size_t>(bin_of(x(i), edges))] += weights(i);
  }
  std::vector<double> expected;
  for (auto const& sum : exact) expected.push_back(sum.round());
  Comparison ways(n, 2 * sizeof(double), [=](std::string const& way) {
    if (!std::equal(expected.begin(), expected.end(), sums.data(),
                    [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }))
      throw std::runtime_error("the sums by " + way + " have other bits than they should");
  });
  ways.add_exact("Exakt::histogram", [=] {
    Exakt::histogram(x, weights, edges, sums);
    return 0.0;
  });
  ways.add_plain("atomic_add", [=] {
    Kokkos::deep_copy(sums, 0.0);
    Kokkos::parallel_for(
        Range(0, n), KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_add(&sums(bin_of(x(i), edges)), weights(i)); });
    Kokkos::fence();
    return 0.0;
  });
  ways.add_plain("one plain loop", [=] {
    Kokkos::deep_copy(sums, 0.0);
    for (std::int64_t i = 0; i < n; ++i) sums(bin_of(x(i), edges)) += weights(i);
    return 0.0;
  });
  return ways;
}

Registration const histograms([] {
  for (std::int64_t const bins : {10, 1000, 100'000})
    cases().push_back({"histogram of " + short_form(bins) + " bins, n = 1e7",
                       10'000'000,
                       [bins](std::int64_t entries) { return compare_histograms(entries, bins); },
                       {}});
});

}  // namespace
}  // namespace ExaktPerf
