// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_ESTIMATES_HPP
#define EXAKTBLAS_ESTIMATES_HPP

/// \file
/// \brief Sums of products a(i, j) * x(j) for many i at once: certified, or exact.
///
/// The heads and rests are those of Exakt_Certificate.hpp, but each sum is kept as two doubles and a bound instead of a
/// long accumulator: there is one for each of many outputs, and most of them are decided without any integer.
///
///     a row at a time        lanes along the row       where a row is contiguous, or after gathering it
///     many rows at a time    each lane its own row     where a column is contiguous

#include "ExaktBlas_Combination.hpp"

#include <Exakt_Certificate.hpp>

#include <cstddef>

namespace Exakt::Impl {

/// A matrix in memory, whatever view it came from: kernels depend on the type of its entries only.
template <class T>
struct Strided {
  T* data;
  std::ptrdiff_t row_stride, column_stride;

  KOKKOS_FORCEINLINE_FUNCTION T* at(std::size_t row, std::size_t column) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride;
  }
};

/// A range of rows or columns.
struct Span {
  std::size_t begin, end;
  KOKKOS_FUNCTION std::size_t size() const { return end - begin; }
};

/// `count` entries as doubles, exactly.
template <class T>
KOKKOS_INLINE_FUNCTION void widen(T const* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = exact_double(from[static_cast<std::ptrdiff_t>(i) * stride]);
}

/// \brief B of m products in each of L lanes, in units; see Exakt_Certificate.hpp. The last term is for the rounding of
/// `low` in estimate_of().
KOKKOS_FORCEINLINE_FUNCTION constexpr double bound_of_rests(int lanes, int per_lane) {
  double const l = lanes, m = per_lane;
  return (l * (m + 1) * (m + 1) + l * l * m) * 0x1p-54 + (0x1p10 + l * m) * 0x1p-53;
}

/// What rests of underflowing products can be off by, 2^-1074 each, and more: processors take a hundred cycles for a
/// subnormal number. Results down there are not decided by estimates anyway (interval_of).
KOKKOS_FORCEINLINE_FUNCTION constexpr double bound_of_underflows(int lanes, int per_lane) {
  return 4.0 * lanes * per_lane * 0x1p-1022;
}

/// A sum known up to a bound: |S - (high + low)| <= bound. Unknown until somebody says otherwise: a step that is left
/// out must not pass for a sum of nothing.
struct Estimate {
  double high = 0, low = 0, bound = HUGE_VAL;
};
KOKKOS_FORCEINLINE_FUNCTION constexpr Estimate empty_sum() { return {0, 0, 0}; }

/// Heads for products below 2^e.
struct HeadStart {
  double start, unit;

  KOKKOS_FORCEINLINE_FUNCTION explicit HeadStart(int e) {
    int const exponent = fold_unit(e, 0, FloatFormat<double>::lsb_exponent);
    start = fold_start(exponent);
    unit = 0x1p-52 * power_of_two(exponent + 52);
  }
  static KOKKOS_FORCEINLINE_FUNCTION bool fits(int e) { return e + fold_head <= FloatFormat<double>::max_exponent; }
};

inline constexpr int unknown_exponent = 1 << 14;

/// Products in one piece of a row: fewer than 2^(fold_head - 1) for each lane.
inline constexpr int row_piece = 1024 * pack_lanes;
inline constexpr int rows_at_once = 4;
static_assert(row_piece / pack_lanes + 1 < (1 << (fold_head - 1)));

/// What a head and a rest say about the sum; `moved` tells whether they may speak.
KOKKOS_FORCEINLINE_FUNCTION Estimate estimate_of(EnclosureChain const& chain, HeadStart const& heads, double bound) {
  // High is the multiple of 2^10 units, of at most 44 bits; the rest of the units goes to low, which is rounded.
  std::int64_t const units = sum_of_lanes(bits_of_pack(chain.head) - chain.origin);
  double const high = static_cast<double>(units >> 10) * (heads.unit * 0x1p10);
  double const low = static_cast<double>(units & 1023) * heads.unit + sum_of_real_lanes(chain.rest);
  return {high, low, bound};
}

/// sum += term, whose roundings go to the bound.
KOKKOS_FORCEINLINE_FUNCTION void add_estimate(Estimate& sum, Estimate const& term) {
  auto const high = two_sum(sum.high, term.high);
  double const size = (magnitude_of(sum.low) + magnitude_of(term.low)) + magnitude_of(high.error);
  sum = {high.value, sum.low + (high.error + term.low), (sum.bound + term.bound) + 0x1p-51 * size};
}

