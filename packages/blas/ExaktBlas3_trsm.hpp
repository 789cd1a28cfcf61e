// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_TRSM_HPP
#define EXAKTBLAS3_TRSM_HPP

#include "structured/ExaktBlas_StoredVerbs.hpp"

namespace Exakt {

/// \brief Solves op(A)*X = alpha*B (or X*op(A) = alpha*B) for a triangular A, each unknown rounded once.
///
/// As in trsv, for each column (or row) of B: (alpha * b_i - sum of a_ij x_j) / a_ii, alpha applied exactly within the
/// same rounding.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param side   "L": op(A)*X = alpha*B; "R": X*op(A) = alpha*B.
/// \param uplo   "U" or "L": which triangle of A is used; the values of the other one do not matter.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag   "U": the diagonal is taken for ones, whatever its values; "N": it is read. Zeros divide as IEEE 754 says;
///               of a complex A both parts are NaN over zero, and over an infinite part.
/// \param alpha  A number of any type that double holds, taken exactly; if zero, neither A nor B is read, and X is
///               zero.
/// \param A      n x n, read.
/// \param B      n x m (m x n on the right), the right-hand sides when called and the solutions afterwards; does not
///               overlap A. Complex if A or alpha is.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or B overlaps A.
/// \par Cost  On hosts what is known goes through the kernel of gemm. On devices two kernels for each 64 unknowns of up
///            to 256 right-hand sides. Complex numbers on hosts: blocks of 16 unknowns, what is known through the kernel
///            of gemm, the rest row by row.
template <Impl::ExecutionSpace Space, class F, class A, class B>
EXAKT_ABI_TAG void trsm(Space const& space, ModeLetter side, ModeLetter uplo, ModeLetter trans, ModeLetter diag,
                        F const& alpha, A const& a, B const& b) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_result<B, F, A>());
  Impl::require_mode("trsm", "side", side, "LR");
  Impl::require_triangle({"Exakt::trsm"}, uplo, trans, diag, a);
  bool const on_left = side.is('L');
  std::string const modes = on_left ? "" : std::string("side '") + side.as_given() + "'";
  Impl::require_extents("trsm", "A", a, 0, "B", b, on_left ? 0 : 1, modes);
  Impl::require_no_overlap("trsm", "B", b, "A", a);

  Impl::in_region("Exakt::trsm", [&] {
    auto const scale = Impl::factor(alpha);
    if (scale.is_zero()) return Impl::scale_entries("Exakt::trsm", space, scale, b);
    Impl::solve_triangle("Exakt::trsm", space, on_left, uplo, trans, diag, scale, a, b);
  });
}

/// \brief The same on the execution space of A.
template <class F, class A, class B>
EXAKT_ABI_TAG void trsm(ModeLetter side, ModeLetter uplo, ModeLetter trans, ModeLetter diag, F const& alpha, A const& a,
                        B const& b) {
  static_assert(Impl::require_views<A, B>());
  trsm(typename A::execution_space(), side, uplo, trans, diag, alpha, a, b);
}

}  // namespace Exakt

#endif
