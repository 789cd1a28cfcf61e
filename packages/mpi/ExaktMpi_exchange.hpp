// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_EXCHANGE_HPP
#define EXAKTMPI_EXCHANGE_HPP

#include "impl/ExaktMpi_AssemblyParts.hpp"

namespace Exakt::Mpi {

/// \brief Which entries of a distributed Exakt::CrsAssembly go to which rank: found once, for any number of exchanges
/// (below) of assemblies of the same graph.
///
/// Copies are the same plan. All ranks destroy it, before MPI_Finalize.
///
/// \tparam MemorySpace  Of the assembly.
template <class MemorySpace>
class ExchangePlan {
 public:
  /// \param comm      All its ranks call.
  /// \param assembly  Has the rows that are this rank's own, and behind them any rows that its elements add to and other
  ///                  ranks own. Columns are numbered as in the whole matrix, and the graph of the owner has all that others
  ///                  have of its rows.
  /// \param rows      A View of integers, of rank 1: the number, in the whole matrix, of each row of the assembly. They need
  ///                  not follow one another.
  /// \param own       How many of these, from the first, are this rank's own. None is an answer, too.
  /// \throws std::invalid_argument  On every rank, if on one there are not as many numbers as rows, or fewer than own; if
  ///                                a number is negative; if two ranks own a row, or none; if the owner of a row lacks an
  ///                                entry that another rank has.
  /// \throws Error  MPI failed, is not initialized or already finalized.
  /// \par Cost  Some all-to-all messages; time and memory in proportion to the entries of the assembly and to the number of
  ///            ranks. The plan keeps 8 bytes for each entry that is sent or received.
  template <Impl::AssembledInParts S, class Rows>
  EXAKT_ABI_TAG ExchangePlan(MPI_Comm comm, S const& assembly, Rows const& rows, std::size_t own) {
    static_assert(Kokkos::is_view<Rows>::value, "Exakt: the numbers of rows are a View of integers, of rank 1");
    static_assert(Rows::rank == 1 && Exakt::Impl::is_integer_v<typename Rows::non_const_value_type>,
                  "Exakt: the numbers of rows are a View of integers of at most 64 bits, of rank 1");
    m_state = Impl::find_assembly_parts(Impl::Communicator("ExchangePlan", comm), assembly, rows, own);
  }

  EXAKT_TAGGED_COPIES(ExchangePlan);

  /// \brief How many entries of rows of others this rank sends in each exchange.
  EXAKT_ABI_TAG std::size_t sent_entries() const { return m_state->sent.extent(0); }
  /// \brief How many parts of its own entries it receives.
  EXAKT_ABI_TAG std::size_t received_entries() const { return m_state->received.extent(0); }

 private:
  friend struct Impl::StateOfPlan;
  std::shared_ptr<Impl::AssemblyParts<MemorySpace>> m_state;
};

template <class S, class Rows>
ExchangePlan(MPI_Comm, S const&, Rows const&, std::size_t) -> ExchangePlan<typename S::memory_space>;

/// \brief Rows of an Exakt::CrsAssembly that several ranks added to: their parts go to the owner of the row, unrounded, which
/// has the exact sum of all then, and rounds it once: the same bits as of an assembly on one rank, for any distribution
/// of the elements and of the rows.
///
///     Exakt::CrsAssembly<double> S(graph);                          // own rows, then those of others
///     Exakt::Mpi::ExchangePlan const plan(comm, S, numbers, own);   // once
///     Kokkos::parallel_for(elements, ...S.add(row, column, x)...);  // of this rank
///     Exakt::Mpi::exchange(comm, S, plan);
///     S.round_to(values);                                           // right for own rows, zero for the others
///
/// Afterwards the rows of others are empty sums here, so more may be added, and exchanged again.
///
/// Method: digits of exact sums, as integers; the owner adds integers.
///
/// \param comm      All its ranks call.
/// \param assembly  Of the graph that the plan was made of, and on the same rank; read and written.
/// \param plan      Made on the same ranks.
/// \throws std::invalid_argument  On every rank, if on one the assembly is another one or additions were refused. Nothing
///                                was written then. A part for which the owner has no long sum left is refused as by
///                                add(): what reads the assembly says so.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  A message of three words among all ranks, and two to each neighbour that owns rows of this one: a word that says
///            how long the next is, and all parts, about four words for each entry (one for an entry to which nothing was added).
template <Impl::AssembledInParts S, class MemorySpace>
EXAKT_ABI_TAG void exchange(MPI_Comm comm, S const& assembly, ExchangePlan<MemorySpace> const& plan) {
  static_assert(std::is_same_v<MemorySpace, typename S::memory_space>,
                "Exakt: the plan of an exchange is of an assembly in the same memory");
  auto const region = Impl::region_of("exchange");
  Impl::exchange_parts(Impl::Communicator("exchange", comm), assembly, Impl::StateOfPlan::of(plan));
}

/// \brief The same for a single exchange, with a plan of its own.
/// \param rows, own  As for ExchangePlan.
template <Impl::AssembledInParts S, class Rows>
EXAKT_ABI_TAG void exchange(MPI_Comm comm, S const& assembly, Rows const& rows, std::size_t own) {
  exchange(comm, assembly, ExchangePlan<typename S::memory_space>(comm, assembly, rows, own));
}

}  // namespace Exakt::Mpi

#endif
