// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a matrix times a vector: sums of products a(i, j) * x(j) for many i at once, enclosed, and the results that
// they decide.
//
//     a row at a time        lanes along the row       where a row is contiguous, or after gathering it
//     many rows at a time    each lane its own row     where a column is contiguous
//
// In the second way a block of rows keeps its heads and rests in the first-level cache, while columns go by, some at a
// time:
//
//     rows of     heads, rests, moved        column j ... j+3
//     a block  |  h  r  m  (L1)          |   a a a a  -->          x(j) ... x(j+3) are broadcast
//
// After a panel of columns heads and rests are added to the enclosures. Rows whose heads did not stay in their binade
// do the panel again, one by one, and get larger heads for the panels to come.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_MatrixVector.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <kernels/Exakt_FindKernels.hpp>
#include "ExaktBlas_Kernels.hpp"

#include <type_traits>

namespace Exakt::Impl {
#ifndef EXAKTBLAS_MATRIXVECTOR_SETS
#define EXAKTBLAS_MATRIXVECTOR_SETS
namespace {
/// The kernels of one instruction set; specialized by each.
template <std::int64_t target>
struct MatrixSetOf;
}  // namespace
#endif
}  // namespace Exakt::Impl

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {

ResidueKernels residue_kernels();        // ExaktBlas_Residues.cpp
GemmKernels const& gemm_kernels_here();  // ExaktBlas_GemmTiles.cpp

namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include <kernels/Exakt_Enclosure-inl.hpp>
//
#include <kernels/Exakt_EnclosedSum-inl.hpp>

/// `count` entries as doubles.
template <class T>
HWY_INLINE void widen(T const* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * stride]);
}

#include "ExaktBlas_Epilogue-inl.hpp"
//
#include "ExaktBlas_Compensated-inl.hpp"

/// Products in one piece of a row: fewer than 2^(level_head - 1) for each lane.
constexpr int row_piece = 1024 * pack_lanes;
static_assert(row_piece / pack_lanes + 1 < (1 << (level_head - 1)));

/// \brief One piece of a row, with heads of its own in every tile; false if there are none that are large enough.
///
/// \param e  Receives an exponent above all products.
template <class T>
EXAKT_NOINLINE_FUNCTION bool enclose_piece(T const* a, double const* x, int count, Enclosure& sum, int& e) {
  for (int begin = 0; begin < count; begin += enclosure_tile_size) {
    Products<T, double> const products{a + begin, x + begin};
    int const size = count - begin < enclosure_tile_size ? count - begin : enclosure_tile_size;
    int e_of_tile;
    Enclosure tile;
    bool const known = enclose_by_itself(products, size, e_of_tile, tile);
    e = begin == 0 || e_of_tile > e ? e_of_tile : e;
    if (!known) return false;
    add_enclosure(sum, tile);
  }
  return true;
}

/// One row with heads of its own in every piece: what to try before adding exactly.
///
/// \param largest  Receives an exponent above all products.
template <class T>
EXAKT_NOINLINE_FUNCTION Enclosure enclose_carefully(Strided<T const> const& A, double const* x, std::size_t row,
                                                    Span columns, int& largest) {
  constexpr std::size_t gathered = 1024;
  double buffer[gathered];
  Enclosure sum = empty_sum();
  for (Span const some : Pieces{columns, gathered}) {
    widen(A.at(row, some.begin), A.column_stride, some.size(), buffer);
    int e;
    bool const known = enclose_piece(buffer, x + some.begin, static_cast<int>(some.size()), sum, e);
    largest = some.begin == columns.begin || e > largest ? e : largest;
    if (!known) return {};
  }
  return sum;
}

constexpr int rows_at_once = 4;

