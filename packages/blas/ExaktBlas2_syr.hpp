// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_SYR_HPP
#define EXAKTBLAS2_SYR_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief A := alpha*x*x^T + A in one triangle of A, the whole right side rounded once per entry.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is read and written; the other one is neither.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, nothing is read, and A stays as it is.
/// \param x  n entries, read.
/// \param A  n x n, of any layout, a triangle of it read and written; does not overlap x. Complex if anything else is.
/// \throws std::invalid_argument  A is not square, extents disagree, uplo is unknown, or A overlaps x.
/// \par Cost  Of real numbers on hosts reading and writing the triangle; else some operations for each entry.
template <Impl::ExecutionSpace Space, class F, class X, class A>
EXAKT_ABI_TAG void syr(Space const& space, ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, A, 2>() &&
                Impl::require_result<A, F, X>());
  constexpr Impl::Verb verb{"Exakt::syr"};
  Impl::update_by_vector(verb, false, space, uplo, Impl::factor(alpha), x, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class A>
EXAKT_ABI_TAG void syr(ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_views<X, A>());
  syr(typename X::execution_space(), uplo, alpha, x, a);
}

/// \brief The same with Kokkos Kernels' arguments: trans is "T", or "H" for her.
template <Impl::ExecutionSpace Space, class F, class X, class A>
EXAKT_ABI_TAG void syr(Space const& space, ModeLetter trans, ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, A, 2>() &&
                Impl::require_result<A, F, X>());
  constexpr Impl::Verb verb{"Exakt::syr"};
  Impl::require_mode(verb.name(), "trans", trans, "TH");
  bool const is_hermitian = trans.is('H');
  Impl::update_by_vector(verb, is_hermitian, space, uplo,
                         is_hermitian ? Impl::real_factor(verb, "alpha", alpha) : Impl::factor(alpha), x, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class A>
EXAKT_ABI_TAG void syr(ModeLetter trans, ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_views<X, A>());
  syr(typename X::execution_space(), trans, uplo, alpha, x, a);
}

}  // namespace Exakt

#endif
