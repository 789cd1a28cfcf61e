// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Sum = Exakt::ExactSum<double>;
  Sum::value_type total;
  Kokkos::parallel_reduce(
      1000, KOKKOS_LAMBDA(int i, Sum::value_type& t) { t += i == 0 ? 1e20 : i == 999 ? -1e20 : 1.0 / i; }, Sum(total));
  std::printf("%.17g\n", total.round());
}
