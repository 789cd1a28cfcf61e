// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>

using Vector = Kokkos::View<double*>;
#ifdef EXAKT_CORRECTED
using Matrix = Kokkos::View<double**>;
#else
using Matrix = Vector;
#endif

void multiply(Matrix const& a, Vector const& x, Vector const& y) { Exakt::gemv("N", 1.0, a, x, 0.0, y); }
