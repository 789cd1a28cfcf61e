// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With EXAKT_EMULATE_DEVICE: kernels that cannot allocate.
#include <ExaktScatter_CrsAssembly.hpp>

#include <algorithm>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"

namespace {

using namespace ExaktTest;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;

/// n rows of one entry.
Exakt::CrsAssembly<double, Kokkos::HostSpace> diagonal(int n, int long_sums) {
  Kokkos::View<int*, Kokkos::HostSpace> const row_map("row map", n + 1), columns("columns", n);
  for (int i = 0; i < n; ++i) row_map(i + 1) = columns(i) = i + 1;
  return {row_map, columns, "K", long_sums};
}

}  // namespace

TEST_CASE("kernels that cannot allocate report the additions that found no long sum") {
  auto const sums = diagonal(100, 10);
  auto const bytes = sums.memory();
  Vector const values("values", 100);
  for (int i = 0; i < 10; ++i) {
    sums.add(10 * i, 10 * i + 1, 1.0);
    sums.add(10 * i, 10 * i + 1, 1e300);
    sums.add(10 * i, 10 * i + 1, 1e-300);
  }
  sums.round_to(values, Exakt::Rounding::upward);
  for (int i = 0; i < 100; ++i) {
    EXAKT_CHECK_BITS(values(i), i % 10 == 0 ? Exact().add(1.0).add(1e300).add(1e-300).round<double>(Rounding::upward)
                                            : Expected<double>{0});
  }
  for (int i : {35, 27, 99}) {
    sums.add(i, i + 1, 1.0);
    sums.add(i, i + 1, 1e300);
  }
  CHECK(refusal_of([&] { sums.round_to(values); }) ==
        "Exakt::CrsAssembly::round_to: \"K\" has room for 10 long sums, and left out 3 additions that needed more of "
        "them, the lowest entry was 27; make it with more, as in CrsAssembly(graph, name, long_sums)");
  CHECK(sums.memory() == bytes);
  sums.clear();
  for (int i = 0; i < 10; ++i) {
    sums.add(i, i + 1, 1e300);
    sums.subtract(i, i + 1, 2.0);
  }
  sums.round_to(values, Exakt::Rounding::downward);
  EXAKT_CHECK_BITS(values(9), Exact().add(1e300).subtract(2.0).round<double>(Rounding::downward));
}

TEST_CASE("threads that need a long sum for the same entry at once use up one of them") {
  constexpr int n = 4096;
  int const threads = std::min(2, Kokkos::DefaultHostExecutionSpace().concurrency());
  auto const sums = diagonal(n, n);
  Vector const values("values", n);
  Kokkos::View<int*, Kokkos::HostSpace> const there("threads at each entry", n);
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, threads), [=](int) {
    for (int i = 0; i < n; ++i) {
      sums.add(i, i + 1, 1.0);
      Kokkos::atomic_increment(&there(i));
      for (int spins = 0; spins < 1000 && Kokkos::atomic_fetch_add(&there(i), 0) < threads; ++spins) continue;
      sums.add(i, i + 1, 1e300);
    }
  });
  sums.round_to(values);
  for (int i = 0; i < n; ++i)
    EXAKT_CHECK_BITS(values(i), Exact().add(threads * 1e300).add(1.0 * threads).round<double>());
}
