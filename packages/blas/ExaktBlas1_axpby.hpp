// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "vectors/ExaktBlas_Axpby.hpp"

#include <parallel/Exakt_Region.hpp>

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

template <class Space, class X, class Y>
constexpr bool require_axpby() {
  static_assert(require_operand<Space, X>() && require_operand<Space, Y>());
  if constexpr (are_views_v<X, Y>) {
    static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y have the same rank");
    static_assert(!std::is_const_v<typename Y::value_type>, "Exakt: y is written");
  }
  return true;
}

/// axpby, and axpy, which is the same with a beta of one.
template <class Space, class A, class X, class B, class Y>
void call_axpby(Verb verb, Space const& space, A const& alpha, X const& x, B const& beta, Y const& y) {
  require_same_shape(verb.name(), x, y);
  if (!same_entries(x, y)) require_no_overlap(verb.name(), "y", y, "x", x);
  in_region(verb.label, [&] {
    auto const a = factor_of<double>(alpha);
    auto const b = factor_of<double>(beta);
    if (is_zero(a) && b == 1) return;
    update_by_axpby(space, exact_double(a), x, exact_double(b), y);
  });
}

}  // namespace Impl::inline EXAKT_ABI

/// \brief y := alpha*x + beta*y, each entry rounded once.
///
/// Method: a double-double sum with a bound that usually proves how the exact value rounds, else a LongAccumulator.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param alpha  Factor of x; if zero, x is not read, and y stays as it is if beta is one.
/// \param x      n entries or n x m, of any layout, read; is y itself or does not overlap it.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      Same shape as x, read and written.
/// \throws std::invalid_argument  x and y differ in shape, or share some of their entries but not all in the same
/// places.
template <class Space, class A, class X, class B, class Y>
requires Kokkos::is_execution_space<Space>::value EXAKT_ABI_TAG void axpby(Space const& space, A const& alpha,
                                                                           X const& x, B const& beta, Y const& y) {
  static_assert(Impl::require_axpby<Space, X, Y>());
  Impl::call_axpby({"Exakt::axpby"}, space, alpha, x, beta, y);
}

/// \brief The same on the execution space of x.
template <class A, class X, class B, class Y>
EXAKT_ABI_TAG void axpby(A const& alpha, X const& x, B const& beta, Y const& y) {
  static_assert(Impl::require_views<X, Y>());
  axpby(typename X::execution_space(), alpha, x, beta, y);
}

}  // namespace Exakt

#endif
