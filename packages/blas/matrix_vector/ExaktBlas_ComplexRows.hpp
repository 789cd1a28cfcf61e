// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXROWS_HPP
#define EXAKTBLAS_COMPLEXROWS_HPP

/// \file
/// \brief Rows of a complex matrix times a vector, on hosts: real and imaginary parts apart, four real products.
///
///     some rows, some columns --> | Re A | | Im A |  packed      Re = Re A * Re x + Im A * (-Im x)
///                                                                 Im = Re A * Im x + Im A *   Re x
///
/// Each sum is enclosed by the kernels of real matrices (MatrixVector). An entry of which a part is not decided is
/// added exactly.

#include "ExaktBlas_ComplexProducts.hpp"
#include "ExaktBlas_MatrixVector.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief y(i) := alpha * (op(A) x)(i) + beta * y(i), i in a range of rows. Allocates nothing.
template <class A, class X, class Y>
struct ComplexRows {
  using R = RealEntryOf<Y>;
  static constexpr std::size_t rows_at_once = 64, rows_of_group = 8, columns_at_once = 512;
  // Rows a power of two apart would fall on each other in the cache.
  static constexpr std::size_t row_size = columns_at_once + 8;
  static constexpr bool a_is_complex = has_complex_entries<A>, x_is_complex = has_complex_entries<X>;

  Operated<A> matrix;
  X x;
  std::size_t columns;
  EntryEpilogue epilogue;
  Y y;

  void operator()(Span rows) const {
    for (Span const some : Pieces{rows, rows_at_once}) update(some);
  }

 private:
  /// Some columns: what multiplies Re A and Im A, for either part of the result.
  struct Factors {
    double parts[2][columns_at_once], negated[columns_at_once];
  };
  struct Planes {
    double real[rows_of_group * row_size], imaginary[rows_of_group * row_size];
  };

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
    MatrixKernelsOf<double> const& kernels = matrix_kernels();
    Factors factors;
    Planes planes;
    constexpr auto stride = static_cast<std::ptrdiff_t>(row_size);
    Strided<double const> const real_a{planes.real, stride, 1}, imaginary_a{planes.imaginary, stride, 1};
    int e = unknown_exponent;
    for (Span const some : Pieces{{0, columns}, columns_at_once}) {
      copy(some, factors);
      for (Span const group : Pieces{rows, rows_of_group}) {
        pack(group, some, planes);
        auto const add = [&](Strided<double const> const& a, double const* factor, EnclosureArrays const& sums) {
          kernels.enclose(a, factor, {0, group.size()}, {0, some.size()}, sums.from(group.begin - rows.begin), e);
        };
        for_each_real_product<EntryOf<A>, EntryOf<X>>([&](RealProduct product) {
          bool const is_negative = product.is_negative(matrix.conjugated);
          add(product.of_a ? imaginary_a : real_a, is_negative ? factors.negated : factors.parts[product.of_x],
              product.into_imaginary() ? imaginary : real);
        });
      }
    }
  }

  /// The parts of some entries of x, and the negative of what conjugation negates.
  void copy(Span some, Factors& factors) const {
    for (std::size_t j = 0; j < some.size(); ++j) {
      auto const entry = x(some.begin + j);
      for (int part = 0; part < (x_is_complex ? 2 : 1); ++part) factors.parts[part][j] = part_of(entry, part == 1);
      factors.negated[j] = negated(factors.parts[matrix.conjugated || !x_is_complex ? 0 : 1][j]);
    }
  }

  /// The parts of some entries of op(A), rows next to each other; a conjugated A as it is.
  void pack(Span rows, Span some, Planes& planes) const {
    auto const a = strided(matrix.view, matrix.transposed);
    auto const copy_entry = [&](std::size_t i, std::size_t j) {
      auto const& entry = *a.at(rows.begin + i, some.begin + j);
      planes.real[i * row_size + j] = static_cast<double>(Scalar<EntryOf<A>>::real(entry));
      if constexpr (a_is_complex)
        planes.imaginary[i * row_size + j] = static_cast<double>(Scalar<EntryOf<A>>::imaginary(entry));
    };
    if (a.row_stride < a.column_stride) {
      for (std::size_t j = 0; j < some.size(); ++j)
        for (std::size_t i = 0; i < rows.size(); ++i) copy_entry(i, j);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < some.size(); ++j) copy_entry(i, j);
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
