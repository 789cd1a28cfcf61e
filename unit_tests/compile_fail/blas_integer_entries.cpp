// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_nrm2.hpp>

#ifdef EXAKT_CORRECTED
using Entry = float;
#else
using Entry = int;
#endif

Entry norm(Kokkos::View<Entry*> const& x) { return Exakt::nrm2(x); }
