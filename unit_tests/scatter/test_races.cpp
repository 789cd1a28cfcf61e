// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do to shared accumulators, all at once, for ThreadSanitizer to watch. The threads are the standard
// library's, for it does not see how those of OpenMP wait for each other.
#include <ExaktScatter.hpp>
#include <Exakt_Accumulator.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4, each = 20'000;

/// Runs f(t) on as many threads.
template <class F>
void at_once(F const& f) {
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) pool.emplace_back([&f, t] { f(t); });
  for (auto& thread : pool) thread.join();
}

/// Terms that make digits go round, upwards and downwards; the sum of all is 1.
double term(int t, int j) {
  double const sign = t % 2 == 0 ? 1 : -1;
  if (j == 0) return t == 0 ? 1 : 0;
  return sign * (j % 3 == 0 ? 0x1.fffffffffffffp55 : j % 3 == 1 ? 0.1 * (1 + j % 7) : 0x1.fffffffffffffp-40);
}

int failures = 0;

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "%s: not the exact sum\n", what);
  ++failures;
}

template <class Bins>
void add_to_bins(char const* what) {
  Bins const bins("bins", 6);
  at_once([&](int t) {
    Exakt::ScatterCache cache(bins);
    for (int j = 0; j < each; ++j) {
      bins.add(0, term(t, j));
      cache.add(1, term(t, j));
      bins.add_product(2, term(t, j), 3.0);
      cache.add_product(2, term(t, j), -2.0);
    }
    Exakt::SumAccumulator<double> own;
    for (int j = 0; j < each; ++j) own += term(t, j);
    bins.add(3, own);
    cache.add(4, std::numeric_limits<double>::infinity());
  });
  for (int i = 0; i < 4; ++i) require(bins.round(i) == 1, what);
  require(bins.round(4) > std::numeric_limits<double>::max(), what);
  at_once([&](int t) {
    for (int j = 0; j < each; ++j) bins.add(100 - j % 10 - t, 1.0);  // there are no such bins
  });
  try {
    bins.round(0);
    require(false, what);
  } catch (std::invalid_argument const&) {
  }
}

/// One thread adds, while the other merges: Kokkos starts kernels from the main one only.
void merge_into_bins() {
  using Bins = Exakt::ScatterSum<double, Kokkos::HostSpace>;
  Bins const bins("bins", 1), other("other", 1);
  other.add(0, 0x1p-500);
  std::thread adding([&] {
    for (int t = 0; t < 2; ++t)
      for (int j = 0; j < each; ++j) bins.add(0, term(t, j));
    bins.add(0, 0x1p500);
    bins.subtract(0, 0x1p500);
  });
  for (int j = 0; j < each; ++j) bins.merge(other);
  adding.join();
  bins.subtract(0, each * 0x1p-500);
  require(bins.round(0) == 1, "ScatterSum::merge");
}

/// Entries of one row, which all need a long sum: those that there are from the beginning do not suffice.
void add_to_matrix() {
  constexpr int entries = 200;
  Kokkos::View<int*, Kokkos::HostSpace> const row_map("row map", 2), columns("columns", entries);
  Kokkos::View<double*, Kokkos::HostSpace> const values("values", entries);
  row_map(1) = entries;
  for (int k = 0; k < entries; ++k) columns(k) = 2 * k;
  Exakt::CrsAssembly<double, Kokkos::HostSpace> const sums(row_map, columns, "matrix", 1);
  at_once([&](int t) {
    for (int j = 0; j < each; ++j) {
      int const column = 2 * (j % entries);
      sums.add(0, column, term(t, 1 + j / entries));
      sums.subtract(0, column, term((t + 1) % threads, 1 + j / entries));
      if (j < entries) sums.add(0, column, t % 2 == 0 ? 1e300 : -1e300);
      if (j < entries && t == 0) sums.add(0, column, 1);
    }
  });
  sums.round_to(values);
  for (int k = 0; k < entries; ++k) require(values(k) == 1, "CrsAssembly");
  at_once([&](int t) {
    for (int j = 0; j < each; ++j) sums.add(j % 2, 1 + 2 * t, 1.0);  // there are no such entries
  });
  try {
    sums.round_to(values);
    require(false, "CrsAssembly");
  } catch (std::invalid_argument const&) {
  }
}

template <class Sum>
void add_to_fixed_point(char const* what) {
  Sum by_value, by_comparison, merged;
  at_once([&](int t) {
    Sum own;
    for (int j = 0; j < each; ++j) {
      Exakt::atomic_add(&by_value, term(t, j));
      Exakt::atomic_add<Exakt::CompareAndSwap>(&by_comparison, term(t, j));
      own += term(t, j);
    }
    Exakt::atomic_add(&merged, own);
  });
  require(by_value.round() == 1 && by_comparison.round() == 1 && merged.round() == 1, what);
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  add_to_bins<Exakt::ScatterSum<double, Kokkos::HostSpace>>("ScatterSum<double>");
  add_to_bins<Exakt::ScatterSum<double, Kokkos::HostSpace, 8>>("ScatterSum<double>, 8 bits in a digit");
  merge_into_bins();
  add_to_matrix();
  add_to_fixed_point<Exakt::HighPrecision<3, 2>>("HighPrecision<3, 2>");
  add_to_fixed_point<Exakt::Hallberg<6, 38>>("Hallberg<6, 38>");
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