/// The largest |a * x| of a piece of a row, rounded.
template <class T>
EXAKT_NOINLINE_FUNCTION int exponent_above_products(T const* a, double const* x, int count) {
  Pack largest{};
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) largest = larger(absolute(load(a + i) * load(x + i)), largest);
  if (i < count) largest = larger(absolute(load_some(a + i, count - i) * load_some(x + i, count - i)), largest);
  return exponent_above(largest_lane(largest));
}

/// One piece of a row with heads that are large enough; false if there are none.
template <class T>
EXAKT_NOINLINE_FUNCTION bool estimate_piece(T const* a, double const* x, int count, Estimate& sum, int& e) {
  e = exponent_above_products(a, x, count);
  if (!HeadStart::fits(e)) return false;
  HeadStart const heads(e);
  EnclosureChain even(heads.start), odd(heads.start);
  int i = 0;
  for (; i + 2 * pack_lanes <= count; i += 2 * pack_lanes) {
    even.absorb(load(a + i), load(x + i));
    odd.absorb(load(a + i + pack_lanes), load(x + i + pack_lanes));
  }
  for (; i < count; i += pack_lanes) {
    int const some = count - i < pack_lanes ? count - i : pack_lanes;
    even.absorb(load_some(a + i, some), load_some(x + i, some));
  }
  if (has_bits(even.moved | odd.moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity)) return false;
  int const per_lane = count / pack_lanes + 2;
  double const bound = bound_of_rests(pack_lanes, per_lane) * heads.unit + bound_of_underflows(pack_lanes, per_lane);
  add_estimate(sum, estimate_of(even, heads, bound));
  add_estimate(sum, estimate_of(odd, heads, bound));
  return true;
}

/// The same with heads for products below 2^e, four rows together; those that they do not suit one by one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void estimate_pieces(T const* const (&a)[rows_at_once], double const* x, int count,
                                                 Estimate (&sums)[rows_at_once], int& e) {
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
    double const needlessly_large = heads.unit * 0x1p20;
    for (int r = 0; r < rows_at_once; ++r) {
      if (has_bits(chains[r].moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity)) continue;
      auto const estimate = estimate_of(chains[r], heads, bound);
      if (magnitude_of(estimate.high) < needlessly_large) continue;
      add_estimate(sums[r], estimate);
      done[r] = true;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) {
    if (!done[r] && !estimate_piece(a[r], x, count, sums[r], e)) {
      e = unknown_exponent;
      sums[r].bound = HUGE_VAL;
    }
  }
}

/// Estimates of many rows, as arrays for the vector unit.
struct EstimateArrays {
  double *high, *low, *bound;

  KOKKOS_FORCEINLINE_FUNCTION EstimateArrays from(std::size_t i) const { return {high + i, low + i, bound + i}; }
  KOKKOS_FORCEINLINE_FUNCTION Estimate get(std::size_t i) const { return {high[i], low[i], bound[i]}; }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, Estimate const& e) const {
    high[i] = e.high;
    low[i] = e.low;
    bound[i] = e.bound;
  }
};

/// \brief Adds the products of the given columns to the sums of the given rows, lanes along the rows.
///
/// \param sums  Entry 0 belongs to the first of the rows.
/// \param e     Exponent above the products, as far as is known from other rows; kept for the next ones.
template <class T>
KOKKOS_INLINE_FUNCTION void estimate_along_rows(Strided<T const> const& A, double const* x, Span rows, Span columns,
                                                EstimateArrays const& sums, int& e) {
  constexpr std::size_t gathered = 512;
  double buffer[rows_at_once][gathered];
  bool const in_place = is_float_v<T> && A.column_stride == 1;
  std::size_t const step = in_place ? row_piece : gathered;
  for (std::size_t row = rows.begin; row < rows.end; row += rows_at_once) {
    std::size_t const last = rows.end - 1;
    Estimate group[rows_at_once] = {};
    for (std::size_t r = 0; r < rows_at_once && row + r <= last; ++r) group[r] = sums.get(row + r - rows.begin);
    for (std::size_t begin = columns.begin; begin < columns.end; begin += step) {
      int const count = static_cast<int>(columns.end - begin < step ? columns.end - begin : step);
      // A group that is not full repeats the last row.
      T const* a[rows_at_once];
      for (std::size_t r = 0; r < rows_at_once; ++r) a[r] = A.at(row + r <= last ? row + r : last, begin);
      if constexpr (is_float_v<T>) {
        if (in_place) {
          estimate_pieces(a, x + begin, count, group, e);
          continue;
        }
      }
      double const* copies[rows_at_once];
      for (int r = 0; r < rows_at_once; ++r) {
        widen(a[r], A.column_stride, static_cast<std::size_t>(count), buffer[r]);
        copies[r] = buffer[r];
      }
      estimate_pieces({copies[0], copies[1], copies[2], copies[3]}, x + begin, count, group, e);
    }
    for (std::size_t r = 0; r < rows_at_once && row + r <= last; ++r) sums.set(row + r - rows.begin, group[r]);
  }
}

