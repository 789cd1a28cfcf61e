// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sparse rows times a vector: enclosed (summation/Exakt_EnclosedSum.hpp has the method and its proof), as many rows at a time
// as a pack has lanes, so that the ends of the rows are computed in packs as well.
//
//     rows that are the one before, shifted --> lanes across the rows (ExaktSparse_ShiftedRows-inl.hpp)
//     32 other rows  --> the entries of x that belong to them, picked into a line; the first entries of 8 rows like shifted
//                        ones where one of them is short, all others like those of a
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
#include <kernels/Exakt_Transpose-inl.hpp>
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
#include "ExaktSparse_Blocks-inl.hpp"
//
#include "ExaktSparse_ShiftedRows-inl.hpp"
//
#include "ExaktSparse_EnclosedRows-inl.hpp"

/// \brief The results of a group of rows by extraction alone; false, and nothing said, if that does not decide them.
///
/// Of products of the whole group one exponent is made: rows wait for it once.
template <class T, class R>
HWY_NOINLINE bool finish_rows(PickedRows<T> const& group, int rows, Factors const& factors, double const* y, R* results,
                              int& e) {
  constexpr int levels = 3;
  int const above = exponent_above_products(group.all);
  bool const is_common = above != FloatFormat<double>::min_exponent && has_normal_units(above);
  if (is_common) lower(e, above);
  for (int l = 0; l < rows; ++l) {
    RowTerms<T> const row = group.row(l);
    std::int64_t units[levels];
    if (is_common && row.count <= exact_row && extract_row<levels>(row, above, units) &&
        try_round_units<levels>(units, above, factors, y[l], results[l]))
      continue;
    if (!finish_row(row, factors, y[l], results[l], e)) return false;
  }
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
  std::size_t entries_end;  // of all rows
  PickedEntries& picked;    // a member of an aggregate would be filled with zeros: 16 KB

  int undecided_count = 0;
  int to_extract = 0;  // groups that are extracted at once, after one that its enclosure did not decide

  /// False if a column does not exist.
  HWY_INLINE bool multiply(int first, Stretch const& stretch) {
    std::size_t const begin = A.offsets[first], entries = A.offsets[first + stretch.rows] - begin;
    prefetch_lines(A.columns + begin + far_behind(A, begin, entries), static_cast<std::ptrdiff_t>(entries));
    auto const rows = static_cast<std::size_t>(stretch.rows);
    if (!(stretch.are_shifted ? are_columns(A.columns + begin, entries / rows, A.column_count, rows - 1)
                              : are_columns(A.columns + begin, entries, A.column_count)))
      return false;
    if (stretch.are_shifted && to_extract == 0) {
      multiply_group(
          first, stretch.rows,
          nullptr, [&](auto sees_grain, EnclosurePack& sums) HWY_ATTR __attribute__((always_inline)) {
            return enclose_shifted<sees_grain>(A, x, first, stretch.rows, known, sums);
          });
    } else if (entries <= sparse_piece) {
      RowTerms<T> const all = pick_piece(A, x, begin, entries, picked);
      for (int r = 0; r < stretch.rows; r += pack_lanes) {
        int const lanes = stretch.rows - r < pack_lanes ? stretch.rows - r : pack_lanes;
        std::size_t const *const offsets = A.offsets + first + r, skipped = *offsets - begin;
        PickedRows<T> const group{
            {all.values + skipped, all.factors + skipped, static_cast<int>(offsets[lanes] - *offsets)},
            offsets,
            entries_end};
        multiply_group(
            first + r, lanes,
            &group, [&](auto sees_grain, EnclosurePack& sums) HWY_ATTR __attribute__((always_inline)) {
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
  PickedEntries picked;
  RowProducts<T, Index, R> products{A, x, factors, y, y_stride, undecided, known, A.offsets[rows], picked};
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

namespace Exakt::Impl::inline EXAKT_COMPILED {

SparseKernels const& choose_sparse_kernels() { return find_kernels<SparseKernels>(choose_kernels().target); }
[[maybe_unused]] static SparseKernels const& chosen_when_loaded = choose_sparse_kernels();

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
