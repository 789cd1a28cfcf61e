// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MEAN_HPP
#define EXAKTMPI_MEAN_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_mean.hpp>

namespace Exakt::Mpi {

/// \brief The mean of the entries of x on all ranks: their exact sum divided by their number, rounded once.
///
/// Method: an enclosure of the sum, and where that does not prove how it rounds, the exact sum; both are reduced by
/// Method::words.
///
/// \param comm   All its ranks call, with the same types and the same mode.
/// \param space  Where to run; waited for.
/// \param x      This rank's part: any number of entries, none included, of any layout, read; float, double, Kokkos'
///               half types, or complex numbers.
/// \param mode   How the exact value is rounded.
/// \return On every rank the same bits, in the type of x's entries; NaN if no rank has an entry. NaN, infinities and
///         the sign of zero as in SumAccumulator::round.
/// \throws std::invalid_argument  comm is null or an intercommunicator, or the ranks disagree on mode or types.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One pass over the operands and one MPI_Allgather of 7 words, or from 8 ranks on one MPI_Allreduce of 83.
/// Where the sum cancels or is next to a tie one more pass and an MPI_Allreduce of 43. Beyond 63 ranks 161 and 82.
template <Exakt::Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto mean(MPI_Comm comm, Space const& space, X const& x, Rounding mode = Rounding::to_nearest) {
  return Impl::reduce_to_number<Exakt::Impl::Mean>(comm, space, mode, x);
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X>
EXAKT_ABI_TAG auto mean(MPI_Comm comm, X const& x, Rounding mode = Rounding::to_nearest) {
  return mean(comm, typename X::execution_space(), x, mode);
}

}  // namespace Exakt::Mpi

#endif
