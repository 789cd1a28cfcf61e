// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_SYRK_HPP
#define EXAKTBLAS3_SYRK_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief C := alpha*op(A)*op(A)^T + beta*C in one triangle of C, the whole right side rounded once per entry.
///
/// Method: gemm's, for the blocks that the triangle needs, into memory of its own from which the triangle is copied.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of C is read and written; the other one is neither.
/// \param trans  "N" or "T": op(A) is A or its transpose; of a real C "C" is "T".
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A is not read: C := beta*C, and C
///               stays as it is if beta is one.
/// \param A  op(A) is n x k; of any layout, read. With k = 0, as with alpha = 0.
/// \param beta  Factor of C; if zero, C is not read.
/// \param C  n x n, a triangle of it read and written; does not overlap A. Complex if anything else is.
/// \throws std::invalid_argument  C is not square, extents disagree, a letter is unknown, or C overlaps A.
/// \par Cost  Little more than half of that of gemm (of complex numbers five eighths), and memory for n x n entries.
template <Impl::ExecutionSpace Space, class F, class A, class G, class C>
EXAKT_ABI_TAG void syrk(Space const& space, ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a,
                        G const& beta, C const& c) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, C, 2>() &&
                Impl::require_result<C, F, A, G>());
  constexpr Impl::Verb verb{"Exakt::syrk"};
  Impl::update_by_own_product(verb, false, space, uplo, trans, Impl::factor(alpha), a, Impl::factor(beta), c);
}

/// \brief The same on the execution space of A.
template <class F, class A, class G, class C>
EXAKT_ABI_TAG void syrk(ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a, G const& beta, C const& c) {
  static_assert(Impl::require_views<A, C>());
  syrk(typename A::execution_space(), uplo, trans, alpha, a, beta, c);
}

}  // namespace Exakt

#endif
