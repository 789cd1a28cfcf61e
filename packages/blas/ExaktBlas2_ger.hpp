// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_GER_HPP
#define EXAKTBLAS2_GER_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief A := alpha*x*y^T + A, or alpha*x*y^H + A, the whole right side rounded once per entry.
///
/// geru and gerc are the BLAS's names for the two; without trans, as in the BLAS, it is the transpose.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param trans  "T" or "H": y^T or y^H.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, nothing is read, and A stays as it is.
/// \param x  m entries, read.
/// \param y  n entries, read.
/// \param A  m x n, of any layout, read and written; does not overlap x or y. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, a letter is unknown, or A overlaps x or y.
/// \par Cost  One pass over A (perf_tests/blas).
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void ger(Space const& space, ModeLetter trans, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  constexpr Impl::Verb verb{"Exakt::ger"};
  Impl::require_mode(verb.name(), "trans", trans, "TH");
  Impl::update_by_outer_product(verb, trans.is('H'), space, alpha, x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void ger(ModeLetter trans, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  ger(typename X::execution_space(), trans, alpha, x, y, a);
}

/// \brief A := alpha*x*y^T + A: ger with trans "T".
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void ger(Space const& space, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  Impl::update_by_outer_product({"Exakt::ger"}, false, space, alpha, x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void ger(F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  ger(typename X::execution_space(), alpha, x, y, a);
}

/// \brief A := alpha*x*y^T + A: ger with trans "T".
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void geru(Space const& space, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  Impl::update_by_outer_product({"Exakt::geru"}, false, space, alpha, x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void geru(F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  geru(typename X::execution_space(), alpha, x, y, a);
}

/// \brief A := alpha*x*y^H + A: ger with trans "H".
template <Impl::ExecutionSpace Space, class F, class X, class Y, class A>
EXAKT_ABI_TAG void gerc(Space const& space, F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, Y, 1>() &&
                Impl::require_matrix_operand<Space, A, 2>() && Impl::require_result<A, F, X, Y>());
  Impl::update_by_outer_product({"Exakt::gerc"}, true, space, alpha, x, y, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class Y, class A>
EXAKT_ABI_TAG void gerc(F const& alpha, X const& x, Y const& y, A const& a) {
  static_assert(Impl::require_views<X, Y, A>());
  gerc(typename X::execution_space(), alpha, x, y, a);
}

}  // namespace Exakt

#endif
