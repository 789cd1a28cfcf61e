// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <exakt.h>
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Random.hpp"

#include <algorithm>
#include <vector>

using namespace ExaktTest;

TEST_CASE("C and C++ give the same bits in one program, inside of Kokkos' parallel loops as well") {
  std::size_t const n = 120;
  auto const size = static_cast<std::ptrdiff_t>(n);
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Matrix const a("a", n, n), b("b", n, n), c("c", n, n);
  Random random(1930);
  for (std::size_t i = 0; i < n * n; ++i) {
    a.data()[i] = random.value<double>(random.between(-20, 20));
    b.data()[i] = random.value<double>(random.between(-20, 20));
  }
  Exakt::gemm("N", "T", 0.1, a, b, 0.0, c);
  Kokkos::fence();
  double const dot = Exakt::dot(Kokkos::subview(a, 3, Kokkos::ALL), Kokkos::subview(b, 5, Kokkos::ALL));

  std::size_t const calls = 16;
  Kokkos::View<int*, Kokkos::HostSpace> const wrong("wrong", calls);
  Kokkos::parallel_for(
      "calls of C", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, calls), [=](std::size_t call) {
        std::vector<double> d(n * n);
        double s = 0;
        bool const done = exakt_dgemm(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, EXAKT_TRANS, size, size, size, 0.1, a.data(),
                                      size, b.data(), size, 0, d.data(), size) == EXAKT_SUCCESS &&
                          exakt_ddot(size, a.data() + 3 * size, 1, b.data() + 5 * size, 1, &s) == EXAKT_SUCCESS;
        wrong(call) = !done || !std::equal(d.begin(), d.end(), c.data()) || s != dot;
      });
  Kokkos::fence();
  for (std::size_t call = 0; call < calls; ++call) CHECK(wrong(call) == 0);
}
