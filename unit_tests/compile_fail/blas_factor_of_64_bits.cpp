// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpby.hpp>

#include <cstdint>

#ifdef EXAKT_CORRECTED
using Factor = std::int32_t;
#else
using Factor = std::int64_t;  // 2^53 + 1 is not a double
#endif

void update(Factor alpha, Kokkos::View<double*> const& x, Kokkos::View<double*> const& y) {
  Exakt::axpby(alpha, x, 1, y);
}
