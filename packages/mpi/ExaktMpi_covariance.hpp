// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_COVARIANCE_HPP
#define EXAKTMPI_COVARIANCE_HPP

#include "impl/ExaktMpi_Moments.hpp"

namespace Exakt::Mpi {

/// \brief The covariance of x and y, spread over all ranks: (n sum(x y) - sum(x) sum(y)) / (n (n - ddof)), rounded once.
///
/// Method: the exact sums of each part, reduced by Method::words.
///
/// \param comm   All its ranks call, with the same types, the same ddof and the same mode.
/// \param space  Where to run; waited for.
/// \param x, y   This rank's parts: as many entries of both, none included, of any layout, read; float, double, or Kokkos'
///               half types.
/// \param ddof   What is subtracted from n, the number of pairs on all ranks.
/// \param mode   The direction of the one rounding.
/// \return On every rank the same bits, in the wider of both types: those of Exakt::covariance of the whole.
/// \throws std::invalid_argument  comm is null or an intercommunicator, x and y differ in length on a rank, or the ranks disagree on ddof or mode.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One exact pass over x and y, an MPI_Allreduce of three words and one of 198, beyond 63 ranks 392.
template <Exakt::Impl::ExecutionSpace Space, class X, Exakt::Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(MPI_Comm comm, Space const& space, X const& x, Y const& y, Exakt::Impl::Ddof ddof = 1,
                              Rounding mode = Rounding::to_nearest) {
  static_assert(Exakt::Impl::require_pairs<Space, X, Y>());
  using R = Exakt::Impl::WiderOf<typename X::non_const_value_type, typename Y::non_const_value_type>;
  return Impl::reduce_pairs<R>("covariance", comm, space, x, y, ddof, mode, [=](std::size_t n) {
    return Exakt::Impl::RoundCovariance<R>{n, ddof, mode};
  });
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView X, Exakt::Impl::AnyView Y>
EXAKT_ABI_TAG auto covariance(MPI_Comm comm, X const& x, Y const& y, Exakt::Impl::Ddof ddof = 1,
                              Rounding mode = Rounding::to_nearest) {
  return covariance(comm, typename X::execution_space(), x, y, ddof, mode);
}

}  // namespace Exakt::Mpi

#endif
