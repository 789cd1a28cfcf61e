// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SPMVSTATE_HPP
#define EXAKTMPI_SPMVSTATE_HPP

/// \file
/// \brief What a plan of products with a distributed sparse matrix holds, and how it is made.

#include "ExaktMpi_Halo.hpp"

#include <operands/ExaktSparse_Matrix.hpp>
#include <parallel/Exakt_HostCopies.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief The transpose of all rows, as far as this rank has its rows: made for the first product with it.
template <class MemorySpace>
struct SpmvTranspose {
  using Positions = Kokkos::View<std::int32_t*, MemorySpace>;

  std::shared_ptr<Neighbours const> neighbours;
  std::size_t received;      // entries of A that other ranks send
  std::size_t columns_here;  // rows of A here, then entries received
  Kokkos::View<std::size_t*, MemorySpace> row_map;
  Positions columns, sources;         // of each entry; where its value is: here, then received
  Positions sent_entries, sent_rows;  // entries for others, and their rows
};

/// \brief Where the columns of a rank's rows are, and its neighbours. Counts are of blocks, where A is made of them.
template <class MemorySpace>
struct SpmvState {
  using Positions = Kokkos::View<std::int32_t*, MemorySpace>;
  using Bytes = Kokkos::View<unsigned char*, MemorySpace>;

  std::shared_ptr<Neighbours const> neighbours;
  int rank, ranks;
  std::size_t rows, columns, block;
  std::size_t own, others;  // entries of x: those of this rank, and behind them its halo
  Positions local_columns;  // of each entry of A
  Positions sent;           // own entries of x that others need
  Lists asked{0};           // where others have the entries of the halo
  std::shared_ptr<SpmvTranspose<MemorySpace>> transpose;
  Bytes x, values, sent_items, received_items;  // of the product under way; they grow

  /// Columns of the rows of this rank. A matrix without any is a sum of nothing, and one whose entries are those of
  /// other ranks is not: rows without entries are sums of zero on every rank.
  std::size_t columns_here() const { return columns == 0 ? 0 : std::max<std::size_t>(own + others, 1); }
};

template <class MemorySpace, class Number>
auto values_in(char const* label, std::vector<Number> const& numbers) {
  Kokkos::View<Number*, MemorySpace> const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)),
                                                  numbers.size());
  auto const on_host = Kokkos::create_mirror_view(result);
  std::copy(numbers.begin(), numbers.end(), on_host.data());
  Kokkos::deep_copy(result, on_host);
  return result;
}

inline void require_few_entries(Communicator const& comm, char const* operand, std::size_t entries) {
  if (entries >> 30 != 0)
    comm.refuse(std::string("this rank has ") + std::to_string(entries) + " entries of " + operand +
                "; there must be fewer than 2^30");
}

template <class Numbers>
std::vector<std::int64_t> numbers_of(Numbers const& numbers) {
  Kokkos::fence();  // a kernel may still be writing to them, on any instance
  auto const on_host = Exakt::Impl::entries_on_host(typename Numbers::execution_space(), numbers);
  std::vector<std::int64_t> result(numbers.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::int64_t>(on_host(i));
  return result;
}

/// The columns of the entries that rows have, checked. What lies before and behind these entries may be anything.
struct ColumnsOfRows {
  std::size_t first = 0;  // of these entries
  std::vector<std::int64_t> columns;
};

template <class Matrix>
ColumnsOfRows columns_of_rows(Communicator const& comm, Matrix const& a) {
  auto const map = numbers_of(a.row_map);
  auto columns = numbers_of(a.columns);
  std::size_t const rows = a.block_row_count();
  for (std::size_t row = 0; row < rows; ++row) {
    if (0 <= map[row] && map[row] <= map[row + 1] && map[row + 1] <= static_cast<std::int64_t>(columns.size()))
      continue;
    comm.refuse("A.graph.row_map(" + std::to_string(row) + ") is " + std::to_string(map[row]) + ", A.graph.row_map(" +
                std::to_string(row + 1) + ") is " + std::to_string(map[row + 1]) + ", A.graph.entries is " +
                Exakt::Impl::shape_of(a.columns) + "; a row map must not decrease, nor leave the entries");
  }
  if (rows == 0) return {};
  auto const first = static_cast<std::size_t>(map[0]), end = static_cast<std::size_t>(map[rows]);
  for (std::size_t k = first; k < end; ++k)
    if (columns[k] < 0 || columns[k] >= static_cast<std::int64_t>(a.block_columns))
      comm.refuse("A.graph.entries(" + std::to_string(k) + ") is " + std::to_string(columns[k]) + "; A has " +
                  std::to_string(a.block_columns) + (a.block() == 1 ? " columns" : " columns of blocks"));
  columns.resize(end);
  columns.erase(columns.begin(), columns.begin() + map[0]);
  return {first, std::move(columns)};
}

/// \brief Makes a plan. All ranks call.
/// \param entries      How many entries of x this rank has.
/// \param own_numbers  Makes their numbers, from the number of entries of all ranks before this one.
template <class MemorySpace, class A, class OwnNumbers>
std::shared_ptr<SpmvState<MemorySpace>> make_spmv_state(Communicator const& comm, A const& a, std::size_t entries,
                                                        OwnNumbers const& own_numbers) {
  auto const matrix = Exakt::Impl::sparse_matrix(a);
  auto const columns = static_cast<std::int64_t>(matrix.block_columns);
  std::vector<std::int64_t> own;
  ColumnsOfRows needed;
  // On every rank, for each may give numbers or leave them to the order of the ranks.
  auto const count = static_cast<std::int64_t>(entries);
  std::int64_t begin = 0;
  comm.check("MPI_Exscan", MPI_Exscan(&count, &begin, 1, MPI_INT64_T, MPI_SUM, comm));
  if (comm.rank() == 0) begin = 0;
  agree(comm, "number of columns of A, in blocks of the same size", [&] {
    Exakt::Impl::require_sparse_sizes("Mpi::SpmvPlan", a);
    own = own_numbers(begin);
    for (std::int64_t const number : own)
      if (number < 0 || number >= columns)
        comm.refuse("this rank has entry " + std::to_string(number) + " of x; A has " + std::to_string(columns) +
                    (matrix.block() == 1 ? " columns" : " columns of blocks"));
    needed = columns_of_rows(comm, matrix);
    require_few_entries(comm, "A", needed.columns.size());
    Checksum same;
    same.add(static_cast<std::uint64_t>(columns));
    same.add(matrix.block());
    return same.value();
  });
  auto halo = find_halo(comm, columns, OwnEntries(std::move(own)), needed.columns);
  halo.local.insert(halo.local.begin(), needed.first, 0);
  halo.local.resize(matrix.entry_count());
  auto state = std::make_shared<SpmvState<MemorySpace>>();
  state->neighbours = halo.neighbours;
  state->rank = comm.rank();
  state->ranks = comm.size();
  state->rows = matrix.block_row_count();
  state->columns = matrix.block_columns;
  state->block = matrix.block();
  state->own = halo.own;
  state->others = halo.others;
  state->asked = std::move(halo.asked);
  state->local_columns = values_in<MemorySpace>("Exakt::Mpi::spmv::columns", halo.local);
  state->sent = values_in<MemorySpace>("Exakt::Mpi::spmv::sent", halo.sent);
  return state;
}

/// The one who looks into a plan.
struct StateOfPlan {
  template <class Plan>
  static auto& of(Plan const& plan) {
    return *plan.m_state;
  }
};

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
