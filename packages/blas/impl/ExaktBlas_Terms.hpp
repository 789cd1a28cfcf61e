// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TERMS_HPP
#define EXAKTBLAS_TERMS_HPP

/// \file
/// \brief From views to terms: what is summed, read in contiguous tiles whatever the layout.

#include "ExaktBlas_Checks.hpp"
#include "ExaktBlas_Scalars.hpp"

#include <Exakt_Certificate.hpp>

namespace Exakt::Impl {

/// The entries of one column of a view as contiguous tiles: in place if they are contiguous, gathered otherwise.
template <class V>
struct ColumnTiles {
  using Entry = typename V::non_const_value_type;
  using Value = std::conditional_t<is_float_v<Entry>, Entry, float>;  // half types are widened as they are gathered

  V view;

  struct Buffer {
    Value entries[certificate_tile_size];
  };

  KOKKOS_FORCEINLINE_FUNCTION Entry const& entry(std::size_t row, std::size_t column) const {
    if constexpr (V::rank == 1) {
      return view(row);
    } else {
      return view(row, column);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const {
    return is_float_v<Entry> && (view.stride(0) == 1 || view.extent(0) < 2);
  }

  /// `count` entries from `row` on; at most a tile if they have to be gathered.
  KOKKOS_FORCEINLINE_FUNCTION Value const* at(std::size_t row, std::size_t column, std::size_t count,
                                              Buffer& buffer) const {
    if constexpr (is_float_v<Entry>) {
      if (is_contiguous()) return &entry(row, column);
    }
    for (std::size_t i = 0; i < count; ++i) buffer.entries[i] = static_cast<Value>(entry(row + i, column));
    return buffer.entries;
  }
};

/// sum of x(i).
template <class X>
struct SumOf {
  using Value = typename ColumnTiles<X>::Value;
  using Source = SumSource<Value>;
  using Exact = SumAccumulator<double>;
  ColumnTiles<X> x;

  struct Buffers {
    typename ColumnTiles<X>::Buffer x;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return x.is_contiguous(); }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t row, std::size_t column, std::size_t count, Buffers& b) const {
    return {x.at(row, column, count, b.x)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_entry(std::size_t row, std::size_t column, Exact& sum) const {
    sum += x.entry(row, column);
  }
};

/// sum of |x(i)|.
template <class X>
struct AbsoluteSumOf : SumOf<X> {
  using Source = AbsoluteSource<typename SumOf<X>::Value>;
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t row, std::size_t column, std::size_t count,
                                            typename SumOf<X>::Buffers& b) const {
    return {{this->x.at(row, column, count, b.x)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_entry(std::size_t row, std::size_t column, typename SumOf<X>::Exact& sum) const {
    auto const entry = this->x.entry(row, column);
    sum += is_negative(entry) ? negated(entry) : entry;
  }
};

/// sum of x(i) * y(i).
template <class X, class Y>
struct ProductsOf {
  using Source = ProductSource<typename ColumnTiles<X>::Value, typename ColumnTiles<Y>::Value>;
  using Exact = DotAccumulator<double>;
  ColumnTiles<X> x;
  ColumnTiles<Y> y;

  struct Buffers {
    typename ColumnTiles<X>::Buffer x;
    typename ColumnTiles<Y>::Buffer y;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return x.is_contiguous() && y.is_contiguous(); }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t row, std::size_t column, std::size_t count, Buffers& b) const {
    return {x.at(row, column, count, b.x), y.at(row, column, count, b.y)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_entry(std::size_t row, std::size_t column, Exact& sum) const {
    sum.add_product(x.entry(row, column), y.entry(row, column));
  }
};

/// The real or the imaginary part of the sum of conj(x(i)) * y(i), as Kokkos Kernels defines the dot product; one
/// product of numbers is one or two real products:
///
///     real:       x.real * y.real + x.imaginary * y.imaginary
///     imaginary:  x.real * y.imaginary - x.imaginary * y.real
template <class X, class Y>
struct ComplexProductsOf {
  using XEntry = EntryOf<X>;
  using YEntry = EntryOf<Y>;
  static constexpr bool x_is_complex = Scalar<XEntry>::is_complex, y_is_complex = Scalar<YEntry>::is_complex;
  static constexpr std::size_t terms_per_entry = x_is_complex && y_is_complex ? 2 : 1;
  using Source = ProductSource<double, double>;
  using Exact = DotAccumulator<double>;

  X x;
  Y y;
  bool imaginary;

  struct Buffers {
    double x[certificate_tile_size], y[certificate_tile_size];
  };
  std::size_t terms() const { return terms_per_entry * x.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_contiguous() const { return false; }

  KOKKOS_INLINE_FUNCTION void factors(std::size_t term, double& a, double& b) const {
    std::size_t const i = term / terms_per_entry;
    // Which part of each factor; what is real has no other.
    bool a_imaginary = term % terms_per_entry != 0, b_imaginary = a_imaginary != imaginary;
    if constexpr (!y_is_complex) {
      b_imaginary = false;
      a_imaginary = imaginary;
    }
    a = part(x(i), a_imaginary);
    b = part(y(i), b_imaginary);
    if (a_imaginary && imaginary) a = negated(a);
  }
  KOKKOS_INLINE_FUNCTION Source source(std::size_t term, std::size_t, std::size_t count, Buffers& b) const {
    for (std::size_t t = 0; t < count; ++t) factors(term + t, b.x[t], b.y[t]);
    return {b.x, b.y};
  }
  KOKKOS_INLINE_FUNCTION void add_entry(std::size_t term, std::size_t, Exact& sum) const {
    double a, b;
    factors(term, a, b);
    sum.add_product(a, b);
  }

 private:
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION double part(T const& entry, bool imaginary) {
    if constexpr (Scalar<T>::is_complex) {
      if (imaginary) return exact_double(Scalar<T>::imaginary(entry));
    }
    return exact_double(Scalar<T>::real(entry));
  }
};

}  // namespace Exakt::Impl

#endif
