// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STORED_HPP
#define EXAKTBLAS_STORED_HPP

/// \file
/// \brief Matrices in the BLAS's storages of bands and of packed triangles: which entries there are, and where.
///
///     band, 1 below, 2 above the diagonal     packed, "L"     packed, "U"
///
///     2 4 7 .                                 0 . . .         0 1 3 6
///     3 5 8 b          . is not there;        1 4 . .         . 2 4 7      a digit is the place in memory, of a band
///     . 6 9 c          nor is it read         2 5 7 .         . . 5 8      with columns of 4
///     . . a d                                 3 6 8 9         . . . 9
///
/// A Stored has entries as a View of the whole matrix has, in its place: Operated and Structured take it.

#include "ExaktBlas_Structured.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T, class Device>
struct Stored {
  using value_type = T;
  using non_const_value_type = std::remove_const_t<T>;
  using device_type = Device;
  enum class Where { band, growing_lines, shrinking_lines };

  T* data;
  std::size_t rows, columns;
  std::size_t below, above;  // the diagonal: entries of a column, and of a row, as far as there are any
  Where where;
  // Of a band to the next row and the next column, from entry (0, 0), which is at data + first. Packed lines, which are
  // rows or columns, have their entries in steps.
  std::ptrdiff_t row_step, column_step, first = 0;
  bool by_rows = false;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t extent(int d) const { return d == 0 ? rows : columns; }
  KOKKOS_FORCEINLINE_FUNCTION bool contains(std::size_t i, std::size_t j) const {
    return i <= j + below && j <= i + above;
  }
  /// Columns of a row, or rows of a column, that have entries.
  KOKKOS_FORCEINLINE_FUNCTION Span line(std::size_t number, bool is_column) const {
    std::size_t const before = is_column ? above : below, after = is_column ? below : above;
    std::size_t const size = is_column ? rows : columns,
                      end = number < size && size - number > after ? number + after + 1 : size;
    std::size_t const begin = number > before ? number - before : 0;
    return {begin < end ? begin : end, end};
  }
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::size_t i, std::size_t j) const { return data[place(i, j)]; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t place(std::size_t i, std::size_t j) const {
    auto const row = static_cast<std::ptrdiff_t>(i), column = static_cast<std::ptrdiff_t>(j);
    if (where == Where::band) return first + row * row_step + column * column_step;
    auto const n = static_cast<std::ptrdiff_t>(rows), line = by_rows ? row : column, entry = by_rows ? column : row;
    // Lines before this one have 1 + ... + line entries, or n + ... + (n - line + 1), of which the first is the diagonal's.
    return row_step * (entry + (where == Where::growing_lines ? line * (line + 1) / 2 : line * (2 * n - line - 1) / 2));
  }
};

/// \brief A band in a matrix of at least below + above + 1 rows, whose columns are those of the band: A(i, j) is its
/// entry (above + i - j, j).
template <class Device, class T>
Stored<T, Device> stored_band(T* data, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride, std::size_t rows,
                              std::size_t columns, std::size_t below, std::size_t above) {
  return {data,
          rows,
          columns,
          below,
          above,
          Stored<T, Device>::Where::band,
          row_stride,
          column_stride - row_stride,
          static_cast<std::ptrdiff_t>(above) * row_stride};
}

/// A packed triangle: its columns, or rows, one behind the other.
template <class Device, class T>
Stored<T, Device> stored_triangle(T* data, std::ptrdiff_t stride, std::size_t n, bool is_lower, bool by_rows = false) {
  using Where = typename Stored<T, Device>::Where;
  std::size_t const others = n == 0 ? 0 : n - 1;
  return {data,
          n,
          n,
          is_lower ? others : 0,
          is_lower ? 0 : others,
          is_lower == by_rows ? Where::growing_lines : Where::shrinking_lines,
          stride,
          0,
          0,
          by_rows};
}

// ---- which columns a row of a matrix has entries in, whatever its storage

template <class T, class Device>
KOKKOS_FORCEINLINE_FUNCTION Span columns_of_row(Operated<Stored<T, Device>> const& matrix, std::size_t row) {
  return matrix.view.line(row, matrix.transposed);
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Span columns_of_row(Structured<V> const& matrix, std::size_t row) {
  return matrix.columns_of({row, row + 1});
}
template <class T, class Device>
KOKKOS_FORCEINLINE_FUNCTION Span columns_of_row(Structured<Stored<T, Device>> const& matrix, std::size_t row) {
  Span const along = matrix.view.line(row, matrix.transposed), across = matrix.view.line(row, !matrix.transposed);
  if (matrix.has_zeros()) return along;
  // The row as far as it is stored, and its image.
  return {along.begin < across.begin ? along.begin : across.begin, along.end > across.end ? along.end : across.end};
}

/// Whether entries of its triangles need not be there.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION bool is_band(Structured<V> const&) {
  return false;
}
template <class T, class Device>
KOKKOS_FORCEINLINE_FUNCTION bool is_band(Structured<Stored<T, Device>> const& matrix) {
  return matrix.view.where == Stored<T, Device>::Where::band;
}

/// Whether an entry is a one of the diagonal that nobody stores: a real number, also among complex ones.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION bool is_unstored_one(Operated<V> const&, std::size_t, std::size_t) {
  return false;
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION bool is_unstored_one(Structured<V> const& matrix, std::size_t row, std::size_t column) {
  return row == column && matrix.structure == Structure::unit_triangular;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
