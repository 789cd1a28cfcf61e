// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_SYR2K_HPP
#define EXAKTBLAS3_SYR2K_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief C := alpha*op(A)*op(B)^T + alpha*op(B)*op(A)^T + beta*C in one triangle of C, the whole right side rounded
/// once per entry.
///
/// Method: that of syrk with op(A) beside op(B).
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of C is read and written; the other one is neither.
/// \param trans  "N" or "T": op(A) is A or its transpose; of a real C "C" is "T".
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and B are not read: C := beta*C.
/// \param A  op(A) is n x k; of any layout, read. With k = 0, as with alpha = 0.
/// \param B  Same shape as A, read. Of a complex matrix and a real one the latter has imaginary parts of zero.
/// \param beta  Factor of C; if zero, C is not read.
/// \param C  n x n, a triangle of it read and written; does not overlap A or B. Complex if anything else is.
/// \throws std::invalid_argument  C is not square, extents disagree, a letter is unknown, or C overlaps A or B.
/// \par Cost  That of syrk with 2k for k, and memory for two copies of A and B.
template <Impl::ExecutionSpace Space, class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void syr2k(Space const& space, ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a, B const& b,
                         G const& beta, C const& c) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_matrix_operand<Space, C, 2>() && Impl::require_result<C, F, A, B, G>());
  constexpr Impl::Verb verb{"Exakt::syr2k"};
  Impl::update_by_two_products(verb, false, space, uplo, trans, Impl::factor(alpha), a, b, Impl::factor(beta), c);
}

/// \brief The same on the execution space of A.
template <class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void syr2k(ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a, B const& b, G const& beta,
                         C const& c) {
  static_assert(Impl::require_views<A, B, C>());
  syr2k(typename A::execution_space(), uplo, trans, alpha, a, b, beta, c);
}

}  // namespace Exakt

#endif
