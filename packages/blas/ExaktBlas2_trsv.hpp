// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_TRSV_HPP
#define EXAKTBLAS2_TRSV_HPP

#include "matrix_vector/ExaktBlas_TeamProducts.hpp"
#include "triangular/ExaktBlas_Triangular.hpp"

namespace Exakt {

/// \brief Solves op(A)*x = b for a triangular A: x_i := (b_i - sum of a_ij x_j) / a_ii, rounded once per unknown.
///
/// Sum and difference are exact and the exact quotient is rounded, so each unknown is the correctly rounded solution of
/// its equation, given the (rounded) unknowns before it. Any schedule gives the same bits.
///
/// Method: substitution in blocks, known unknowns first, with enclosed sums as in gemv.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo   "U" or "L": which triangle of A is used; the other one is not read.
/// \param trans  "N", "T" or "C": op(A) is A or its transpose.
/// \param diag   "U": the diagonal is taken for ones and not read; "N": it is read. Zeros divide as IEEE 754 says:
///               x/0 is infinite, 0/0 NaN.
/// \param A      n x n, read. Real.
/// \param x      n entries, the right-hand side b when called and the solution afterwards; does not overlap A.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or x overlaps A.
/// \par Cost  One pass over the triangle. On devices two kernels for each 64 unknowns.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void trsv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_output<X>());
  static_assert(!Impl::has_complex_entries<A> && !Impl::has_complex_entries<X>,
                "Exakt: triangular systems are solved in real numbers");
  Impl::require_mode("trsv", "uplo", uplo, "UL");
  Impl::require_mode("trsv", "trans", trans, "NTC");
  Impl::require_mode("trsv", "diag", diag, "UN");
  Impl::require_square("trsv", "A", a);
  Impl::require_extents("trsv", "A", a, 0, "x", x, 0);
  Impl::require_no_overlap("trsv", "x", x, "A", a);

  Impl::in_region("Exakt::trsv", [&] {
    Impl::Operated<A> const matrix(a, trans);
    Impl::solve_triangular("Exakt::trsv", space, matrix, uplo.is('L') != matrix.transposed, diag.is('U'), 1.0, x, 1,
                           false);
  });
}

/// \brief The same on the execution space of A.
template <class A, class X>
EXAKT_ABI_TAG void trsv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a, X const& x) {
  static_assert(Impl::require_views<A, X>());
  trsv(typename A::execution_space(), uplo, trans, diag, a, x);
}

}  // namespace Exakt

#endif
