// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_trsv.hpp>

#ifdef EXAKT_CORRECTED
using Entry = double;
#else
using Entry = Kokkos::complex<double>;
#endif

void solve(Kokkos::View<Entry**> const& a, Kokkos::View<Entry*> const& x) { Exakt::trsv("L", "N", "N", a, x); }
