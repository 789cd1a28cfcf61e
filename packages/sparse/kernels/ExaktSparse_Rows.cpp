// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sparse rows times a vector: lanes along each row, enclosed (summation/Exakt_EnclosedSum.hpp has the method and its
// proof), as many rows at a time as a pack has lanes, so that the ends of the rows are computed in packs as well.
//
//     8 rows         --> the entries of x that belong to them, picked into a line
//     row of 27      a a a a a a a a | a a a a a a a a | a a a a a a a a | a a a 0 0 0 0 0
//                    x x x x x x x x | x x x x ...
//                    --> head and rest of 8 lanes
//     8 rows         --> 8 heads, 8 rests --> sums of lanes --> alpha * S + beta * y in one pack --> decided?
//
// The heads of a row are made for the exponents of the rows before. If a term is too large for them, the rows are done
// again, each with heads made for its own largest product. Ties are decided where rests are added without an error
// (ExaktSparse_Grain-inl.hpp).

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktSparse_Rows.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <kernels/Exakt_FindKernels.hpp>
#include <summation/Exakt_FewTerms.hpp>
#include "ExaktSparse_Kernels.hpp"

#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {

void set_column_kernels(ColumnKernels& kernels);  // ExaktSparse_Columns.cpp

namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include <kernels/Exakt_Enclosure-inl.hpp>
//
#include <kernels/Exakt_Extraction-inl.hpp>
//
#include <kernels/ExaktBlas_Epilogue-inl.hpp>
//
#include "ExaktSparse_Checks-inl.hpp"
//
#include "ExaktSparse_Packs-inl.hpp"
//
#include "ExaktSparse_Grain-inl.hpp"
//
#include "ExaktSparse_ExactRow-inl.hpp"
//
#include "ExaktSparse_ShiftedRows-inl.hpp"

struct PickedEntries {
  double at[sparse_piece];
};

/// A piece of a row; its entries of x are picked.
template <class T, class Index>
HWY_INLINE RowTerms<T> pick_piece(SparseRows<T, Index> const& A, double const* x, std::size_t begin, std::size_t count,
                                  PickedEntries& picked) {
  pick_entries(A.values + begin, A.columns + begin, x, count, picked.at);
  return {A.values + begin, picked.at, static_cast<int>(count)};
}

/// Some rows one after the other, of at most sparse_piece entries in all. \param T  Of the values.
template <class T>
struct PickedRows {
  RowTerms<T> all;
  std::size_t const* offsets;  // in the matrix

  HWY_INLINE RowTerms<T> row(int l) const {
    std::size_t const begin = offsets[l] - offsets[0];
    return {all.values + begin, all.factors + begin, static_cast<int>(offsets[l + 1] - offsets[l])};
  }
};

HWY_INLINE double bound_of_piece(int count, double unit) {
  int const per_lane = count / pack_lanes + 1;
  return bound_of_rests(pack_lanes, per_lane) * unit + bound_of_underflows(pack_lanes, per_lane);
}

/// \brief One piece of a row.
///
/// \param start   Of the head.
/// \param moved   Receives bits where the head left its binade.
/// \param others  Receives bits where a value is not known to be a multiple of 2^g, if `seen` is 1.5 * 2^(g + 52).
template <bool sees_grain, class T>
HWY_INLINE HeadAndRest absorb_piece(RowTerms<T> const& row, Pack start, IntegerPack& moved, Pack seen,
                                    IntegerPack& others) {
  // Packs of their own, which compilers keep in registers, and of which no row waits for another.
  Pack head = start, rest = zeros();
  IntegerPack const origin = bits_of_pack(start);
  IntegerPack moves = zero_integers(), unlike = moves;
  for_each_pack(row, [&](Pack value, Pack factor) HWY_ATTR {
    if constexpr (sees_grain) unlike = unlike | bits_if_no_multiple(value, seen);
    HeadAndRest sum(head, rest);
    absorb_product(sum, value, factor);
    head = sum.head;
    rest = sum.rest;
    moves = moves | (bits_of_pack(head) ^ origin);
  });
  moved = moved | moves;
  others = others | unlike;
  return HeadAndRest(head, rest);
}

