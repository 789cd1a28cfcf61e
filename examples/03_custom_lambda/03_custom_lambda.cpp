// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact sum of whatever a lambda returns, without an array to hold it.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  // Leibniz' series for pi: four correct digits from this many terms, and always the same seventeen.
  auto const leibniz = KOKKOS_LAMBDA(int i) { return (i % 2 == 0 ? 4.0 : -4.0) / (2 * i + 1); };
  std::printf("first 10000 terms: %.17g\n", Exakt::transform_sum(10'000, leibniz));

  // Any one-dimensional range will do, here the same terms without the first 5000.
  using Range = Kokkos::RangePolicy<>;
  std::printf("their second half: %.17g\n", Exakt::transform_sum(Range(5'000, 10'000), leibniz));
}
