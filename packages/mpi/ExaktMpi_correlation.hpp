// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_CORRELATION_HPP
#define EXAKTMPI_CORRELATION_HPP

#include "impl/ExaktMpi_Moments.hpp"

namespace Exakt::Mpi {

/// \brief The correlation of x and y, spread over all ranks, rounded once: in [-1, 1].
///
/// Method: the exact sums of each part, reduced by Method::words, and Exakt::correlation's comparison of integers.
///
/// \param comm   All its ranks call, with the same types and the same mode.
/// \param space  Where to run; waited for.
/// \param x, y   This rank's parts: as many entries of both, none included, of any layout, read; float, double, or Kokkos'
///               half types.
/// \param mode   The direction of the one rounding.
/// \return On every rank the same bits, in the wider of both types: those of Exakt::correlation of the whole.
/// \throws std::invalid_argument  comm is null or an intercommunicator, x and y differ in length on a rank, or the ranks disagree on the mode.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One exact pass over x and y, an MPI_Allreduce of three words and one of 354, beyond 63 ranks 702.
template <Exakt::Impl::ExecutionSpace Space, class X, Exakt::Impl::AnyView Y>
EXAKT_ABI_TAG auto correlation(MPI_Comm comm, Space const& space, X const& x, Y const& y,
                               Rounding mode = Rounding::to_nearest) {
  static_assert(Exakt::Impl::require_pairs<Space, X, Y>());
  using R = Exakt::Impl::WiderOf<typename X::non_const_value_type, typename Y::non_const_value_type>;
  return Impl::reduce_pairs<R>("correlation", comm, space, x, y, 0, mode, [=](std::size_t n) {
    return Exakt::Impl::RoundCorrelation<R>{n, mode};
  });
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X, Exakt::Impl::AnyView Y>
EXAKT_ABI_TAG auto correlation(MPI_Comm comm, X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  return correlation(comm, typename X::execution_space(), x, y, mode);
}

}  // namespace Exakt::Mpi

#endif
