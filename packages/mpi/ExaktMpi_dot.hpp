// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_DOT_HPP
#define EXAKTMPI_DOT_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_dot.hpp>

namespace Exakt::Mpi {

/// \brief The sum of x(i) * y(i) on all ranks, rounded once.
///
/// No product is rounded, overflows or underflows; 0 * inf is NaN.
/// Method: an enclosure of the sum, and where that does not prove how it rounds, the exact sum; both are reduced by
/// Method::words.
///
/// \param comm   All its ranks call, with the same types and the same mode.
/// \param space  Where to run; waited for.
/// \param x, y   This rank's part: any number of entries, none included, of any layout, read; float, double, Kokkos'
///               half types, or complex numbers, of which x is conjugated, also mixed.
/// \param mode   How the exact value is rounded.
/// \return On every rank the same bits, in the wider type of the two. NaN, infinities and the sign
///         of zero as in SumAccumulator::round.
/// \throws std::invalid_argument  On every rank, if x and y differ in length on one, or the ranks disagree on mode or types; comm is
///          null or an intercommunicator.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One pass over the operands and one MPI_Allgather of 7 words, or from 8 ranks on one MPI_Allreduce of 83.
/// Where the sum cancels or is next to a tie one more pass and an MPI_Allreduce of 81. Beyond 63 ranks 161 and 158.
template <Exakt::Impl::ExecutionSpace Space, class X, class Y>
EXAKT_ABI_TAG auto dot(MPI_Comm comm, Space const& space, X const& x, Y const& y,
                       Rounding mode = Rounding::to_nearest) {
  return Impl::reduce_to_number<Exakt::Impl::Dot>(comm, space, mode, x, y);
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X, class Y>
EXAKT_ABI_TAG auto dot(MPI_Comm comm, X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  return dot(comm, typename X::execution_space(), x, y, mode);
}

}  // namespace Exakt::Mpi

#endif
