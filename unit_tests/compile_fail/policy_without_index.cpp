// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_transform_sum.hpp>
#include <Kokkos_Core.hpp>

#ifdef EXAKT_CORRECTED
using Policy = Kokkos::RangePolicy<>;
#else
using Policy = Kokkos::TeamPolicy<>;  // its iterations are teams; a term needs an index
#endif

double sum(Policy const& policy) {
  return Exakt::transform_sum(policy, KOKKOS_LAMBDA(int i) { return 1.0 / (1 + i); });
}
