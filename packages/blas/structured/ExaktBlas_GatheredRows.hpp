// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GATHEREDROWS_HPP
#define EXAKTBLAS_GATHEREDROWS_HPP

/// \file
/// \brief Rows of any matrix, real or complex, one by one: products with what there is of a row.
///
///     products of a row --> gathered as real ones, by part --> enclosed --> decided? --> entry
///                                                                           no: added exactly --> entry
///
/// The way of what has no faster one: bands, packed triangles.

#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_Stored.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t rows_worth_threads = 256;  // a row takes some 100 ns and more

/// Whether results of type Y are tried by enclosures here.
template <class Y>
bool are_enclosed_here() {
  return is_float_v<typename Scalar<Y>::Real> && matrix_kernels().has_enclosures;
}

/// add(a, x) for the product of an entry of a row and x(j), or what is stored nowhere.
template <class Matrix, class X, class Add>
KOKKOS_FORCEINLINE_FUNCTION void for_product(Matrix const& matrix, std::size_t row, std::size_t j, X const& x,
                                             bool negative, Add const& add) {
  if (is_unstored_one(matrix, row, j)) {
    add(negative ? -1.0 : 1.0, x(j));
  } else {
    auto const entry = matrix.entry(row, j);
    add(negative ? negated_entry(entry) : entry, x(j));
  }
}

/// The same for some columns of a row.
template <class Matrix, class X, class Add>
KOKKOS_FORCEINLINE_FUNCTION void for_products(Matrix const& matrix, std::size_t row, Span columns, X const& x,
                                              bool negative, Add const& add) {
  for (std::size_t j = columns.begin; j < columns.end; ++j) for_product(matrix, row, j, x, negative, add);
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
    EXAKT_IF_ON_DEVICE((if (try_row_on_device(row)) return;))
    y(row) = epilogue.entry(sum<ExactParts<parts == 2>>(row), y(row));
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

  KOKKOS_FORCEINLINE_FUNCTION bool try_row_on_device(std::size_t row) const {
    if constexpr (is_float_v<typename Scalar<Entry>::Real>) {
      return try_parts(epilogue, sum<SumParts<CascadedSum, parts == 2>>(row).parts, y(row), y(row));
    } else {
      return false;
    }
  }

  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION Sum sum(std::size_t row) const {
    Sum products;
    for_products(matrix, row, columns_of_row(matrix, row), x, false,
                 [&](auto const& a, auto const& factor) { products.add_product(a, factor); });
    return products;
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

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
