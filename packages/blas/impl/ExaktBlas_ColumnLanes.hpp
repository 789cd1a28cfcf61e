// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COLUMNLANES_HPP
#define EXAKTBLAS_COLUMNLANES_HPP

/// \file
/// \brief Sums of products a(i, j) * x(j) where columns are contiguous: each lane is its own row.
///
/// A block of rows keeps its heads and rests in the first-level cache, while columns go by, some at a time:
///
///     rows of     heads, rests, moved        column j ... j+3
///     a block  |  h  r  m  (L1)          |   a a a a  -->          x(j) ... x(j+3) are broadcast
///
/// After a panel of columns heads and rests are added to the estimates. Rows whose heads did not stay in their binade
/// do the panel again, one by one, and get larger heads for the panels to come.

#include "ExaktBlas_Estimates.hpp"

namespace Exakt::Impl {

inline constexpr int lane_block = 512;     // rows; their state stays in the first-level cache
inline constexpr int lane_panel = 128;     // columns; fewer than 2^(fold_head - 1)
inline constexpr int columns_at_once = 4;  // share a load and a store of the state
static_assert(lane_panel < (1 << (fold_head - 1)) && lane_block % pack_lanes == 0);

/// Heads and rests of a block of rows, and for which exponents the heads were started.
struct alignas(64) LaneState {
  double head[lane_block], rest[lane_block], start[lane_block];
  std::int64_t moved[lane_block];
  int exponent[lane_block];
  bool is_started = false;
};

/// Some columns of one pack of rows.
template <int columns, class T>
KOKKOS_FORCEINLINE_FUNCTION void absorb_columns(T const* const (&a)[columns], Pack const (&x)[columns], int i,
                                                LaneState& state) {
  Pack head = load(state.head + i), rest = load(state.rest + i);
  IntegerPack moved;
  std::memcpy(&moved, state.moved + i, sizeof(moved));
  for (int c = 0; c < columns; ++c) {
    Pack const entry = load(a[c] + i);
    Pack const s = fused_add(entry, x[c], head);
    rest = rest + fused_subtract(entry, x[c], s - head);
    // One change of the exponent between any two neighbours is seen, so none means the first one's.
    moved |= bits_of_pack(s) ^ bits_of_pack(head);
    head = s;
  }
  store(head, state.head + i);
  store(rest, state.rest + i);
  std::memcpy(state.moved + i, &moved, sizeof(moved));
}

/// `rows` rows, a multiple of pack_lanes, of some columns.
template <int columns, class T>
KOKKOS_FORCEINLINE_FUNCTION void absorb_column_group(T const* first, std::ptrdiff_t column_stride, double const* x,
                                                     int rows, LaneState& state) {
  T const* a[columns];
  Pack factors[columns];
  for (int c = 0; c < columns; ++c) {
    a[c] = first + c * column_stride;
    factors[c] = broadcast(x[c]);
  }
  std::ptrdiff_t const ahead = columns * column_stride;
  for (int i = 0; i < rows; i += pack_lanes) {
    for (int c = 0; c < columns; ++c) prefetch(a[c] + ahead + i);
    absorb_columns(a, factors, i, state);
  }
}

/// Exponents above the products of each row, from a panel.
template <class T>
EXAKT_NOINLINE_FUNCTION void start_lanes(Strided<T const> const& A, double const* x, Span rows, Span columns,
                                         LaneState& state) {
  double largest[lane_block] = {};
  std::size_t const count = rows.size();
  for (std::size_t j = columns.begin; j < columns.end; ++j) {
    T const* const a = A.at(rows.begin, j);
    double const factor = magnitude_of(x[j]);
    for (std::size_t i = 0; i < count; ++i) {
      double const product = magnitude_of(static_cast<double>(a[i])) * factor;
      largest[i] = product > largest[i] ? product : largest[i];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    // Twice as large: the next panels are likely to have somewhat larger ones.
    state.exponent[i] = exponent_above(largest[i]) + 1;
    state.start[i] = HeadStart(HeadStart::fits(state.exponent[i]) ? state.exponent[i] : 0).start;
  }
  state.is_started = true;
}

/// \brief Adds the products of the given columns to the sums of the given rows: lane_block of them at most, T float or
/// double, A.row_stride == 1.
template <class T>
KOKKOS_INLINE_FUNCTION void estimate_by_lanes(Strided<T const> const& A, double const* x, Span rows, Span columns,
                                              EstimateArrays const& sums, LaneState& state) {
  int const count = static_cast<int>(rows.size()), whole = count / pack_lanes * pack_lanes;
  if (whole < count) {
    // The last rows do not fill a pack.
    int e = unknown_exponent;
    estimate_along_rows(A, x, {rows.begin + static_cast<std::size_t>(whole), rows.end}, columns,
                        sums.from(static_cast<std::size_t>(whole)), e);
  }
  if (whole == 0) return;
  Span const lanes{rows.begin, rows.begin + static_cast<std::size_t>(whole)};
  for (std::size_t begin = columns.begin; begin < columns.end; begin += lane_panel) {
    Span const panel{begin, columns.end - begin < lane_panel ? columns.end : begin + lane_panel};
    if (!state.is_started) start_lanes(A, x, lanes, panel, state);
    for (int i = 0; i < whole; ++i) {
      state.head[i] = state.start[i];
      state.rest[i] = 0;
      state.moved[i] = 0;
    }
    std::size_t j = panel.begin;
    for (; j + columns_at_once <= panel.end; j += columns_at_once)
      absorb_column_group<columns_at_once>(A.at(rows.begin, j), A.column_stride, x + j, whole, state);
    for (; j < panel.end; ++j) absorb_column_group<1>(A.at(rows.begin, j), A.column_stride, x + j, whole, state);

    int const columns_in_panel = static_cast<int>(panel.size());
    double const rests = bound_of_rests(1, columns_in_panel), underflows = bound_of_underflows(1, columns_in_panel);
    constexpr std::uint64_t mask = FloatFormat<double>::sign_mask | FloatFormat<double>::infinity;
    for (int i = 0; i < whole; ++i) {
      auto const k = static_cast<std::size_t>(i);
      Estimate sum = sums.get(k);
      if (HeadStart::fits(state.exponent[i]) && (static_cast<std::uint64_t>(state.moved[i]) & mask) == 0) {
        // head - start is exact, for both are in one binade; the unit is 2^-52 of the binade's power, start / 1.5.
        add_estimate(sum,
                     {state.head[i] - state.start[i], state.rest[i], rests * (state.start[i] * 0x1p-52) + underflows});
      } else {
        Estimate const again = estimate_carefully(A, x, rows.begin + k, panel, state.exponent[i]);
        state.exponent[i] += 1;
        state.start[i] = HeadStart(HeadStart::fits(state.exponent[i]) ? state.exponent[i] : 0).start;
        add_estimate(sum, again);
      }
      sums.set(k, sum);
    }
  }
}

}  // namespace Exakt::Impl

#endif
