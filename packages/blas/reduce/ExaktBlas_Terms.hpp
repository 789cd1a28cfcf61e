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

/// The real or the imaginary parts of some numbers, or their negatives, one after the other.
template <class V>
void copy_parts(V const& from, std::size_t first, std::size_t count, bool imaginary, bool negates, double* to) {
  using T = RealEntryOf<V>;
  if constexpr (is_float_v<T>) {
    constexpr std::size_t parts = has_complex_entries<V> ? 2 : 1;
    auto const* const data = reinterpret_cast<T const*>(from.data());
    auto const stride = static_cast<std::ptrdiff_t>(from.stride(0) * parts);
    CopyKernelOf<T> const& kernels = vector_kernels();
    kernels.copy(data + static_cast<std::ptrdiff_t>(first) * stride + (imaginary ? 1 : 0), stride,
                 static_cast<int>(count), negates, to);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = signed_part(from(first + i), imaginary, negates);
  }
}

/// The sum of |Re x(i)| + |Im x(i)|: two terms a number.
template <class X>
struct ComplexMagnitudesOf {
  using Operations = AbsoluteOperations<double>;
  using Exact = SumAccumulator<double>;
  X x;

  struct Buffers {
    double x[enclosure_tile_size];
  };
  std::size_t terms() const { return 2 * x.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION double term(std::size_t term, std::size_t = 0) const {
    return magnitude_of(exact_double(part_of(x(term / 2), term % 2 == 1)));
  }
  /// Whole numbers: first the real parts of all of them, then the imaginary ones.
  void gather(std::size_t term, std::size_t, std::size_t count, int, int, Buffers& b) const {
    for (int part = 0; part < 2; ++part) copy_parts(x, term / 2, count / 2, part == 1, false, b.x + part * (count / 2));
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t, std::size_t, int gathered, Buffers const& b) const {
    return {{b.x + gathered}};
  }
};

/// The real or the imaginary part of the sum of conj(x(i)) * y(i), as Kokkos Kernels defines the dot product; one
/// product of numbers is one or two real products:
///
///     real:       x.real * y.real + x.imaginary * y.imaginary
///     imaginary:  x.real * y.imaginary - x.imaginary * y.real
///
/// or, not conjugated, of x(i) * y(i), with the other sign of x.imaginary.
template <class X, class Y>
struct ComplexProductsOf {
  using Products = RealProductsOf<EntryOf<X>, EntryOf<Y>>;
  static constexpr std::size_t terms_per_entry = Products::per_part;
  using Operations = ProductOperations<double, double>;
  using Exact = DotAccumulator<double>;

  X x;
  Y y;
  bool imaginary, conjugated;

  struct Buffers {
    double x[enclosure_tile_size], y[enclosure_tile_size];
  };
  std::size_t terms() const { return terms_per_entry * x.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION FactorPair term(std::size_t term, std::size_t = 0) const {
    std::size_t const i = term / terms_per_entry;
    return Products::of(imaginary, term % terms_per_entry).factors(x(i), y(i), conjugated);
  }

  /// Whole entries: first the first products of all of them, then the second ones.
  void gather(std::size_t term, std::size_t, std::size_t count, int, int, Buffers& b) const {
    std::size_t const first = term / terms_per_entry, entries = count / terms_per_entry;
    for (std::size_t k = 0; k < terms_per_entry; ++k) {
      RealProduct const product = Products::of(imaginary, k);
      copy_parts(x, first, entries, product.of_a, product.is_negative(conjugated), b.x + k * entries);
      copy_parts(y, first, entries, product.of_x, false, b.y + k * entries);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Operations operations(std::size_t, std::size_t, int gathered, Buffers const& b) const {
    return {b.x + gathered, b.y + gathered};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
