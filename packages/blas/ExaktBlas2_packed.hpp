// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_PACKED_HPP
#define EXAKTBLAS2_PACKED_HPP

#include "structured/ExaktBlas_StoredVerbs.hpp"

namespace Exakt {

/// \brief y := alpha*A*x + beta*y for a symmetric A of which one triangle is stored without gaps, as symv.
///
/// Method: row by row, enclosed; exactly where that does not decide. (Of sparse matrices there is another spmv.)
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is stored.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and x are not read: y := beta*y.
/// \param AP  n(n + 1)/2 entries, the columns of the triangle one behind the other, read.
/// \param x  n entries, read; does not overlap y.
/// \param beta  Factor of y; if zero, y is not read.
/// \param y  n entries, read and written. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, uplo is unknown, or y overlaps AP or x.
/// \par Cost  About 100 ns for a row and 1 ns for a product; on devices a thread for each row, exact sums where three
///      doubles do not decide.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
requires Kokkos::is_view<A>::value EXAKT_ABI_TAG void spmv(Space const& space, ModeLetter uplo, F const& alpha,
                                                           A const& ap, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 1>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_vector_by_stored({"Exakt::spmv"}, Impl::Structure::symmetric, space, uplo, alpha, ap, x, beta, y);
}

/// \brief The same on the execution space of AP.
template <class F, class A, class X, class G, class Y>
requires Kokkos::is_view<A>::value EXAKT_ABI_TAG void spmv(ModeLetter uplo, F const& alpha, A const& ap, X const& x,
                                                           G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  spmv(typename A::execution_space(), uplo, alpha, ap, x, beta, y);
}

/// \brief The same for a hermitian A: of its diagonal the real parts are read.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hpmv(Space const& space, ModeLetter uplo, F const& alpha, A const& ap, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 1>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_result<Y, F, A, X, G>());
  Impl::multiply_vector_by_stored({"Exakt::hpmv"}, Impl::Structure::hermitian, space, uplo, alpha, ap, x, beta, y);
}

/// \brief The same on the execution space of AP.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void hpmv(ModeLetter uplo, F const& alpha, A const& ap, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  hpmv(typename A::execution_space(), uplo, alpha, ap, x, beta, y);
}

/// \brief x := op(A)*x for a triangular A without gaps, each entry rounded once, as trmv.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle A is.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param diag  "U": the diagonal is taken for ones and not read; "N": it is read.
/// \param AP  n(n + 1)/2 entries, as of spmv.
/// \param x  n entries, read and written; does not overlap AP. Complex if A is.
/// \throws std::invalid_argument  Extents disagree, a letter is unknown, or x overlaps AP.
/// \par Cost  That of spmv, and a copy of x.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void tpmv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ap,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 1>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  Impl::apply_stored_triangle({"Exakt::tpmv"}, false, space, uplo, trans, diag, ap, x);
}

/// \brief The same on the execution space of AP.
template <class A, class X>
EXAKT_ABI_TAG void tpmv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ap, X const& x) {
  static_assert(Impl::require_views<A, X>());
  tpmv(typename A::execution_space(), uplo, trans, diag, ap, x);
}

/// \brief Solves op(A)*x = b for a triangular A without gaps, each unknown the exact quotient, rounded once, as trsv.
///
/// Arguments and errors are those of tpmv.
/// \par Cost  That of spmv, on one thread.
template <Impl::ExecutionSpace Space, class A, class X>
EXAKT_ABI_TAG void tpsv(Space const& space, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ap,
                        X const& x) {
  static_assert(Impl::require_matrix_operand<Space, A, 1>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_result<X, A>());
  Impl::apply_stored_triangle({"Exakt::tpsv"}, true, space, uplo, trans, diag, ap, x);
}

/// \brief The same on the execution space of AP.
template <class A, class X>
EXAKT_ABI_TAG void tpsv(ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& ap, X const& x) {
  static_assert(Impl::require_views<A, X>());
  tpsv(typename A::execution_space(), uplo, trans, diag, ap, x);
}

/// \brief A := alpha*x*x^T + A in a triangle without gaps, the whole right side rounded once per entry, as syr.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is stored.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, nothing is read, and A stays as it is.
/// \param x  n entries, read.
/// \param AP  n(n + 1)/2 entries, as of spmv, read and written; does not overlap x. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, uplo is unknown, or AP overlaps x.
/// \par Cost  That of syr with a copy of the matrix, n x n.
template <Impl::ExecutionSpace Space, class F, class X, class A>
EXAKT_ABI_TAG void spr(Space const& space, ModeLetter uplo, F const& alpha, X const& x, A const& ap) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, A, 1>() &&
                Impl::require_result<A, F, X>());
  Impl::update_packed_by_vector({"Exakt::spr"}, false, space, uplo, Impl::factor(alpha), x, ap);
}

/// \brief The same on the execution space of x.
template <class F, class X, class A>
EXAKT_ABI_TAG void spr(ModeLetter uplo, F const& alpha, X const& x, A const& ap) {
  static_assert(Impl::require_views<X, A>());
  spr(typename X::execution_space(), uplo, alpha, x, ap);
}

/// \brief A := alpha*x*x^H + A, likewise; alpha is real. The diagonal of A is real: imaginary parts are not read there,
/// and zero afterwards.
template <Impl::ExecutionSpace Space, class F, class X, class A>
EXAKT_ABI_TAG void hpr(Space const& space, ModeLetter uplo, F const& alpha, X const& x, A const& ap) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, A, 1>() &&
                Impl::require_result<A, X>());
  Impl::update_packed_by_vector({"Exakt::hpr"}, true, space, uplo, Impl::real_factor({"Exakt::hpr"}, "alpha", alpha), x,
                                ap);
}

/// \brief The same on the execution space of x.
template <class F, class X, class A>
EXAKT_ABI_TAG void hpr(ModeLetter uplo, F const& alpha, X const& x, A const& ap) {
  static_assert(Impl::require_views<X, A>());
  hpr(typename X::execution_space(), uplo, alpha, x, ap);
}

/// \brief A := alpha*x*y^T + alpha*y*x^T + A, likewise, as syr2.
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void spr2(Space const& space, ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& ap) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 1>() && Impl::require_result<A, F, X, Y>());
  Impl::update_packed_by_two_vectors({"Exakt::spr2"}, false, space, uplo, Impl::factor(alpha), x, y, ap);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void spr2(ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& ap) {
  static_assert(Impl::require_views<X, Y, A>());
  spr2(typename X::execution_space(), uplo, alpha, x, y, ap);
}

/// \brief A := alpha*x*y^H + conj(alpha)*y*x^H + A, likewise, as her2.
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void hpr2(Space const& space, ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& ap) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 1>() && Impl::require_result<A, F, X, Y>());
  Impl::update_packed_by_two_vectors({"Exakt::hpr2"}, true, space, uplo, Impl::factor(alpha), x, y, ap);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void hpr2(ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& ap) {
  static_assert(Impl::require_views<X, Y, A>());
  hpr2(typename X::execution_space(), uplo, alpha, x, y, ap);
}

}  // namespace Exakt

#endif
