// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a matrix times a vector: sums of products a(i, j) * x(j) for many i at once, enclosed, and the results that
// they decide.
//
//     a row at a time        lanes along the row       where a row is contiguous, or after gathering it
//     many rows at a time    each lane its own row     where a column is contiguous (ExaktBlas_RowLanes-inl.hpp)
//     a whole small matrix   either one                without a call for each row (ExaktBlas_SmallGemv-inl.hpp)
//
// Small triangles, whose unknowns such sums are subtracted from, are solved by ExaktBlas_SmallTriangle-inl.hpp for one
// right-hand side, and by ExaktBlas_TriangularLanes-inl.hpp for several.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_MatrixVector.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <kernels/Exakt_FindKernels.hpp>
#include "ExaktBlas_Kernels.hpp"

#include <bit>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {

void set_residue_kernels(ResidueKernels&);   // ExaktBlas_Residues.cpp
void set_gemm_kernels(GemmKernels const*&);  // ExaktBlas_GemmTiles.cpp

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

/// Some neighbours of as many columns as a pack has lanes become contiguous.
template <class T, class LoadColumn>
HWY_INLINE void transpose_columns(Strided<T const> const& A, int rows, LoadColumn const& load_column, double* to,
                                  std::size_t to_step) {
  constexpr std::ptrdiff_t ahead = 2 * pack_lanes;
  Pack packs[pack_lanes];
  HWY_UNROLL(8)
  for (int l = 0; l < pack_lanes; ++l) {
    T const* const column = A.at(0, static_cast<std::size_t>(l));
    prefetch(column + ahead * A.column_stride);  // perhaps on another page
    packs[l] = load_column(column);
  }
  transpose(packs);
  HWY_UNROLL(8)
  for (int l = 0; l < pack_lanes; ++l) {
    if (l < rows) store(packs[l], to + static_cast<std::size_t>(l) * to_step);
  }
}

/// Rows as contiguous doubles, `to_step` apart.
template <class T>
void gather_rows(Strided<T const> const& A, std::size_t rows, std::size_t columns, double* to, std::size_t to_step) {
  constexpr std::size_t lanes = pack_lanes, worth_packs = 2;
  std::size_t const whole = A.row_stride == 1 ? rows / lanes * lanes : 0;
  int const rest = A.row_stride == 1 && rows - whole >= worth_packs ? static_cast<int>(rows - whole) : 0;
  for (std::size_t c = 0; c < columns; c += lanes) {
    std::size_t const some = columns - c < lanes ? columns - c : lanes;
    std::size_t row = 0;
    if (some == lanes) {
      auto const block = [&](std::size_t r) { return Strided<T const>{A.at(r, c), A.row_stride, A.column_stride}; };
      for (; row < whole; row += lanes)
        transpose_columns(
            block(row), pack_lanes, [](T const* from) HWY_ATTR __attribute__((always_inline)) { return load(from); },
            to + row * to_step + c, to_step);
      if (rest > 0) {
        transpose_columns(
            block(row),
            rest, [=](T const* from) HWY_ATTR __attribute__((always_inline)) { return load_some(from, rest); },
            to + row * to_step + c, to_step);
        row = rows;
      }
    }
    for (; row < rows; ++row) widen(A.at(row, c), A.column_stride, some, to + row * to_step + c);
  }
}

/// Each lane has what the other one of a pair had.
HWY_INLINE Pack exchanged_neighbours(Pack x) { return hn::Reverse2(Doubles(), x); }

#include "ExaktBlas_Epilogue-inl.hpp"
//
#include "ExaktBlas_Multiples-inl.hpp"
//
#include "ExaktBlas_Compensated-inl.hpp"
//
#include "ExaktBlas_WatchedHeads-inl.hpp"

/// The same on short packs: one unknown after the other leaves no work for more lanes, and long registers have fewer units.
namespace few_lanes {

#define EXAKT_LANES_AT_MOST 2
#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include <kernels/Exakt_Enclosure-inl.hpp>
//
#include "ExaktBlas_Epilogue-inl.hpp"
//
#include "ExaktBlas_Compensated-inl.hpp"
#undef EXAKT_LANES_AT_MOST

}  // namespace few_lanes

