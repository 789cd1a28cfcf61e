// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_HEMV_HPP
#define EXAKTBLAS2_HEMV_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief y := alpha*A*x + beta*y for a hermitian A of which one triangle is stored, the whole right side rounded once
/// per entry.
///
/// Method: gemv of some rows at a time, copied from both sides of the diagonal; copies are exact.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is read; the other one is not.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and x are not read: y := beta*y.
/// \param A  n x n, of any layout, read. Imaginary parts of its diagonal are not read and count as zeros.
/// \param x  n entries, read; does not overlap y.
/// \param beta  Factor of y; if zero, y is not read.
/// \param y  n entries, read and written. Complex if anything else is.
/// \throws std::invalid_argument  A is not square, extents disagree, uplo is unknown, or y overlaps A or x.
/// \par Cost  A gemv of the whole matrix, and a copy of it that stays in the cache (perf_tests/blas).
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hemv(Space const& space, ModeLetter uplo, F const& alpha, A const& a, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_vector_by_mirrored({"Exakt::hemv"}, Impl::Structure::hermitian, space, uplo, alpha, a, x, beta, y);
}

/// \brief The same on the execution space of A.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hemv(ModeLetter uplo, F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  hemv(typename A::execution_space(), uplo, alpha, a, x, beta, y);
}

}  // namespace Exakt

#endif
