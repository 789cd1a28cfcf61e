// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The transpose of sparse rows times a vector: row after row, each product into the head and the rest of its column
// (summation/Exakt_EnclosedSum.hpp has the method and its proof, here with one lane for a column).
//
//     row i, x(i)    a a a ... a
//                    |  \    \   columns
//     head, rest, count   of each column
//
// Rows that are the one before, shifted (ExaktSparse_ShiftedRows-inl.hpp), go to neighbouring columns: as many as a pack has
// lanes at once, an entry of each.
//
// A head is made for products that are known beforehand to be below 2^e, from the largest value and the largest x of
// some rows, so that nothing but its end has to be looked at.
//
// Ties are decided where rests are added without an error (ExaktSparse_Grain-inl.hpp).

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktSparse_Columns.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ExaktSparse_Kernels.hpp"

#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_Transpose-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include <kernels/Exakt_Enclosure-inl.hpp>
//
#include <kernels/ExaktBlas_Epilogue-inl.hpp>
//
#include "ExaktSparse_Checks-inl.hpp"
//
#include "ExaktSparse_Packs-inl.hpp"
//
#include "ExaktSparse_Grain-inl.hpp"
//
#include "ExaktSparse_Blocks-inl.hpp"
//
#include "ExaktSparse_ShiftedRows-inl.hpp"

/// Adds those of some rows.
template <class T>
HWY_INLINE void refine(Grain& grain, T const* values, std::size_t count, double const* x, std::size_t rows, int e) {
  if (grain.of_products == Grain::none) return;
  bool const is_first = grain.of_products == of_no_products.of_products;
  if (is_first || !are_multiples(values, count, grain.of_values)) {
    int const here = lowest_bit_of(values, count);
    grain.of_values = is_first || here < grain.of_values ? here : grain.of_values;
  }
  int const of_x = lowest_bit_of(x, rows), product = grain.of_values + of_x;
  if (product < grain.of_products) grain.of_products = product;
  if (of_x == Grain::none || grain.of_values == Grain::none || !may_have_exact_rests(grain.of_products, e))
    grain.of_products = Grain::none;
}

/// Whether `count` rests of the column are added without an error.
HWY_INLINE bool has_exact_rests(Grain const& grain, double start, std::uint32_t count) {
  return has_exact_rests(grain.of_products, start * (0x1p-52 / 1.5), count);
}

/// \brief One row.
///
/// \param ahead  How many entries later something is looked at that would be waited for all at once.
template <class T, class Index>
HWY_INLINE void absorb_row(T const* HWY_RESTRICT a, Index const* HWY_RESTRICT columns, std::size_t count, double x,
                           std::size_t ahead, ColumnSum* HWY_RESTRICT sums, std::uint32_t* HWY_RESTRICT counts) {
  auto const absorb = [=](std::size_t k) HWY_ATTR {
    Index const column = columns[k];
    ColumnSum& sum = sums[column];
    double const value = static_cast<double>(a[k]), before = sum.head;
    double const head = __builtin_fma(value, x, before), rest = __builtin_fma(value, x, -(head - before));
    sum.head = head;
    sum.rest += rest;
    ++counts[column];
  };
  constexpr std::size_t at_once = 6;  // no more than there are in a line of the cache
  for (std::size_t k = 0; k < count; k += at_once) {
    prefetch(columns + k + ahead);
    prefetch(a + k + ahead);
    if (count - k >= at_once) {
#pragma GCC unroll 6
      for (std::size_t j = 0; j < at_once; ++j) absorb(k + j);
    } else {
      for (std::size_t j = k; j < count; ++j) absorb(j);
    }
  }
}

/// Pairs of a head and a rest.
HWY_INLINE void store_pairs(Pack heads, Pack rests, [[maybe_unused]] double* to) {
#if HWY_TARGET == HWY_AVX3
  // Highway takes twice as many shuffles.
  __m512i const lower = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                upper = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  store(Pack{_mm512_permutex2var_pd(heads.raw, lower, rests.raw)}, to);
  store(Pack{_mm512_permutex2var_pd(heads.raw, upper, rests.raw)}, to + pack_lanes);
#elif HWY_TARGET != HWY_SCALAR
  hn::StoreInterleaved2(heads, rests, Doubles(), to);
#endif
}

/// One product for each of pack_lanes columns, from `column` on.
template <class Index>
HWY_INLINE void absorb_pack(Index column, Pack values, Pack x, ColumnSums const& sums) {
#if HWY_TARGET != HWY_SCALAR
  hn::CappedTag<std::uint32_t, pack_lanes> const count_tag;
  double* const here = &sums.sums[column].head;
  std::uint32_t* const counts = sums.counts + column;
  Pack head, rest;
  hn::LoadInterleaved2(Doubles(), here, head, rest);
  HeadAndRest sum(head, rest);
  absorb_product(sum, values, x);
  store_pairs(sum.head, sum.rest, here);
  hn::StoreU(hn::Add(hn::LoadU(count_tag, counts), hn::Set(count_tag, 1)), count_tag, counts);
#endif
}

