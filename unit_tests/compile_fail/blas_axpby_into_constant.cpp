// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpby.hpp>

#ifdef EXAKT_CORRECTED
using Output = Kokkos::View<double*>;
#else
using Output = Kokkos::View<double const*>;  // cannot be written
#endif

void update(Kokkos::View<double const*> const& x, Output const& y) { Exakt::axpby(1.0, x, 1.0, y); }
