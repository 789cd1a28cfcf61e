// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_BAND_HPP
#define EXAKTBLAS2_BAND_HPP

#include "structured/ExaktBlas_StoredVerbs.hpp"

namespace Exakt {

/// \brief y := alpha*op(A)*x + beta*y for a band A, the whole right side rounded once per entry.
///
/// Method: row by row, the products with what the band has, enclosed; exactly where that does not decide.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param kl, ku  How many diagonals A has below and above the main one.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and x are not read: y := beta*y.
/// \param AB  kl + ku + 1 x n, of any layout, as in the BLAS: A(i, j) is AB(ku + i - j, j). Its corners, where A has no
///            entry, are not read.
/// \param x  n entries (m if transposed), read; does not overlap y.
/// \param beta  Factor of y; if zero, y is not read.
/// \param y  m entries (n if transposed), read and written. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, trans is unknown, or y overlaps AB or x.
/// \par Cost  About 100 ns for a row and 1 ns for a product; on devices a thread for each row, exact sums where three
///      doubles do not decide.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gbmv(Space const& space, ModeLetter trans, std::size_t kl, std::size_t ku, F const& alpha,
                        A const& ab, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_by_band({"Exakt::gbmv"}, space, trans, kl, ku, alpha, ab, x, beta, y);
}

/// \brief The same on the execution space of AB.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gbmv(ModeLetter trans, std::size_t kl, std::size_t ku, F const& alpha, A const& ab, X const& x,
                        G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  gbmv(typename A::execution_space(), trans, kl, ku, alpha, ab, x, beta, y);
}

/// \brief y := alpha*A*x + beta*y for a symmetric band of which one triangle is stored, as symv and gbmv.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is stored.
/// \param alpha, x, beta, y  As of gbmv.
/// \param AB  k + 1 x n, of any layout: A(i, j) is AB(k + i - j, j) with "U", AB(i - j, j) with "L".
/// \throws std::invalid_argument  Extents disagree, uplo is unknown, or y overlaps AB or x.
/// \par Cost  That of gbmv.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void sbmv(Space const& space, ModeLetter uplo, F const& alpha, A const& ab, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_vector_by_stored({"Exakt::sbmv"}, Impl::Structure::symmetric, space, uplo, alpha, ab, x, beta, y);
}

/// \brief The same on the execution space of AB.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void sbmv(ModeLetter uplo, F const& alpha, A const& ab, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  sbmv(typename A::execution_space(), uplo, alpha, ab, x, beta, y);
}

/// \brief The same for a hermitian band: of its diagonal the real parts are read.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hbmv(Space const& space, ModeLetter uplo, F const& alpha, A const& ab, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_vector_by_stored({"Exakt::hbmv"}, Impl::Structure::hermitian, space, uplo, alpha, ab, x, beta, y);
}

/// \brief The same on the execution space of AB.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hbmv(ModeLetter uplo, F const& alpha, A const& ab, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  hbmv(typename A::execution_space(), uplo, alpha, ab, x, beta, y);
}

/// \brief x := op(A)*x for a triangular band A, each entry rounded once, as trmv.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle A is.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag  "U": the diagonal is taken for ones and not read; "N": it is read.
/// \param AB  k + 1 x n, as of sbmv.
/// \param x  n entries, read and written; does not overlap AB. Complex if A is.
/// \throws std::invalid_argument  Extents disagree, a letter is unknown, or x overlaps AB.
/// \par Cost  That of gbmv, and a copy of x.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void tbmv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ab,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  Impl::apply_stored_triangle({"Exakt::tbmv"}, false, space, uplo, trans, diag, ab, x);
}

/// \brief The same on the execution space of AB.
template <class A, class X>
EXAKT_ABI_TAG void tbmv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ab, X const& x) {
  static_assert(Impl::require_views<A, X>());
  tbmv(typename A::execution_space(), uplo, trans, diag, ab, x);
}

/// \brief Solves op(A)*x = b for a triangular band A, each unknown the exact quotient, rounded once, as trsv.
///
/// Arguments and errors are those of tbmv.
/// \par Cost  That of gbmv, on one thread.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void tbsv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ab,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  Impl::apply_stored_triangle({"Exakt::tbsv"}, true, space, uplo, trans, diag, ab, x);
}

/// \brief The same on the execution space of AB.
template <class A, class X>
EXAKT_ABI_TAG void tbsv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ab, X const& x) {
  static_assert(Impl::require_views<A, X>());
  tbsv(typename A::execution_space(), uplo, trans, diag, ab, x);
}

}  // namespace Exakt

#endif
