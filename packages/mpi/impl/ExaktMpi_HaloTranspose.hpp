// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_HALOTRANSPOSE_HPP
#define EXAKTMPI_HALOTRANSPOSE_HPP

/// \file
/// \brief The same with the transpose: entries in columns of other ranks go there with the x of their rows, so that each
/// sum is of one rank and is rounded once.
///
///     entries in own columns           --> rows of the transpose, columns: rows of A here, then entries received
///     entries in columns of others     --> their owners, as a value and an entry of x each

#include "ExaktMpi_HaloProduct.hpp"

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// Copies of values, each block turned: those of A here, then those received.
template <class Values, class Positions>
struct GatherTransposed {
  Values values;
  EntryOf<Values> const* items;
  Positions sources;
  std::size_t entries, block;  // of A here
  EntryOf<Values>* gathered;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto const source = static_cast<std::size_t>(sources(k));
    for (std::size_t i = 0; i < block; ++i)
      for (std::size_t j = 0; j < block; ++j) {
        std::size_t const turned = j * block + i;
        gathered[(k * block + i) * block + j] = source < entries ? values(source * block * block + turned)
                                                                 : items[(source - entries) * block * block + turned];
      }
  }
};

/// Values of entries that are sent.
template <class Values, class Positions>
struct PackValues {
  Values values;
  Positions positions;
  EntryOf<Values>* items;
  std::size_t size;  // of an item

  KOKKOS_FUNCTION void operator()(std::size_t item) const {
    for (std::size_t i = 0; i < size; ++i)
      items[item * size + i] = values(static_cast<std::size_t>(positions(item)) * size + i);
  }
};

/// \brief Finds the transpose of a graph. All ranks call.
template <class MemorySpace, class Matrix>
auto make_transpose(Communicator const& comm, SpmvState<MemorySpace> const& state, Matrix const& a) {
  auto const map = numbers_of(a.row_map);
  auto const local = numbers_of(state.local_columns);
  std::size_t const rows = a.block_row_count(), own = state.own;
  std::vector<std::size_t> owner_of(state.others);
  for (std::size_t rank = 0, h = 0; rank < state.asked.counts.size(); ++rank)
    for (std::int64_t i = 0; i < state.asked.counts[rank]; ++i) owner_of[h++] = rank;
  auto const for_each_entry = [&](auto const& f) {
    for (std::size_t row = 0; row < rows; ++row)
      for (auto k = static_cast<std::size_t>(map[row]); k < static_cast<std::size_t>(map[row + 1]); ++k)
        f(row, k, static_cast<std::size_t>(local[k]));
  };

  Lists shipped(comm.size());
  for_each_entry([&](std::size_t, std::size_t, std::size_t column) {
    if (column >= own) ++shipped.counts[owner_of[column - own]];
  });
  auto next = shipped.offsets();
  std::size_t const sent = shipped.size();
  shipped.numbers.resize(sent);
  std::vector<std::int32_t> sent_entries(sent), sent_rows(sent);
  for_each_entry([&](std::size_t row, std::size_t k, std::size_t column) {
    if (column < own) return;
    auto const place = static_cast<std::size_t>(next[owner_of[column - own]]++);
    shipped.numbers[place] = state.asked.numbers[column - own];
    sent_entries[place] = static_cast<std::int32_t>(k);
    sent_rows[place] = static_cast<std::int32_t>(row);
  });
  Lists const received = exchanged(comm, shipped);
  auto const entries = static_cast<std::size_t>(a.entry_count());
  agree(comm, "matrix", [&] {
    require_few_entries(comm, "the transpose of A", std::max(entries, rows) + received.numbers.size());
    return 0;
  });

  std::vector<std::size_t> row_map(own + 1);
  for_each_entry([&](std::size_t, std::size_t, std::size_t column) {
    if (column < own) ++row_map[column + 1];
  });
  for (std::int64_t const row : received.numbers) ++row_map[static_cast<std::size_t>(row) + 1];
  std::partial_sum(row_map.begin(), row_map.end(), row_map.begin());
  std::vector<std::int32_t> columns(row_map.back()), sources(row_map.back());
  auto place = row_map;
  for_each_entry([&](std::size_t row, std::size_t k, std::size_t column) {
    if (column >= own) return;
    columns[place[column]] = static_cast<std::int32_t>(row);
    sources[place[column]++] = static_cast<std::int32_t>(k);
  });
  for (std::size_t item = 0; item < received.numbers.size(); ++item) {
    auto& to = place[static_cast<std::size_t>(received.numbers[item])];
    columns[to] = static_cast<std::int32_t>(rows + item);
    sources[to++] = static_cast<std::int32_t>(entries + item);
  }
  std::int64_t rows_of_all = static_cast<std::int64_t>(rows);
  allreduce_in_place(comm, &rows_of_all, 1, MPI_INT64_T, MPI_SUM);

  auto result = std::make_shared<SpmvTranspose<MemorySpace>>();
  result->neighbours = std::make_shared<Neighbours const>(comm, shipped, received);
  result->received = received.numbers.size();
  result->columns_here = rows_of_all == 0 ? 0 : std::max<std::size_t>(rows + result->received, 1);
  result->row_map = values_in<MemorySpace>("Exakt::Mpi::spmv::transpose", row_map);
  result->columns = values_in<MemorySpace>("Exakt::Mpi::spmv::transpose", columns);
  result->sources = values_in<MemorySpace>("Exakt::Mpi::spmv::transpose", sources);
  result->sent_entries = values_in<MemorySpace>("Exakt::Mpi::spmv::transpose", sent_entries);
  result->sent_rows = values_in<MemorySpace>("Exakt::Mpi::spmv::transpose", sent_rows);
  return result;
}

/// \brief y := alpha * (the transpose of all rows, or its conjugate) x + beta * y.
template <class Space, class MemorySpace, class F, class A, class X, class G, class Y>
void multiply_distributed_transpose(Communicator const& comm, Space const& space, SpmvState<MemorySpace>& state,
                                    ModeLetter mode, F const& alpha, A const& a, X const& x, G const& beta,
                                    Y const& y) {
  auto const matrix = Exakt::Impl::sparse_matrix(a);
  if (!state.transpose) state.transpose = make_transpose(comm, state, matrix);
  auto const& transpose = *state.transpose;
  using Values = std::decay_t<decltype(matrix.values)>;
  using Positions = typename SpmvState<MemorySpace>::Positions;
  using T = EntryOf<Values>;
  std::size_t const block = state.block, entries = transpose.columns.extent(0);
  auto const* const items = exchanged_items<T>(
      comm, space, state, *transpose.neighbours, transpose.sent_entries.extent(0), transpose.received, block * block,
      [&](T* to) {
        return PackValues<Values, Positions>{matrix.values, transpose.sent_entries, to, block * block};
      });
  auto* const gathered = reinterpret_cast<T*>(grown(state.values, entries * block * block * sizeof(T)));
  copy_entries("Exakt::Mpi::spmv::gather", space, entries,
               GatherTransposed<Values, Positions>{matrix.values, items, transpose.sources, matrix.entry_count(), block,
                                                   gathered});
  auto const joined = joined_x(comm, space, state, *transpose.neighbours, x, transpose.sent_rows, state.rows,
                               transpose.received, transpose.columns_here);
  using Gathered = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Exakt::spmv(space, mode.is('T') ? "N" : "C", alpha,
              local_rows<A>(transpose.row_map, transpose.columns, Gathered(gathered, entries * block * block),
                            transpose.columns_here, block),
              joined, beta, y);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
