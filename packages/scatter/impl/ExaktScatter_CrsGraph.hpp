// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_CRSGRAPH_HPP
#define EXAKTSCATTER_CRSGRAPH_HPP

/// \file
/// \brief Where the entries of a sparse matrix are: rows, columns, and how a kernel finds one of them.

#include "ExaktScatter_Checks.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A row map that is none, at this row.
template <class RowMap>
struct FindBadRow {
  RowMap row_map;
  std::int64_t entries;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& lowest) const {
    auto const begin = static_cast<std::int64_t>(row_map(row)), end = static_cast<std::int64_t>(row_map(row + 1));
    if ((begin < 0 || begin > end || end > entries) && row < lowest) lowest = row;
  }
};

/// Rows whose columns do not increase, as the signed integers that bisection compares.
template <class RowMap, class Columns>
struct CountUnsortedRows {
  RowMap row_map;
  Columns columns;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    auto const begin = static_cast<std::int64_t>(row_map(row)), end = static_cast<std::int64_t>(row_map(row + 1));
    for (std::int64_t k = begin + 1; k < end; ++k) {
      if (static_cast<std::int64_t>(columns(k)) < static_cast<std::int64_t>(columns(k - 1))) {
        ++count;
        return;
      }
    }
  }
};

template <class From, class To>
struct ConvertIndices {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = static_cast<typename To::non_const_value_type>(from(i));
  }
};

/// The same memory if the types are the same, else a copy.
template <class Target, class Space, class V>
Target shared_or_copied(Space const& space, V const& v, std::string const& label) {
  static_assert(Kokkos::SpaceAccessibility<Space, typename V::memory_space>::accessible,
                "Exakt: the space of the assembly must reach the memory of the graph");
  if constexpr (std::is_same_v<typename V::non_const_value_type, typename Target::non_const_value_type> &&
                std::is_same_v<typename V::memory_space, typename Target::memory_space> &&
                !std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>) {
    return v;
  } else {
    using Copy = Kokkos::View<typename Target::non_const_value_type*, typename Target::memory_space>;
    Copy const copy(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), v.extent(0));
    loop("Exakt::CrsAssembly::copy", space, copy.extent(0), ConvertIndices<V, Copy>{v, copy});
    space.fence();
    return copy;
  }
}

template <class MemorySpace>
struct CrsGraph {
  using RowMap = Kokkos::View<std::size_t const*, MemorySpace>;
  using Short = Kokkos::View<int const*, MemorySpace>;
  using Wide = Kokkos::View<std::int64_t const*, MemorySpace>;

  RowMap row_map;
  Short columns;  // these, if the graph's columns are of int or a narrower type,
  Wide wide;      // or these
  std::int64_t rows = 0, entries = 0;
  bool is_wide = false, is_sorted = true;

  CrsGraph() = default;

  template <class Space, class Map, class Columns>
  CrsGraph(Space const& space, std::string const& name, Map const& map, Columns const& of_entries)
      : rows(map.extent(0) == 0 ? 0 : static_cast<std::int64_t>(map.extent(0)) - 1),
        entries(static_cast<std::int64_t>(of_entries.extent(0))) {
    using Column = typename Columns::non_const_value_type;
    std::int64_t bad = rows;
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> const policy(space, 0, rows);
    if (rows > 0) {
      Kokkos::parallel_reduce("Exakt::CrsAssembly::check", policy, held<std::int64_t>(FindBadRow<Map>{map, entries}),
                              Kokkos::Min<std::int64_t>(bad));
    }
    if (bad < rows) refuse_row(space, name, map, bad);
    row_map = shared_or_copied<RowMap>(space, map, name + " row map");
    is_wide = !std::is_signed_v<Column> || sizeof(Column) > sizeof(int);
    if constexpr (std::is_signed_v<Column> && sizeof(Column) <= sizeof(int)) {
      columns = shared_or_copied<Short>(space, of_entries, name + " columns");
    } else {
      wide = shared_or_copied<Wide>(space, of_entries, name + " columns");
    }
    std::int64_t unsorted = 0;
    if (rows > 0) {
      Kokkos::parallel_reduce("Exakt::CrsAssembly::look", policy,
                              held<std::int64_t>(CountUnsortedRows<Map, Columns>{map, of_entries}), unsorted);
    }
    is_sorted = unsorted == 0;
  }

  Wide all_columns() const {
    if (is_wide || entries == 0) return wide;
    using Space = typename Wide::execution_space;
    return shared_or_copied<Wide>(Space(), columns, columns.label());
  }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool has_row(Index row) const {
    return is_below(row, rows);
  }

  /// The number of the entry, the first one if the row has several of this column; -1 if it has none. \pre has_row(row)
  template <class Row, class Column>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t find(Row row, Column column) const {
    static_assert(is_integer_v<Column>, "Exakt: a column is named by an integer of at most 64 bits");
    auto const i = static_cast<std::int64_t>(row);  // the last row of its type has one behind it
    auto const begin = static_cast<std::int64_t>(row_map(i)), end = static_cast<std::int64_t>(row_map(i + 1));
    std::int64_t const wanted = signed_index(column);
    if (is_wide) [[unlikely]]
      return find_among(wide, begin, end, wanted);
    if (static_cast<int>(wanted) != wanted) [[unlikely]]
      return -1;
    return find_among(columns, begin, end, static_cast<int>(wanted));
  }

 private:
  template <class Columns, class Column>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t find_among(Columns const& in, std::int64_t begin, std::int64_t end,
                                                      Column wanted) const {
    std::int64_t count = end - begin;
    if (is_sorted) {
      // The first one that is not below is within [begin, begin + count]: halves without a branch.
      constexpr std::int64_t few = 8;
      while (count > few) {
        std::int64_t const half = count / 2;
        begin = in(begin + half - 1) < wanted ? begin + half : begin;
        count -= half;
      }
    }
    for (end = begin + count; begin < end; ++begin)
      if (in(begin) == wanted) return begin;
    return -1;
  }

  template <class Space, class Map>
  [[noreturn]] void refuse_row(Space const& space, std::string const& name, Map const& map, std::int64_t row) const {
    Kokkos::View<std::int64_t*, MemorySpace> const bounds("bounds", 2);
    auto const part = Kokkos::subview(map, std::pair<std::int64_t, std::int64_t>(row, row + 2));
    loop("Exakt::CrsAssembly::refuse", space, 2,
         ConvertIndices<std::decay_t<decltype(part)>, Kokkos::View<std::int64_t*, MemorySpace>>{part, bounds});
    space.fence();
    auto const seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bounds);
    refuse_scatter("CrsAssembly", "row " + std::to_string(row) + " of " + quoted(name) + " begins at entry " +
                                      std::to_string(seen(0)) + " and ends before entry " + std::to_string(seen(1)) +
                                      ", of " + counted_entries(entries) +
                                      "; a row map is not negative, does not decrease, and stays within the entries");
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
