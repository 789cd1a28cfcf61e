// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TRANSFORM_SUM_HPP
#define EXAKT_TRANSFORM_SUM_HPP

#include "parallel/Exakt_Operand.hpp"
#include "parallel/Exakt_Transform.hpp"

namespace Exakt {

/// \brief The sum of f(i) over the range, rounded once.
///
/// The exact sum of the terms as f returns them; what f rounds inside is rounded. Faster than the same lambda in a
/// plain parallel_reduce where the compiler can vectorize f: here the loop is ours. On devices too: terms go through
/// registers, while a reduction with ExactSum keeps 0.3 KB of shared memory for each thread. Where an enclosure of
/// the sum does not decide its rounding (terms that cancel, ties), f is called once more for each index.
///
/// \param policy_or_n  A number of terms (i = 0 .. n-1; none if negative), a RangePolicy, or an MDRangePolicy; f gets
///                     the policy's tag, if it has one, and one index per dimension.
/// \param f            Callable as const on the policy's execution space, without side effects; returns float,
///                     double, half_t or bhalf_t, which is the type of the result. What it throws on a host leaves the call.
/// \return The rounded sum; NaN, infinities and the sign of zero as in SumAccumulator::round. Waits for it.
template <class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_sum(PolicyOrN const& policy_or_n, F const& f) {
  return Impl::transform<Impl::SumTerms>("Exakt::transform_sum", Impl::policy_of(policy_or_n), f);
}

/// \brief The same on an execution space instance.
template <Impl::ExecutionSpace Space, class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_sum(Space const& space, PolicyOrN const& policy_or_n, F const& f) {
  return transform_sum(Impl::range_on(space, policy_or_n), f);
}

/// \brief Adds the exact sum of f(i) over the range to `accumulator`, to be merged and rounded later; f is called once for
/// each index.
///
/// \param accumulator  Any exact accumulator of a type that holds the terms: SumAccumulator, DotAccumulator, LongAccumulator, Expansion, HighPrecision, Hallberg.
///                     What it holds already stays. Waited for.
template <Impl::NoExecutionSpace PolicyOrN, class F, class Accumulator>
EXAKT_ABI_TAG void transform_sum(PolicyOrN const& policy_or_n, F const& f, Accumulator& accumulator) {
  Impl::transform_into<Impl::SumTerms>("Exakt::transform_sum", Impl::policy_of(policy_or_n), f, accumulator);
}

/// \brief The same on an execution space instance.
template <Impl::ExecutionSpace Space, class PolicyOrN, class F, class Accumulator>
EXAKT_ABI_TAG void transform_sum(Space const& space, PolicyOrN const& policy_or_n, F const& f,
                                 Accumulator& accumulator) {
  transform_sum(Impl::range_on(space, policy_or_n), f, accumulator);
}

/// Refused, with a sentence.
template <Impl::LikeLabel Label, class PolicyOrN, class F, class... Accumulator>
EXAKT_ABI_TAG double transform_sum(Label const&, PolicyOrN const&, F const&, Accumulator const&...) {
  static_assert(Impl::require_no_label<Label>());
  return 0;
}

}  // namespace Exakt

#endif
