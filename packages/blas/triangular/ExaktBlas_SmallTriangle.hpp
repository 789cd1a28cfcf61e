// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SMALLTRIANGLE_HPP
#define EXAKTBLAS_SMALLTRIANGLE_HPP

/// \file
/// \brief The triangles along the diagonal, one unknown after the other: compensated sums of a lane for each row.

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/ExaktBlas_Compensated-inl.hpp"

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

using TeamTriangle = SmallTriangle<pack_lanes>;

/// Adds the products of column j to the packs of rows that begin at `first`, `first + step`, ...
KOKKOS_FORCEINLINE_FUNCTION void add_column(TeamTriangle& triangle, std::size_t j, double x, std::size_t first,
                                            std::size_t step, std::size_t rows) {
  double const* const column = triangle.column(j);
  for (std::size_t i = first; i < rows; i += step)
    add_compensated(column + i, broadcast(x), triangle.high + i, triangle.low + i, triangle.tails + i);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
