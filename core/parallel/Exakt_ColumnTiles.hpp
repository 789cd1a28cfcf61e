// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_COLUMNTILES_HPP
#define EXAKT_COLUMNTILES_HPP

/// \file
/// \brief The columns of a View in contiguous tiles, whatever its layout.

#include "../numerics/Exakt_FloatFormat.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Operand.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Columns that are gathered together: the entries of a row that share a line of the cache.
inline constexpr int gathered_columns = 8;

/// The entries of the columns of a view as contiguous tiles: in place if they are contiguous, gathered otherwise.
template <class V>
struct ColumnTiles {
  using Entry = typename V::non_const_value_type;
  using Value = std::conditional_t<is_float_v<Entry>, Entry, float>;  // half types are widened as they are gathered

  V view;

  struct Buffer {
    Value entries[enclosure_tile_size];
  };

  KOKKOS_FORCEINLINE_FUNCTION Entry const& entry(std::size_t row, std::size_t column) const {
    return entry_at(view, row, column);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const {
    return is_float_v<Entry> && (view.stride(0) == 1 || view.extent(0) < 2);
  }

  /// Whether rows are closer together in memory than columns.
  KOKKOS_FORCEINLINE_FUNCTION bool is_row_major() const {
    if constexpr (V::rank == 1) {
      return false;
    } else {
      return view.stride(1) < view.stride(0);
    }
  }

  /// `count` rows of `columns` columns into the buffer, a column each `distance` entries; nothing if they can be read
  /// in place.
  KOKKOS_INLINE_FUNCTION void gather(std::size_t row, std::size_t column, std::size_t count, int columns, int distance,
                                     Buffer& buffer) const {
    if (is_contiguous()) return;
    for (std::size_t i = 0; i < count; ++i) {
      Value* to = buffer.entries + i;
      for (int c = 0; c < columns; ++c, to += distance) *to = static_cast<Value>(entry(row + i, column + c));
    }
  }

  /// Entries of a column from `row` on, of which there may be none: in place, or behind `gathered` in the buffer.
  KOKKOS_FORCEINLINE_FUNCTION Value const* at(std::size_t row, std::size_t column, Value const* gathered) const {
    if constexpr (is_float_v<Entry>) {
      if (is_contiguous()) {
        if constexpr (V::rank == 1) {
          return view.data() + row;
        } else {
          return view.data() + row + column * static_cast<std::size_t>(view.stride(1));
        }
      }
    }
    return gathered;
  }
  /// How many entries there are at() this row and behind it, if they are in place.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t size_from(std::size_t row) const {
    return is_contiguous() ? view.extent(0) - row : 0;
  }
};
template <class V>
KOKKOS_FORCEINLINE_FUNCTION ColumnTiles<V> tiles_of(V const& view) {
  return {view};
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
