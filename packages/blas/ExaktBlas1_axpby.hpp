// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "vectors/ExaktBlas_Axpby.hpp"

#include <parallel/Exakt_Region.hpp>

namespace Exakt {

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
  static_assert(Impl::require_operand<Space, X>() && Impl::require_operand<Space, Y>());
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y have the same rank");
  static_assert(!std::is_const_v<typename Y::value_type>, "Exakt: y is written");
  Impl::require_same_shape("axpby", x, y);
  if (!Impl::same_entries(x, y)) Impl::require_no_overlap("axpby", "y", y, "x", x);
  Impl::in_region("Exakt::axpby", [&] {
    auto const a = Impl::factor_of<double>(alpha);
    auto const b = Impl::factor_of<double>(beta);
    if (Impl::is_zero(a) && b == 1) return;
    Impl::update_by_axpby(space, Impl::exact_double(a), x, Impl::exact_double(b), y);
  });
}

/// \brief The same on the execution space of x.
template <class A, class X, class B, class Y>
EXAKT_ABI_TAG void axpby(A const& alpha, X const& x, B const& beta, Y const& y) {
  static_assert(Impl::require_views<X, Y>());
  axpby(typename X::execution_space(), alpha, x, beta, y);
}

}  // namespace Exakt

#endif
