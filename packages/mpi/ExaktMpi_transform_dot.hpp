// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_TRANSFORM_DOT_HPP
#define EXAKTMPI_TRANSFORM_DOT_HPP

#include "impl/ExaktMpi_Transform.hpp"

namespace Exakt::Mpi {

/// \brief The sum of x * y over the pairs (x, y) = f(i) of the ranges of all ranks, rounded once: on every rank the same
/// bits, for any number of ranks and however the indices are shared out among them.
///
/// No product is rounded, underflows or overflows on the way; 0 * inf is NaN. Method: as for transform_sum.
///
/// \param comm         All its ranks call, with functions that return the same type.
/// \param policy_or_n  This rank's part, as for transform_sum. There may be none.
/// \param f            Callable as const on the policy's execution space, without side effects; returns a pair
///                     (`first`, `second`) as for Exakt::transform_dot, whose wider type is that of the result.
/// \param mode         The direction of the one rounding. The same on all ranks.
/// \return The rounded sum, on every rank; NaN, infinities and the sign of zero as in DotAccumulator::round.
/// \throws std::invalid_argument, Error  As for transform_sum.
/// \par Cost  That of Exakt::transform_dot for this rank's part, and one MPI_Allgather of 7 words, or from 8 ranks on
///            one MPI_Allreduce of 83; where that does not decide, and always for half precision and where a rank's
///            processor has no fused multiply-add, an MPI_Allreduce of 81, 16 at most unless a factor is a double. Beyond
///            63 ranks there are twice as many digits.
template <Exakt::Impl::NoExecutionSpace PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_dot(MPI_Comm comm, PolicyOrN const& policy_or_n, F const& f,
                                 Rounding mode = Rounding::to_nearest) {
  auto const region = Impl::region_of("transform_dot");
  return Impl::transform<Exakt::Impl::DotTerms>(Impl::Communicator("transform_dot", comm), "Exakt::Mpi::transform_dot",
                                                Exakt::Impl::policy_of(policy_or_n), f, mode);
}

/// \brief The same on an execution space instance.
template <Exakt::Impl::ExecutionSpace Space, class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_dot(MPI_Comm comm, Space const& space, PolicyOrN const& policy_or_n, F const& f,
                                 Rounding mode = Rounding::to_nearest) {
  return transform_dot(comm, Exakt::Impl::range_on(space, policy_or_n), f, mode);
}

}  // namespace Exakt::Mpi

#endif
