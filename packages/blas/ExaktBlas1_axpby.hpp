// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "vectors/ExaktBlas_Axpby.hpp"

namespace Exakt {

/// \brief y := alpha*x + beta*y, each entry rounded once.
///
/// Method: a double-double sum with a bound that usually proves how the exact value rounds, else a LongAccumulator. Of
/// complex numbers real and imaginary part are rounded once each; x and the factors may be real where y is complex.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param alpha  Factor of x, or a View of rank 1 that has one for each column, which is copied to the host; if zero, x is not
///               read, and y stays as it is if beta is one.
/// \param x      n entries or n x m, of any layout, read; is y itself or does not overlap it.
/// \param beta   Factor of y, or factors; if zero, y is not read.
/// \param y      Same shape as x, read and written.
/// \throws std::invalid_argument  x and y differ in shape, there is not a factor for each column, or x and y share some of their entries but not all in the same
/// places.
template <Impl::ExecutionSpace Space, class A, class X, class B, class Y>
EXAKT_ABI_TAG void axpby(Space const& space, A const& alpha, X const& x, B const& beta, Y const& y) {
  static_assert(Impl::require_axpby<Space, X, Y, A, B>());
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
