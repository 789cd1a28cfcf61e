// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>

#ifdef EXAKT_CORRECTED
using Result = Kokkos::complex<double>;
#else
using Result = double;  // no place for the imaginary part
#endif

using Vector = Kokkos::View<double*>;

void multiply(Kokkos::View<double**> const& a, Vector const& x, Kokkos::View<Result*> const& y) {
  Exakt::gemv("N", Kokkos::complex<double>(0, 1), a, x, 0.0, y);
}
