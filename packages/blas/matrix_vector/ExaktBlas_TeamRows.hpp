// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMROWS_HPP
#define EXAKTBLAS_TEAMROWS_HPP

/// \file
/// \brief Rows of a matrix times a vector by one thread of a host, which allocates nothing: for team functions.

#include "ExaktBlas_MatrixVector.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief y(i) := epilogue of the sum of A(i, j) x(j), i in a range of rows, real.
///
/// As MatrixVector, but x is any view: it is copied piece by piece where it is not contiguous or not of doubles.
template <class T, class X, class R>
struct TeamRows {
  static constexpr std::size_t rows_at_once = 128, columns_at_once = 1024;

  Strided<T const> A;
  X x;
  std::size_t columns;
  Epilogue epilogue;
  R* y;
  std::ptrdiff_t y_stride;

  void operator()(Span rows) const {
    for (Span const some : Pieces{rows, rows_at_once}) update(some);
  }

 private:
  /// f(product, n) for some columns after the other, n of them, as a product with an array of doubles.
  template <class F>
  void for_each_piece(F const& f) const {
    if constexpr (std::is_same_v<EntryOf<X>, double>) {
      if (columns < 2 || x.stride(0) == 1)
        return f(MatrixVector<T, R>{A, x.data(), columns, epilogue, y, y_stride}, columns);
    }
    double copy[columns_at_once];
    for (Span const some : Pieces{{0, columns}, columns_at_once}) {
      std::size_t const begin = some.begin, count = some.size();
      for (std::size_t j = 0; j < count; ++j) copy[j] = exact_double(x(begin + j));
      Strided<T const> const part{A.at(0, begin), A.row_stride, A.column_stride};
      f(MatrixVector<T, R>{part, copy, count, epilogue, y, y_stride}, count);
    }
  }

  void update(Span rows) const {
    int const count = static_cast<int>(rows.size());
    int undecided[rows_at_once], others = count;
    for (int i = 0; i < count; ++i) undecided[i] = i;
    if constexpr (is_float_v<R>) {
      if (matrix_kernels().has_enclosures) {
        EncloseBlock<rows_at_once> sums(rows.size());
        for_each_piece([&](auto const& product, std::size_t n) { product.enclose(rows, {0, n}, sums.arrays()); });
        MatrixKernelsOf<R> const& kernels = matrix_kernels();
        others = kernels.try_round(epilogue, sums.arrays(), 1, count, &result(rows.begin), y_stride, undecided);
      }
    }
    for (int k = 0; k < others; k += exact_rows_at_once) {
      std::size_t some[exact_rows_at_once];
      int n = 0;
      for (; n < exact_rows_at_once && k + n < others; ++n)
        some[n] = rows.begin + static_cast<std::size_t>(undecided[k + n]);
      update_exactly(some, n);
    }
  }

  EXAKT_NOINLINE_FUNCTION void update_exactly(std::size_t const* rows, int count) const {
    ExactProducts sums[exact_rows_at_once];
    for_each_piece([&](auto const& product, std::size_t n) {
      ExactProducts some[exact_rows_at_once];
      add_exactly(product.A, product.x, rows, count, {0, n}, some);
      for (int r = 0; r < count; ++r) sums[r] += some[r];
    });
    for (int r = 0; r < count; ++r) {
      R& entry = result(rows[r]);
      entry = epilogue.template exactly<R>(sums[r], epilogue.reads_y ? exact_double(entry) : 0, 1);
    }
  }

  R& result(std::size_t row) const { return y[static_cast<std::ptrdiff_t>(row) * y_stride]; }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