/// \brief The rows of some packs of neighbouring ones that have products without a factor of zero: all ones in their lanes.
/// \param from     The first entries of each pack. \param count  Rows of each, where they are less than a pack.
/// \param factors  load_for(j, factors): what multiplies the entries of column j, and the same entries exchanged with their
///                 neighbours.
template <int parts, std::size_t packs, class T, class FactorsOfColumn>
HWY_INLINE void rows_with_products(T const* const (&from)[packs], std::ptrdiff_t column_stride,
                                   FactorsOfColumn const& factors, std::size_t columns, int count,
                                   IntegerPack (&found)[packs]) {
  IntegerPack all[packs * parts];
  HWY_UNROLL(16)
  for (std::size_t p = 0; p < packs * parts; ++p) all[p] = zero_integers();
  std::ptrdiff_t at = 0;
  for (std::size_t j = 0; j < columns; ++j, at += column_stride) {
    Pack here[parts];
    factors.load_for(j, here);
    IntegerPack are_used[parts], any = zero_integers();
    for (int part = 0; part < parts; ++part) {
      are_used[part] = mask_of((part == 0 ? here[part] : exchanged_neighbours(here[part])) != zeros());
      any = any | are_used[part];
    }
    if (!has_bits(any, ~std::uint64_t{0})) continue;
    HWY_UNROLL(8)
    for (std::size_t p = 0; p < packs; ++p) {
      IntegerPack const entries =
          bits_of_pack(count == pack_lanes ? load(from[p] + at) : load_some(from[p] + at, count));
      for (std::size_t part = 0; part < parts; ++part)
        all[p * parts + part] = all[p * parts + part] | (entries & are_used[part]);
    }
  }
  HWY_UNROLL(8)
  for (std::size_t p = 0; p < packs; ++p) {
    IntegerPack any = all[p * parts];
    if constexpr (parts == 2)
      any = any | bits_of_pack(exchanged_neighbours(hn::BitCast(Doubles(), all[p * parts + 1])));
    found[p] = ~mask_of_same_bits(masked(any, ~FloatFormat<double>::sign_mask), 0);
  }
}

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

constexpr int sums_of_group = 4;  // of rows times vectors: their heads and rests have place in 16 registers
constexpr int row_prefetch = 64;  // entries ahead; rows of a few hundred entries are read from their beginning, too

/// What will be needed of a row. \param are_last  Whether there is nothing behind these entries.
template <class T>
HWY_INLINE void prefetch_row(T const* entries, int count, bool are_last) {
  if constexpr (HWY_TARGET == HWY_AVX2) {
    prefetch_lines(entries + (are_last ? 0 : row_prefetch), count);
  } else {
    prefetch_all(entries + distance_ahead(are_last ? 0 : prefetch_distance), count);
  }
}

/// \brief A piece of a vector that multiplies rows: its entries, and a copy of them that is scaled for watched heads.
template <int at_most>
struct PieceOfVector {
  double const* x;
  int count;
  double scaled_by;
  alignas(64) double scaled[at_most];

  HWY_INLINE PieceOfVector() {}  // fills nothing with zeros
  HWY_INLINE void begin(double const* from, std::size_t size) {
    x = from;
    count = static_cast<int>(size);
    scaled_by = 0;
  }
  HWY_INLINE void scale(double factor) {
    if (factor == scaled_by) return;
    copy_scaled(x, static_cast<std::size_t>(count), factor, scaled);
    scaled_by = factor;
  }
};

/// Heads for products of rows with a vector, if there are some for products below 2^e.
struct HeadsOfVector {
  bool are_known;
  HeadStart heads;
  WatchedStart watched;

  HWY_INLINE explicit HeadsOfVector(int e)
      : are_known(HeadStart::fits(e)), heads(are_known ? e : 0), watched(heads.start) {
    are_known = are_known && watched.fits;
  }
};

/// \brief An exponent that is likely to be above all products of some rows, guessed as by enclose_all(); of short rows none.
template <int rows, class T>
HWY_INLINE int guessed_exponent(T const* const (&a)[rows], double const* x, int count) {
  if (count <= worth_guessing) return unknown_exponent;
  int e = guessed_exponent(Products<T, double>{a[0], x});
  for (int r = 1; r < rows; ++r) {
    int const e_of_row = guessed_exponent(Products<T, double>{a[r], x});
    e = e_of_row > e ? e_of_row : e;
  }
  return e;
}

