// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXROWS_HPP
#define EXAKTBLAS_COMPLEXROWS_HPP

/// \file
/// \brief Rows of a complex matrix times a vector, on hosts: products of a real matrix, whose entries are the parts of A.
///
///     columns contiguous    | Re a  |              a lane for each part of the result, which adds both of its products; where A
///                           | Im a  |  ...         or x is real, a lane for each number of A, times the parts of x one by one
///     else                  | Re a  Im a ... |     times (Re x, -Im x ...), and times (Im x, Re x ...)
///
/// Each sum is enclosed by the kernels of real matrices (MatrixVector). An entry of which a part is not decided is
/// added exactly.

#include "ExaktBlas_ComplexProducts.hpp"
#include "ExaktBlas_MatrixVector.hpp"

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief y(i) := alpha * (op(A) x)(i) + beta * y(i), i in a range of rows. Allocates nothing.
template <class A, class X, class Y>
struct ComplexRows {
  using R = RealEntryOf<Y>;
  static constexpr std::size_t rows_at_once = 512;

  Operated<A> matrix;
  X x;
  std::size_t columns;
  EntryEpilogue epilogue;
  Y y;

  void operator()(Span rows) const {
    for (Span const some : Pieces{rows, rows_at_once}) update(some);
  }

 private:
  using T = RealEntryOf<A>;
  using Products = RealProductsOf<EntryOf<A>, EntryOf<X>>;
  static constexpr std::size_t columns_at_once = 512, gathered_rows = 4;
  static constexpr int parts_of_x = has_complex_entries<X> ? 2 : 1;
  static constexpr std::size_t per_entry = has_complex_entries<A> ? 2 : 1;  // numbers

  void update(Span rows) const {
    if constexpr (is_float_v<R>) {
      if (matrix_kernels().has_enclosures) {
        EncloseBlock<rows_at_once> real(rows.size()), imaginary(rows.size());
        enclose(rows, real.arrays(), imaginary.arrays());
        auto const row = [&](int i) { return rows.begin + static_cast<std::size_t>(i); };
        round_complex_entries<rows_at_once>(
            epilogue, real.arrays(), imaginary.arrays(),
            static_cast<int>(rows.size()), [&](int i) -> auto& { return y(row(i)); },
            [&](int i) { update_exactly(row(i)); });
        return;
      }
    }
    for (std::size_t i = rows.begin; i < rows.end; ++i) update_exactly(i);
  }

  void enclose(Span rows, EnclosureArrays const& real, EnclosureArrays const& imaginary) const {
    EnclosureArrays const sums[] = {real, imaginary};
    auto const view = strided(matrix.view, matrix.transposed);
    Strided<EntryOf<A> const> const a{view.data, view.row_stride, view.column_stride};
    if constexpr (is_float_v<T>) {
      if (a.row_stride == 1 && a.column_stride != 1) {
        if constexpr (per_entry == 2 && parts_of_x == 2) {
          // The last rows may not fill a pack.
          constexpr std::size_t step = kernel_lanes / per_entry;
          std::size_t const whole = rows.size() / step * step;
          enclose_parts(numbers_of(a), {rows.begin, rows.begin + whole}, sums);
          return enclose_rows(a, {rows.begin + whole, rows.end}, {sums[0].from(whole), sums[1].from(whole)});
        } else {
          return enclose_columns(numbers_of(a), rows, sums);
        }
      }
    }
    enclose_rows(a, rows, sums);
  }

  /// The parts of all entries; those of one are neighbours in a row.
  static Strided<T const> numbers_of(Strided<EntryOf<A> const> const& a) {
    constexpr auto size = static_cast<std::ptrdiff_t>(per_entry);
    return {reinterpret_cast<T const*>(a.data), size * a.row_stride, size * a.column_stride};
  }

  // ---- a lane for each part of a row

  void enclose_parts(Strided<T const> const& numbers, Span rows, EnclosureArrays const (&sums)[2]) const {
    MatrixKernelsOf<T> const& kernels = matrix_kernels();
    std::size_t const lanes = per_entry * rows.size();
    EncloseBlock<per_entry * rows_at_once> parts(lanes);
    double factors[2 * per_entry * columns_at_once];
    for (Span const some : Pieces{{0, columns}, columns_at_once}) {
      double* to = factors;
      for (std::size_t j = some.begin; j < some.end; ++j, to += 2 * per_entry) {
        auto const entry = x(j);
        for_each_real_product<EntryOf<A>, EntryOf<X>>([&](RealProduct product) {
          // Re x multiplies each part for its own sum: the first two numbers. Im x does so for the sum of the other part.
          to[per_entry * product.of_x + product.into_imaginary()] =
              signed_part(entry, product.of_x, product.is_negative(matrix.conjugated));
        });
      }
      kernels.enclose_parts({numbers.at(rows.begin, some.begin), 1, numbers.column_stride}, factors, parts.arrays(),
                            {0, lanes}, {0, some.size()});
    }
    for (std::size_t i = 0; i < lanes; ++i) sums[i % per_entry].set(i / per_entry, parts.arrays().get(i));
  }

