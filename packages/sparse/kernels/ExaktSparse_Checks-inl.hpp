// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether columns exist. Included inside the namespace of each instruction set.

/// Rows whose columns are looked at together, before any of them is used: a multiple of pack_lanes.
inline constexpr int checked_rows = 32;

/// A plain loop, which compilers vectorize.
template <class Index>
HWY_INLINE bool are_columns(Index const* columns, std::size_t count, std::size_t column_count) {
  using Number = std::make_unsigned_t<Index>;
  Number largest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    auto const column = static_cast<Number>(columns[k]);
    largest = column > largest ? column : largest;
  }
  return count == 0 || largest < column_count;
}
