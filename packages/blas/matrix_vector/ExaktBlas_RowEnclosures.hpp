// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_ROWENCLOSURES_HPP
#define EXAKTBLAS_ROWENCLOSURES_HPP

/// \file
/// \brief Sums of products a(i, j) * x(j) for many i at once: enclosed, or exact.
///
/// The heads and rests are those of Exakt_EnclosedSum.hpp, but each sum is kept as two doubles and a bound instead of
/// a long accumulator: there is one for each of many outputs, and most of them are decided without any integer.
///
///     a row at a time        lanes along the row       where a row is contiguous, or after gathering it
///     many rows at a time    each lane its own row     where a column is contiguous

#include "../operands/ExaktBlas_Epilogue.hpp"

#include <summation/Exakt_EnclosedSum.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_ABI {

/// `count` entries as doubles, exactly.
template <class T>
KOKKOS_INLINE_FUNCTION void widen(T const* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = exact_double(from[static_cast<std::ptrdiff_t>(i) * stride]);
}

/// \brief Exact sums of the products of some rows, eight at a time: neighbours share cache lines where rows are not
/// contiguous.
///
/// \param rows   Numbers of `count` <= exact_rows_at_once rows.
inline constexpr int exact_rows_at_once = 8;
template <class T>
EXAKT_NOINLINE_FUNCTION void add_exactly(Strided<T const> const& A, double const* x, std::size_t const* rows, int count,
                                         Span columns, ExactProducts* sums) {
  if constexpr (is_float_v<T>) {
    if (A.column_stride == 1) {
      Extraction<ExactProducts, 4> extraction;  // one for all: rows are alike
      for (int r = 0; r < count; ++r) {
        extraction.add_products(A.at(rows[r], columns.begin), x + columns.begin, columns.size(), sums[r]);
        extraction.drain(sums[r]);
      }
      return;
    }
  }
  constexpr std::size_t gathered = 512;
  double buffer[exact_rows_at_once][gathered];
  Extraction<ExactProducts, 4> extraction[exact_rows_at_once] = {};
  for (Span const some : Pieces{columns, gathered}) {
    std::size_t const begin = some.begin, size = some.size();
    for (std::size_t j = 0; j < size; ++j) {
      for (int r = 0; r < count; ++r) buffer[r][j] = exact_double(*A.at(rows[r], begin + j));
    }
    for (int r = 0; r < count; ++r) extraction[r].add_products(buffer[r], x + begin, size, sums[r]);
  }
  for (int r = 0; r < count; ++r) extraction[r].drain(sums[r]);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
