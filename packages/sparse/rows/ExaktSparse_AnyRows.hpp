// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_ANYROWS_HPP
#define EXAKTSPARSE_ANYROWS_HPP

/// \file
/// \brief Rows of any matrix times a vector, one row per thread: on devices, and of complex numbers, of blocks and of
/// half precision on hosts.

#include "../operands/ExaktSparse_Matrix.hpp"

#include <matrix_vector/ExaktBlas_TeamProducts.hpp>
#include <summation/Exakt_FunctionSums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The factors of the real products that make one part of a sum of products of numbers, complex ones twice as
/// many: Re = sum of Re a Re x + Im a (-Im x), Im = sum of Re a Im x + Im a Re x.
template <class Matrix, class X>
struct RowFactors {
  static constexpr bool a_is_complex = Scalar<typename Matrix::Value>::is_complex,
                        x_is_complex = has_complex_entries<X>;

  Matrix const& A;
  X const& x;
  RowRange range;
  std::size_t row_of_block;
  bool conjugated, imaginary;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return (range.end - range.begin) * A.block(); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t products() const {
    return a_is_complex && x_is_complex ? 2 * count() : count();
  }

  KOKKOS_FORCEINLINE_FUNCTION typename Matrix::Value entry(std::size_t j) const {
    auto const value = A.value(range, row_of_block, j);
    if constexpr (a_is_complex) {
      if (conjugated) return typename Matrix::Value(value.real(), negated(value.imag()));
    }
    return value;
  }

  KOKKOS_FORCEINLINE_FUNCTION FactorPair operator()(std::size_t k) const {
    if constexpr (!a_is_complex && !x_is_complex) {
      return {exact_double(A.value(range, row_of_block, k)), exact_double(x(A.column(range, k)))};
    } else {
      std::size_t const j = k % count();
      auto const a = entry(j);
      auto const factor = x(A.column(range, j));
      using OfA = Scalar<typename Matrix::Value>;
      using OfX = Scalar<EntryOf<X>>;
      if constexpr (!a_is_complex) {
        return {exact_double(a), exact_double(imaginary ? OfX::imaginary(factor) : OfX::real(factor))};
      } else if constexpr (!x_is_complex) {
        return {exact_double(imaginary ? OfA::imaginary(a) : OfA::real(a)), exact_double(factor)};
      } else {
        bool const second = k >= count();
        double const from_a = exact_double(second ? OfA::imaginary(a) : OfA::real(a));
        double const from_x = exact_double(second != imaginary ? OfX::imaginary(factor) : OfX::real(factor));
        return {from_a, second && !imaginary ? negated(from_x) : from_x};
      }
    }
  }
};

/// \brief y(i) := alpha * (A x)(i) + beta * y(i) for one row per call. A row with a column, or a range of entries, that
/// does not exist becomes NaN: a kernel can neither throw nor wait.
template <class Matrix, class X, class Y>
struct AnyRows {
  using Result = EntryOf<Y>;
  using R = typename Scalar<Result>::Real;
  static constexpr bool is_complex = Scalar<Result>::is_complex;

  Matrix A;
  X x;
  Y y;
  Factor alpha, beta;
  bool conjugated;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    auto const range = A.blocks_of(row / A.block());
    y(row) = exists(range) ? result(RowFactors<Matrix, X>{A, x, range, row % A.block(), conjugated, false}, y(row))
                           : not_a_number();
  }

 private:
  static KOKKOS_FUNCTION Result not_a_number() {
    R const nan = special_value<R>(Special::nan);
    if constexpr (is_complex) {
      return Result(nan, nan);
    } else {
      return nan;
    }
  }

  KOKKOS_FUNCTION bool exists(RowRange const& range) const {
    if (!A.is_range(range)) return false;
    for (std::size_t k = range.begin; k < range.end; ++k)
      if (A.block_column(k) >= A.block_columns) return false;
    return true;
  }

  KOKKOS_FUNCTION bool try_part(RowFactors<Matrix, X> const& factors, R const& old, R& part) const {
    if constexpr (is_float_v<R>) {
      Enclosure sum;
      return enclose_function(factors.products(), factors, sum) &&
             try_round_row(Factors{alpha.real, beta.real, !beta.is_zero(), false}, sum,
                           beta.is_zero() ? 0 : exact_double(old), 1, part);
    } else {
      return false;
    }
  }

  KOKKOS_FUNCTION Result result(RowFactors<Matrix, X> factors, Result const& old) const {
    if constexpr (is_complex) {
      // Factors with an imaginary part mix the sums of both parts.
      if (is_zero(alpha.imaginary) && is_zero(beta.imaginary)) {
        R real, imaginary;
        auto imaginary_factors = factors;
        imaginary_factors.imaginary = true;
        constexpr bool has_imaginary_sum = RowFactors<Matrix, X>::a_is_complex || RowFactors<Matrix, X>::x_is_complex;
        if (has_imaginary_sum && try_part(factors, Scalar<Result>::real(old), real) &&
            try_part(imaginary_factors, Scalar<Result>::imaginary(old), imaginary))
          return Result(real, imaginary);
      }
    } else {
      Result rounded;
      if (try_part(factors, old, rounded)) return rounded;
    }
    return exact_result(factors, old);
  }

  EXAKT_NOINLINE_FUNCTION Result exact_result(RowFactors<Matrix, X> const& factors, Result const& old) const {
    if constexpr (is_complex) {
      ExactParts<true> sum;
      for (std::size_t j = 0; j < factors.count(); ++j)
        sum.add_product(factors.entry(j), x(A.column(factors.range, j)));
      return combined_entry(sum, alpha, beta, old);
    } else {
      ExactProducts sum;
      add_function_exactly(factors.products(), factors, sum);
      Epilogue const epilogue{alpha.real, beta.real, !beta.is_zero(), false};
      return epilogue.template exactly<R>(sum, epilogue.reads_y ? exact_double(old) : 0, 1);
    }
  }
};

template <class Space, class Matrix, class X, class Y>
void multiply_any_rows(Space const& space, Matrix const& a, bool conjugated, Factor const& alpha, Factor const& beta,
                       X const& x, Y const& y) {
  Kokkos::parallel_for("Exakt::spmv",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, a.row_count()),
                       held(AnyRows<Matrix, X, Y>{a, x, y, alpha, beta, conjugated}));
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
