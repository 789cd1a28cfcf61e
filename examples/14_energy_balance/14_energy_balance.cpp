// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy balance of a computation, which says how far to trust it: a chain of springs is pulled, and the work of the
// forces has to be the energy in the springs. What is left is a small difference of large sums. A plain reduction has
// another one for every number of threads, and none of them is right.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  using Vector = Kokkos::View<double*, Kokkos::HostSpace>;
  using Range = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;

  // Spring i, of stiffness k(i), holds mass i by mass i - 1; force(i) pulls at mass i. So spring i bears all forces behind it.
  int const n = 1000000;
  Vector force("force", n), k("k", n), tension("tension", n), stretch("stretch", n), x("x", n);
  for (int i = 0; i < n; ++i) {
    force(i) = i < n / 2 ? -0.375 : 0.375;
    k(i) = 100 + i % 1000 * 729 % 1000;
  }
  for (int i = n - 1; i >= 0; --i) tension(i) = force(i) + (i + 1 < n ? tension(i + 1) : 0.0);
  for (int i = 0; i < n; ++i) stretch(i) = tension(i) / k(i);
  Exakt::inclusive_scan(stretch, x);

  double plain = 0;
  Kokkos::parallel_reduce(
      Range(0, n), KOKKOS_LAMBDA(int i, double& t) { t += force(i) * x(i) - tension(i) * stretch(i); }, plain);

  using Sum = Exakt::ExactDot<double>;
  Sum::value_type exact;
  Kokkos::parallel_reduce(
      Range(0, n),
      KOKKOS_LAMBDA(int i, Sum::value_type& t) {
        t.add_product(force(i), x(i));
        t.subtract_product(tension(i), stretch(i));
      },
      Sum(exact));

  double const energy = Exakt::transform_dot(
      Range(0, n), KOKKOS_LAMBDA(int i) { return Kokkos::make_pair(tension(i), stretch(i)); });
  std::printf("%d springs: work minus energy, of an energy of %.3g\n", n, energy);
  std::printf("plain sum: %10.3g   (%d threads)\n", plain, Kokkos::DefaultHostExecutionSpace().concurrency());
  std::printf("exact sum: %.17g\n", exact.round());
}
