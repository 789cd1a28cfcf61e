// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four kernels; one adds as many terms together as there are threads. Views of no bytes and of as many as Kokkos' header has.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using Space = Kokkos::DefaultHostExecutionSpace;
  int const n = 1003;
  Kokkos::View<double*, Kokkos::HostSpace> const empty("empty", 0), x("x", n), scaled("scaled", n),
      by_host("by host", 3);
  Kokkos::View<double[16], Kokkos::HostSpace> const as_header("128 bytes");
  Kokkos::View<double, Kokkos::HostSpace> const plain("plain sum"), exact("exact sum");
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i) { x(i) = 1.0 / (i + 1); });
  by_host(1) = 7;
  Exakt::SumAccumulator<double> sum;
  Kokkos::parallel_reduce(
      "add exactly", Kokkos::RangePolicy<Space>(0, n),
      KOKKOS_LAMBDA(int i, Exakt::SumAccumulator<double>& s) { s += x(i); }, Exakt::ExactSum<double>(sum));
  exact() = sum.round();
  Kokkos::parallel_reduce(
      "add plainly", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i, double& s) { s += x(i); }, plain);
  double const factor = plain();
  Kokkos::parallel_for(
      "scale", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i) { scaled(i) = factor * x(i); });
  Kokkos::parallel_for(
      "fill 128 bytes", Kokkos::RangePolicy<Space>(0, 16), KOKKOS_LAMBDA(int i) { as_header(i) = x(i); });
}
