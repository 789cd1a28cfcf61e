// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMPROBLEM_HPP
#define EXAKTBLAS_GEMMPROBLEM_HPP

/// \file
/// \brief A product of matrices, and what becomes of its sums: what every engine of gemm takes.
///
/// An engine has `run(space, problem, epilogue)`, so that another may replace it.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../kernels/ExaktBlas_Kernels.hpp"
#include "ExaktBlas_Complex.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

using Compiled::GemmPart;

/// C := epilogue of A B, op() already applied but for conjugates. Most engines take real entries only.
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

/// \brief A B as sums of real products, columns l * per_part + k of A being the k-th products of entry l of a row.
/// Where C is complex, so is A, or both factors are real: else C^T = B^T A^T is such a product.
template <class T, class U, class Y>
struct PlaneProblem {
  using Real = typename Scalar<Y>::Real;
  using Products = RealProductsOf<T, U>;
  static constexpr int parts = Scalar<Y>::parts;

  GemmProblem<T, U, Y> matrices;
  bool A_conjugated, B_conjugated;

  /// Products of a sum, and those that are there at all: of real factors no imaginary part has any.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t depth() const { return depth_of(0); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t depth_of(int part) const { return Products::count(part == 1, matrices.k); }

  KOKKOS_FORCEINLINE_FUNCTION double left(std::size_t row, int part, std::size_t l) const {
    RealProduct const product = Products::of(part == 1, l % Products::per_part);
    return signed_part(*matrices.A.at(row, l / Products::per_part), product.of_a, product.is_negative(A_conjugated));
  }
  KOKKOS_FORCEINLINE_FUNCTION double right(std::size_t column, std::size_t l) const {
    bool const imaginary = Products::of(false, l % Products::per_part).of_x;
    return signed_part(*matrices.B.at(l / Products::per_part, column), imaginary, imaginary && B_conjugated);
  }

  /// Entries of op(A) and op(B).
  KOKKOS_FORCEINLINE_FUNCTION T a(std::size_t row, std::size_t l) const {
    T const& entry = *matrices.A.at(row, l);
    return A_conjugated ? conjugate_entry(entry) : entry;
  }
  KOKKOS_FORCEINLINE_FUNCTION U b(std::size_t l, std::size_t column) const {
    U const& entry = *matrices.B.at(l, column);
    return B_conjugated ? conjugate_entry(entry) : entry;
  }
};

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

template <class T, class U, class Y>
PlaneProblem<U, T, Y> transposed(PlaneProblem<T, U, Y> const& problem) {
  return {transposed(problem.matrices), problem.B_conjugated, problem.A_conjugated};
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
