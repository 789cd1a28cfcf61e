// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_dot.hpp>

#ifdef EXAKT_CORRECTED
using Result = Kokkos::View<double*>;
#else
using Result = Kokkos::View<double>;  // room for one column only
#endif

void products(Result const& r, Kokkos::View<double**> const& X) { Exakt::dot(r, X, X); }
