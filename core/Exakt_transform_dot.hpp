// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TRANSFORM_DOT_HPP
#define EXAKT_TRANSFORM_DOT_HPP

#include "parallel/Exakt_Transform.hpp"

namespace Exakt {

/// \brief The sum of x * y over the pairs (x, y) = f(i) of the range, rounded once.
///
/// No product is rounded, underflows or overflows on the way.
///
/// \param policy_or_n  A number of terms (i = 0 .. n-1; none if negative), a RangePolicy, or an MDRangePolicy.
/// \param f            Callable as const on the policy's execution space; returns a pair (`first`, `second`) of
///                     floating-point numbers, Kokkos::pair for device code. The wider type of the two is that of the
///                     result. One of them may be an integer whose type has no more bits than the other's significand.
/// \return The rounded sum; NaN, infinities (0 * inf is NaN) and the sign of zero as in DotAccumulator::round. Waits
/// for it.
template <class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_dot(PolicyOrN const& policy_or_n, F const& f) {
  return Impl::transform<Impl::DotTerms>("Exakt::transform_dot", Impl::policy_of(policy_or_n), f);
}

/// \brief The same on an execution space instance.
template <class Space, class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_dot(Space const& space, PolicyOrN const& policy_or_n, F const& f) {
  return transform_dot(Impl::range_on(space, policy_or_n), f);
}

}  // namespace Exakt

#endif
