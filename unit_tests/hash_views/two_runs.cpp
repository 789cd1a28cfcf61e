// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels; one adds as many terms together as there are threads. Views of no bytes, of as many as Kokkos' header has, and
// of some more than whole words; two of one label; one that is gone.
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

  Kokkos::View<float[3], Kokkos::HostSpace> const floats("three floats");
  Kokkos::View<double*, Kokkos::HostSpace> const one("twin", 3), other("twin", 3), copy("copy", 3), sums("sums", n);
  { Kokkos::View<double*, Kokkos::HostSpace> const gone("gone", 1 << 20); }
  Kokkos::Profiling::pushRegion("outer");
  Kokkos::Profiling::pushRegion("inner");
  Kokkos::parallel_for(
      "last float", Kokkos::RangePolicy<Space>(0, 1), KOKKOS_LAMBDA(int) { floats(2) = 1; });
  Kokkos::Profiling::popRegion();
  Kokkos::parallel_for(
      "other twin", Kokkos::RangePolicy<Space>(0, 3), KOKKOS_LAMBDA(int i) { other(i) = 2; });
  Kokkos::Profiling::popRegion();
  Kokkos::parallel_for(
      "one twin", Kokkos::RangePolicy<Space>(0, 3), KOKKOS_LAMBDA(int i) { one(i) = 3; });
  Kokkos::deep_copy(copy, one);
  Kokkos::parallel_scan(
      "add up", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i, int& sum, bool is_final) {
        sum += i;
        if (is_final) sums(i) = sum;
      });
}
