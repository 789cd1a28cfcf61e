// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TERMS_HPP
#define EXAKTBLAS_TERMS_HPP

/// \file
/// \brief From views to terms: what is summed, read in contiguous tiles whatever the layout.

#include "../kernels/ExaktBlas_VectorKernels.hpp"
#include "../operands/ExaktBlas_Checks.hpp"
#include "../operands/ExaktBlas_Complex.hpp"

#include <parallel/Exakt_ColumnTiles.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// sum of x(i).
template <class X>
struct SumOf {
  using Value = typename ColumnTiles<X>::Value;
  using Operations = SumOperations<Value>;
  using Exact = SumAccumulator<double>;
  ColumnTiles<X> x;

  struct Buffers {
    typename ColumnTiles<X>::Buffer x;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return x.is_contiguous(); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_row_major() const { return x.is_row_major(); }
  KOKKOS_FORCEINLINE_FUNCTION void gather(std::size_t row, std::size_t column, std::size_t count, int columns,
                                          int distance, Buffers& b) const {
    x.gather(row, column, count, columns, distance, b.x);
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t row, std::size_t column, int gathered,
                                                    Buffers const& b) const {
    return {x.at(row, column, b.x.entries + gathered), x.size_from(row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t row, std::size_t column) const {
    return exact_double(x.entry(row, column));
  }
};

/// sum of |x(i)|.
template <class X>
struct AbsoluteSumOf : SumOf<X> {
  using Operations = AbsoluteOperations<typename SumOf<X>::Value>;
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t row, std::size_t column, int gathered,
                                                    typename SumOf<X>::Buffers const& b) const {
    return {{this->x.at(row, column, b.x.entries + gathered), this->x.size_from(row)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t row, std::size_t column) const {
    return magnitude_of(SumOf<X>::term(row, column));
  }
};

/// sum of x(i) * y(i).
template <class X, class Y>
struct ProductsOf {
  using Operations = ProductOperations<typename ColumnTiles<X>::Value, typename ColumnTiles<Y>::Value>;
  using Exact = DotAccumulator<double>;
  ColumnTiles<X> x;
  ColumnTiles<Y> y;

  struct Buffers {
    typename ColumnTiles<X>::Buffer x;
    typename ColumnTiles<Y>::Buffer y;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return x.is_contiguous() && y.is_contiguous(); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_row_major() const { return x.is_row_major() || y.is_row_major(); }
  KOKKOS_FORCEINLINE_FUNCTION void gather(std::size_t row, std::size_t column, std::size_t count, int columns,
                                          int distance, Buffers& b) const {
    x.gather(row, column, count, columns, distance, b.x);
    y.gather(row, column, count, columns, distance, b.y);
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t row, std::size_t column, int gathered,
                                                    Buffers const& b) const {
    return {x.at(row, column, b.x.entries + gathered), y.at(row, column, b.y.entries + gathered), x.size_from(row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t row, std::size_t column) const {
    return {exact_double(x.entry(row, column)), exact_double(y.entry(row, column))};
  }
};

/// \brief Complex numbers as real ones, two for each, of type T: in place where they are next to each other and of that type.
///
/// Their parts may be swapped, and what then is second may be negated.
template <class V, class T>
struct PartsInTurn {
  V view;
  static constexpr bool are_of_this_type = std::is_same_v<RealEntryOf<V>, T>;

  bool are_in_place(bool changed = false) const { return are_of_this_type && !changed && view.stride(0) == 1; }
  T const* data() const { return reinterpret_cast<T const*>(view.data()); }

  /// Of the numbers from the first one on.
  void copy(std::size_t first, std::size_t count, bool swaps, bool negates, T* to) const {
    if constexpr (are_of_this_type) {
      CopyKernelOf<T> const& kernels = vector_kernels();
      std::size_t const stride = view.stride(0);
      kernels.copy_numbers(data() + 2 * first * stride, static_cast<std::ptrdiff_t>(stride), static_cast<int>(count),
                           swaps, negates, to);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        to[2 * i] = static_cast<T>(signed_part(view(first + i), swaps, false));
        to[2 * i + 1] = static_cast<T>(signed_part(view(first + i), !swaps, negates));
      }
    }
  }
};

/// The sums of the real parts and of the imaginary ones, of which `imaginary` says which the first column is.
template <class X>
struct ComplexSumOf {
  using Value = RealEntryOf<X>;
  using Operations = SumOperations<Value>;
  using Exact = SumAccumulator<double>;
  X x;
  bool imaginary = false;

  struct Buffers {
    alignas(64) Value parts[2][enclosure_tile_size];
  };
  std::size_t terms() const { return x.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION double term(std::size_t row, std::size_t column = 0) const {
    return part_of(x(row), imaginary || column == 1);
  }
  void gather(std::size_t row, std::size_t, std::size_t count, int, int, Buffers& b) const {
    CopyKernelOf<Value> const& kernels = vector_kernels();
    std::size_t const stride = x.stride(0);
    kernels.split_numbers(reinterpret_cast<Value const*>(x.data()) + 2 * row * stride,
                          static_cast<std::ptrdiff_t>(stride), static_cast<int>(count), b.parts[0], b.parts[1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t, std::size_t column, int, Buffers const& b) const {
    return {b.parts[imaginary || column == 1]};
  }
};

/// The sum of |Re x(i)| + |Im x(i)|: two terms a number.
template <class X>
struct ComplexMagnitudesOf {
  using Value = RealEntryOf<X>;
  using Operations = AbsoluteOperations<Value>;
  using Exact = SumAccumulator<double>;
  PartsInTurn<X, Value> x;

  struct Buffers {
    alignas(64) Value x[enclosure_tile_size];
  };
  std::size_t terms() const { return 2 * x.view.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION double term(std::size_t term, std::size_t = 0) const {
    return magnitude_of(part_of(x.view(term / 2), term % 2 == 1));
  }
  void gather(std::size_t term, std::size_t, std::size_t count, int, int, Buffers& b) const {
    if (!x.are_in_place()) x.copy(term / 2, count / 2, false, false, b.x);
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t term, std::size_t, int, Buffers const& b) const {
    if (x.are_in_place()) return {{x.data() + term, terms() - term}};
    return {{b.x}};
  }
};

/// The parts of the sum of conj(x(i)) * y(i), as Kokkos Kernels defines the dot product; one product of numbers is one or
/// two real products:
///
///     real:       x.real * y.real + x.imaginary * y.imaginary
///     imaginary:  x.real * y.imaginary - x.imaginary * y.real
///
/// or, not conjugated, of x(i) * y(i), with the other sign of x.imaginary. `imaginary` says which part the first column is.
template <class X, class Y>
struct ComplexProductsOf {
  using Products = RealProductsOf<EntryOf<X>, EntryOf<Y>>;
  static constexpr std::size_t terms_per_entry = Products::per_part;
  using Value = WiderOf<RealEntryOf<X>, RealEntryOf<Y>>;
  using Operations = ProductOperations<Value, Value>;
  using Exact = DotAccumulator<double>;

  PartsInTurn<X, Value> x;
  PartsInTurn<Y, Value> y;
  bool imaginary = false, conjugated;

  ComplexProductsOf(X const& x_view, Y const& y_view, bool conjugates_x)
      : x{x_view}, y{y_view}, conjugated(conjugates_x) {}

  struct Buffers {
    alignas(64) Value x[enclosure_tile_size], y[enclosure_tile_size];
  };
  std::size_t terms() const { return terms_per_entry * x.view.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION FactorPair term(std::size_t term, std::size_t column = 0) const {
    std::size_t const i = term / terms_per_entry;
    return Products::of(is_imaginary(column), term % terms_per_entry).factors(x.view(i), y.view(i), conjugated);
  }

  void gather(std::size_t term, std::size_t column, std::size_t count, int columns, int distance, Buffers& b) const {
    std::size_t const first = term / terms_per_entry, numbers = count / terms_per_entry;
    if constexpr (terms_per_entry == 2) {
      if (!x.are_in_place()) x.copy(first, numbers, false, false, b.x);
      for (int c = 0; c < columns; ++c) {
        bool const swaps = is_imaginary(column + c), negates = swaps == conjugated;
        if (!y.are_in_place(swaps || negates)) y.copy(first, numbers, swaps, negates, b.y + c * distance);
      }
    } else {
      for (int c = 0; c < columns; ++c) {
        RealProduct const product = Products::of(is_imaginary(column + c), 0);
        for (std::size_t i = 0; i < numbers; ++i) {
          FactorPair const factors = product.factors(x.view(first + i), y.view(first + i), conjugated);
          b.x[c * distance + i] = static_cast<Value>(factors.x);
          b.y[c * distance + i] = static_cast<Value>(factors.y);
        }
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t term, std::size_t column, int gathered,
                                                    Buffers const& b) const {
    if constexpr (terms_per_entry == 2) {
      bool const swaps = is_imaginary(column), negates = swaps == conjugated;
      return {x.are_in_place() ? x.data() + term : b.x,
              y.are_in_place(swaps || negates) ? y.data() + term : b.y + gathered};
    } else {
      return {b.x + gathered, b.y + gathered};
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_imaginary(std::size_t column) const { return imaginary || column == 1; }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
