// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The transpose of sparse rows times a vector: row after row, each product into the head and the rest of its column
// (summation/Exakt_LongEnclosure.hpp has the method and its proof, here with one lane for a column).
//
//     row i, x(i)    a a a ... a
//                    |  \    \   columns
//     head, rest, count   of each column: one cache line for two of them
//
// A head is made for products that are known beforehand to be below 2^e, from the largest value and the largest x of
// some rows, so that nothing but its end has to be looked at.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktSparse_Columns.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ExaktSparse_Kernels.hpp"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/ExaktBlas_Epilogue-inl.hpp>
//
#include "ExaktSparse_Checks-inl.hpp"

/// The largest magnitude; NaN may be overlooked.
template <class T>
HWY_INLINE double largest_of(T const* x, std::size_t count) {
  Pack largest = zeros();
  std::size_t i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) largest = larger(absolute(load(x + i)), largest);
  if (i < count) largest = larger(absolute(load_some(x + i, static_cast<int>(count - i))), largest);
  return largest_lane(largest);
}

/// One row.
template <class T, class Index>
HWY_INLINE void absorb_row(T const* a, Index const* columns, std::size_t count, double x, ColumnSum* sums) {
  for (std::size_t k = 0; k < count; ++k) {
    ColumnSum& sum = sums[columns[k]];
    double const value = static_cast<double>(a[k]), before = sum.head;
    double const head = __builtin_fma(value, x, before), rest = __builtin_fma(value, x, -(head - before));
    sum.head = head;
    sum.rest += rest;
    sum.count += 1;
  }
}

/// ColumnKernelOf::absorb.
template <class T, class Index>
Absorbed absorb(SparseRows<T, Index> const& A, double const* x, int rows, ColumnSum* sums, int& e) {
  for (int first = 0; first < rows; first += checked_rows) {
    int const last = rows - first < checked_rows ? rows : first + checked_rows;
    std::size_t const begin = A.offsets[first], count = A.offsets[last] - begin;
    if (!are_columns(A.columns + begin, count, A.column_count)) return Absorbed::bad_column;
    int const needed = exponent_above(largest_of(A.values + begin, count)) +
                       exponent_above(largest_of(x + first, static_cast<std::size_t>(last - first)));
    if (needed > e) {
      e = needed;
      return Absorbed::too_large;
    }
    for (int i = first; i < last; ++i) {
      std::size_t const k = A.offsets[i];
      absorb_row(A.values + k, A.columns + k, A.offsets[i + 1] - k, x[i], sums);
    }
  }
  return Absorbed::all;
}

/// What is known of one column from the sums of all parts.
HWY_INLINE Enclosure enclosure_of(ColumnSums const& parts, std::size_t column) {
  using F = FloatFormat<double>;
  Enclosure total = empty_sum();
  for (std::size_t p = 0; p < parts.count; ++p) {
    ColumnSum const& sum = parts.of_part[p][column];
    double const start = parts.start[p], m = sum.count;
    // Fewer than 2^11 products below 2^e leave the head in its binade, unless something is not finite.
    if (((bits_of(sum.head) ^ bits_of(start)) & (F::sign_mask | F::infinity)) != 0 || m >= (1 << (level_head - 1)))
      return {};
    // The start is 1.5 * 2^52 units.
    Enclosure const part{sum.head - start, sum.rest,
                         ((m + 1) * (m + 1) + m) * (start * 0x1p-106) + m * 0x1p-1022};
    if (parts.count == 1) return part;
    add_enclosure(total, part);
  }
  return total;
}

/// ColumnRoundingOf::round.
template <class R>
int round_columns(ColumnSums const& parts, std::size_t first, int columns, Factors const& factors, R* y,
                  std::ptrdiff_t y_stride, int* undecided) {
  int others = 0;
  for (int i = 0; i < columns; i += pack_lanes) {
    int const lanes = columns - i < pack_lanes ? columns - i : pack_lanes;
    double high[pack_lanes] = {}, low[pack_lanes] = {}, bound[pack_lanes] = {}, old[pack_lanes] = {};
    for (int l = 0; l < lanes; ++l) {
      Enclosure const sum = enclosure_of(parts, first + static_cast<std::size_t>(i + l));
      high[l] = sum.high;
      low[l] = sum.low;
      bound[l] = sum.bound;
      if (factors.reads_y) old[l] = static_cast<double>(y[(i + l) * y_stride]);
    }
    R results[pack_lanes];
    std::uint32_t const decided = decided_lanes(
        interval_of(factors, {load(high), load(low), load(bound)}, load(old), broadcast(1), broadcast(1)), results);
    for (int l = 0; l < lanes; ++l) {
      if ((decided >> l & 1) != 0) {
        y[(i + l) * y_stride] = results[l];
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
template <class... Kernel>
void set_all(ColumnKernelsOf<Kernel...>& kernels) {
  (set(static_cast<Kernel&>(kernels)), ...);
}

}  // namespace

void set_column_kernels(ColumnKernels& kernels) { set_all(kernels); }

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
