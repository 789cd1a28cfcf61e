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

inline constexpr int lane_block = 1024;    // rows; their state stays in the first-level cache
inline constexpr int lane_panel = 512;     // columns; fewer than 2^(fold_head - 1)
inline constexpr int lane_prefetch = 128;  // rows
inline constexpr int lane_sample = 16;     // columns that the first heads are made for
inline constexpr int columns_at_once = 8;  // they share a load and a store of the state
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
  // A little ahead in these columns, and at their end in the next ones: those are on other pages, where the hardware
  // does not look ahead.
  std::ptrdiff_t const next = columns * column_stride - rows;
  for (int i = 0; i < rows; i += pack_lanes) {
    std::ptrdiff_t const ahead = i + lane_prefetch + (i + lane_prefetch < rows ? 0 : next);
    for (int c = 0; c < columns; ++c) prefetch(a[c] + ahead);
    absorb_columns(a, factors, i, state);
  }
}

/// Heads for products of a row below 2^e.
KOKKOS_FORCEINLINE_FUNCTION void set_lane(LaneState& state, int lane, int e) {
  state.exponent[lane] = e;
  state.start[lane] = HeadStart(HeadStart::fits(e) ? e : 0).start;
}

/// Exponents above the products of each row, from the first columns; with some room for larger ones to come.
template <class T>
EXAKT_NOINLINE_FUNCTION void start_lanes(Strided<T const> const& A, double const* x, std::size_t row, int rows,
                                         Span columns, LaneState& state) {
  std::size_t const end = columns.size() < lane_sample ? columns.end : columns.begin + lane_sample;
  for (int i = 0; i < rows; i += pack_lanes) {
    Pack largest{};
    for (std::size_t j = columns.begin; j < end; ++j)
      largest = larger(absolute(load(A.at(row, j) + i) * broadcast(x[j])), largest);
    double lanes[pack_lanes];
    store(largest, lanes);
    for (int l = 0; l < pack_lanes; ++l) set_lane(state, i + l, exponent_above(lanes[l]) + 2);
  }
  state.is_started = true;
}

/// sums += heads and rests of one pack of rows; the lanes of those that did not stay in their binade are returned.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_lanes(LaneState const& state, int i, double rests, double underflows,
                                                    EstimateArrays const& sums) {
  Pack const head = load(state.head + i), rest = load(state.rest + i), start = load(state.start + i);
  Pack const high = load(sums.high + i), low = load(sums.low + i), bound = load(sums.bound + i);
  // head - start is exact, for both are in one binade; the unit is 2^-52 of its power of two, 2/3 of the start.
  Pack const term = head - start;
  Pack const s = high + term, term_part = s - high, high_part = s - term_part;
  Pack const error = (high - high_part) + (term - term_part);
  Pack const size = (absolute(low) + absolute(rest)) + absolute(error);
  double const per_start = rests * 0x1p-52;
  std::uint32_t moved = 0;
  for (int l = 0; l < pack_lanes; ++l) {
    constexpr std::uint64_t mask = FloatFormat<double>::sign_mask | FloatFormat<double>::infinity;
    bool const stayed =
        (static_cast<std::uint64_t>(state.moved[i + l]) & mask) == 0 && HeadStart::fits(state.exponent[i + l]);
    moved |= static_cast<std::uint32_t>(!stayed) << l;
  }
  if (moved == 0) {
    store(s, sums.high + i);
    store(low + (error + rest), sums.low + i);
    store((bound + (start * per_start + underflows)) + 0x1p-51 * size, sums.bound + i);
  }
  return moved;
}

/// A pack of rows of which some have to do the panel again, one by one.
template <class T>
EXAKT_NOINLINE_FUNCTION void redo_lanes(Strided<T const> const& A, double const* x, std::size_t first_row, Span panel,
                                        int i, std::uint32_t moved, double rests, double underflows,
                                        EstimateArrays const& sums, LaneState& state) {
  for (int l = i; l < i + pack_lanes; ++l) {
    auto const k = static_cast<std::size_t>(l);
    Estimate sum = sums.get(k);
    if ((moved >> (l - i) & 1) == 0) {
      double const start = state.start[l];
      add_estimate(sum, {state.head[l] - start, state.rest[l], rests * (start * 0x1p-52) + underflows});
    } else {
      int e;
      add_estimate(sum, estimate_carefully(A, x, first_row + k, panel, e));
      set_lane(state, l, e + 1);
    }
    sums.set(k, sum);
  }
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
    if (!state.is_started) start_lanes(A, x, lanes.begin, whole, panel, state);
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
    for (int i = 0; i < whole; i += pack_lanes) {
      std::uint32_t const moved = add_lanes(state, i, rests, underflows, sums);
      if (moved != 0) redo_lanes(A, x, lanes.begin, panel, i, moved, rests, underflows, sums, state);
    }
  }
}

}  // namespace Exakt::Impl

#endif
