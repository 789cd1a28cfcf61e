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
  double parts[2][size];

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, T const& entry) {
    parts[0][i] = part_of(entry, false);
    if constexpr (Scalar<T>::is_complex) parts[1][i] = part_of(entry, true);
  }
};

/// The exact sum of a(j) * x(j), j below n, as real and imaginary part.
EXAKT_CALLS_ARGUMENT
template <class A, class X>
KOKKOS_INLINE_FUNCTION ExactParts<true> sum_of_complex_products(A const& a, X const& x, std::size_t n) {
  ExactParts<true> sum;
  Extraction<ExactProducts, 4> extraction[2];
  Planes as, xs;
  for (Span const some : Pieces{{0, n}, Planes::size}) {
    std::size_t const begin = some.begin, count = some.size();
    for (std::size_t j = 0; j < count; ++j) {
      as.set(j, a(begin + j));
      xs.set(j, x(begin + j));
    }
    for_each_real_product<decltype(a(n)), decltype(x(n))>([&](RealProduct product) {
      double* const factors = as.parts[product.of_a];
      for (std::size_t j = 0; j < count && product.is_negative(); ++j) factors[j] = negated(factors[j]);
      int const part = product.into_imaginary();
      extraction[part].add_products(factors, xs.parts[product.of_x], count, sum.parts[part]);
    });
  }
  for (int part = 0; part < 2; ++part) extraction[part].drain(sum.parts[part]);
  return sum;
}

/// \brief alpha * S + beta * y for some entries: those of which both parts are decided by their enclosures, and
/// exactly(i) for the others. \pre epilogue.parts_stay_apart()
///
/// \tparam at_most  Of them.
/// \param entry     entry(i): y, which is written after both of its parts are decided.
template <int at_most, class Entry, class Exactly>
void round_complex_entries(EntryEpilogue const& epilogue, EnclosureArrays const& real, EnclosureArrays const& imaginary,
                           int count, Entry const& entry, Exactly const& exactly) {
  using Complex = std::decay_t<decltype(entry(0))>;
  using R = typename Scalar<Complex>::Real;
  MatrixKernelsOf<R> const& kernels = matrix_kernels();
  R parts[2][at_most];
  bool is_undecided[at_most] = {};
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < count && epilogue.reads_y; ++i)
      parts[part][i] = part == 0 ? Scalar<Complex>::real(entry(i)) : Scalar<Complex>::imaginary(entry(i));
    int undecided[at_most];
    int const others = kernels.try_round(epilogue, part == 0 ? real : imaginary, 1, count, parts[part], 1, undecided);
    for (int k = 0; k < others; ++k) is_undecided[undecided[k]] = true;
  }
  for (int i = 0; i < count; ++i) {
    if (is_undecided[i]) {
      exactly(i);
    } else {
      entry(i) = Complex(parts[0][i], parts[1][i]);
    }
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
