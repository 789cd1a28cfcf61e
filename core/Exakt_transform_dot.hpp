// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TRANSFORM_DOT_HPP
#define EXAKT_TRANSFORM_DOT_HPP

#include "parallel/Exakt_Operand.hpp"
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
template <Impl::ExecutionSpace Space, class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_dot(Space const& space, PolicyOrN const& policy_or_n, F const& f) {
  return transform_dot(Impl::range_on(space, policy_or_n), f);
}

/// \brief Adds the exact sum of x * y over the range, (x, y) = f(i), to `accumulator`, to be merged and rounded later; f is called once for
/// each index.
///
/// \param accumulator  Any exact accumulator of a type that holds the terms and has add_product: DotAccumulator, LongAccumulator with Terms::products.
///                     What it holds already stays. Waited for.
template <Impl::NoExecutionSpace PolicyOrN, class F, class Accumulator>
EXAKT_ABI_TAG void transform_dot(PolicyOrN const& policy_or_n, F const& f, Accumulator& accumulator) {
  Impl::transform_into<Impl::DotTerms>("Exakt::transform_dot", Impl::policy_of(policy_or_n), f, accumulator);
}

/// \brief The same on an execution space instance.
template <Impl::ExecutionSpace Space, class PolicyOrN, class F, class Accumulator>
EXAKT_ABI_TAG void transform_dot(Space const& space, PolicyOrN const& policy_or_n, F const& f,
                                 Accumulator& accumulator) {
  transform_dot(Impl::range_on(space, policy_or_n), f, accumulator);
}

/// Refused, with a sentence.
template <Impl::LikeLabel Label, class PolicyOrN, class F, class... Accumulator>
EXAKT_ABI_TAG double transform_dot(Label const&, PolicyOrN const&, F const&, Accumulator const&...) {
  static_assert(Impl::require_no_label<Label>());
  return 0;
}

}  // namespace Exakt

#endif
