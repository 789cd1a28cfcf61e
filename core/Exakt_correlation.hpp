// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_CORRELATION_HPP
#define EXAKT_CORRELATION_HPP

#include "parallel/Exakt_Covariances.hpp"

namespace Exakt {

/// \brief The correlation of x and y (Pearson's): their covariance divided by the root of the product of their variances,
/// rounded once.
///
/// Numerator and variances are exact integers over one unit, and the quotient is compared with numbers of the result's type by
/// its square, in integers: no root, no variance, no mean is rounded on the way. The exact value is in [-1, 1], and so is the
/// result; rounded to nearest it is 1 or -1 if that is the nearest number.
/// Enclosures of the five sums nearly always decide the rounding; where they do not, those of x and y less their means,
/// or the exact sums.
///
/// \param space  Where to run; waited for.
/// \param x, y   n entries each, of any layout, read; float, double, or Kokkos' half types.
/// \param mode   The direction of the one rounding.
/// \return The result in the wider of both types. NaN if n < 2, if all entries of x or all of y are the same, and if an
///         entry is infinite or NaN.
/// \throws std::invalid_argument  x and y differ in length.
/// \par Cost  One pass over x and y; a second one where the rounding is not decided, and a third one where two are not
///      enough. perf_tests/core/perf_variance.
template <Impl::ExecutionSpace Space, class X, Impl::AnyView Y>
EXAKT_ABI_TAG auto correlation(Space const& space, X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_pairs<Space, X, Y>());
  using R = Impl::WiderOf<typename X::non_const_value_type, typename Y::non_const_value_type>;
  Impl::require_same_shape("correlation", x, y);
  return Impl::reduce_pairs<R>("correlation", space, x, y, Impl::RoundCorrelation<R>{x.extent(0), mode});
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X, Impl::AnyView Y>
EXAKT_ABI_TAG auto correlation(X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X, Y>());
  return correlation(typename X::execution_space(), x, y, mode);
}

/// \brief The same into r, rounded once to its type: a rank-0 View for vectors, a rank-1 View with an entry for each pair of
/// columns of multivectors (n x m): r(j) := correlation of X(:, j) and Y(:, j). Waits; devices take a pair after the other.
///
/// \throws std::invalid_argument  X and Y differ in shape, r does not have an entry for each column, or shares memory with
///         an operand.
template <Impl::ExecutionSpace Space, class R, Impl::AnyView X, Impl::AnyView Y>
EXAKT_ABI_TAG void correlation(Space const& space, R const& r, X const& x, Y const& y) {
  static_assert(Impl::require_pairs_into<Space, R, X, Y>());
  using Round = Impl::RoundCorrelation<typename R::non_const_value_type>;
  Impl::reduce_pairs_into("correlation", space, r, x, y, Round{x.extent(0), Rounding::to_nearest});
}

/// \brief The same on the execution space of X.
template <Impl::NoExecutionSpace R, Impl::AnyView X, Impl::AnyView Y>
EXAKT_ABI_TAG void correlation(R const& r, X const& x, Y const& y) {
  static_assert(Impl::require_views<R>());
  correlation(typename X::execution_space(), r, x, y);
}

}  // namespace Exakt

#endif
