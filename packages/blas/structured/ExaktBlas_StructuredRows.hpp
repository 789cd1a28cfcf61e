// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STRUCTUREDROWS_HPP
#define EXAKTBLAS_STRUCTUREDROWS_HPP

/// \file
/// \brief y := alpha S x + beta y for a real matrix S of which one triangle is stored, on hosts: rows of S where they
/// are, and squares along the diagonal copied.
///
///     rows of a block:   before | corner | after      a symmetric matrix has one of before and after where it is
///                                                     stored, and finds the other one across the diagonal

#include "ExaktBlas_Structured.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// A block of rows per call.
template <class V, class R>
struct StructuredRows {
  using T = EntryOf<V>;
  static constexpr std::size_t rows_at_most = 256, corner_side = 64;

  Structured<V> matrix;
  double const* x;
  Epilogue epilogue;
  R* y;
  std::ptrdiff_t y_stride;
  std::size_t rows_at_once;

  std::size_t blocks() const { return (matrix.size() + rows_at_once - 1) / rows_at_once; }

  void operator()(std::size_t number) const {
    std::size_t const n = matrix.size(), begin = number * rows_at_once;
    Span const rows{begin, n - begin < rows_at_once ? n : begin + rows_at_once};
    if constexpr (is_float_v<R>) {
      if (MatrixVector<T, R>::has_enclosures()) {
        EncloseBlock<rows_at_most> block(rows.size());
        enclose(rows, block.arrays());
        round(rows, block.arrays());
        return;
      }
    }
    for (std::size_t row = rows.begin; row < rows.end; ++row) round_exactly(row);
  }

 private:
  bool is_triangular() const { return matrix.has_zeros(); }
  bool has_before() const { return !is_triangular() || matrix.is_lower_triangle(); }
  bool has_after() const { return !is_triangular() || !matrix.is_lower_triangle(); }
  MatrixVector<T, R> rows_of(Strided<T const> const& entries) const {
    return {entries, x, matrix.size(), epilogue, y, y_stride};
  }
  MatrixVector<T, R> before() const {
    return rows_of(strided(matrix.view, is_triangular() ? matrix.transposed : !matrix.is_lower));
  }
  MatrixVector<T, R> after() const {
    return rows_of(strided(matrix.view, is_triangular() ? matrix.transposed : matrix.is_lower));
  }

  void enclose(Span rows, EnclosureArrays const& sums) const {
    std::size_t const n = matrix.size();
    if (has_before() && rows.begin > 0) before().enclose(rows, {0, rows.begin}, sums);
    for (std::size_t begin = rows.begin; begin < rows.end; begin += corner_side) {
      Span const some{begin, rows.end - begin < corner_side ? rows.end : begin + corner_side};
      EnclosureArrays const some_sums = sums.from(some.begin - rows.begin);
      if (has_before() && some.begin > rows.begin) before().enclose(some, {rows.begin, some.begin}, some_sums);
      enclose_corner(some, some_sums);
      if (has_after() && some.end < rows.end) after().enclose(some, {some.end, rows.end}, some_sums);
    }
    if (has_after() && rows.end < n) after().enclose(rows, {rows.end, n}, sums);
  }

  /// Zeros times infinities or NaN of x decide nothing, and exact sums are of what there is.
  void enclose_corner(Span rows, EnclosureArrays const& sums) const {
    alignas(64) double corner[corner_side * corner_side];
    // Below the diagonal what is stored there, or of an upper triangle zeros; above it the images, or what is stored.
    bool const has_lower = has_before(), has_upper = !is_triangular() || !has_lower;
    Strided<T const> const A = has_lower ? before().A : after().A;
    Strided<T const> const here{A.at(rows.begin, rows.begin), has_lower ? A.row_stride : A.column_stride,
                                has_lower ? A.column_stride : A.row_stride};
    if constexpr (is_float_v<T>) {
      MatrixKernelsOf<T> const& kernels = matrix_kernels();
      kernels.copy_triangle(here.data, here.row_stride, here.column_stride, rows.size(), has_lower, has_upper, corner,
                            corner_side);
    } else {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        for (std::size_t i = j + 1; i < rows.size(); ++i) {
          double const entry = exact_double(*here.at(i, j));
          corner[j * corner_side + i] = has_lower ? entry : 0;
          corner[i * corner_side + j] = has_upper ? entry : 0;
        }
      }
    }
    for (std::size_t j = 0; j < rows.size(); ++j)
      corner[j * (corner_side + 1)] = exact_double(matrix.entry(rows.begin + j, rows.begin + j));
    MatrixVector<double, R> const product{
        {corner, 1, static_cast<std::ptrdiff_t>(corner_side)}, x + rows.begin, rows.size(), epilogue, y, y_stride};
    product.enclose({0, rows.size()}, {0, rows.size()}, sums);
  }

  void round(Span rows, EnclosureArrays const& sums) const {
    MatrixKernelsOf<R> const& kernels = matrix_kernels();
    int undecided[rows_at_most];
    int const others = kernels.try_round(epilogue, sums, 1, static_cast<int>(rows.size()),
                                         y + static_cast<std::ptrdiff_t>(rows.begin) * y_stride, y_stride, undecided);
    for (int k = 0; k < others; ++k) round_exactly(rows.begin + static_cast<std::size_t>(undecided[k]));
  }

  EXAKT_NOINLINE_FUNCTION void round_exactly(std::size_t row) const {
    ExactProducts sum;
    if (has_before()) add_exactly(before().A, x, &row, 1, {0, row}, &sum);
    sum.add_product(exact_double(matrix.entry(row, row)), x[row]);
    if (has_after()) add_exactly(after().A, x, &row, 1, {row + 1, matrix.size()}, &sum);
    R& result = y[static_cast<std::ptrdiff_t>(row) * y_stride];
    result = epilogue.template exactly<R>(sum, epilogue.reads_y ? exact_double(result) : 0, 1);
  }
};

/// \brief y := alpha S x + beta y. alpha is not zero; x and y are vectors.
template <class Space, class V, class X, class Y>
void multiply_structured_rows(char const* label, Space const& space, Structured<V> const& matrix, double alpha,
                              X const& x, Factor const& beta, Y const& y) {
  using Rows = StructuredRows<V, EntryOf<Y>>;
  VectorOfDoubles<Space, X> const doubles(space, x);
  std::size_t const n = matrix.size(), threads = static_cast<std::size_t>(space.concurrency());
  std::size_t const wanted = (n / (4 * threads) + Rows::corner_side - 1) / Rows::corner_side * Rows::corner_side;
  Rows const rows{matrix,
                  doubles.data(),
                  {alpha, beta.real, !beta.is_zero(), false},
                  y.data(),
                  static_cast<std::ptrdiff_t>(y.stride(0)),
                  std::clamp<std::size_t>(wanted, Rows::corner_side, Rows::rows_at_most)};
  for_each_task(label, space, rows.blocks(), n * n >= products_worth_threads, rows);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
