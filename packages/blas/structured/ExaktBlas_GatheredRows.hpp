// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GATHEREDROWS_HPP
#define EXAKTBLAS_GATHEREDROWS_HPP

/// \file
/// \brief Rows of any matrix, real or complex, one by one: products with what there is of a row, and systems of
/// triangles, which are such products and a quotient.
///
///     products of a row --> gathered as real ones, by part --> enclosed --> decided? --> entry
///                                                                           no: added exactly --> entry
///
/// The way of what has no faster one: bands, packed triangles, complex systems.

#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "../triangular/ExaktBlas_ComplexQuotient.hpp"
#include "../triangular/ExaktBlas_SmallTriangle.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_Stored.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t rows_worth_threads = 256;  // a row takes some 100 ns and more

/// Whether results of type Y are tried by enclosures here.
template <class Y>
bool are_enclosed_here() {
  return is_float_v<typename Scalar<Y>::Real> && matrix_kernels().has_enclosures;
}

/// add(a, x) for the products of some columns of a row with x(0), x(1), ...
template <class Matrix, class X, class Add>
KOKKOS_FORCEINLINE_FUNCTION void for_products(Matrix const& matrix, std::size_t row, Span columns, X const& x,
                                              bool negative, Add const& add) {
  for (std::size_t j = columns.begin; j < columns.end; ++j) {
    if (is_unstored_one(matrix, row, j)) {
      add(negative ? -1.0 : 1.0, x(j));
    } else {
      auto const entry = matrix.entry(row, j);
      add(negative ? negated_entry(entry) : entry, x(j));
    }
  }
}

/// \brief y(i) := alpha * (A x)(i) + beta * y(i), a row per call.
template <class Matrix, class X, class Y>
struct GatheredRows {
  using Entry = EntryOf<Y>;
  static constexpr int parts = Scalar<Entry>::parts;

  Matrix matrix;
  X x;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    EXAKT_IF_ON_HOST((if (try_row(row)) return;))
    ExactParts<parts == 2> sum;
    for_products(matrix, row, columns_of_row(matrix, row), x, false,
                 [&](auto const& a, auto const& factor) { sum.add_product(a, factor); });
    y(row) = epilogue.entry(sum, y(row));
  }

 private:
  bool try_row(std::size_t row) const {
    if constexpr (is_float_v<typename Scalar<Entry>::Real>) {
      if (!are_enclosed_here<Entry>()) return false;
      GatheredSums<parts> sums;
      for_products(matrix, row, columns_of_row(matrix, row), x, false,
                   [&](auto const& a, auto const& factor) { sums.add(a, factor); });
      return try_round_entry(epilogue, sums, y(row));
    } else {
      return false;
    }
  }
};

/// \brief y := alpha A x + beta y. x and y are vectors that do not overlap.
template <class Space, class Matrix, class X, class Y>
void multiply_gathered(char const* label, Space const& space, Matrix const& matrix, Factor const& alpha, X const& x,
                       Factor const& beta, Y const& y) {
  if (alpha.is_zero() || x.extent(0) == 0) return scale_entries(label, space, beta, y);
  for_each_task(label, space, y.extent(0), y.extent(0) >= rows_worth_threads,
                GatheredRows<Matrix, X, Y>{matrix, x, EntryEpilogue(alpha, beta), y});
}

/// \brief x := A x for a triangular A; x is a matrix of one column.
template <class Space, class V, class X>
void multiply_gathered_in_place(char const* label, Space const& space, Structured<V> const& matrix, X const& x) {
  auto const copy = dense_copy<EntryOf<X>, X>(label, space, x, x.extent(0), 1);
  multiply_gathered(label, space, matrix, {1, 0, false}, first_column(read_only(copy)), {0, 0, false}, first_column(x));
}

template <class V>
struct ColumnOf {
  V view;
  std::size_t column;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t row) const { return view(row, column); }
};

