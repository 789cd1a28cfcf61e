// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_ANYROWS_HPP
#define EXAKTSPARSE_ANYROWS_HPP

/// \file
/// \brief Rows of any matrix times a vector, one row per thread: those of complex numbers, of blocks and of half precision on
/// hosts.

#include "../operands/ExaktSparse_Matrix.hpp"

#include <operands/ExaktBlas_Complex.hpp>
#include <summation/Exakt_FunctionSums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The factors of the real products that make one part of the sum of a row.
template <class Matrix, class X>
struct RowFactors {
  using Products = RealProductsOf<typename Matrix::Value, EntryOf<X>>;

  Matrix const& A;
  X const& x;
  RowRange range;
  std::size_t row_of_block;
  bool conjugated, imaginary;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return (range.end - range.begin) * A.block(); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t products() const { return Products::count(imaginary, count()); }

  /// First the first products of all entries, then the second ones.
  KOKKOS_FORCEINLINE_FUNCTION FactorPair operator()(std::size_t k) const {
    bool const is_second = Products::per_part == 2 && k >= count();
    std::size_t const j = is_second ? k - count() : k;
    return Products::of(imaginary, is_second ? 1 : 0)
        .factors(A.value(range, row_of_block, j), x(A.column(range, j)), conjugated);
  }
};

/// NaN in every part of a T.
template <class T>
KOKKOS_FUNCTION T not_a_number() {
  using R = typename Scalar<T>::Real;
  R nans[Scalar<T>::parts];
  for (R& part : nans) part = special_value<R>(Special::nan);
  return entry_of<T>(nans);
}

/// \brief y(i) := alpha * (A x)(i) + beta * y(i) for one row per call, on hosts. A row with a column, or a range of entries, that
/// does not exist is noted.
template <class Matrix, class X, class Y>
struct AnyRows {
  using Result = EntryOf<Y>;
  using R = typename Scalar<Result>::Real;
  static constexpr int parts = Scalar<Result>::parts;
  using Row = RowFactors<Matrix, X>;

  Matrix A;
  X x;
  Y y;
  EntryEpilogue epilogue;
  bool conjugated;
  FirstBadRow* bad;

  void operator()(std::size_t row) const {
    std::size_t const block_row = row / A.block();
    auto const range = A.blocks_of(block_row);
    if (!exists(range)) return bad->note(block_row);
    y(row) = result({A, x, range, row % A.block(), conjugated, false}, y(row));
  }

 private:
  bool exists(RowRange const& range) const {
    if (!A.is_range(range)) return false;
    for (std::size_t k = range.begin; k < range.end; ++k)
      if (A.block_column(k) >= A.block_columns) return false;
    return true;
  }

  bool try_part(Row const& factors, Result const& old, R& part) const {
    if constexpr (is_float_v<R>) {
      Enclosure sum;
      return enclose_function(factors.products(), factors, sum) &&
             try_round_row(epilogue, sum, epilogue.old_part(old, factors.imaginary), 1, part);
    } else {
      return false;
    }
  }

  Result result(Row factors, Result const& old) const {
    auto const try_this_part = [&](int part, R& rounded) {
      factors.imaginary = part == 1;
      return try_part(factors, old, rounded);
    };
    Result rounded{};
    return epilogue.parts_stay_apart() && try_parts(try_this_part, rounded) ? rounded : exact_result(factors, old);
  }

  EXAKT_NOINLINE_FUNCTION Result exact_result(Row factors, Result const& old) const {
    ExactProducts sums[parts];
    for (int part = 0; part < parts; ++part) {
      factors.imaginary = part == 1;
      add_function_exactly(factors.products(), factors, sums[part]);
    }
    return epilogue.entry(sums, old);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