/// One row with heads of its own in every piece: what to try before adding exactly.
///
/// \param largest  Receives an exponent above all products.
template <class T>
EXAKT_NOINLINE_FUNCTION Estimate estimate_carefully(Strided<T const> const& A, double const* x, std::size_t row,
                                                    Span columns, int& largest) {
  constexpr std::size_t gathered = 1024;
  double buffer[gathered];
  Estimate sum = empty_sum();
  for (std::size_t begin = columns.begin; begin < columns.end; begin += gathered) {
    std::size_t const count = columns.end - begin < gathered ? columns.end - begin : gathered;
    widen(A.at(row, begin), A.column_stride, count, buffer);
    int e;
    bool const known = estimate_piece(buffer, x + begin, static_cast<int>(count), sum, e);
    largest = begin == columns.begin || e > largest ? e : largest;
    if (!known) return {};
  }
  return sum;
}

/// \brief Adds n products exactly, at the speed of folds that stay in registers; false if they are not proved exact.
///
/// A product p and its error take the levels of Exakt_Folds.hpp, the error from the second one on; nothing may be left.
/// Level k + 1 gets two terms for a product: one of at most u_k / 2, half of what it is made for, and the error, below
/// 2^-53 of the product.
///
/// \pre |x(i) * y(i)| < 2^e, e <= 900, and each product is zero because a factor is or at least 2^-968, so that its
/// error
///      is a number.
template <int levels>
EXAKT_NOINLINE_FUNCTION bool fold_products(double const* x, double const* y, std::size_t n, int e, ExactProducts& sum) {
  constexpr int lowest = FloatFormat<double>::lsb_exponent;
  for (std::size_t begin = 0; begin < n; begin += row_piece) {
    int const count = static_cast<int>(n - begin < row_piece ? n - begin : row_piece);
    Pack head[levels], start[levels];
    for (int k = 0; k < levels; ++k) head[k] = start[k] = broadcast(fold_start(fold_unit(e, k, lowest)));
    IntegerPack left{};
    for (int i = 0; i < count; i += pack_lanes) {
      int const some = count - i;
      Pack const a = some < pack_lanes ? load_some(x + begin + i, some) : load(x + begin + i);
      Pack const b = some < pack_lanes ? load_some(y + begin + i, some) : load(y + begin + i);
      Pack p = rounded_product(a, b), error = fused_subtract(a, b, p);
      for (int k = 0; k < levels; ++k) {
        Pack const s = head[k] + p;
        p = p - (s - head[k]);
        head[k] = s;
        if (k == 0) continue;
        Pack const t = head[k] + error;
        error = error - (t - head[k]);
        head[k] = t;
      }
      left |= bits_of_pack(p) | bits_of_pack(error);
    }
    if (has_bits(left, ~FloatFormat<double>::sign_mask)) return false;
    for (int k = 0; k < levels; ++k) {
      auto const units = integer_parts_of_integer(sum_of_lanes(bits_of_pack(head[k]) - bits_of_pack(start[k])));
      if (units.significand != 0) sum.add_scaled(units.significand, fold_unit(e, k, lowest), units.negative);
    }
  }
  return true;
}

/// \brief Exact sums of the products of some rows, eight at a time: neighbours share cache lines where rows are not
/// contiguous.
///
/// \param rows   Numbers of `count` <= exact_rows_at_once rows.
inline constexpr int exact_rows_at_once = 8;
template <class T>
EXAKT_NOINLINE_FUNCTION void add_exactly(Strided<T const> const& A, double const* x, std::size_t const* rows, int count,
                                         Span columns, ExactProducts* sums) {
  constexpr std::size_t gathered = 512;
  double buffer[exact_rows_at_once][gathered];
  Folds<ExactProducts, 4> folds[exact_rows_at_once] = {};
  for (std::size_t begin = columns.begin; begin < columns.end; begin += gathered) {
    std::size_t const size = columns.end - begin < gathered ? columns.end - begin : gathered;
    if (A.column_stride == 1) {
      for (int r = 0; r < count; ++r) widen(A.at(rows[r], begin), 1, size, buffer[r]);
    } else {
      for (std::size_t j = 0; j < size; ++j) {
        for (int r = 0; r < count; ++r) buffer[r][j] = exact_double(*A.at(rows[r], begin + j));
      }
    }
    for (int r = 0; r < count; ++r) folds[r].add_products(buffer[r], x + begin, size, sums[r]);
  }
  for (int r = 0; r < count; ++r) folds[r].drain(sums[r]);
}

}  // namespace Exakt::Impl

#endif
