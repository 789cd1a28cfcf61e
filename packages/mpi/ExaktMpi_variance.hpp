// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_VARIANCE_HPP
#define EXAKTMPI_VARIANCE_HPP

#include "impl/ExaktMpi_Moments.hpp"

namespace Exakt::Mpi {

/// \brief The variance of x, spread over all ranks: (n sum(x^2) - sum(x)^2) / (n (n - ddof)), rounded once.
///
/// Method: the exact sums of each part, reduced by Method::words.
///
/// \param comm   All its ranks call, with the same types, the same ddof and the same mode.
/// \param space  Where to run; waited for.
/// \param x      This rank's part: any number of entries, none included, of any layout, read; float, double, or Kokkos'
///               half types.
/// \param ddof   What is subtracted from n, the number of entries on all ranks.
/// \param mode   The direction of the one rounding.
/// \return On every rank the same bits, in the type of x's entries: those of Exakt::variance of the whole. NaN if n <= ddof
///         or n = 0, and if an entry is infinite or NaN.
/// \throws std::invalid_argument  comm is null or an intercommunicator, or the ranks disagree on ddof or mode.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One exact pass over x, an MPI_Allreduce of three words and one of 158, beyond 63 ranks 313.
template <Exakt::Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto variance(MPI_Comm comm, Space const& space, X const& x, Exakt::Impl::Ddof ddof = 1,
                            Rounding mode = Rounding::to_nearest) {
  return Impl::variance<false>("variance", comm, space, x, ddof, mode);
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X>
EXAKT_ABI_TAG auto variance(MPI_Comm comm, X const& x, Exakt::Impl::Ddof ddof = 1,
                            Rounding mode = Rounding::to_nearest) {
  return variance(comm, typename X::execution_space(), x, ddof, mode);
}

}  // namespace Exakt::Mpi

#endif
