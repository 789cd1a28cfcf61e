// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_SYMM_HPP
#define EXAKTBLAS3_SYMM_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief C := alpha*A*B + beta*C (or alpha*B*A + beta*C) for a symmetric A of which one triangle is stored, the whole
/// right side rounded once per entry.
///
/// Method: gemm with a copy of A that has both triangles; copies are exact.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param side  "L": A*B; "R": B*A.
/// \param uplo  "U" or "L": which triangle of A is read; the other one is not.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and B are not read: C := beta*C.
/// \param A  n x n, of any layout, read.
/// \param B  n x m (m x n on the right), read.
/// \param beta  Factor of C; if zero, C is not read.
/// \param C  Same shape as B, read and written; does not overlap A or B. Complex if anything else is.
/// \throws std::invalid_argument  A is not square, extents disagree, a letter is unknown, or C overlaps A or B.
/// \par Cost  That of gemm, and memory for one more copy of A.
template <Impl::ExecutionSpace Space, class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void symm(Space const& space, ModeLetter side, ModeLetter uplo, F const& alpha, A const& a, B const& b,
                        G const& beta, C const& c) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_matrix_operand<Space, C, 2>() && Impl::require_result<C, F, A, B, G>());
  Impl::multiply_by_mirrored({"Exakt::symm"}, Impl::Structure::symmetric, space, side, uplo, alpha, a, b, beta, c);
}

/// \brief The same on the execution space of A.
template <class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void symm(ModeLetter side, ModeLetter uplo, F const& alpha, A const& a, B const& b, G const& beta,
                        C const& c) {
  static_assert(Impl::require_views<A, B, C>());
  symm(typename A::execution_space(), side, uplo, alpha, a, b, beta, c);
}

}  // namespace Exakt

#endif
