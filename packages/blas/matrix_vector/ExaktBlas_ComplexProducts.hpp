// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXPRODUCTS_HPP
#define EXAKTBLAS_COMPLEXPRODUCTS_HPP

/// \file
/// \brief Complex sums of products on hosts: real and imaginary planes of a tile, then four real sums of products.

#include "ExaktBlas_TeamProducts.hpp"

#include <summation/Exakt_Extraction.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Some entries, real and imaginary parts apart.
struct Planes {
  static constexpr std::size_t size = 256;
  double real[size], imaginary[size];

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, T const& entry) {
    real[i] = exact_double(Scalar<T>::real(entry));
    if constexpr (Scalar<T>::is_complex) imaginary[i] = exact_double(Scalar<T>::imaginary(entry));
  }
};

/// The exact sum of a(j) * x(j), j below n, as real and imaginary part.
EXAKT_CALLS_ARGUMENT
template <class A, class X>
KOKKOS_INLINE_FUNCTION ExactParts<true> sum_of_complex_products(A const& a, X const& x, std::size_t n) {
  constexpr bool a_is_complex = Scalar<decltype(a(n))>::is_complex, x_is_complex = Scalar<decltype(x(n))>::is_complex;
  ExactParts<true> sum;
  Extraction<ExactProducts, 4> real, imaginary;
  Planes as, xs;
  for (std::size_t begin = 0; begin < n; begin += Planes::size) {
    std::size_t const count = n - begin < Planes::size ? n - begin : Planes::size;
    for (std::size_t j = 0; j < count; ++j) {
      as.set(j, a(begin + j));
      xs.set(j, x(begin + j));
    }
    real.add_products(as.real, xs.real, count, sum.real);
    if constexpr (x_is_complex) imaginary.add_products(as.real, xs.imaginary, count, sum.imaginary);
    if constexpr (a_is_complex) imaginary.add_products(as.imaginary, xs.real, count, sum.imaginary);
    if constexpr (a_is_complex && x_is_complex) {
      for (std::size_t j = 0; j < count; ++j) as.imaginary[j] = negated(as.imaginary[j]);
      real.add_products(as.imaginary, xs.imaginary, count, sum.real);
    }
  }
  real.drain(sum.real);
  imaginary.drain(sum.imaginary);
  return sum;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
