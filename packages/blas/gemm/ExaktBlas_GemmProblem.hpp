// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMPROBLEM_HPP
#define EXAKTBLAS_GEMMPROBLEM_HPP

/// \file
/// \brief What every engine of gemm is made from, and single entries, exactly.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../matrix_vector/ExaktBlas_RowEnclosures.hpp"

#include <cstdlib>

namespace Exakt::Impl::inline EXAKT_ABI {

using Compiled::GemmPart;

/// C := epilogue of A B, all of them real and op() already applied: what every engine is made from.
template <class T, class U, class R>
struct GemmProblem {
  Strided<T const> A;  // m x k
  Strided<U const> B;  // k x n
  Strided<R> C;        // m x n
  std::size_t m, n, k;
  Epilogue epilogue;
  GemmPart part = GemmPart::all;  // of C; engines may do more

  /// Whether some of these entries are looked at afterwards.
  bool needs(Span rows, Span columns) const {
    return part == GemmPart::lower   ? rows.end > columns.begin
           : part == GemmPart::upper ? columns.end > rows.begin
                                     : true;
  }
  /// How many products that takes, for choices among engines.
  double products() const {
    double const all = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return part == GemmPart::all ? all : all / 2;
  }

  KOKKOS_FORCEINLINE_FUNCTION double old_entry(std::size_t i, std::size_t j) const {
    return epilogue.reads_y ? exact_double(*C.at(i, j)) : 0;
  }
};

template <class T, class U, class R>
void add_entry_by_extraction(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j, ExactProducts& sum) {
  constexpr std::size_t gathered = 512;
  double a[gathered], b[gathered];
  Extraction<ExactProducts, 4> extraction;
  for (std::size_t begin = 0; begin < problem.k; begin += gathered) {
    std::size_t const size = problem.k - begin < gathered ? problem.k - begin : gathered;
    widen(problem.A.at(i, begin), problem.A.column_stride, size, a);
    widen(problem.B.at(begin, j), problem.B.row_stride, size, b);
    extraction.add_products(a, b, size, sum);
  }
  extraction.drain(sum);
}

/// One entry of A B, exactly.
template <class T, class U, class R>
KOKKOS_INLINE_FUNCTION ExactProducts exact_entry(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j) {
  ExactProducts sum;
  EXAKT_IF_ON_HOST((add_entry_by_extraction(problem, i, j, sum);))
  EXAKT_IF_ON_DEVICE((for (std::size_t l = 0; l < problem.k; ++l) {
    sum.add_product(exact_double(*problem.A.at(i, l)), exact_double(*problem.B.at(l, j)));
  }))
  return sum;
}

/// \brief Whether most of a few entries are so small that the direct engine does not decide them at once.
///
/// Its bound for an entry is about 2 k^3 2^(e - 106) for products below 2^e (Exakt_LongEnclosure.hpp), to be compared
/// with the last bit of the entry.
///
/// \param rows, columns        How many of them have been measured.
/// \param row_top, column_top  The e with |entry| < 2^e for all entries of a row of A, a column of B; beyond +-2^12 if
///                             there are none or not all are finite.
template <class T, class U, class R, class RowTop, class ColumnTop>
bool most_entries_cancel(GemmProblem<T, U, R> const& problem, std::size_t rows, std::size_t columns,
                         RowTop const& row_top, ColumnTop const& column_top) {
  constexpr std::size_t entries = 8;
  int const depth_bits = bit_width(problem.k - 1);
  int cancelling = 0, seen = 0;
  for (std::size_t e = 0; e < entries; ++e) {
    std::size_t const i = (2 * e + 1) * rows / (2 * entries), j = (2 * (e * 3 % entries) + 1) * columns / (2 * entries);
    int const top = row_top(i), other_top = column_top(j);
    if (std::abs(top) > 1 << 12 || std::abs(other_top) > 1 << 12) continue;
    double const sum = exact_entry(problem, i, j).round();
    auto const parts = integer_parts(sum);
    cancelling += parts.exponent + bit_width(parts.significand) < top + other_top + 3 * depth_bits - 50;
    ++seen;
  }
  return 2 * cancelling > seen;
}

/// Everything in integers and extraction, an entry at a time: for processors without a fused multiply-add.
template <class T, class U, class R>
struct ExactGemm {
  GemmProblem<T, U, R> problem;

  /// One column of C.
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    for (std::size_t i = 0; i < problem.m; ++i)
      *problem.C.at(i, j) =
          problem.epilogue.template exactly<R>(exact_entry(problem, i, j), problem.old_entry(i, j), 1);
  }
};

/// C^T := B^T A^T.
template <class T, class U, class R>
GemmProblem<U, T, R> transposed(GemmProblem<T, U, R> const& problem) {
  auto const turned = [](auto const& matrix) {
    auto result = matrix;
    result.row_stride = matrix.column_stride;
    result.column_stride = matrix.row_stride;
    return result;
  };
  auto const part = problem.part == GemmPart::lower   ? GemmPart::upper
                    : problem.part == GemmPart::upper ? GemmPart::lower
                                                      : GemmPart::all;
  return {turned(problem.B), turned(problem.A), turned(problem.C), problem.n,
          problem.m,         problem.k,         problem.epilogue,  part};
}

/// Some rows and columns of C.
template <class T, class U, class R>
GemmProblem<T, U, R> part_of(GemmProblem<T, U, R> const& problem, Span rows, Span columns) {
  auto result = problem;
  result.A.data = problem.A.at(rows.begin, 0);
  result.B.data = problem.B.at(0, columns.begin);
  result.C.data = problem.C.at(rows.begin, columns.begin);
  result.m = rows.size();
  result.n = columns.size();
  if (rows.begin != columns.begin) result.part = GemmPart::all;  // the diagonal is another one
  return result;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
