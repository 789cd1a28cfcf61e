// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_INCLUSIVE_SCAN_HPP
#define EXAKTMPI_INCLUSIVE_SCAN_HPP

#include "impl/ExaktMpi_Scan.hpp"

namespace Exakt::Mpi {

/// \brief r(i) := the sum of all entries of the ranks before, and of x(0) ... x(i), rounded once.
///
/// The scan of the vector whose parts are those of the ranks in their order: the same bits however it is cut.
/// Method: exact sums of the parts, MPI_Exscan of their words, then each part as Exakt::inclusive_scan does it.
///
/// \param comm   All its ranks call.
/// \param space  Where to run; waited for.
/// \param x      This rank's part: any number of entries, none included, of any layout, read; float, double, or Kokkos'
///               half types.
/// \param r      As many entries, written: of any layout and of any of these types, to which each sum is rounded. It may
///               be x itself.
/// \throws std::invalid_argument  comm is null or an intercommunicator, the extents differ on a rank, or r overlaps x and is not x.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  Two passes over x, one over r; an MPI_Allreduce of three words, an MPI_Exscan of 40, beyond 63 ranks 79.
template <Exakt::Impl::ExecutionSpace Space, class X, class R>
EXAKT_ABI_TAG void inclusive_scan(MPI_Comm comm, Space const& space, X const& x, R const& r) {
  Impl::scan<true>("inclusive_scan", comm, space, x, r);
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X, class R>
EXAKT_ABI_TAG void inclusive_scan(MPI_Comm comm, X const& x, R const& r) {
  inclusive_scan(comm, typename X::execution_space(), x, r);
}

}  // namespace Exakt::Mpi

#endif
