// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a matrix times a vector: sums of products a(i, j) * x(j) for many i at once, enclosed, and the results that
// they decide.
//
//     a row at a time        lanes along the row       where a row is contiguous, or after gathering it
//     many rows at a time    each lane its own row     where a column is contiguous (ExaktBlas_RowLanes-inl.hpp)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_MatrixVector.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <kernels/Exakt_FindKernels.hpp>
#include "ExaktBlas_Kernels.hpp"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {

ResidueKernels residue_kernels();        // ExaktBlas_Residues.cpp
GemmKernels const& gemm_kernels_here();  // ExaktBlas_GemmTiles.cpp

namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_Transpose-inl.hpp>
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
#include "ExaktBlas_Multiples-inl.hpp"
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
        prefetch_behind(a[r] + i, pack_lanes);
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

/// A power of two of which all entries of a row are multiples.
template <class T>
double unit_of_row(Strided<T const> const& A, std::size_t row, std::size_t columns) {
  T const* from = A.at(row, 0);
  Pack unit = broadcast(HUGE_VAL);
  std::size_t j = 0;
  for (; j + pack_lanes <= columns; j += pack_lanes, from += pack_lanes * A.column_stride) {
    if (A.column_stride == 1) {
      unit = smaller(last_bit(load(from)), unit);
      continue;
    }
    double gathered[pack_lanes];
    widen(from, A.column_stride, pack_lanes, gathered);
    unit = smaller(last_bit(load(gathered)), unit);
  }
  double rest[pack_lanes] = {};
  widen(from, A.column_stride, columns - j, rest);
  unit = smaller(last_bit(load(rest)), unit);
  double const least = hn::GetLane(hn::MinOfLanes(Doubles(), unit));
  return least == HUGE_VAL ? 1 : least;
}

#include "ExaktBlas_RowLanes-inl.hpp"

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

/// The lanes whose sums are known exactly; `results` receives theirs. None of the parameters is a pack: of functions
/// with such parameters GCC does not clear the upper halves of registers.
template <class T>
EXAKT_NOINLINE_FUNCTION std::uint32_t decided_exact_sums(Factors const& factors, EnclosurePack const& sum,
                                                         double const* old, std::uint32_t wanted, T* results) {
  std::uint32_t const exact = set_of_lanes(mask_of(sum.bound == zeros())) & wanted;
  if (exact == 0) return 0;
  T some[pack_lanes] = {};
  Pack const unit = smaller(last_bit(sum.high), last_bit(sum.low));
  std::uint32_t const decided =
      exact & decided_multiples(factors, sum, load(old), smaller(unit, broadcast(0x1p800)), some);
  for (int l = 0; l < pack_lanes; ++l) results[l] = (decided >> l & 1) != 0 ? some[l] : results[l];
  return decided;
}

