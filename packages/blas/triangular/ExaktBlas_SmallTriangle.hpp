// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SMALLTRIANGLE_HPP
#define EXAKTBLAS_SMALLTRIANGLE_HPP

/// \file
/// \brief Triangular systems, what is said about one row of them, and the small triangles along the diagonal, one unknown
/// after the other: compensated sums of a lane for each row.

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../matrix_vector/ExaktBlas_TeamProducts.hpp"

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

/// Systems op(A) X = beta B, a right-hand side for each column of B, which becomes X.
template <class T, class R>
struct TriangularSystems {
  Strided<T const> A;  // op(A) already
  std::size_t n;
  SolvingOrder order;
  bool has_unit_diagonal;
  double beta;
  Strided<R> B;

  KOKKOS_FORCEINLINE_FUNCTION Epilogue epilogue() const { return {-1, beta, !is_zero(beta), !has_unit_diagonal}; }
  KOKKOS_FORCEINLINE_FUNCTION double divisor(std::size_t i) const {
    return has_unit_diagonal ? 1 : exact_double(*A.at(i, i));
  }
  KOKKOS_FORCEINLINE_FUNCTION double old(std::size_t i, std::size_t right_side) const {
    return is_zero(beta) ? 0 : exact_double(*B.at(i, right_side));
  }

  /// \brief Whether an unknown is zero because its right-hand side and all known unknowns are: those of an inverse begin
  /// so, and enclosures decide no zero.
  ///
  /// \param sum    Of its row: where it is known up to a number, no zero was multiplied by an infinity.
  /// \param known  Some of the known unknowns, `count` of them; the products of all others are zeros in `sum`.
  KOKKOS_FORCEINLINE_FUNCTION bool leave_zero(Enclosure const& sum, double old, double divisor, double const* known,
                                              std::size_t count) const {
    bool zero = is_zero(sum.high) && is_zero(sum.low) && sum.bound < HUGE_VAL && is_zero(old) && is_finite(beta) &&
                is_finite(divisor) && !is_zero(divisor);
    for (std::size_t c = 0; zero && c < count; ++c) zero = is_zero(known[c]);
    return zero;
  }
};

/// \brief The systems of views.
///
/// \param by_rows  A right-hand side for each row of b.
template <class A, class B>
auto systems_of(Operated<A> const& matrix, bool is_lower, bool has_unit_diagonal, double beta, B const& b,
                bool by_rows) {
  auto const a = strided(matrix.view, matrix.transposed);
  Strided<EntryOf<B>> unknowns{b.data(), static_cast<std::ptrdiff_t>(b.stride(0)), 0};
  if constexpr (B::rank == 2) unknowns = strided(b, by_rows);
  return TriangularSystems<EntryOf<A>, EntryOf<B>>{
      {a.data, a.row_stride, a.column_stride}, matrix.rows(), {is_lower}, has_unit_diagonal, beta, unknowns};
}

using TeamTriangle = SmallTriangle<pack_lanes>;

/// Adds the products of a column to the packs of rows that begin at `first`, `first + step`, ...
KOKKOS_FORCEINLINE_FUNCTION void add_column(TeamTriangle& triangle, double const* column, double x, std::size_t first,
                                            std::size_t step, std::size_t rows) {
  for (std::size_t i = first; i < rows; i += step)
    add_compensated(column + i, broadcast(x), triangle.high + i, triangle.low + i, triangle.tails + i);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