/// One piece of four rows with heads for products below 2^e; those that these do not suit one by one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void enclose_pieces(T const* const (&a)[rows_at_once], double const* x, int count,
                                                Enclosure (&sums)[rows_at_once], int& e) {
  bool done[rows_at_once] = {};
  if (e != unknown_exponent) {
    HeadStart const heads(e);
    EnclosureChain chains[rows_at_once] = {EnclosureChain(heads.start), EnclosureChain(heads.start),
                                           EnclosureChain(heads.start), EnclosureChain(heads.start)};
    int i = 0;
    for (; i + pack_lanes <= count; i += pack_lanes) {
      Pack const factor = load(x + i);
      for (int r = 0; r < rows_at_once; ++r) {
        prefetch(a[r] + i + prefetch_distance);
        chains[r].absorb(load(a[r] + i), factor);
      }
    }
    if (i < count) {
      Pack const factor = load_some(x + i, count - i);
      for (int r = 0; r < rows_at_once; ++r) chains[r].absorb(load_some(a[r] + i, count - i), factor);
    }
    int const per_lane = count / pack_lanes + 1;
    double const bound = bound_of_rests(pack_lanes, per_lane) * heads.unit + bound_of_underflows(pack_lanes, per_lane);
    for (int r = 0; r < rows_at_once; ++r) {
      if (leaves_binade(chains[r].moved)) continue;
      auto const piece = heads.read(sum_of_lanes(chains[r].units()), sum_of_real_lanes(chains[r].rest), bound);
      if (heads.are_needlessly_large(piece)) continue;
      add_enclosure(sums[r], piece);
      done[r] = true;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) {
    if (!done[r] && !enclose_piece(a[r], x, count, sums[r], e)) {
      e = unknown_exponent;
      sums[r].bound = HUGE_VAL;
    }
  }
}

/// Adds the products of the given columns to the sums of the given rows, lanes along the rows.
template <class T>
void enclose_along_rows(Strided<T const> const& A, double const* x, Span rows, Span columns,
                        EnclosureArrays const& sums, int& e) {
  constexpr std::size_t gathered = 512;
  double buffer[rows_at_once][gathered];
  bool const in_place = A.column_stride == 1;
  std::size_t const step = in_place ? row_piece : gathered;
  for (std::size_t row = rows.begin; row < rows.end; row += rows_at_once) {
    std::size_t const last = rows.end - 1;
    Enclosure group[rows_at_once] = {};
    for (std::size_t r = 0; r < rows_at_once && row + r <= last; ++r) group[r] = sums.get(row + r - rows.begin);
    for (std::size_t begin = columns.begin; begin < columns.end; begin += step) {
      int const count = static_cast<int>(columns.end - begin < step ? columns.end - begin : step);
      // A group that is not full repeats the last row.
      T const* a[rows_at_once];
      for (std::size_t r = 0; r < rows_at_once; ++r) a[r] = A.at(row + r <= last ? row + r : last, begin);
      if (in_place) {
        enclose_pieces(a, x + begin, count, group, e);
        continue;
      }
      for (int r = 0; r < rows_at_once; ++r) widen(a[r], A.column_stride, static_cast<std::size_t>(count), buffer[r]);
      double const* const copies[rows_at_once] = {buffer[0], buffer[1], buffer[2], buffer[3]};
      enclose_pieces(copies, x + begin, count, group, e);
    }
    for (std::size_t r = 0; r < rows_at_once && row + r <= last; ++r) sums.set(row + r - rows.begin, group[r]);
  }
}

constexpr int lane_panel = 512;     // columns; fewer than 2^(level_head - 1)
constexpr int lane_prefetch = 128;  // rows
constexpr int lane_sample = 16;     // columns that the first heads are made for
constexpr int columns_at_once = 8;  // they share a load and a store of the state
static_assert(lane_panel < (1 << (level_head - 1)) && lane_block % pack_lanes == 0);

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
  HeadAndRest sum(load(state.head + i), load(state.rest + i));
  IntegerPack moved = load_integers(state.moved + i);
  for (int c = 0; c < columns; ++c) {
    IntegerPack const before = bits_of_pack(sum.head);
    sum.absorb(load(a[c] + i), x[c]);
    // One change of the exponent between any two neighbours is seen, so none means the first one's.
    moved = moved | (bits_of_pack(sum.head) ^ before);
  }
  store(sum.head, state.head + i);
  store(sum.rest, state.rest + i);
  store(moved, state.moved + i);
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
[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION void set_lane(LaneState& state, int lane, int e) {
  state.exponent[lane] = e;
  state.start[lane] = HeadStart(HeadStart::fits(e) ? e : 0).start;
}

/// Exponents above the products of each row, from the first columns; with some room for larger ones to come.
template <class T>
EXAKT_NOINLINE_FUNCTION void start_lanes(Strided<T const> const& A, double const* x, std::size_t row, int rows,
                                         Span columns, LaneState& state) {
  std::size_t const end = columns.size() < lane_sample ? columns.end : columns.begin + lane_sample;
  for (int i = 0; i < rows; i += pack_lanes) {
    Pack largest = zeros();
    for (std::size_t j = columns.begin; j < end; ++j)
      largest = larger(absolute(load(A.at(row, j) + i) * broadcast(x[j])), largest);
    double lanes[pack_lanes];
    store(largest, lanes);
    for (int l = 0; l < pack_lanes; ++l) set_lane(state, i + l, exponent_above(lanes[l]) + 2);
  }
  state.is_started = true;
}

/// The sums of one pack of rows, and what its heads and rests add to them.
[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION EnclosurePack sum_of_lanes(LaneState const& state, int i, int products,
                                                                        EnclosureArrays const& sums) {
  EnclosurePack sum{load(sums.high + i), load(sums.low + i), load(sums.bound + i)};
  HeadAndRest const panel(load(state.head + i), load(state.rest + i));
  add_enclosure(sum, enclosure_of_lanes(panel, load(state.start + i), products));
  return sum;
}

[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION void store(EnclosurePack const& sum, EnclosureArrays const& to) {
  store(sum.high, to.high);
  store(sum.low, to.low);
  store(sum.bound, to.bound);
}

/// sums += heads and rests of one pack of rows; the lanes of those that did not stay in their binade are returned.
[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_lanes(LaneState const& state, int i, int products,
                                                                     EnclosureArrays const& sums) {
  EnclosurePack const sum = sum_of_lanes(state, i, products, sums);
  std::uint32_t moved = 0;
  for (int l = 0; l < pack_lanes; ++l) {
    constexpr std::uint64_t mask = FloatFormat<double>::sign_mask | FloatFormat<double>::infinity;
    bool const stayed =
        (static_cast<std::uint64_t>(state.moved[i + l]) & mask) == 0 && HeadStart::fits(state.exponent[i + l]);
    moved |= static_cast<std::uint32_t>(!stayed) << l;
  }
  if (moved == 0) store(sum, sums.from(static_cast<std::size_t>(i)));
  return moved;
}

/// A pack of rows of which some have to do the panel again, one by one.
template <class T>
EXAKT_NOINLINE_FUNCTION void redo_lanes(Strided<T const> const& A, double const* x, std::size_t first_row, Span panel,
                                        int i, std::uint32_t moved, EnclosureArrays const& sums, LaneState& state) {
  double high[pack_lanes], low[pack_lanes], bound[pack_lanes];
  EnclosureArrays const stayed{high, low, bound};
  store(sum_of_lanes(state, i, static_cast<int>(panel.size()), sums), stayed);
  for (int l = 0; l < pack_lanes; ++l) {
    auto const k = static_cast<std::size_t>(i + l);
    Enclosure sum = stayed.get(static_cast<std::size_t>(l));
    if ((moved >> l & 1) != 0) {
      int e;
      sum = sums.get(k);
      add_enclosure(sum, enclose_carefully(A, x, first_row + k, panel, e));
      set_lane(state, i + l, e + 1);
    }
    sums.set(k, sum);
  }
}

/// The same with a lane for each row: T float or double, A.row_stride == 1, lane_block rows at most.
template <class T>
void enclose_by_lanes(Strided<T const> const& A, double const* x, Span rows, Span columns, EnclosureArrays const& sums,
                      int& e) {
  int const count = static_cast<int>(rows.size()), whole = count / pack_lanes * pack_lanes;
  if (whole < count) {
    // The last rows do not fill a pack.
    enclose_along_rows(A, x, {rows.begin + static_cast<std::size_t>(whole), rows.end}, columns,
                       sums.from(static_cast<std::size_t>(whole)), e);
  }
  if (whole == 0) return;
  LaneState state;
  Span const lanes{rows.begin, rows.begin + static_cast<std::size_t>(whole)};
  for (Span const panel : Pieces{columns, lane_panel}) {
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

    for (int i = 0; i < whole; i += pack_lanes) {
      std::uint32_t const moved = add_lanes(state, i, static_cast<int>(panel.size()), sums);
      if (moved != 0) redo_lanes(A, x, lanes.begin, panel, i, moved, sums, state);
    }
  }
}

template <class T>
void enclose(Strided<T const> const& A, double const* x, Span rows, Span columns, EnclosureArrays const& sums, int& e) {
  if (A.row_stride == 1 && A.column_stride != 1) {
    enclose_by_lanes(A, x, rows, columns, sums, e);
  } else {
    enclose_along_rows(A, x, rows, columns, sums, e);
  }
}

template <class T>
Enclosure enclose_row(Strided<T const> const& A, double const* x, std::size_t row, Span columns) {
  int largest;
  return enclose_carefully(A, x, row, columns, largest);
}

template <class T>
int try_round(Factors const& factors, EnclosureArrays const& sums, int count, T* y, std::ptrdiff_t y_stride,
              int* undecided) {
  int others = 0;
  for (int i = 0; i < count; i += pack_lanes) {
    int const lanes = count - i < pack_lanes ? count - i : pack_lanes;
    EnclosureArrays const some = sums.from(static_cast<std::size_t>(i));
    EnclosurePack const pack =
        lanes == pack_lanes
            ? EnclosurePack{load(some.high), load(some.low), load(some.bound)}
            : EnclosurePack{load_some(some.high, lanes), load_some(some.low, lanes), load_some(some.bound, lanes)};
    std::uint32_t const wanted = set_of_first_lanes(lanes);
    std::uint32_t const decided = try_round_lanes(factors, pack, lanes, wanted, y + i * y_stride, y_stride);
    if (decided == wanted) continue;
    for (int l = 0; l < lanes; ++l) {
      if ((decided >> l & 1) == 0) undecided[others++] = i + l;
    }
  }
  return others;
}

template <class T>
bool try_round_one(Factors const& factors, Enclosure const& sum, double y, double divisor, T& result) {
  return try_round_row(factors, sum, y, divisor, result);
}

static_assert(kernel_lanes % pack_lanes == 0);

template <class T>
std::size_t solve(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, std::size_t begin, std::size_t rows,
                  double const* y, double const* divisor, double const* inverse, T* results) {
  for (std::size_t r = begin; r < rows; ++r) {
    if (r > 0) {
      double const* const column = triangle.column(r - 1);
      Pack const x = broadcast(static_cast<double>(results[r - 1]));
      for (std::size_t i = r / pack_lanes * pack_lanes; i < rows; i += pack_lanes)
        add_compensated(column + i, x, triangle.high + i, triangle.low + i, triangle.tails + i);
    }
    if (!try_round_row(factors, triangle.sum(r), y[r], divisor[r], inverse[r], results[r])) return r;
  }
  return rows;
}

template <class T>
void set(MatrixKernelsOf<T>& kernels) {
  kernels.try_round = &try_round<T>;
  kernels.try_round_row = &try_round_one<T>;
  if constexpr (has_fused_packs) {
    kernels.enclose = &enclose<T>;
    kernels.enclose_carefully = &enclose_row<T>;
    kernels.solve = &solve<T>;
  }
}

MatrixKernels set_of_kernels() {
  MatrixKernels kernels{};
  set<double>(kernels);
  set<float>(kernels);
  static_cast<ResidueKernels&>(kernels) = residue_kernels();
  kernels.has_enclosures = has_fused_packs;
  kernels.gemm = &gemm_kernels_here();
  return kernels;
}

}  // namespace
}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace Exakt::Impl {
namespace {

template <>
struct MatrixSetOf<HWY_TARGET> {
  static MatrixKernels const& kernels() {
    static MatrixKernels const set = HWY_NAMESPACE::set_of_kernels();
    return set;
  }
};

}  // namespace
}  // namespace Exakt::Impl

#if HWY_ONCE

namespace Exakt::Impl {

MatrixKernels const& choose_matrix_kernels(std::int64_t target) {
  return find_kernels<MatrixKernels, MatrixSetOf>(target);
}

}  // namespace Exakt::Impl

#endif
