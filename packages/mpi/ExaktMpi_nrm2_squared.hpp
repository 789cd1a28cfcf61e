// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_NRM2_SQUARED_HPP
#define EXAKTMPI_NRM2_SQUARED_HPP

#include "impl/ExaktMpi_Reduction.hpp"

namespace Exakt::Mpi {

/// \brief The sum of x(i)^2 over all ranks, rounded once: on every rank the same bits, however x is spread over them.
///
/// No square over- or underflows on the way. Method: an enclosed sum, the exact one where the enclosure does not
/// decide; both reduced by Method::words.
///
/// \param comm   All its ranks call, with the same types.
/// \param space  Where to run; waited for.
/// \param x      This rank's part, of rank 1: any number of entries, none included, of any layout, read; float, double,
///               or Kokkos' half types.
/// \param mode   The direction of the one rounding. The same on all ranks.
/// \return The result in the type of the entries. NaN, infinities and the sign of zero as in DotAccumulator::round.
/// \throws std::invalid_argument  comm is null or an intercommunicator.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One pass over x and one MPI_Allreduce of 158 words; both again where the sum is next to a tie, and with
///            another mode than to_nearest where it is exact.
template <class Space, class X>
requires(Kokkos::is_execution_space<Space>::value&& Kokkos::is_view<X>::value) EXAKT_ABI_TAG
    auto nrm2_squared(MPI_Comm comm, Space const& space, X const& x, Rounding mode = Rounding::to_nearest) {
  static_assert(Exakt::Impl::require_operand<Space, X>());
  static_assert(X::rank == 1, "Exakt: across ranks vectors are reduced, one number each");
  Impl::Communicator const ranks("nrm2_squared", comm);
  using R = typename X::non_const_value_type;
  R result{};
  Exakt::Impl::in_region("Exakt::Mpi::nrm2_squared", [&] {
    result = Impl::reduce_terms(
        ranks, "Exakt::Mpi::nrm2_squared::accumulate", space, Exakt::Impl::ProductsOf<X, X>{{x}, {x}}, x.extent(0),
        [] {}, [mode](std::size_t) { return [mode](auto const& sum) { return sum.template round<R>(mode); }; });
  });
  return result;
}

/// \brief The same on the execution space of x.
template <class X>
requires Kokkos::is_view<X>::value EXAKT_ABI_TAG auto nrm2_squared(MPI_Comm comm, X const& x,
                                                                   Rounding mode = Rounding::to_nearest) {
  return nrm2_squared(comm, typename X::execution_space(), x, mode);
}

}  // namespace Exakt::Mpi

#endif
