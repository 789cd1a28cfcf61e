// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_COVARIANCE_HPP
#define EXAKT_COVARIANCE_HPP

#include "parallel/Exakt_Covariances.hpp"

namespace Exakt {

/// \brief The covariance of x and y: (n sum(x y) - sum(x) sum(y)) / (n (n - ddof)), rounded once.
///
/// No mean is rounded, and nothing cancels, over- or underflows on the way. covariance(x, x) is variance(x), bit for bit.
/// Enclosures of the three sums nearly always decide the rounding; where they do not, those of x and y less their means,
/// or the exact sums.
///
/// \param space  Where to run; waited for.
/// \param x, y   n entries each, of any layout, read; float, double, or Kokkos' half types.
/// \param ddof   An integer, subtracted from n: 1 for a sample, 0 for a whole population. It may be negative.
/// \param mode   The direction of the one rounding.
/// \return The result in the wider of both types. NaN if n <= ddof or n = 0, and if an entry is infinite or NaN.
/// \throws std::invalid_argument  x and y differ in length.
/// \par Cost  One pass over x and y; a second one where the rounding is not decided, and a third one where two are not
///      enough. perf_tests/core/perf_variance.
template <Impl::ExecutionSpace Space, class X, Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(Space const& space, X const& x, Y const& y, Impl::Ddof ddof = 1,
                              Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_pairs<Space, X, Y>());
  using R = Impl::WiderOf<typename X::non_const_value_type, typename Y::non_const_value_type>;
  Impl::require_same_shape("covariance", x, y);
  return Impl::reduce_pairs<R>("covariance", space, x, y, Impl::RoundCovariance<R>{x.extent(0), ddof, mode});
}

/// \brief The same with ddof = 1.
template <Impl::ExecutionSpace Space, class X, Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(Space const& space, X const& x, Y const& y, Rounding mode) {
  return covariance(space, x, y, 1, mode);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X, Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(X const& x, Y const& y, Impl::Ddof ddof = 1, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X, Y>());
  return covariance(typename X::execution_space(), x, y, ddof, mode);
}
template <Impl::NoExecutionSpace X, Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(X const& x, Y const& y, Rounding mode) {
  static_assert(Impl::require_views<X, Y>());
  return covariance(typename X::execution_space(), x, y, 1, mode);
}

/// \brief The same into r, rounded once to its type: a rank-0 View for vectors, a rank-1 View with an entry for each pair of
/// columns of multivectors (n x m): r(j) := covariance of X(:, j) and Y(:, j). Waits; devices take a pair after the other.
///
/// \throws std::invalid_argument  X and Y differ in shape, r does not have an entry for each column, or shares memory with
///         an operand.
template <Impl::ExecutionSpace Space, class R, Impl::AnyView X, Impl::AnyView Y>
EXAKT_ABI_TAG void covariance(Space const& space, R const& r, X const& x, Y const& y, Impl::Ddof ddof = 1) {
  static_assert(Impl::require_pairs_into<Space, R, X, Y>());
  using Round = Impl::RoundCovariance<typename R::non_const_value_type>;
  Impl::reduce_pairs_into("covariance", space, r, x, y, Round{x.extent(0), ddof, Rounding::to_nearest});
}

/// \brief The same on the execution space of X.
template <Impl::NoExecutionSpace R, Impl::AnyView X, Impl::AnyView Y>
EXAKT_ABI_TAG void covariance(R const& r, X const& x, Y const& y, Impl::Ddof ddof = 1) {
  static_assert(Impl::require_views<R>());
  covariance(typename X::execution_space(), r, x, y, ddof);
}

}  // namespace Exakt

#endif
