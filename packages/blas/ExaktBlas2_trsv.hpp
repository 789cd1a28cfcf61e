// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_TRSV_HPP
#define EXAKTBLAS2_TRSV_HPP

#include "structured/ExaktBlas_StoredVerbs.hpp"

namespace Exakt {

/// \brief Solves op(A)*x = b for a triangular A: x_i := (b_i - sum of a_ij x_j) / a_ii, rounded once per unknown.
///
/// Sum and difference are exact and the exact quotient is rounded, so each unknown is the correctly rounded solution of
/// its equation, given the (rounded) unknowns before it. Any schedule gives the same bits.
///
/// Method: substitution in blocks, known unknowns first, with enclosed sums as in gemv. Of complex numbers real and
/// imaginary part of the exact quotient are rounded once each; nothing over- or underflows on the way.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo   "U" or "L": which triangle of A is used; the values of the other one do not matter.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag   "U": the diagonal is taken for ones, whatever its values; "N": it is read. Zeros divide as IEEE 754 says:
///               x/0 is infinite, 0/0 NaN; with a complex A both parts are NaN then, and over an infinite part.
/// \param A      n x n, read.
/// \param x      n entries, the right-hand side b when called and the solution afterwards; does not overlap A. Complex
///               if A is.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or x overlaps A.
/// \par Cost  One pass over the triangle. On devices two kernels for each 64 unknowns. Complex numbers: some 100 ns for
///            a row and about 2 ns for a product, large systems by products of blocks; on devices one team.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void trsv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  Impl::require_triangle({"Exakt::trsv"}, uplo, trans, diag, a);
  Impl::require_extents("trsv", "A", a, 0, "x", x, 0);
  Impl::require_no_overlap("trsv", "x", x, "A", a);

  Impl::in_region("Exakt::trsv", [&] {
    Impl::solve_triangle("Exakt::trsv", space, true, uplo, trans, diag, Impl::factor_of_one, a, x);
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
