// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum that a plain reduction gets wrong, and differently for each number of threads.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  // The harmonic numbers 1 + 1/2 + 1/3 + ..., between two large terms that cancel.
  int const n = 1'000'000;
  Kokkos::View<double*> x("x", n);
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) { x(i) = i == 0       ? 1e20
                                       : i == n - 1 ? -1e20
                                                    : 1.0 / i; });

  double plain = 0;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int i, double& sum) { sum += x(i); }, plain);

  using Sum = Exakt::ExactSum<double>;
  Sum::value_type total;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int i, Sum::value_type& sum) { sum += x(i); }, Sum(total));

  std::printf("plain sum: %.17g\n", plain);
  std::printf("exact sum: %.17g\n", total.round());
}
