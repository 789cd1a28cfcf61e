// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_SYR2_HPP
#define EXAKTBLAS2_SYR2_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief A := alpha*x*y^T + alpha*y*x^T + A in one triangle of A, the whole right side rounded once per entry.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is read and written; the other one is neither.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, nothing is read, and A stays as it is.
/// \param x  n entries, read.
/// \param y  n entries, read. Of a complex vector and a real one the latter has imaginary parts of zero.
/// \param A  n x n, of any layout, a triangle of it read and written; does not overlap x or y. Complex if anything else
///           is.
/// \throws std::invalid_argument  A is not square, extents disagree, uplo is unknown, or A overlaps x or y.
/// \par Cost  Of real numbers on hosts reading and writing the triangle; else some operations for each entry.
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void syr2(Space const& space, ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  Impl::update_by_two_vectors({"Exakt::syr2"}, false, space, uplo, Impl::factor(alpha), x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void syr2(ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  syr2(typename X::execution_space(), uplo, alpha, x, y, a);
}

/// \brief The same with Kokkos Kernels' arguments: trans is "T", or "H" for her2.
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void syr2(Space const& space, ModeLetter trans, ModeLetter uplo, F const& alpha, X const& x, Y const& y,
                        A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  constexpr Impl::Verb verb{"Exakt::syr2"};
  Impl::require_mode(verb.name(), "trans", trans, "TH");
  Impl::update_by_two_vectors(verb, trans.is('H'), space, uplo, Impl::factor(alpha), x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void syr2(ModeLetter trans, ModeLetter uplo, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  syr2(typename X::execution_space(), trans, uplo, alpha, x, y, a);
}

}  // namespace Exakt

#endif
