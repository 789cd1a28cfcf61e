// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>

using Matrix = Kokkos::View<double const**>;
#ifdef EXAKT_CORRECTED
using Output = Kokkos::View<double**>;
#else
using Output = Matrix;  // cannot be written
#endif

void multiply(Matrix const& a, Matrix const& b, Output const& c) { Exakt::gemm("N", "N", 1.0, a, b, 0.0, c); }
