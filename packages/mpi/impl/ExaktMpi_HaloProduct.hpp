// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_HALOPRODUCT_HPP
#define EXAKTMPI_HALOPRODUCT_HPP

/// \file
/// \brief A product with a distributed sparse matrix: entries of x to their neighbours, own ones and received ones
/// side by side, and the rows of this rank.

#include "ExaktMpi_SpmvState.hpp"

#include <ExaktSparse_spmv.hpp>
#include <parallel/Exakt_Loop.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::entry_at;
using Exakt::Impl::EntryOf;
using Exakt::Impl::held;

inline constexpr char const* same_in_spmv = "mode, alpha and beta, types of A, x and y, and number of columns of x";

template <class X>
std::size_t column_count_of(X const& x) {
  if constexpr (X::rank == 1) {
    return 1;
  } else {
    return x.extent(1);
  }
}

/// An item of a message: the entries of a block, of one column of x after the other.
template <class X, class Positions>
struct PackItems {
  X x;
  Positions positions;
  EntryOf<X>* items;
  std::size_t block, columns;

  KOKKOS_FUNCTION void operator()(std::size_t item) const {
    auto const first = static_cast<std::size_t>(positions(item)) * block;
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = 0; i < block; ++i) items[(item * columns + j) * block + i] = entry_at(x, first + i, j);
  }
};

/// Entry i of the vector that the rows of this rank are multiplied with.
template <class X, class Y>
struct JoinHalo {
  X x;
  EntryOf<X> const* items;
  std::size_t block, columns, own, known;  // entries of x here, and with those of others
  Y joined;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    for (std::size_t j = 0; j < columns; ++j) {
      if (i < own) {
        entry_at(joined, i, j) = entry_at(x, i, j);
      } else if (i >= known) {
        entry_at(joined, i, j) = EntryOf<X>();  // of a column that nobody needs
      } else {
        std::size_t const item = (i - own) / block, inside = (i - own) % block;
        entry_at(joined, i, j) = items[(item * columns + j) * block + inside];
      }
    }
  }
};

/// copy(i) for i below n; waits. Threads of hosts take some at once.
template <class Space, class Copy>
void copy_entries(char const* label, Space const& space, std::size_t n, Copy const& copy) {
  if constexpr (Exakt::Impl::is_on_host_v<Space>) {
    constexpr std::size_t worth_waking_threads = 10'000;
    Exakt::Impl::Pieces const pieces{{0, n}, 1024};
    Exakt::Impl::for_each_task(label, space, pieces.count(), n >= worth_waking_threads, [=](std::size_t piece) {
      for (std::size_t i = pieces[piece].begin; i < pieces[piece].end; ++i) copy(i);
    });
  } else if (n > 0) {
    Exakt::Impl::loop(label, space, n, copy);
  }
  space.fence();
}

/// At least `bytes`; what was there may be lost.
template <class Bytes>
unsigned char* grown(Bytes& memory, std::size_t bytes) {
  if (memory.extent(0) < bytes)
    memory = Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::Mpi::spmv::memory"), bytes);
  return memory.data();
}

/// \brief Sends items to neighbours.
///
/// \param items_of  From where they are to be, to a functor that writes item i there.
/// \return The items that neighbours sent, until the next exchange.
template <class T, class Space, class MemorySpace, class ItemsOf>
T const* exchanged_items(Communicator const& comm, Space const& space, SpmvState<MemorySpace>& state,
                         Neighbours const& neighbours, std::size_t sent, std::size_t received,
                         std::size_t entries_of_item, ItemsOf const& items_of) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::size_t const bytes = entries_of_item * sizeof(T);
  auto* const from = grown(state.sent_items, sent * bytes);
  auto* const to = grown(state.received_items, received * bytes);
  copy_entries("Exakt::Mpi::spmv::pack", space, sent, items_of(reinterpret_cast<T*>(from)));
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible) {
    neighbours.exchange(comm, from, to, bytes);
  } else {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state.sent_items);
    auto const received_there = Kokkos::create_mirror_view(Kokkos::HostSpace(), state.received_items);
    neighbours.exchange(comm, on_host.data(), received_there.data(), bytes);
    Kokkos::deep_copy(state.received_items, received_there);
  }
  return reinterpret_cast<T const*>(to);
}

/// \brief Own entries of x, and behind them those that neighbours send: x itself where there are no others.
///
/// \param positions  Of those that this rank sends.
/// \param own        How many of x, and how many of others, in blocks.
/// \param count      Of both, or more: there may be columns that nobody needs.
template <class Space, class MemorySpace, class X>
auto joined_x(Communicator const& comm, Space const& space, SpmvState<MemorySpace>& state, Neighbours const& neighbours,
              X const& x, typename SpmvState<MemorySpace>::Positions const& positions, std::size_t own,
              std::size_t others, std::size_t count) {
  using T = EntryOf<X>;
  using Positions = typename SpmvState<MemorySpace>::Positions;
  std::size_t const columns = column_count_of(x), block = state.block, rows = count * block;
  auto const* const items =
      exchanged_items<T>(comm, space, state, neighbours, positions.extent(0), others, columns * block, [&](T* to) {
        return PackItems<X, Positions>{x, positions, to, block, columns};
      });
  using Joined = Kokkos::View<std::conditional_t<X::rank == 1, T*, T**>, Kokkos::LayoutLeft, MemorySpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Result = typename Joined::const_type;
  if constexpr (X::rank == 1) {
    if (others == 0 && count == own && (rows < 2 || x.stride(0) == 1)) return Result(x.data(), rows);
  }
  auto* const memory = reinterpret_cast<T*>(grown(state.x, rows * columns * sizeof(T)));
  auto const joined = [&] {
    if constexpr (X::rank == 1) {
      return Joined(memory, rows);
    } else {
      return Joined(memory, rows, columns);
    }
  }();
  copy_entries("Exakt::Mpi::spmv::join", space, rows,
               JoinHalo<X, Joined>{x, items, block, columns, own * block, (own + others) * block, joined});
  return Result(joined);
}

