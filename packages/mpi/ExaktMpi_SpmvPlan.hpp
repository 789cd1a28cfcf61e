// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SPMVPLAN_HPP
#define EXAKTMPI_SPMVPLAN_HPP

#include "impl/ExaktMpi_SpmvState.hpp"

namespace Exakt::Mpi {

/// \brief Which entries of x the products with a distributed sparse matrix need from which rank: found once, for any
/// number of products (ExaktMpi_spmv.hpp) with matrices of the same graph, whatever their values.
///
///     Exakt::Mpi::SpmvPlan plan(comm, A, n);        // this rank has the next n entries of x
///     Exakt::Mpi::SpmvPlan plan(comm, A, numbers);  // it has those of these numbers
///
/// Each rank has some rows of the matrix, any and whole, with their columns numbered as in the whole matrix, and some
/// entries of x, any. Copies are the same plan; one product with it at a time. All ranks destroy it, before
/// MPI_Finalize.
///
/// \tparam MemorySpace  Of the values of the matrix.
template <class MemorySpace>
class SpmvPlan {
 public:
  /// \brief Of an x whose parts follow one another, in the order of the ranks.
  ///
  /// \param comm     All its ranks call.
  /// \param A        This rank's rows, as for Exakt::spmv: A.numCols() columns on every rank. Row map and columns are
  ///                 read.
  /// \param entries  How many entries of x this rank has; of blocks where A is made of them.
  /// \throws std::invalid_argument  On every rank, if on one the row map decreases or leaves the entries, or a column does
  ///                                not exist; if a column with entries is of no rank, or an entry of x of two; if A has
  ///                                not the same number of columns everywhere; if a rank has 2^30 entries or more.
  /// \throws Error  MPI failed, is not initialized or already finalized.
  /// \par Cost  Some all-to-all messages; time and memory in proportion to the entries of A and of x on this rank, and to
  ///            the number of ranks. The plan keeps 4 bytes for each entry of A.
  template <class A>
  EXAKT_ABI_TAG SpmvPlan(MPI_Comm comm, A const& a, std::size_t entries) {
    static_assert(Exakt::Impl::require_sparse_operand<typename MemorySpace::execution_space, A>());
    Impl::Communicator const ranks("SpmvPlan", comm);
    m_state = Impl::make_spmv_state<MemorySpace>(ranks, a, entries, [&](std::int64_t begin) {
      Impl::require_few_entries(ranks, "x", entries);
      std::vector<std::int64_t> numbers(entries);
      std::iota(numbers.begin(), numbers.end(), begin);
      return numbers;
    });
  }

  /// \brief Of an x whose entries are shared out in any way.
  /// \param numbers  A View of rank 1: the numbers of this rank's entries of x, in the order in which it has them.
  template <class A, class Numbers>
  requires Kokkos::is_view<Numbers>::value EXAKT_ABI_TAG SpmvPlan(MPI_Comm comm, A const& a, Numbers const& numbers) {
    static_assert(Exakt::Impl::require_sparse_operand<typename MemorySpace::execution_space, A>());
    static_assert(Numbers::rank == 1 && Exakt::Impl::is_integer_v<typename Numbers::non_const_value_type>,
                  "Exakt: the numbers of entries are a View of integers of at most 64 bits, of rank 1");
    Impl::Communicator const ranks("SpmvPlan", comm);
    m_state = Impl::make_spmv_state<MemorySpace>(ranks, a, numbers.extent(0), [&](std::int64_t) {
      Impl::require_few_entries(ranks, "x", numbers.extent(0));
      return Impl::numbers_of(numbers);
    });
  }

  EXAKT_TAGGED_COPIES(SpmvPlan);

  /// \brief How many entries of x this rank has (of blocks, where A is made of them).
  EXAKT_ABI_TAG std::size_t own_entries() const { return m_state->own; }
  /// \brief How many entries of other ranks its rows need: what it receives in each product.
  EXAKT_ABI_TAG std::size_t halo_entries() const { return m_state->others; }

 private:
  friend struct Impl::StateOfPlan;
  std::shared_ptr<Impl::SpmvState<MemorySpace>> m_state;
};

template <class A, class Entries>
SpmvPlan(MPI_Comm, A const&, Entries const&)
    -> SpmvPlan<typename std::decay_t<decltype(std::declval<A const&>().values)>::memory_space>;

}  // namespace Exakt::Mpi

#endif
