// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot product of nearly orthogonal vectors, rounded in several ways from one exact value.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  // Each product of the second half takes back one of the first, up to 1/3 * 1/3 in the middle.
  int const n = 100'001;
  Kokkos::View<double*> x("x", n), y("y", n);
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) {
        int const mirror = i < n / 2 ? i : n - 1 - i;
        x(i) = i == n / 2 ? 1.0 / 3 : 1e8 / (mirror + 1);
        y(i) = i == n / 2 ? 1.0 / 3 : (i < n / 2 ? 1e8 : -1e8) / (mirror + 7);
      });

  // dot += x(i) * y(i) would compile too, but C++ rounds that product before the accumulator gets it.
  using Dot = Exakt::ExactDot<double>;
  Dot::value_type total;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int i, Dot::value_type& dot) { dot.add_product(x(i), y(i)); }, Dot(total));

  double plain = 0;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int i, double& dot) { dot += x(i) * y(i); }, plain);

  std::printf("plain dot:       %.17g\n", plain);
  std::printf("exact dot:       %.17g\n", total.round());
  std::printf("  not above:     %.17g\n", total.round(Exakt::Rounding::downward));
  std::printf("  not below:     %.17g\n", total.round(Exakt::Rounding::upward));
  std::printf("  as a float:    %.9g\n", total.round<float>());
}
