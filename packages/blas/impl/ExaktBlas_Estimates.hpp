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

/// `count` entries as doubles, exactly.
template <class T>
KOKKOS_INLINE_FUNCTION void widen(T const* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = exact_double(from[static_cast<std::ptrdiff_t>(i) * stride]);
}

#include "../kernels/ExaktBlas_Estimates-inl.hpp"

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
