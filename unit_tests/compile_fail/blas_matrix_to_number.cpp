// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_sum.hpp>

#ifdef EXAKT_CORRECTED
using Operand = Kokkos::View<double*>;
#else
using Operand = Kokkos::View<double**>;  // has a sum for each column: there is no one number to return
#endif

double total(Operand const& x) { return Exakt::sum(x); }