/// \brief At most pack_lanes rows, of which each is the one before, shifted.
///
/// \pre There are pack_lanes columns from each of the first row on. Where there are fewer rows, the last of these columns
///      receive a zero, and count it.
///
/// Stencils have neighbouring columns beside each other. A pack of sums that was just stored, and begins one column earlier,
/// would be waited for: so all first entries of blocks are taken, then all second ones.
template <class T, class Index>
HWY_INLINE void absorb_shifted(SparseRows<T, Index> const& A, std::size_t first, std::size_t row_length,
                               double const* x, int rows, ColumnSums const& sums) {
  T const* const values = A.values + first;
  Index const* const columns = A.columns + first;
  constexpr std::size_t in_block = block_entries, at_once = 32;
  alignas(64) double transposed[at_once * pack_lanes];
  Pack const factors = load_some(x, rows);
  for (std::size_t begin = 0; begin < row_length; begin += at_once) {
    std::size_t const count = row_length - begin < at_once ? row_length - begin : at_once;
    T const* const from = values + begin;
    for (std::size_t k = 0; k < count; k += in_block) {
      Pack block[block_entries];
      std::size_t const before = (begin + k) * pack_lanes;
      prefetch_lines(values + before + far_behind(A, first + before, in_block * pack_lanes), in_block * pack_lanes);
      if (rows == pack_lanes && count - k >= in_block) {
        load_block(from + k, row_length, block);
      } else {
        load_block(from + k, row_length, rows, static_cast<int>(count - k < in_block ? count - k : in_block), block);
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < in_block; ++j) store(block[j], transposed + (k + j) * pack_lanes);
    }
    for (std::size_t j = 0; j < in_block; ++j) {
      for (std::size_t k = j; k < count; k += in_block)
        absorb_pack(columns[begin + k], load(transposed + k * pack_lanes), factors, sums);
    }
  }
}

/// ColumnKernelOf::absorb.
template <class T, class Index>
Absorbed absorb(SparseRows<T, Index> const& A, double const* x, int rows, ColumnSums const& sums, int& e,
                Grain& grain) {
  for (int first = 0; first < rows; first += checked_rows) {
    int const last = rows - first < checked_rows ? rows : first + checked_rows;
    std::size_t const begin = A.offsets[first], count = A.offsets[last] - begin;
    int const needed = exponent_above(largest_of(A.values + begin, count)) +
                       exponent_above(largest_of(x + first, static_cast<std::size_t>(last - first)));
    if (needed > e) {
      e = needed;
      return Absorbed::too_large;
    }
    refine(grain, A.values + begin, count, x + first, static_cast<std::size_t>(last - first), e);
    SparseRows<T, Index> const some{A.values, A.columns, A.offsets + first, A.column_count, A.entry_count};
    Stretches<T, Index> stretches(some, last - first);
    for (int i = first; i < last;) {
      Stretch const stretch = stretches.next(i - first);
      int const end = i + stretch.rows;
      std::size_t const k = A.offsets[i], length = A.offsets[i + 1] - k, entries = A.offsets[end] - k;
      prefetch_lines(A.columns + k + far_behind(A, k, entries), static_cast<std::ptrdiff_t>(entries));
      if (pack_lanes > 1 && stretch.are_shifted && are_columns(A.columns + k, length, A.column_count, pack_lanes - 1)) {
        absorb_shifted(A, k, length, x + i, stretch.rows, sums);
        i = end;
        continue;
      }
      if (!are_columns(A.columns + k, entries, A.column_count)) return Absorbed::bad_column;
      for (; i < end; ++i) {
        std::size_t const at = A.offsets[i], size = A.offsets[i + 1] - at;
        absorb_row(A.values + at, A.columns + at, size, x[i], far_behind(A, at, size, count), sums.sums, sums.counts);
      }
    }
  }
  return Absorbed::all;
}

/// B of m products below 2^e, with one lane; the start is 1.5 * 2^52 units. Fewer than 2^11 leave the head in its binade,
/// unless something is not finite.
HWY_INLINE double bound_of_column(double start, std::uint32_t count) {
  double const m = count;
  return count < (1 << (level_head - 1)) ? ((m + 1) * (m + 1) + m) * (start * 0x1p-106) + m * 0x1p-1022 : HUGE_VAL;
}

constexpr std::uint64_t binade = FloatFormat<double>::sign_mask | FloatFormat<double>::infinity;