template <class T>
int try_round(Factors const& factors, EnclosureArrays const& sums, double divisor, int count, T* y,
              std::ptrdiff_t y_stride, int* undecided) {
  int others = 0;
  for (int i = 0; i < count; i += pack_lanes) {
    int const lanes = count - i < pack_lanes ? count - i : pack_lanes;
    EnclosureArrays const some = sums.from(static_cast<std::size_t>(i));
    EnclosurePack const pack =
        lanes == pack_lanes
            ? EnclosurePack{load(some.high), load(some.low), load(some.bound)}
            : EnclosurePack{load_some(some.high, lanes), load_some(some.low, lanes), load_some(some.bound, lanes)};
    std::uint32_t const wanted = set_of_first_lanes(lanes);
    auto const decide_exact_sums = [&](double const* old, std::uint32_t others, T* results) {
      return has_fused_packs ? decided_exact_sums(factors, pack, old, others, results) : 0;
    };
    std::uint32_t const decided =
        try_round_lanes(factors, pack, divisor, lanes, wanted, y + i * y_stride, y_stride, decide_exact_sums);
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

template <class T>
bool try_round_multiple(Factors const& factors, Enclosure const& sum, double unit, double y, T& result) {
  T results[pack_lanes] = {};
  EnclosurePack const pack{broadcast(sum.high), broadcast(sum.low), broadcast(sum.bound)};
  if ((decided_multiples(factors, pack, broadcast(y), broadcast(unit), results) & 1) == 0) return false;
  result = results[0];
  return true;
}

static_assert(kernel_lanes % pack_lanes == 0);

/// beta * y - S for the rows of a triangle, in place of their sums S: it takes a product more.
HWY_INLINE void subtract_from_right_sides(Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                                          std::size_t rows, double const* y) {
  Pack const beta = broadcast(factors.reads_y ? factors.beta : 0);
  for (std::size_t i = 0; i < rows; i += pack_lanes) {
    store(hn::Neg(load(triangle.high + i)), triangle.high + i);
    store(hn::Neg(load(triangle.low + i)), triangle.low + i);
    add_compensated(y + i, beta, triangle.high + i, triangle.low + i, triangle.tails + i);
  }
}

/// What each unknown waits for stays in registers: the last product of its row, then the quotient. The same product is
/// added to the rows behind, with theirs, while the next unknowns are on their way.
template <class T>
std::size_t solve(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, std::size_t begin, std::size_t rows,
                  double const* y, double const* divisor, double const* inverse, T* results) {
  if (begin == 0) subtract_from_right_sides(factors, triangle, rows, y);
  Factors const quotient{1, 0, false, factors.has_divisor};
  Pack known = hn::Neg(broadcast(begin == 0 ? 0 : static_cast<double>(results[begin - 1])));
  for (std::size_t r = begin; r < rows; ++r) {
    CompensatedPack left{broadcast(triangle.high[r]), broadcast(triangle.low[r]), broadcast(triangle.tails[r])};
    double const* const column = r > 0 ? triangle.column(r - 1) : nullptr;
    if (r > 0) left.add(broadcast(column[r]), known);
    Pack const bound =
        broadcast(triangle.bound[r] + triangle.underflows(r)) + broadcast(triangle.tail_factor(r)) * left.tails;
    auto const interval =
        interval_of(quotient, {left.high, left.low, bound}, zeros(), broadcast(divisor[r]), broadcast(inverse[r]));
    T result[pack_lanes] = {};
    bool const is_decided = (decided_lanes(interval, result) & 1) != 0;
    for (std::size_t i = r / pack_lanes * pack_lanes; r > 0 && i < rows; i += pack_lanes)
      add_compensated(column + i, known, triangle.high + i, triangle.low + i, triangle.tails + i);
    if (!is_decided) return r;
    results[r] = result[0];
    if constexpr (std::is_same_v<T, double>) {
      known = hn::Neg(interval.lower);
    } else {
      known = hn::Neg(broadcast(static_cast<double>(result[0])));
    }
  }
  return rows;
}

#include "ExaktBlas_TriangularLanes-inl.hpp"
//
#include "ExaktBlas_KnownLines-inl.hpp"
//
#include "ExaktBlas_SmallGemv-inl.hpp"

template <class T>
void set(MatrixKernelsOf<T>& kernels) {
  kernels.try_round = &try_round<T>;
  kernels.try_round_row = &try_round_one<T>;
  kernels.try_round_multiple = &try_round_multiple<T>;
  kernels.unit_of_row = &unit_of_row<T>;
  if constexpr (has_fused_packs) {
    kernels.enclose = &enclose<T>;
    kernels.enclose_carefully = &enclose_row<T>;
    kernels.solve = &solve<T>;
    kernels.solve_lanes = &solve_lanes<T>;
  }
}

MatrixKernels set_of_kernels() {
  MatrixKernels kernels{};
  set<double>(kernels);
  set<float>(kernels);
  static_cast<ResidueKernels&>(kernels) = residue_kernels();
  kernels.has_enclosures = has_fused_packs;
  kernels.gemm = &gemm_kernels_here();
  if constexpr (has_fused_packs) kernels.multiply_small = &multiply_small;
  return kernels;
}

}  // namespace
}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include <kernels/Exakt_KernelSet-inl.hpp>

#if HWY_ONCE

namespace Exakt::Impl {

MatrixKernels const& choose_matrix_kernels(std::int64_t target) { return find_kernels<MatrixKernels>(target); }

}  // namespace Exakt::Impl

#endif
