// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_ALLREDUCE_HPP
#define EXAKTMPI_ALLREDUCE_HPP

#include "impl/ExaktMpi_Bins.hpp"
#include "impl/ExaktMpi_SeveralSums.hpp"

namespace Exakt::Mpi {

/// \brief accumulator := the exact sum of the accumulators of all ranks, on every rank.
///
/// Integer additions only: the same value for any number of ranks, in any order.
///
/// \param comm         All its ranks call, with the same type and method.
/// \param accumulator  SumAccumulator, DotAccumulator, LongAccumulator of any radix, Expansion, ...; read and written.
/// \param method       How it travels.
/// \throws std::invalid_argument  comm is null, or an intercommunicator.
/// \throws Error  MPI failed, is not initialized or already finalized. Nothing was written.
/// \par Cost  One MPI_Allreduce of a word for each digit and one more: 40 for a sum of doubles, 78 for products; twice
/// as many digits beyond 63 ranks.
template <Impl::Mergeable Accumulator>
EXAKT_ABI_TAG void allreduce(MPI_Comm comm, Accumulator& accumulator,
                             Method method = Impl::default_method<Accumulator>) {
  auto const region = Impl::region_of("allreduce");
  Impl::reduce_accumulator(Impl::Communicator("allreduce", comm), accumulator, method, Impl::all_ranks);
}

/// \brief Each entry of a View := the exact sum of that entry over all ranks: many sums together.
///
/// \param sums  Rank 1, the same number of entries on every rank; or rank 0. Any layout and memory. On a device
///              kernels pack the words; with Method::accumulators, and of rank 0, it is copied to the host and back.
/// \throws std::invalid_argument  On every rank, if they disagree on the number of entries, the type or the method, or if on
///                                one entries share memory.
/// \par Cost  A message of 7 words, then one of the digits that are in use on any rank, or several of 4 MB at most.
template <Impl::ViewOfSums V>
EXAKT_ABI_TAG void allreduce(MPI_Comm comm, V const& sums,
                             Method method = Impl::default_method<typename V::non_const_value_type>) {
  auto const region = Impl::region_of("allreduce");
  Impl::reduce_view(Impl::Communicator("allreduce", comm), sums, method, Impl::all_ranks);
}

/// \brief Each bin of a ScatterSum, of any rank := the exact sum of that bin over all ranks, on every rank: histograms and
/// fields that all ranks add to, rounded afterwards.
///
/// \param comm  All its ranks call.
/// \param bins  Of the same extents and type on every rank; exponent ranges may differ. A sum that they have no digits for
///              is refused as by add(): what reads the bins says so.
/// \throws std::invalid_argument  On every rank, if they disagree, or if on one additions were refused. Nothing was
///                                written.
/// \throws Error  MPI failed. Then, and where a rank has no memory for more than 16384 bins, some bins may be the sums over
///                all ranks already: clear() them before they are filled again.
/// \par Cost  For each 16384 bins a message of 7 words, then one of the digits that are in use on any rank, or several
/// of 4 MB at most.
template <Impl::SumsInBins Bins>
EXAKT_ABI_TAG void allreduce(MPI_Comm comm, Bins const& bins) {
  auto const region = Impl::region_of("allreduce");
  Impl::reduce_bins(Impl::Communicator("allreduce", comm), bins, Impl::all_ranks);
}

/// \brief Each of some accumulators := the exact sum of its like over all ranks: one message for all of them.
///
/// What a step of a solver needs at one point, as two dot products and a norm: `allreduce(comm, rr, rz, pq)`.
///
/// \param comm           All its ranks call, with as many accumulators of the same types in the same order.
/// \param first, second, more  As for one accumulator, also of different types; read and written.
/// \throws std::invalid_argument, Error  As for one accumulator. Nothing was written.
/// \par Cost  One MPI_Allreduce, of as many words as each of them alone takes. If one is no LongAccumulator in disguise
///            (HighPrecision, Hallberg, Binned, a type of yours), all travel whole, under an MPI_Op that merges them.
template <Impl::Mergeable First, Impl::Mergeable Second, Impl::Mergeable... More>
EXAKT_ABI_TAG void allreduce(MPI_Comm comm, First& first, Second& second, More&... more) {
  auto const region = Impl::region_of("allreduce");
  Impl::reduce_together(Impl::Communicator("allreduce", comm), Impl::Travelling<First>::of(first),
                        Impl::Travelling<Second>::of(second), Impl::Travelling<More>::of(more)...);
}

/// \brief Does not compile: several sums in one message are accumulators; thousands of one type are a View of them.
template <class First, class Second, class... More>
requires(!std::is_same_v<std::remove_cvref_t<Second>, Method> &&
         !(Impl::MergeableArgument<First> && Impl::MergeableArgument<Second> &&
           (Impl::MergeableArgument<More> && ...))) EXAKT_ABI_TAG
    void allreduce(MPI_Comm, First&&, Second&&, More&&...) {
  static_assert(
      Impl::MergeableArgument<First> && Impl::MergeableArgument<Second> && (Impl::MergeableArgument<More> && ...),
      "Exakt: several sums in one message are accumulators (Exakt::SumAccumulator), each a variable; a "
      "Kokkos::View of accumulators is a message of its own");
}

/// \brief Does not compile: a sum of numbers would depend on the order in which MPI adds them.
template <class S>
requires(!Impl::Reducible<S> && !Impl::SumsInBins<std::remove_cvref_t<S>>) EXAKT_ABI_TAG
    void allreduce(MPI_Comm, S&&, Method = Method::words) {
  Impl::refuse_numbers<S>();
}

}  // namespace Exakt::Mpi

#endif
