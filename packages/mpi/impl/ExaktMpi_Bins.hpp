// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_BINS_HPP
#define EXAKTMPI_BINS_HPP

/// \file
/// \brief Arrays of sums that are no Views of accumulators, a ScatterSum of any rank: read to accumulators, piece by piece.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_DeviceMessage.hpp"

#include <parallel/Exakt_OperandChecks.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// Where accumulators of bins travel: in the memory of the bins.
template <class S>
using SumsOfBins = Kokkos::View<typename S::accumulator_type*, typename S::memory_space>;

/// What has bins in a row that can be read and written as accumulators: a ScatterSum.
template <class S>
concept SumsInBins = requires(S const& bins, std::int64_t i, SumsOfBins<S> const& sums) {
  bins.accumulators_to(i, sums);
  bins.accumulators_to(i, sums, Exakt::Impl::AlsoAfterRefusals());
  bins.assign(i, sums);
  bins.size();
};

/// All bins of each rank to those of `root`, or of all.
template <class S>
void reduce_bins(Communicator const& comm, S const& bins, int root) {
  using Sums = SumsOfBins<S>;
  constexpr std::int64_t at_once = 16'384;
  std::int64_t const size = bins.size();
  Sums sums;
  // Refused additions are said before anything is written.
  agree(comm, "number and extents of bins, type and root", [&] {
    comm.require_root(root);
    bins.accumulators_to(0, Sums());
    if (comm.size() > 1)
      sums = Sums(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::Mpi::bins"),
                  static_cast<std::size_t>(std::min(size, at_once)));
    Checksum same;
    same.add_types<typename S::accumulator_type>();
    for (int r = 0; r < S::rank; ++r) same.add(static_cast<std::uint64_t>(bins.extent(r)));
    same.add(static_cast<std::uint64_t>(root));
    return same.value();
  });
  if (comm.size() == 1) return;
  for (std::int64_t first = 0; first < size; first += at_once) {
    auto const some = Kokkos::subview(
        sums, std::pair<std::size_t, std::size_t>(0, static_cast<std::size_t>(std::min(size - first, at_once))));
    // What the bins have no digits for is refused by assign(), on this rank alone, and said when the bins are read.
    bins.accumulators_to(first, some, Exakt::Impl::AlsoAfterRefusals());
    reduce_view(comm, some, Method::words, root);
    if (comm.receives(root)) bins.assign(first, some);
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
