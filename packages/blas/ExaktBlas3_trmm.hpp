// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_TRMM_HPP
#define EXAKTBLAS3_TRMM_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief B := alpha*op(A)*B (or alpha*B*op(A)) for a triangular A, each entry rounded once.
///
/// Method: gemm of some rows of op(A) at a time with a copy of B.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param side  "L": op(A)*B; "R": B*op(A).
/// \param uplo  "U" or "L": which triangle of A is used; the other one is not read.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag  "U": the diagonal is taken for ones and not read; "N": it is read.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, neither A nor B is read, and B becomes
///               zero.
/// \param A  n x n, of any layout, read.
/// \param B  n x m (m x n on the right), read and written; does not overlap A. Complex if anything else is.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or B overlaps A.
/// \par Cost  Little more than half of that of gemm, and memory for a copy of B and of some rows of A; columns with
/// infinities or NaN in B are partly added exactly.
template <Impl::ExecutionSpace Space, class F, class A, class B>
EXAKT_ABI_TAG void trmm(Space const& space, ModeLetter side, ModeLetter uplo, ModeLetter trans, ModeLetter diag,
                        F const& alpha, A const& a, B const& b) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_result<B, F, A>());
  constexpr Impl::Verb verb{"Exakt::trmm"};
  Impl::require_mode(verb.name(), "side", side, "LR");
  Impl::require_triangle(verb, uplo, trans, diag, a);
  bool const on_right = side.is('R');
  std::string const modes = on_right ? std::string("side '") + side.as_given() + "'" : "";
  Impl::require_extents(verb.name(), "A", a, 0, "B", b, on_right ? 1 : 0, modes);
  Impl::require_no_overlap(verb.name(), "B", b, "A", a);
  Impl::multiply_in_place(verb, space, on_right, uplo, trans, diag, Impl::factor(alpha), a, b);
}

/// \brief The same on the execution space of A.
template <class F, class A, class B>
EXAKT_ABI_TAG void trmm(ModeLetter side, ModeLetter uplo, ModeLetter trans, ModeLetter diag, F const& alpha, A const& a,
                        B const& b) {
  static_assert(Impl::require_views<A, B>());
  trmm(typename A::execution_space(), side, uplo, trans, diag, alpha, a, b);
}

}  // namespace Exakt

#endif
