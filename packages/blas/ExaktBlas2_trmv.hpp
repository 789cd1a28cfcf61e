// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_TRMV_HPP
#define EXAKTBLAS2_TRMV_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief x := op(A)*x for a triangular A, each entry rounded once.
///
/// Method: gemv of some rows at a time with a copy of x.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is used; the other one is not read.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag  "U": the diagonal is taken for ones and not read; "N": it is read.
/// \param A  n x n, of any layout, read.
/// \param x  n entries, read and written; does not overlap A. Complex if A is.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or x overlaps A.
/// \par Cost  One pass over the triangle, and a copy of x.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void trmv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  constexpr Impl::Verb verb{"Exakt::trmv"};
  Impl::require_triangle(verb, uplo, trans, diag, a);
  Impl::require_extents(verb.name(), "A", a, 0, "x", x, 0);
  Impl::require_no_overlap(verb.name(), "x", x, "A", a);
  Impl::multiply_in_place(verb, space, false, uplo, trans, diag, Impl::factor_of_one, a, x);
}

/// \brief The same on the execution space of A.
template <class A, class X>
EXAKT_ABI_TAG void trmv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a, X const& x) {
  static_assert(Impl::require_views<A, X>());
  trmv(typename A::execution_space(), uplo, trans, diag, a, x);
}

}  // namespace Exakt

#endif