/// \brief op(A) X = alpha B for a triangular A, a column of B per call, which becomes that of X:
///
///     x(i) := (alpha * b(i) - sum of a(i, j) x(j)) / a(i, i), its parts rounded once each.
template <class V, class B>
struct GatheredSystems {
  using Entry = EntryOf<B>;
  using R = typename Scalar<Entry>::Real;
  static constexpr int parts = Scalar<Entry>::parts;

  Structured<V> matrix;
  Factor alpha;
  B b;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    std::size_t const n = matrix.size();
    SolvingOrder const order{matrix.is_lower_triangle()};
    for (std::size_t step = 0; step < n; ++step) solve(order.number_of(step, {0, n}), column);
  }

 private:
  static constexpr bool divides_by_complex = Scalar<EntryOf<V>>::is_complex;

  KOKKOS_INLINE_FUNCTION void solve(std::size_t row, std::size_t column) const {
    Entry& unknown = b(row, column);
    bool const has_divisor = !is_unstored_one(matrix, row, row);
    EXAKT_IF_ON_HOST((if (try_unknown(row, column, has_divisor, unknown)) return;))
    ExactParts<parts == 2> dividend;
    for_dividend(row, column, [&](auto const& a, auto const& x) { dividend.add_product(a, x); });
    R results[parts];
    if constexpr (divides_by_complex) {
      auto const divisor = has_divisor ? matrix.entry(row, row) : EntryOf<V>(1);
      if (has_divisor) {
        divide_by_complex(dividend.parts, part_of(divisor, false), part_of(divisor, true), results);
      } else {
        for (int part = 0; part < parts; ++part) results[part] = dividend.parts[part].template round<R>();
      }
    } else {
      double const divisor = has_divisor ? exact_double(matrix.entry(row, row)) : 1;
      for (int part = 0; part < parts; ++part) results[part] = dividend.parts[part].template round_quotient<R>(divisor);
    }
    unknown = entry_of<Entry>(results);
  }

  /// add(a, x) for the products whose sum is alpha * b(row) - sum of a(row, j) x(j), j before the row.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void for_dividend(std::size_t row, std::size_t column, Add const& add) const {
    if (parts == 2 && alpha.is_complex) {
      add(Kokkos::complex<double>(alpha.real, alpha.imaginary), b(row, column));
    } else {
      add(alpha.real, b(row, column));
    }
    Span const all = columns_of_row(matrix, row);
    Span const known = matrix.is_lower_triangle() ? Span{all.begin, row} : Span{row + 1, all.end};
    for_products(matrix, row, known, ColumnOf<B>{b, column}, true, add);
  }

  bool try_unknown(std::size_t row, std::size_t column, bool has_divisor, Entry& unknown) const {
    if constexpr (is_float_v<R>) {
      if (!are_enclosed_here<Entry>()) return false;
      GatheredSums<parts> sums;
      for_dividend(row, column, [&](auto const& a, auto const& x) { sums.add(a, x); });
      if constexpr (divides_by_complex) {
        if (has_divisor) {
          auto const divisor = matrix.entry(row, row);
          Enclosure const dividend[] = {sums.sum(0), sums.sum(1)};
          return try_parts(
              [&](int part, R& result) {
                return try_divide_by_complex(dividend, part_of(divisor, false), part_of(divisor, true), part, result);
              },
              unknown);
        }
      }
      double divisor = 1;
      if constexpr (!divides_by_complex) divisor = has_divisor ? exact_double(matrix.entry(row, row)) : 1;
      MatrixKernelsOf<R> const& kernels = matrix_kernels();
      Factors const quotient{1, 0, false, has_divisor};
      return try_parts(
          [&](int part, R& result) { return kernels.try_round_row(quotient, sums.sum(part), 0, divisor, result); },
          unknown);
    } else {
      return false;
    }
  }
};

/// \brief The same for all columns of B. alpha is not zero.
template <class Space, class V, class B>
void solve_gathered(char const* label, Space const& space, Structured<V> const& matrix, Factor const& alpha,
                    B const& b) {
  if (matrix.size() == 0) return;
  for_each_task(label, space, b.extent(1), matrix.size() * b.extent(1) >= rows_worth_threads,
                GatheredSystems<V, B>{matrix, alpha, b});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