/// A row of any length, with heads of its own in every piece. \param e  Receives an exponent above all products.
template <class T, class Index>
HWY_NOINLINE Enclosure enclose_row(SparseRows<T, Index> const& A, double const* x, int row, int& e) {
  PickedEntries picked;
  Enclosure sum = empty_sum();
  std::size_t const end = A.offsets[row + 1];
  e = FloatFormat<double>::min_exponent;
  for (std::size_t k = A.offsets[row]; k < end; k += sparse_piece) {
    auto const piece = pick_piece(A, x, k, end - k < sparse_piece ? end - k : sparse_piece, picked);
    int const own = exponent_above_products(piece);
    e = own > e ? own : e;
    if (!HeadStart::fits(own)) return {};
    HeadStart const heads(own);
    IntegerPack moved = zero_integers(), others = moved;
    Pack const start = broadcast(heads.start);
    HeadAndRest const of_piece = absorb_piece<false>(piece, start, moved, zeros(), others);
    if (has_bits(moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity)) return {};
    add_enclosure(sum, Enclosure{sum_of_real_lanes(of_piece.head - start), sum_of_real_lanes(of_piece.rest),
                                 bound_of_piece(piece.count, heads.unit)});
  }
  return sum;
}

/// Some rows, one after the other. \param e  Receives an exponent for the rows to come.
template <class T, class Index>
HWY_NOINLINE EnclosurePack enclose_each(SparseRows<T, Index> const& A, double const* x, int first, int rows, int& e) {
  double high[pack_lanes] = {}, low[pack_lanes] = {}, bound[pack_lanes] = {};
  e = FloatFormat<double>::min_exponent;
  for (int l = 0; l < rows; ++l) {
    int own;
    Enclosure const sum = enclose_row(A, x, first + l, own);
    if (own > e && HeadStart::fits(own)) e = own;
    high[l] = sum.high;
    low[l] = sum.low;
    bound[l] = sum.bound;
  }
  e += 1;
  return {load(high), load(low), load(bound)};
}

/// \brief What is known of some rows, one per lane; false if heads were too small. The bound is zero where the sums are
/// exact.
///
/// \param values  All of them, of which there are `count`. \param longest  Products of a row, at most.
template <bool sees_grain, class T>
HWY_INLINE bool know_rows(EnclosurePack const& found, HeadStart const& heads, IntegerPack moved, IntegerPack others,
                          T const* values, std::size_t count, int longest, KnownOfRows& known, EnclosurePack& sums) {
  // Products may be larger than the heads are made for as long as these stay in their binades: each lane is below 2^51
  // units then, and the sum of eight is a double if it is below 2^53.
  IntegerPack const too_large = ~mask_of(absolute(found.high) < broadcast(heads.start));
  if (has_bits(moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity) ||
      has_bits(too_large, ~std::uint64_t{0}))
    return false;
  sums = found;
  if constexpr (sees_grain) {
    if (has_bits(others, ~std::uint64_t{0})) refine(known, values, count);
    if (has_exact_rests(grain_of_products(known), heads.unit, static_cast<std::uint32_t>(longest)))
      sums.bound = zeros();
  }
  return true;
}

/// \brief As many rows as there are lanes, or fewer, with heads for the rows before; false if these are too small.
template <bool sees_grain, class T>
HWY_INLINE bool enclose_rows(PickedRows<T> const& group, int rows, KnownOfRows& known, EnclosurePack& sums) {
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  IntegerPack moved = zero_integers(), others = moved;
  Pack head[pack_lanes], rest[pack_lanes];
#pragma GCC unroll 8
  for (int l = 0; l < pack_lanes; ++l) head[l] = rest[l] = zeros();
  int longest = 0;
  RowTerms<T> row{group.all.values, group.all.factors, 0};
  for (int l = 0; l < rows; ++l, row.values += row.count, row.factors += row.count) {
    row.count = static_cast<int>(group.offsets[l + 1] - group.offsets[l]);
    longest = row.count > longest ? row.count : longest;
    HeadAndRest const sum = absorb_piece<sees_grain>(row, start, moved, seen, others);
    head[l] = sum.head - start;
    rest[l] = sum.rest;
  }
  return know_rows<sees_grain>(
      {sums_of_lanes(head), sums_of_lanes(rest), broadcast(bound_of_piece(longest, heads.unit))}, heads, moved, others,
      group.all.values, static_cast<std::size_t>(group.all.count), longest, known, sums);
}