/// What is known of one column from the sums of all parts. The bound is 0 where the sum is exact.
HWY_INLINE Enclosure enclosure_of(ColumnParts const& parts, std::size_t column) {
  Enclosure total = empty_sum();
  // Heads are multiples of the smallest unit u, and exact sums of them below 2^53 u; likewise rests, of the smallest grain.
  double high = 0, low = 0, size = 0, least = HUGE_VAL, largest = 0;
  std::uint32_t count = 0;
  Grain grain = of_no_products;
  for (std::size_t p = 0; p < parts.count; ++p) {
    ColumnSum const& sum = parts.part[p].sums[column];
    std::uint32_t const count_here = parts.part[p].counts[column];
    double const start = parts.start[p], bound = bound_of_column(start, count_here);
    if (((bits_of(sum.head) ^ bits_of(start)) & binade) != 0 || bound == HUGE_VAL) return {0, 0, HUGE_VAL};
    add_enclosure(total, {sum.head - start, sum.rest, bound});
    high += sum.head - start;
    low += sum.rest;
    size += magnitude_of(sum.head - start);
    least = start < least ? start : least;
    largest = start > largest ? start : largest;
    count += count_here;
    if (parts.grain[p].of_products < grain.of_products) grain.of_products = parts.grain[p].of_products;
  }
  return size < least && has_exact_rests(grain, largest, count) ? Enclosure{high, low, 0} : total;
}

/// A pack of columns.
HWY_INLINE EnclosurePack enclose_columns(ColumnParts const& parts, std::size_t first, int lanes) {
#if HWY_TARGET != HWY_SCALAR
  if (parts.count == 1 && lanes == pack_lanes) {
    ColumnSums const& part = parts.part[0];
    std::uint32_t most = 0;
    for (int l = 0; l < pack_lanes; ++l) most = part.counts[first + l] > most ? part.counts[first + l] : most;
    Pack head, rest;
    hn::LoadInterleaved2(Doubles(), &part.sums[first].head, head, rest);
    Pack const start = broadcast(parts.start[0]);
    IntegerPack const moved = masked(bits_of_pack(head) ^ bits_of_pack(start), binade);
    double const bound = has_bits(moved, binade) ? HUGE_VAL : bound_of_column(parts.start[0], most);
    bool const is_exact = bound < HUGE_VAL && has_exact_rests(parts.grain[0], parts.start[0], most);
    return {head - start, rest, broadcast(is_exact ? 0 : bound)};
  }
#endif
  double high[pack_lanes] = {}, low[pack_lanes] = {}, bound[pack_lanes] = {};
  for (int l = 0; l < lanes; ++l) {
    Enclosure const sum = enclosure_of(parts, first + static_cast<std::size_t>(l));
    high[l] = sum.high;
    low[l] = sum.low;
    bound[l] = sum.bound;
  }
  return {load(high), load(low), load(bound)};
}

HWY_INLINE bool has_products(ColumnParts const& parts, std::size_t column) {
  for (std::size_t p = 0; p < parts.count; ++p) {
    if (parts.part[p].counts[column] > 0) return true;
  }
  return false;
}

/// ColumnRoundingOf::round.
template <class R>
int round_columns(ColumnParts const& parts, std::size_t first, int columns, Factors const& factors, R* y,
                  std::ptrdiff_t y_stride, int* undecided) {
  constexpr std::uint32_t all_lanes = (std::uint32_t{1} << pack_lanes) - 1;
  bool const is_sum_alone = factors.alpha == 1 && !factors.reads_y && !factors.has_divisor;
  // No interval decides a zero.
  bool const is_zero_of_no_products = !factors.reads_y && factors.alpha - factors.alpha == 0;
  int others = 0;
  for (int i = 0; i < columns; i += pack_lanes) {
    int const lanes = columns - i < pack_lanes ? columns - i : pack_lanes;
    R* const some = y + i * y_stride;
    double old[pack_lanes] = {};
    if (factors.reads_y) {
      for (int l = 0; l < lanes; ++l) old[l] = static_cast<double>(some[l * y_stride]);
    }
    EnclosurePack const sums = enclose_columns(parts, first + static_cast<std::size_t>(i), lanes);
    R results[pack_lanes];
    std::uint32_t decided = 0;
    if (std::is_same_v<R, double> && is_sum_alone && !has_bits(bits_of_pack(sums.bound), ~std::uint64_t{0})) {
      store(sums.high + sums.low, results);
      decided = all_lanes;
    } else {
      decided = decided_lanes(interval_of(factors, sums, load(old), broadcast(1), broadcast(1)), results);
    }
    if (decided == all_lanes && lanes == pack_lanes && y_stride == 1) {
      std::memcpy(some, results, sizeof(results));
      continue;
    }
    for (int l = 0; l < lanes; ++l) {
      if ((decided >> l & 1) != 0) {
        some[l * y_stride] = results[l];
      } else if (is_zero_of_no_products && !has_products(parts, first + static_cast<std::size_t>(i + l))) {
        some[l * y_stride] = 0;
      } else {
        undecided[others++] = i + l;
      }
    }
  }
  return others;
}

template <class T, class Index>
void set(ColumnKernelOf<T, Index>& kernel) {
  // Both steps of a product are fused ones.
  kernel.absorb = has_fused_packs ? &absorb<T, Index> : nullptr;
}
template <class R>
void set(ColumnRoundingOf<R>& kernel) {
  kernel.round = &round_columns<R>;
}
}  // namespace

void set_column_kernels(ColumnKernels& kernels) {
  set_each(kernels, [](auto& of_types) { set(of_types); });
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