/// \brief One piece of some rows, with heads for products below 2^e of each vector; those that these do not suit, and the other
/// one of a pair with products that are too large, one by one.
///
/// \param are_last  Whether there is nothing behind these pieces.
/// \param sums      Of each vector those of all rows.
template <int vectors, class T, class Piece>
KOKKOS_FORCEINLINE_FUNCTION void enclose_pieces(T const* const (&a)[sums_of_group / vectors], bool are_last,
                                                Piece (&x)[vectors], Enclosure (&sums)[sums_of_group],
                                                VectorProducts* products) {
  constexpr int rows = sums_of_group / vectors, unrolled = 2 * pack_lanes;
  static_assert(vectors == 1 || rows == 2, "a pair of sums belongs to one vector");
  int const count = x[0].count;
  bool done[sums_of_group] = {};
  for (int v = 0; v < vectors; ++v)
    if (products[v].e == unknown_exponent) products[v].e = guessed_exponent(a, x[v].x, count);
  HeadsOfVector const heads[] = {HeadsOfVector(products[0].e), HeadsOfVector(products[vectors - 1].e)};
  if (heads[0].are_known || heads[1].are_known) {
    for (int v = 0; v < vectors; ++v) x[v].scale(heads[v].watched.factor);
    SumsOfPacks<2> pairs[] = {SumsOfPacks<2>(broadcast(heads[0].watched.scaled)),
                              SumsOfPacks<2>(broadcast(heads[1].watched.scaled))};
    auto const absorb = [&](int i, auto const& load_pack) HWY_ATTR __attribute__((always_inline)) {
      Pack factors[vectors];
      for (int v = 0; v < vectors; ++v) factors[v] = load_pack(x[v].scaled + i);
      HWY_UNROLL(4)
      for (int r = 0; r < rows; ++r) {
        Pack const entries = load_pack(a[r] + i);
        for (int v = 0; v < vectors; ++v) pairs[(v * rows + r) / 2].absorb((v * rows + r) % 2, entries, factors[v]);
      }
    };
    auto const whole = [](auto const* from) HWY_ATTR __attribute__((always_inline)) { return load(from); };
    int i = 0;
    for (; i + unrolled <= count; i += unrolled) {
      for (T const* row : a) prefetch_row(row + i, unrolled, are_last);
      absorb(i, whole);
      absorb(i + pack_lanes, whole);
    }
    for (; i + pack_lanes <= count; i += pack_lanes) absorb(i, whole);
    if (i < count)
      absorb(
          i, [&](auto const* from) HWY_ATTR __attribute__((always_inline)) { return load_some(from, count - i); });
    int const per_lane = count / pack_lanes + 1;
    HWY_UNROLL(4)
    for (int s = 0; s < sums_of_group; ++s) {
      auto const& [are_known, of_products, watched] = heads[s / 2];
      Pack const start = broadcast(watched.scaled);
      if (!are_known || pairs[s / 2].has_left(start)) continue;
      HeadAndRest const& sum = pairs[s / 2].sums[s % 2];
      // What underflows where the sum of rests is taken back is less than what one more product may lose.
      double const bound =
          bound_of_rests(pack_lanes, per_lane) * of_products.unit + bound_of_underflows(pack_lanes, per_lane + 1);
      auto const piece = of_products.read(sum_of_lanes(bits_of_pack(sum.head) - bits_of_pack(start)),
                                          sum_of_real_lanes(sum.rest) * watched.inverse, bound);
      done[s] = piece.high == 0 && piece.low == 0 &&
                are_zeros(Products<T, double>{a[s % rows], x[s / rows].x}, static_cast<std::size_t>(count));
      if (done[s] || of_products.are_needlessly_large(piece)) continue;
      add_enclosure(sums[s], piece);
      done[s] = true;
    }
  }
  for (int s = 0; s < sums_of_group; ++s) {
    int const v = s / rows;
    if (!done[s] && !enclose_piece(a[s % rows], x[v].x, count, sums[s], products[v].e)) {
      products[v].e = unknown_exponent;
      sums[s].bound = HUGE_VAL;
    }
  }
}

/// Adds the products of the given columns to the sums of the given rows, lanes along the rows.
template <int vectors, class T>
void enclose_along_rows(Strided<T const> const& A, VectorProducts* products, Span rows, Span columns) {
  constexpr int most = row_piece < 4096 ? row_piece : 4096;
  constexpr std::size_t gathered = 512, at_once = sums_of_group / vectors;
  using Piece = PieceOfVector<most / vectors>;
  double buffer[at_once][gathered];
  bool const in_place = A.column_stride == 1;
  for (Span const some : Pieces{columns, in_place ? std::size_t{most / vectors} : gathered}) {
    Piece x[vectors];
    for (int v = 0; v < vectors; ++v) x[v].begin(products[v].x + some.begin, some.size());
    for (std::size_t row = rows.begin; row < rows.end; row += at_once) {
      std::size_t const first = row - rows.begin, last = rows.end - row < at_once ? rows.end - row : at_once;
      Enclosure group[sums_of_group];
      T const* a[at_once];
      // A group that is not full repeats the last row.
      for (std::size_t r = 0; r < at_once; ++r) {
        std::size_t const in_group = r < last ? r : last - 1;
        a[r] = A.at(row + in_group, some.begin);
        for (int v = 0; v < vectors; ++v) group[v * at_once + r] = products[v].sums.get(first + in_group);
      }
      if (in_place) {
        enclose_pieces<vectors>(a, row + at_once >= rows.end && some.end == columns.end, x, group, products);
      } else {
        double const* copies[at_once];
        for (std::size_t r = 0; r < at_once; ++r) {
          widen(a[r], A.column_stride, some.size(), buffer[r]);
          copies[r] = buffer[r];
        }
        enclose_pieces<vectors>(copies, true, x, group, products);
      }
      for (std::size_t r = 0; r < last; ++r)
        for (int v = 0; v < vectors; ++v) products[v].sums.set(first + r, group[v * at_once + r]);
    }
  }
}

