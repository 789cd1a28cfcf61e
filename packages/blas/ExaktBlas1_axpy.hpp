// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPY_HPP
#define EXAKTBLAS1_AXPY_HPP

#include "ExaktBlas1_axpby.hpp"

namespace Exakt {

/// \brief y := alpha*x + y, each entry rounded once: axpby with a beta of one.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param alpha  Factor of x; if zero, x is not read, and y stays as it is.
/// \param x      n entries or n x m, of any layout, read; is y itself or does not overlap it.
/// \param y      Same shape as x, read and written.
/// \throws std::invalid_argument  x and y differ in shape, or share some of their entries but not all in the same
/// places.
template <Impl::ExecutionSpace Space, class A, class X, class Y>
EXAKT_ABI_TAG void axpy(Space const& space, A const& alpha, X const& x, Y const& y) {
  static_assert(Impl::require_axpby<Space, X, Y, A>());
  Impl::call_axpby({"Exakt::axpy"}, space, alpha, x, 1, y);
}

/// \brief The same on the execution space of x.
template <class A, class X, class Y>
EXAKT_ABI_TAG void axpy(A const& alpha, X const& x, Y const& y) {
  static_assert(Impl::require_views<X, Y>());
  axpy(typename X::execution_space(), alpha, x, y);
}

}  // namespace Exakt

#endif
