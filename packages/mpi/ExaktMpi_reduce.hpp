// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_REDUCE_HPP
#define EXAKTMPI_REDUCE_HPP

#include "impl/ExaktMpi_Bins.hpp"

namespace Exakt::Mpi {

/// \brief accumulator := the exact sum of the accumulators of all ranks, on rank `root`; unchanged on the others.
///
/// \param comm         All its ranks call, with the same type, root and method: of one accumulator nothing is sent before it, and ranks
///                     that differ wait as in MPI_Reduce.
/// \param accumulator  As for allreduce; on root read and written. On the others its value stays, but it may be written in another
///                     form: no other thread may use it meanwhile.
/// \throws std::invalid_argument  root is not a rank of comm; or as for allreduce.
/// \throws Error  As for allreduce.
/// \par Cost  One MPI_Reduce of as many words as for allreduce; of a View as many messages.
template <Impl::Mergeable Accumulator>
EXAKT_ABI_TAG void reduce(MPI_Comm comm, Accumulator& accumulator, int root,
                          Method method = Impl::default_method<Accumulator>) {
  auto const region = Impl::region_of("reduce");
  Impl::Communicator const ranks("reduce", comm);
  ranks.require_root(Impl::root_of_caller(root));
  Impl::reduce_accumulator(ranks, accumulator, method, root);
}

/// \brief The same for each entry of a View; see allreduce. With a View of rank 1, ranks that give different roots are
/// refused on all ranks, and one that is no rank, too.
template <Impl::ViewOfSums V>
EXAKT_ABI_TAG void reduce(MPI_Comm comm, V const& sums, int root,
                          Method method = Impl::default_method<typename V::non_const_value_type>) {
  auto const region = Impl::region_of("reduce");
  Impl::Communicator const ranks("reduce", comm);
  Impl::reduce_view(ranks, sums, method, Impl::root_of_caller(root));
}

/// \brief The same for each bin of a ScatterSum; on the other ranks they stay as they are. See allreduce.
template <Impl::SumsInBins Bins>
EXAKT_ABI_TAG void reduce(MPI_Comm comm, Bins const& bins, int root) {
  auto const region = Impl::region_of("reduce");
  Impl::Communicator const ranks("reduce", comm);
  Impl::reduce_bins(ranks, bins, Impl::root_of_caller(root));
}

/// \brief Does not compile: a sum of numbers would depend on the order in which MPI adds them.
template <class S>
requires(!Impl::Reducible<S> && !Impl::SumsInBins<std::remove_cvref_t<S>>) EXAKT_ABI_TAG
    void reduce(MPI_Comm, S&&, int, Method = Method::words) {
  Impl::refuse_numbers<S>();
}

}  // namespace Exakt::Mpi

#endif