/// Adds the products of a row of contiguous entries to their sum, as those of a dot product.
template <class T>
EXAKT_NOINLINE_FUNCTION void enclose_row(T const* a, double const* x, std::size_t n, EnclosureArrays const& sums,
                                         std::size_t row) {
  auto const tile_at = [=](std::size_t i, int ahead) HWY_ATTR { return Products<T, double>{a + i, x + i, ahead}; };
  Enclosure sum = sums.get(row), more;
  if (enclose_all(tile_at, n, 0, more)) {
    add_enclosure(sum, more);
  } else {
    sum.bound = HUGE_VAL;
  }
  sums.set(row, sum);
}

template <class T>
void enclose_along_rows(Strided<T const> const& A, VectorProducts* products, int count, Span rows, Span columns) {
  if (count == 2) return enclose_along_rows<2>(A, products, rows, columns);
  // Long rows that groups leave: a group of fewer than four would take as long as four.
  constexpr std::size_t long_row = 512;
  std::size_t const alone = A.column_stride == 1 && columns.size() >= long_row ? rows.size() % sums_of_group : 0;
  Span const groups{rows.begin, rows.end - alone};
  if (groups.size() > 0) enclose_along_rows<1>(A, products, groups, columns);
  for (std::size_t row = groups.end; row < rows.end; ++row)
    enclose_row(A.at(row, columns.begin), products->x + columns.begin, columns.size(), products->sums,
                row - rows.begin);
}
static_assert(vectors_at_most == 2);

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
bool row_has_products(Strided<T const> const& A, double const* x, std::size_t row, std::size_t columns) {
  T const* from = A.at(row, 0);
  if (A.column_stride == 1) return !are_zeros(Products<T, double>{from, x}, columns);
  for (std::size_t j = 0; j < columns; ++j, from += A.column_stride)
    if (*from != 0 && x[j] != 0) return true;
  return false;
}

template <class T>
void enclose(Strided<T const> const& A, VectorProducts* vectors, int count, Span rows, Span columns) {
  if (A.row_stride == 1 && A.column_stride != 1) {
    enclose_by_lanes(A, vectors, count, rows, columns);
  } else {
    enclose_along_rows(A, vectors, count, rows, columns);
  }
}

/// Parts of complex entries, which are neighbours in contiguous columns.
template <class T>
void enclose_parts(Strided<T const> const& A, double const* x, EnclosureArrays const& sums, Span rows, Span columns) {
  VectorProducts const products{x, sums};
  enclose_packs_of_rows<2>(A, &products, 1, rows, columns);
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
    auto const decide_exact_sums = [&](double const* old, std::uint32_t left, T* results) {
      return has_fused_packs ? decided_exact_sums(factors, pack, old, left, results) : 0;
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

#include "ExaktBlas_TriangleCopies-inl.hpp"
//
#include "ExaktBlas_SmallTriangle-inl.hpp"
//
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
  kernels.has_products = &row_has_products<T>;
  if constexpr (has_fused_packs) {
    kernels.enclose = &enclose<T>;
    kernels.enclose_parts = &enclose_parts<T>;
    kernels.enclose_carefully = &enclose_row<T>;
    kernels.gather_rows = &gather_rows<T>;
    kernels.gather_triangle = &gather_triangle<T>;
    kernels.copy_triangle = &copy_triangle<T>;
    kernels.solve = &solve<T>;
    kernels.solve_lanes = &solve_lanes<T>;
  }
}

MatrixKernels set_of_kernels() {
  MatrixKernels kernels{};
  set<double>(kernels);
  set<float>(kernels);
  set_residue_kernels(kernels);
  kernels.has_enclosures = has_fused_packs;
  kernels.lane_rows = lane_rows;
  set_gemm_kernels(kernels.gemm);
  if constexpr (has_fused_packs) {
    kernels.multiply_small = &multiply_small;
    kernels.multiply_small_complex = &multiply_small_complex;
  }
  return kernels;
}

}  // namespace
}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include <kernels/Exakt_KernelSet-inl.hpp>

#if HWY_ONCE

namespace Exakt::Impl::inline EXAKT_COMPILED {

MatrixKernels const& choose_matrix_kernels() { return find_kernels<MatrixKernels>(choose_kernels().target); }
[[maybe_unused]] static MatrixKernels const& chosen_when_loaded = choose_matrix_kernels();

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