  void enclose_columns(Strided<T const> const& numbers, Span rows, EnclosureArrays const (&sums)[2]) const {
    MatrixKernelsOf<T> const& kernels = matrix_kernels();
    std::size_t const lanes = per_entry * rows.size();
    EncloseBlock<per_entry * rows_at_once> with_real(lanes), with_imaginary(lanes);
    EnclosureArrays const products[] = {with_real.arrays(), with_imaginary.arrays()};
    double factors[2][columns_at_once];
    VectorProducts vectors[] = {{factors[0], products[0]}, {factors[1], products[1]}};
    for (Span const some : Pieces{{0, columns}, columns_at_once}) {
      for (int part = 0; part < parts_of_x; ++part)
        for (std::size_t j = 0; j < some.size(); ++j) factors[part][j] = part_of(x(some.begin + j), part == 1);
      kernels.enclose({numbers.at(rows.begin, some.begin), 1, numbers.column_stride}, vectors, parts_of_x, {0, lanes},
                      {0, some.size()});
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for_each_real_product<EntryOf<A>, EntryOf<X>>([&](RealProduct product) {
        Enclosure term = products[product.of_x].get(per_entry * i + product.of_a);
        if (product.is_negative(matrix.conjugated)) term = {negated(term.high), negated(term.low), term.bound};
        EnclosureArrays const& into = sums[product.into_imaginary()];
        Enclosure sum = into.get(i);
        add_enclosure(sum, term);
        into.set(i, sum);
      });
    }
  }

  // ---- lanes along a row

  void enclose_rows(Strided<EntryOf<A> const> const& a, Span rows, EnclosureArrays const (&sums)[2]) const {
    double factors[2][per_entry * columns_at_once];
    for (Span const some : Pieces{{0, columns}, columns_at_once}) {
      copy(some, factors);
      if constexpr (is_float_v<T>) {
        if (a.column_stride == 1) {
          auto const numbers = numbers_of(a);
          enclose_part<T>({numbers.at(rows.begin, some.begin), numbers.row_stride, 1}, factors, rows.size(), some, sums,
                          0);
          continue;
        }
      }
      // Rows a power of two apart would fall on each other in the cache.
      constexpr std::size_t row_size = per_entry * columns_at_once + 8;
      double gathered[gathered_rows * row_size];
      for (Span const group : Pieces{rows, gathered_rows}) {
        for (std::size_t j = 0; j < some.size(); ++j)
          for (std::size_t i = 0; i < group.size(); ++i)
            for (std::size_t part = 0; part < per_entry; ++part)
              gathered[i * row_size + per_entry * j + part] =
                  part_of(*a.at(group.begin + i, some.begin + j), part == 1);
        enclose_part<double>({gathered, static_cast<std::ptrdiff_t>(row_size), 1}, factors, group.size(), some, sums,
                             group.begin - rows.begin);
      }
    }
  }

  template <class Number>
  static void enclose_part(Strided<Number const> const& numbers,
                           double const (&factors)[2][per_entry * columns_at_once], std::size_t rows, Span some,
                           EnclosureArrays const (&sums)[2], std::size_t first) {
    MatrixKernelsOf<Number> const& kernels = matrix_kernels();
    VectorProducts vectors[] = {{factors[0], sums[0].from(first)}, {factors[1], sums[1].from(first)}};
    kernels.enclose(numbers, vectors, Products::have_imaginary_sum ? 2 : 1, {0, rows}, {0, per_entry * some.size()});
  }

  /// What multiplies the numbers of a row, for each part of its sum.
  void copy(Span some, double (&factors)[2][per_entry * columns_at_once]) const {
    for (auto& part : factors) std::fill_n(part, per_entry * some.size(), 0.0);
    for (std::size_t j = 0; j < some.size(); ++j) {
      auto const entry = x(some.begin + j);
      for_each_real_product<EntryOf<A>, EntryOf<X>>([&](RealProduct product) {
        factors[product.into_imaginary()][per_entry * j + product.of_a] =
            signed_part(entry, product.of_x, product.is_negative(matrix.conjugated));
      });
    }
  }

  EXAKT_NOINLINE_FUNCTION void update_exactly(std::size_t i) const {
    auto const sum = sum_of_complex_products([&](std::size_t j) { return matrix.entry(i, j); },
                                             [&](std::size_t j) { return x(j); }, columns);
    y(i) = epilogue.entry(sum, y(i));
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
