// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_sum.hpp>

#ifdef EXAKT_CORRECTED
using Result = Kokkos::View<double*>;
#else
using Result = Kokkos::View<double const*>;  // cannot be written
#endif

void sums(Result const& r, Kokkos::View<double**> const& X) { Exakt::sum(r, X); }
