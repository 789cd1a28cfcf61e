// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forces between bodies, each computed once and added to both: in which order they reach a body is up to the threads.
#include <ExaktScatter.hpp>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>

// Bodies on a line, no two at the same place, with masses of many magnitudes.
KOKKOS_INLINE_FUNCTION double place(int body) { return (body * 40503 % 65536) / 65536.0; }
KOKKOS_INLINE_FUNCTION double mass(int body) { return std::ldexp(1.0 + (body * 37 % 101) / 101.0, body * 53 % 60); }

// How strongly body j pulls at body i.
KOKKOS_INLINE_FUNCTION double force(int i, int j) {
  double const distance = place(j) - place(i), pull = mass(i) * mass(j) / (distance * distance);
  return distance > 0 ? pull : -pull;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  int const n = 1000;

  Kokkos::View<double*> plain("plain", n), forces("forces", n);
  Exakt::ScatterSum<double> exact("exact", n);
  Kokkos::parallel_for(
      n * n, KOKKOS_LAMBDA(int pair) {
        int const i = pair / n, j = pair % n;
        if (i >= j) return;
        double const f = force(i, j);
        Kokkos::atomic_add(&plain(i), f);
        Kokkos::atomic_add(&plain(j), -f);
        exact.add(i, f);
        exact.add(j, -f);
      });
  exact.round_to(forces);

  // All forces together are nothing, for each has its opposite. Exact sums can be added up before they are rounded.
  Exakt::ScatterSum<double> total("total", 1);
  for (int body = 0; body < n; ++body) total.add(0, exact.accumulator(body));
  double total_of_plain = 0;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int body, double& sum) { sum += plain(body); }, total_of_plain);

  auto const host_plain = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain);
  auto const host_forces = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), forces);
  std::printf("plain atomics: force on body 600 %.17g, on all together %g\n", host_plain(600), total_of_plain);
  std::printf("exact:         force on body 600 %.17g, on all together %g\n", host_forces(600), total.round(0));
}
