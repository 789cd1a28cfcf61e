// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_HER2K_HPP
#define EXAKTBLAS3_HER2K_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief C := alpha*op(A)*op(B)^H + conj(alpha)*op(B)*op(A)^H + beta*C in one triangle of C, the whole right side
/// rounded once per entry.
///
/// Method: that of herk with op(A) beside op(B); where alpha has an imaginary part, the sums of each entry exactly.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of C is read and written; the other one is neither.
/// \param trans  "N" or "C": op(A) is A or its conjugate transpose; of a real C "T" is "C".
/// \param alpha  A number of any type that double holds, taken exactly. An imaginary part of zero counts as none. If
///               zero, A and B are not read: C := beta*C.
/// \param A  op(A) is n x k; of any layout, read. With k = 0, as with alpha = 0.
/// \param B  Same shape as A, read. Of a complex matrix and a real one the latter has imaginary parts of zero.
/// \param beta  Real, as in herk. Factor of C; if zero, C is not read.
/// \param C  n x n, a triangle of it read and written; does not overlap A or B. Complex if anything else is. Its
///           diagonal is real, as in herk.
/// \throws std::invalid_argument  C is not square, extents disagree, a letter is unknown, beta is not real, or C
///                                overlaps A or B.
/// \par Cost  That of herk with 2k for k, and memory for two copies of A and B.
template <Impl::ExecutionSpace Space, class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void her2k(Space const& space, ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a, B const& b,
                         G const& beta, C const& c) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_matrix_operand<Space, C, 2>() && Impl::require_result<C, F, A, B, G>());
  constexpr Impl::Verb verb{"Exakt::her2k"};
  Impl::update_by_two_products(verb, true, space, uplo, trans, Impl::factor(alpha), a, b,
                               Impl::real_factor(verb, "beta", beta), c);
}

/// \brief The same on the execution space of A.
template <class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void her2k(ModeLetter uplo, ModeLetter trans, F const& alpha, A const& a, B const& b, G const& beta,
                         C const& c) {
  static_assert(Impl::require_views<A, B, C>());
  her2k(typename A::execution_space(), uplo, trans, alpha, a, b, beta, c);
}

}  // namespace Exakt

#endif