/// The same for rows of which each is the one before, shifted: of each row two heads and rests.
template <bool sees_grain, class T, class Index>
HWY_INLINE bool enclose_shifted(SparseRows<T, Index> const& A, double const* x, int first, int rows, KnownOfRows& known,
                                EnclosurePack& sums) {
  std::size_t const begin = A.offsets[first], count = A.offsets[first + 1] - begin;
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  IntegerPack const origin = bits_of_pack(start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  Pack head = start, rest = zeros(), second_head = start, second_rest = rest;
  IntegerPack moved = zero_integers(), second_moved = moved, others = moved;
  auto const absorb = [&](Pack value, Index column, Pack& h, Pack& r, IntegerPack& m) HWY_ATTR {
    HeadAndRest sum(h, r);
    absorb_product(sum, value, rows == pack_lanes ? load(x + column) : load_some(x + column, rows));
    h = sum.head;
    r = sum.rest;
    m = m | (bits_of_pack(h) ^ origin);
  };
  for (std::size_t k = 0; k < count; k += pack_lanes) {
    int const n = count - k < pack_lanes ? static_cast<int>(count - k) : pack_lanes;
    for (std::size_t l = 0; l < pack_lanes * pack_lanes; l += 64 / sizeof(T))
      prefetch(A.values + begin + k * pack_lanes + l + prefetch_distance);
    Pack values[pack_lanes];
    load_block(A.values + begin + k, count, rows, n, values);
    if constexpr (sees_grain) {
      for (int l = 0; l < pack_lanes; ++l) others = others | bits_if_no_multiple(values[l], seen);
    }
    transpose(values);
#pragma GCC unroll 4
    for (int j = 0; j < pack_lanes; j += 2) {
      if (j < n) absorb(values[j], A.columns[begin + k + j], head, rest, moved);
      if (j + 1 < n) absorb(values[j + 1], A.columns[begin + k + j + 1], second_head, second_rest, second_moved);
    }
  }
  int const longest = static_cast<int>(count), per_chain = longest / 2 + 1;
  double const bound = bound_of_rests(2, per_chain) * heads.unit + bound_of_underflows(2, per_chain);
  return know_rows<sees_grain>({(head - start) + (second_head - start), rest + second_rest, broadcast(bound)}, heads,
                               moved | second_moved, others, A.values + begin, A.offsets[first + rows] - begin, longest,
                               known, sums);
}

/// \brief The results of a group of rows by extraction alone; false, and nothing said, if that does not decide them.
template <class T, class R>
HWY_NOINLINE bool finish_rows(PickedRows<T> const& group, int rows, Factors const& factors, double const* y, R* results,
                              int& e) {
  for (int l = 0; l < rows; ++l)
    if (!finish_row(group.row(l), factors, y[l], results[l], e)) return false;
  return true;
}

/// A row among longer ones, which are not picked together.
template <class T, class Index, class R>
HWY_NOINLINE bool finish_row_alone(SparseRows<T, Index> const& A, double const* x, int row, Factors const& factors,
                                   double y, R& result, int& e) {
  PickedEntries picked;
  std::size_t const begin = A.offsets[row], count = A.offsets[row + 1] - begin;
  return count <= exact_row && finish_row(pick_piece(A, x, begin, count, picked), factors, y, result, e);
}

/// The results of sums that are exact: all lanes but those of factors that are too large for a processor without fused
/// multiply-add.
template <class R>
HWY_INLINE std::uint32_t exact_lanes(EnclosurePack const& sums, R* results) {
  Pack const total = sums.high + sums.low;
  store(total, results);
  return set_of_lanes(mask_of(hn::Eq(total, total)));
}

/// Products of rows with a vector, stretch by stretch.
template <class T, class Index, class R>
struct RowProducts {
  SparseRows<T, Index> const& A;
  double const* x;
  Factors const& factors;
  R* y;
  std::ptrdiff_t y_stride;
  int* undecided;
  KnownOfRows& known;

  int undecided_count = 0;
  int to_extract = 0;  // groups that are extracted at once, after one that its enclosure did not decide
  PickedEntries picked;

  /// False if a column does not exist.
  HWY_INLINE bool multiply(int first, Stretch const& stretch) {
    std::size_t const begin = A.offsets[first], entries = A.offsets[first + stretch.rows] - begin;
    for (std::size_t k = begin; k < begin + entries; k += 64 / sizeof(Index)) prefetch(A.columns + k + columns_ahead);
    auto const rows = static_cast<std::size_t>(stretch.rows);
    if (!(stretch.are_shifted ? are_columns(A.columns + begin, entries / rows, A.column_count, rows - 1)
                              : are_columns(A.columns + begin, entries, A.column_count)))
      return false;
    if (stretch.are_shifted && to_extract == 0) {
      multiply_group(first, stretch.rows, nullptr, [&](auto sees_grain, EnclosurePack& sums) HWY_ATTR {
        return enclose_shifted<sees_grain>(A, x, first, stretch.rows, known, sums);
      });
    } else if (entries <= sparse_piece) {
      RowTerms<T> const all = pick_piece(A, x, begin, entries, picked);
      for (int r = 0; r < stretch.rows; r += pack_lanes) {
        int const lanes = stretch.rows - r < pack_lanes ? stretch.rows - r : pack_lanes;
        std::size_t const *const offsets = A.offsets + first + r, skipped = *offsets - begin;
        PickedRows<T> const group{
            {all.values + skipped, all.factors + skipped, static_cast<int>(offsets[lanes] - *offsets)}, offsets};
        multiply_group(first + r, lanes, &group, [&](auto sees_grain, EnclosurePack& sums) HWY_ATTR {
          return enclose_rows<sees_grain>(group, lanes, known, sums);
        });
      }
    } else {
      multiply_group(first, stretch.rows, nullptr, [](auto, EnclosurePack&) HWY_ATTR { return false; });
    }
    return true;
  }

 private:
  /// \param group  Of these rows, if they are picked.
  template <class Enclose>
  HWY_INLINE void multiply_group(int first, int rows, PickedRows<T> const* group, Enclose const& enclose) {
    constexpr int in_a_row = 15;
    R* const here = y + first * y_stride;
    double old[pack_lanes] = {};
    if (factors.reads_y) {
      for (int l = 0; l < rows; ++l) old[l] = static_cast<double>(here[l * y_stride]);
    }
    R results[pack_lanes];
    std::uint32_t decided = set_of_first_lanes(pack_lanes);
    if (to_extract > 0 && group != nullptr && finish_rows(*group, rows, factors, old, results, known.e)) {
      --to_extract;
    } else {
      EnclosurePack sums{zeros(), zeros(), broadcast(HUGE_VAL)};
      bool const is_enclosed =
          HeadStart::fits(known.e) &&
          (known.grain_of_x == Grain::none ? enclose(std::false_type(), sums) : enclose(std::true_type(), sums));
      if (!is_enclosed) sums = enclose_each(A, x, first, rows, known.e);
      bool const is_sum_alone =
          std::is_same_v<R, double> && factors.alpha == 1 && !factors.reads_y && !factors.has_divisor;
      decided = is_sum_alone && !has_bits(bits_of_pack(sums.bound), ~std::uint64_t{0})
                    ? exact_lanes(sums, results)
                    : decided_lanes(interval_of(factors, sums, load(old), broadcast(1), broadcast(1)), results);
      to_extract = (decided & set_of_first_lanes(rows)) == 0 ? in_a_row : 0;
    }
    if (decided == set_of_first_lanes(pack_lanes) && rows == pack_lanes && y_stride == 1) {
      std::memcpy(here, results, sizeof(results));
      return;
    }
    for (int l = 0; l < rows; ++l) {
      if ((decided >> l & 1) != 0 ||
          (group != nullptr ? finish_row(group->row(l), factors, old[l], results[l], known.e)
                            : finish_row_alone(A, x, first + l, factors, old[l], results[l], known.e))) {
        here[l * y_stride] = results[l];
      } else {
        undecided[undecided_count++] = first + l;
      }
    }
  }
};

/// RowKernelOf::multiply.
template <class T, class Index, class R>
int multiply(SparseRows<T, Index> const& A, double const* x, int rows, Factors const& factors, R* y,
             std::ptrdiff_t y_stride, int* undecided, KnownOfRows& known) {
  RowProducts<T, Index, R> products{A, x, factors, y, y_stride, undecided, known};
  Stretches<T, Index> stretches(A, rows);
  for (int i = 0; i < rows;) {
    Stretch const next = stretches.next(i);
    if (!products.multiply(i, next)) return -1;
    i += next.rows;
  }
  return products.undecided_count;
}

template <class T, class Index, class R>
void set(RowKernelOf<T, Index, R>& kernel) {
  kernel.multiply = &multiply<T, Index, R>;
  kernel.grain_of_x = &grain_of_x<T>;
}
SparseKernels set_of_kernels() {
  SparseKernels kernels{};
  set_each(static_cast<RowKernels&>(kernels), [](auto& of_types) { set(of_types); });
  set_column_kernels(kernels);
  return kernels;
}

}  // namespace
}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include <kernels/Exakt_KernelSet-inl.hpp>

#if HWY_ONCE

namespace Exakt::Impl {

SparseKernels const& choose_sparse_kernels(std::int64_t target) { return find_kernels<SparseKernels>(target); }

}  // namespace Exakt::Impl

#endif
