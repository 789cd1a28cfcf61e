// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMPROBLEM_HPP
#define EXAKTBLAS_GEMMPROBLEM_HPP

/// \file
/// \brief A product of matrices, and what becomes of its sums: what every engine of gemm takes.
///
/// An engine has `run(space, problem, epilogue)`, so that another may replace it.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../kernels/ExaktBlas_Kernels.hpp"
#include "ExaktBlas_Epilogue.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

using Compiled::GemmPart;

/// C := epilogue of A B, all of them real and op() already applied.
template <class T, class U, class R>
struct GemmProblem {
  Strided<T const> A;  // m x k
  Strided<U const> B;  // k x n
  Strided<R> C;        // m x n
  std::size_t m, n, k;
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
};

/// \brief Entries of C from their sums S; or, where the sums themselves are wanted, nothing but what is known about them.
struct GemmEpilogue : Epilogue {
  EnclosureArrays sums{};  // if these are not null: where to, the sum of the entry (i, j) to sums_from(i, j)
  std::size_t row_stride = 0, column_stride = 0;

  bool keeps_sums() const { return sums.high != nullptr; }
  EnclosureArrays sums_from(std::size_t i, std::size_t j) const {
    return sums.from(i * row_stride + j * column_stride);
  }

  /// The entry of C as far as it is read.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION double old_entry(Strided<R> const& C, std::size_t i, std::size_t j) const {
    return reads_y ? exact_double(*C.at(i, j)) : 0;
  }
};

/// Of entries with two parts: the base has the real parts of alpha and beta.
struct ComplexEpilogue : Epilogue {
  Factor complex_alpha{}, complex_beta{};

  /// Whether each part of an entry depends on the sum of one part alone.
  bool is_real() const { return is_zero(complex_alpha.imaginary) && is_zero(complex_beta.imaginary); }
};
inline ComplexEpilogue complex_epilogue(Factor const& alpha, Factor const& beta) {
  return {{{alpha.real, beta.real, !beta.is_zero(), false}}, alpha, beta};
}

template <class T>
Strided<T> transposed(Strided<T> const& matrix) {
  return {matrix.data, matrix.column_stride, matrix.row_stride};
}

/// C^T := B^T A^T.
template <class T, class U, class R>
GemmProblem<U, T, R> transposed(GemmProblem<T, U, R> const& problem) {
  auto const part = problem.part == GemmPart::lower   ? GemmPart::upper
                    : problem.part == GemmPart::upper ? GemmPart::lower
                                                      : GemmPart::all;
  return {transposed(problem.B), transposed(problem.A), transposed(problem.C), problem.n, problem.m, problem.k, part};
}
inline GemmEpilogue transposed(GemmEpilogue const& epilogue) {
  GemmEpilogue result = epilogue;
  result.row_stride = epilogue.column_stride;
  result.column_stride = epilogue.row_stride;
  return result;
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
inline GemmEpilogue part_of(GemmEpilogue const& epilogue, Span rows, Span columns) {
  GemmEpilogue result = epilogue;
  if (epilogue.keeps_sums()) result.sums = epilogue.sums_from(rows.begin, columns.begin);
  return result;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
