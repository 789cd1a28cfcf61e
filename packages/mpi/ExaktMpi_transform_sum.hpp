// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_TRANSFORM_SUM_HPP
#define EXAKTMPI_TRANSFORM_SUM_HPP

#include "impl/ExaktMpi_Transform.hpp"

namespace Exakt::Mpi {

/// \brief The sum of f(i) over the ranges of all ranks, rounded once: on every rank the same bits, for any number of ranks
/// and however the indices are shared out among them.
///
/// Method: each rank encloses the sum of its terms (Exakt::transform_sum); sums and bounds travel as integers, and where
/// their total does not decide the rounding (terms that cancel, ties), f is called once more for each index, on all
/// ranks, and the exact sums travel.
///
/// \param comm         All its ranks call, with functions that return the same type.
/// \param policy_or_n  This rank's part: a number of terms (i = 0 .. n-1; none if negative), a RangePolicy or an
///                     MDRangePolicy, as for Exakt::transform_sum. There may be none.
/// \param f            Callable as const on the policy's execution space, without side effects; returns float, double,
///                     half_t or bhalf_t, which is the type of the result.
/// \param mode         The direction of the one rounding. The same on all ranks.
/// \return The rounded sum, on every rank; NaN, infinities and the sign of zero as in SumAccumulator::round.
/// \throws std::invalid_argument  comm is null or an intercommunicator; the ranks disagree on mode or types; or f threw on
///                                another rank: on a rank where it did, that leaves the call.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  That of Exakt::transform_sum for this rank's part, and one MPI_Allgather of 7 words, or from 8 ranks on
///            one MPI_Allreduce of 83; where that does not decide, and of half precision always, an MPI_Allreduce of 43,
///            11 at most unless terms are doubles. Beyond 63 ranks there are twice as many digits.
template <Exakt::Impl::NoExecutionSpace PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_sum(MPI_Comm comm, PolicyOrN const& policy_or_n, F const& f,
                                 Rounding mode = Rounding::to_nearest) {
  auto const region = Impl::region_of("transform_sum");
  return Impl::transform<Exakt::Impl::SumTerms>(Impl::Communicator("transform_sum", comm), "Exakt::Mpi::transform_sum",
                                                Exakt::Impl::policy_of(policy_or_n), f, mode);
}

/// \brief The same on an execution space instance.
template <Exakt::Impl::ExecutionSpace Space, class PolicyOrN, class F>
EXAKT_ABI_TAG auto transform_sum(MPI_Comm comm, Space const& space, PolicyOrN const& policy_or_n, F const& f,
                                 Rounding mode = Rounding::to_nearest) {
  return transform_sum(comm, Exakt::Impl::range_on(space, policy_or_n), f, mode);
}

}  // namespace Exakt::Mpi

#endif
