// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STRUCTUREDPRODUCTS_HPP
#define EXAKTBLAS_STRUCTUREDPRODUCTS_HPP

/// \file
/// \brief Y := alpha S X + beta Y for a matrix S of which one triangle is stored: by gemm, or gemv where X has one
/// column, panel by panel of rows of S.
///
///     triangular:   | P 0   |   a panel is copied as far as it has entries; the zeros beside its triangle are copied,
///                   | P P 0 |   too, and what they make of infinities and NaN is repaired afterwards
///                   | P P P |

#include "../gemm/ExaktBlas_Gemm.hpp"
#include "../matrix_vector/ExaktBlas_Gemv.hpp"
#include "../operands/ExaktBlas_SpecialEntries.hpp"
#include "ExaktBlas_StructuredRows.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t panel_of_vector = 64;  // rows: a panel of some thousand columns stays in the cache
/// Rows of a triangle, for which gemm is about as fast as ever.
template <class Space>
inline constexpr std::size_t panel_of_triangle = runs_on_host<Space> ? 256 : 1024;

/// \brief Y := alpha S X + beta Y. X is read_only(), Y is written(); they do not overlap.
template <class Space, class V, class X, class Y>
void multiply_structured(char const* label, Space const& space, Structured<V> const& matrix, Factor const& alpha,
                         X const& x, Factor const& beta, Y const& y) {
  std::size_t const n = matrix.size(), columns = y.extent(1);
  if (n == 0 || columns == 0) return;
  if (alpha.is_zero()) return scale_entries(label, space, beta, y);
  if constexpr (runs_on_host<Space> && !has_complex_entries<Y>) {
    if (columns == 1)
      return multiply_structured_rows(label, space, matrix, alpha.real, first_column(x), beta, first_column(y));
  }
  if constexpr (!runs_on_host<Space>) {
    // Lanes with a row each meet in the lines of that half whose rows are columns in memory.
    if (columns == 1) return gemv_by_teams(label, space, matrix, false, first_column(x), alpha, beta, first_column(y));
  }
  // Of a symmetric matrix everything at once: gemm packs X for each panel.
  std::size_t const panel = columns == 1 ? panel_of_vector : matrix.has_zeros() ? panel_of_triangle<Space> : n;
  for (std::size_t begin = 0; begin < n; begin += panel) {
    Span const rows{begin, n - begin < panel ? n : begin + panel}, depth = matrix.columns_of(rows);
    auto const entries = dense_copy<EntryOf<V>, V>(label, space, PartOfStructured<V>{matrix, rows.begin, depth.begin},
                                                   rows.size(), depth.size());
    Operated<std::decay_t<decltype(entries)>> const factor(entries, 'N');
    auto const some_x = part_of(x, depth, {0, columns});
    auto const some_y = part_of(y, rows, {0, columns});
    if (columns == 1) {
      multiply_vector(label, space, factor, first_column(some_x), alpha, beta, first_column(some_y));
    } else {
      multiply_matrices(label, space, factor, Operated<X>(some_x, 'N'), alpha, beta, some_y);
    }
  }
}

/// \brief A column of Y := alpha S X per call: again, and exactly, those entries that saw a zero times an infinity or
/// NaN of X, or a one of the diagonal times a complex one, where S has no entry.
template <class V, class X, class Y>
struct RepairColumn {
  static constexpr bool is_complex = has_complex_entries<Y>;

  Structured<V> matrix;
  Factor alpha;
  X x;
  Y y;
  std::size_t panel;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    std::size_t const n = matrix.size();
    for (std::size_t begin = 0; begin < n; begin += panel) {
      std::size_t const end = n - begin < panel ? n : begin + panel;
      // Rows from the one with all columns of the panel to the one with fewest.
      bool found = false;
      for (std::size_t k = 0; k < end - begin; ++k) {
        std::size_t const row = matrix.is_lower_triangle() ? end - 1 - k : begin + k;
        found = found || !is_finite_entry(x(row, column));
        if (found) repair(row, column);
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void repair(std::size_t row, std::size_t column) const {
    ExactParts<is_complex> sum;
    Span const depth = matrix.columns_of({row, row + 1});
    for (std::size_t k = depth.begin; k < depth.end; ++k) {
      if (k == row && matrix.structure == Structure::unit_triangular) {
        sum.add_product(1.0, x(k, column));
      } else {
        sum.add_product(matrix.entry(row, k), x(k, column));
      }
    }
    y(row, column) = EntryEpilogue(alpha, {0, 0, false}).entry(sum, y(row, column));
  }
};

/// \brief X := alpha T X for a triangular T.
template <class Space, class V, class X>
void multiply_by_triangle(char const* label, Space const& space, Structured<V> const& matrix, Factor const& alpha,
                          X const& x) {
  std::size_t const n = matrix.size(), columns = x.extent(1);
  Factor const nothing{0, 0, false};
  if (n == 0 || columns == 0) return;
  if (alpha.is_zero()) return scale_entries(label, space, nothing, x);
  using Copy = DenseMatrix<EntryOf<X>, X>;
  Copy const copy = dense_copy<EntryOf<X>, X>(label, space, x, n, columns);
  auto const old = read_only(copy);
  multiply_structured(label, space, matrix, alpha, old, nothing, x);
  RepairColumn<V, std::decay_t<decltype(old)>, X> const repair{matrix, alpha, old, x,
                                                               columns > 1           ? panel_of_triangle<Space>
                                                               : runs_on_host<Space> ? panel_of_vector
                                                                                     : n};
  if constexpr (runs_on_host<Space>) {
    for_each_task(label, space, columns, n * columns >= products_worth_threads, repair);
  } else if (has_special_entries(label, space, old)) {
    loop(label, space, columns, repair);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
