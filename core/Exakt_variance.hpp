// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_VARIANCE_HPP
#define EXAKT_VARIANCE_HPP

#include "parallel/Exakt_Variances.hpp"

namespace Exakt {

/// \brief The variance of the entries of x: (n sum(x^2) - sum(x)^2) / (n (n - ddof)), rounded once.
///
/// No mean is rounded, and nothing cancels, over- or underflows on the way. The exact value is not negative, and neither is the result; entries that are all the
/// same have the variance +0 (-0 rounding downward).
/// Enclosures of both sums nearly always decide the rounding; where they do not, those of x minus its mean, or the exact
/// sums.
///
/// \param space  Where to run; waited for.
/// \param x      n entries of any layout, read; float, double, or Kokkos' half types.
/// \param ddof   An integer, subtracted from n: 1 for a sample, 0 for a whole population. It may be negative.
/// \param mode   The direction of the one rounding.
/// \return The result in the type of x. NaN if n <= ddof or n = 0, and if an entry is infinite or NaN.
/// \par Cost  One pass over x; a second one where the rounding is not decided, as for a mean of more than some 10^4
///      standard deviations, and a third one where two are not enough. perf_tests/core/perf_variance.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto variance(Space const& space, X const& x, Impl::Ddof ddof = 1, Rounding mode = Rounding::to_nearest) {
  return Impl::variance_of_vector<false>("variance", space, x, ddof, mode);
}

/// \brief The same with ddof = 1.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto variance(Space const& space, X const& x, Rounding mode) {
  return variance(space, x, 1, mode);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X>
EXAKT_ABI_TAG auto variance(X const& x, Impl::Ddof ddof = 1, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X>());
  return variance(typename X::execution_space(), x, ddof, mode);
}
template <Impl::NoExecutionSpace X>
EXAKT_ABI_TAG auto variance(X const& x, Rounding mode) {
  static_assert(Impl::require_views<X>());
  return variance(typename X::execution_space(), x, 1, mode);
}

/// \brief The same into r, rounded once to its type: a rank-0 View for a vector, a rank-1 View with an entry for each
/// column of a multivector (n x m). On devices the work is enqueued.
///
/// \throws std::invalid_argument  r does not have an entry for each column, or shares memory with X.
template <Impl::ExecutionSpace Space, class R, Impl::AnyView X>
EXAKT_ABI_TAG void variance(Space const& space, R const& r, X const& x, Impl::Ddof ddof = 1) {
  Impl::variances_into<false>("variance", space, r, x, ddof);
}

/// \brief The same on the execution space of X.
template <Impl::NoExecutionSpace R, Impl::AnyView X>
EXAKT_ABI_TAG void variance(R const& r, X const& x, Impl::Ddof ddof = 1) {
  static_assert(Impl::require_views<R>());
  variance(typename X::execution_space(), r, x, ddof);
}

}  // namespace Exakt

#endif