/// A matrix of blocks as three Views.
template <class Rows>
struct BlockViews : Rows {
  std::size_t block;
  // As KokkosSparse::BsrMatrix has it. NOLINTNEXTLINE(readability-identifier-naming)
  KOKKOS_FUNCTION std::size_t blockDim() const { return block; }
};

/// Rows with columns numbered as in joined_x, of blocks if A is.
template <class A, class RowMap, class Columns, class Values>
auto local_rows(RowMap const& row_map, Columns const& columns, Values const& values, std::size_t column_count,
                [[maybe_unused]] std::size_t block) {
  auto const rows = crs_matrix(row_map, columns, values, column_count);
  if constexpr (Exakt::Impl::BlockRows<A>) {
    return BlockViews<std::decay_t<decltype(rows)>>{rows, block};
  } else {
    return rows;
  }
}

/// MPI counts the bytes of an item with an int.
inline void require_item(Communicator const& comm, char const* operand, std::size_t rows, std::size_t columns,
                         std::size_t bytes) {
  auto const most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (rows > most / bytes || (rows > 0 && columns > most / bytes / rows))
    comm.refuse("an item of a message has " + std::to_string(rows) + " times " + std::to_string(columns) +
                " entries of " + operand + ", of " + std::to_string(bytes) +
                " bytes; it must have fewer than 2^31 bytes");
}

/// \brief What this rank's operands have to be.
template <class A, class MemorySpace, class X, class Y>
void require_spmv_operands(Communicator const& comm, SpmvState<MemorySpace> const& state, ModeLetter mode, A const& a,
                           X const& x, Y const& y) {
  char const* const function = "Mpi::spmv";
  require_mode(function, "mode", mode, "NTCH");
  if (state.ranks != comm.size() || state.rank != comm.rank())
    comm.refuse("the plan was made for rank " + std::to_string(state.rank) + " of " + std::to_string(state.ranks) +
                ", this is rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
  auto const matrix = Exakt::Impl::sparse_matrix(a);
  if (matrix.block() != state.block)
    comm.refuse("A has blocks of " + std::to_string(matrix.block()) + " x " + std::to_string(matrix.block()) +
                " on rank " + std::to_string(comm.rank()) + ", the matrix of the plan has blocks of " +
                std::to_string(state.block) + " x " + std::to_string(state.block) + "; they must be the same");
  if (matrix.block_row_count() != state.rows || matrix.entry_count() != state.local_columns.extent(0) ||
      matrix.block_columns != state.columns)
    comm.refuse("A has " + std::to_string(matrix.block_row_count()) + " rows of " +
                std::to_string(matrix.block_columns) + " columns with " + std::to_string(matrix.entry_count()) +
                " entries on rank " + std::to_string(comm.rank()) + ", the matrix of the plan " +
                std::to_string(state.rows) + ", " + std::to_string(state.columns) + " and " +
                std::to_string(state.local_columns.extent(0)) + "; they must have the same graph");
  if (matrix.values.extent(0) < matrix.entry_count() * state.block * state.block)
    comm.refuse("A.graph.entries is " + Exakt::Impl::shape_of(matrix.columns) + ", A.values is " +
                Exakt::Impl::shape_of(matrix.values) + "; there must be a value for each entry");
  bool const is_transposed = mode.is('T') || mode.is('H');
  auto const require_part = [&](char const* name, auto const& part) {
    if (part.extent(0) == state.own * state.block) return;
    comm.refuse(std::string(name) + " is " + Exakt::Impl::shape_of(part) + " on rank " + std::to_string(comm.rank()) +
                ", which has " + std::to_string(state.own * state.block) +
                " entries of such a vector in the plan; they must be the same");
  };
  auto const require_rows = [&](char const* name, auto const& part) {
    if (part.extent(0) >= matrix.row_count()) return;
    comm.refuse("A has " + std::to_string(matrix.row_count()) + " rows on rank " + std::to_string(comm.rank()) + ", " +
                name + " is " + Exakt::Impl::shape_of(part) + "; " + name +
                ".extent(0) must be at least the number of rows");
  };
  if (is_transposed) {
    require_rows("x", x);
    require_part("y", y);
  } else {
    require_part("x", x);
    require_rows("y", y);
  }
  if constexpr (X::rank == 2) require_extents(function, "x", x, 1, "y", y, 1);
  std::size_t const block = state.block;
  require_item(comm, "x", block, column_count_of(x), sizeof(EntryOf<X>));
  if (is_transposed) require_item(comm, "A.values", block, block, sizeof(EntryOf<decltype(matrix.values)>));
  require_no_overlap(function, "y", y, "x", x);
  require_no_overlap(function, "y", y, "A.values", a.values);
  require_no_overlap(function, "y", y, "A.graph.row_map", matrix.row_map);
  require_no_overlap(function, "y", y, "A.graph.entries", matrix.columns);
}

/// \brief y := alpha * (A or its conjugate) x + beta * y.
template <class Space, class MemorySpace, class F, class A, class X, class G, class Y>
void multiply_distributed_rows(Communicator const& comm, Space const& space, SpmvState<MemorySpace>& state,
                               ModeLetter mode, F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  auto const joined =
      joined_x(comm, space, state, *state.neighbours, x, state.sent, state.own, state.others, state.columns_here());
  Exakt::spmv(space, mode, alpha,
              local_rows<A>(a.graph.row_map, state.local_columns, a.values, state.columns_here(), state.block), joined,
              beta, y);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
