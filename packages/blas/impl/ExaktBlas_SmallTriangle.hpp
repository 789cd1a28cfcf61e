// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SMALLTRIANGLE_HPP
#define EXAKTBLAS_SMALLTRIANGLE_HPP

/// \file
/// \brief The triangles along the diagonal, one unknown after the other: compensated sums of a lane for each row.

#include "ExaktBlas_MatrixVector.hpp"

namespace Exakt::Impl {

inline constexpr std::size_t small_triangle = 64;
static_assert(small_triangle % pack_lanes == 0);

/// The order in which unknowns are solved.
struct SolvingOrder {
  bool is_lower;

  /// `size` rows, after `done` others of `all`.
  KOKKOS_FORCEINLINE_FUNCTION Span block(std::size_t done, std::size_t size, Span all) const {
    std::size_t const last = done + size < all.size() ? done + size : all.size();
    return is_lower ? Span{all.begin + done, all.begin + last} : Span{all.end - last, all.end - done};
  }

  /// The part of `all` that is solved before `rows`.
  KOKKOS_FORCEINLINE_FUNCTION Span known_to(Span rows, Span all) const {
    return is_lower ? Span{all.begin, rows.begin} : Span{rows.end, all.end};
  }

  /// The row that is solved after r others.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t number_of(std::size_t r, Span rows) const {
    return is_lower ? rows.begin + r : rows.end - 1 - r;
  }
};

/// \brief A small triangle in the order in which it is solved, by columns, and the sums of its rows.
///
/// For a product a*x = p + r and a sum kept as high + low:
///
///     high, e = two_sum(high, p);   t = e + r;   low = low + t;   tails = tails + |t|
///
/// All is exact but t and low: after m products they are off by at most 2^-53 |t| each and m * 2^-53 of the tails,
/// hence (m + 2) * 2^-52 tails is more than enough, and 2^-1074 for each product that underflows.
struct SmallTriangle {
  static constexpr std::size_t size = small_triangle, lanes = pack_lanes;
  // Of each column the packs of rows from the one with its diagonal on: lanes fewer for each pack of columns.
  static constexpr std::size_t entry_count = size * (size + lanes) / 2;
  double entries[entry_count];
  double high[size], low[size], tails[size], bound[size];

  /// Entries of column j, those below the diagonal; zeros above it and behind the last row, as far as there are packs.
  KOKKOS_FORCEINLINE_FUNCTION double* column(std::size_t j) {
    std::size_t const first = j / lanes * lanes;  // of its pack, behind lanes * (size + ... + size - first + lanes)
    std::size_t const before = first * (2 * size - first + lanes) / 2;
    return entries + before + (j - first) * column_stride(j) - first;
  }

  /// From column j to the next of the same pack.
  static KOKKOS_FORCEINLINE_FUNCTION std::size_t column_stride(std::size_t j) { return size - j / lanes * lanes; }

  KOKKOS_FORCEINLINE_FUNCTION void set_sum(std::size_t row, Estimate const& sum) {
    high[row] = sum.high;
    low[row] = sum.low;
    tails[row] = magnitude_of(sum.low);
    bound[row] = sum.bound;
  }

  /// The sum of a row, after the products with all columns before.
  KOKKOS_FORCEINLINE_FUNCTION Estimate sum(std::size_t row) const {
    double const m = static_cast<double>(row);
    return {high[row], low[row],
            bound[row] + ((m + 2) * 0x1p-52 * tails[row] + bound_of_underflows(1, static_cast<int>(row)))};
  }

  /// Adds the products of column j to the packs of rows that begin at `first`, `first + step`, ...
  KOKKOS_FORCEINLINE_FUNCTION void add_column(std::size_t j, double x, std::size_t first, std::size_t step,
                                              std::size_t rows) {
    Pack const factor = broadcast(x);
    double const* const a_column = column(j);
    for (std::size_t i = first; i < rows; i += step) {
      Pack const a = load(a_column + i), sum = load(high + i);
      Pack const p = rounded_product(a, factor), r = fused_subtract(a, factor, p);
      Pack const s = sum + p, p_part = s - sum, sum_part = s - p_part;
      Pack const t = ((sum - sum_part) + (p - p_part)) + r;
      store(s, high + i);
      store(load(low + i) + t, low + i);
      store(load(tails + i) + absolute(t), tails + i);
    }
  }
};

}  // namespace Exakt::Impl

#endif
