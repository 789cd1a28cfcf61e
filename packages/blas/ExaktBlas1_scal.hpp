// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_SCAL_HPP
#define EXAKTBLAS1_SCAL_HPP

#include "ExaktBlas1_axpby.hpp"

namespace Exakt {

/// \brief y := alpha*x, each entry rounded once: axpby with a beta of zero.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param y      n entries or n x m, of any layout, written.
/// \param alpha  Factor of x; if zero, x is not read. Complex only if y is.
/// \param x      Same shape as y, read; is y itself or does not overlap it. Complex only if y is.
/// \throws std::invalid_argument  x and y differ in shape, or share some of their entries but not all in the same
/// places.
template <Impl::ExecutionSpace Space, class Y, class A, class X>
EXAKT_ABI_TAG void scal(Space const& space, Y const& y, A const& alpha, X const& x) {
  static_assert(Impl::require_axpby<Space, X, Y, A>());
  Impl::call_axpby({"Exakt::scal"}, space, alpha, x, 0, y);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace Y, class A, class X>
EXAKT_ABI_TAG void scal(Y const& y, A const& alpha, X const& x) {
  static_assert(Impl::require_views<X, Y>());
  scal(typename X::execution_space(), y, alpha, x);
}

}  // namespace Exakt

#endif
