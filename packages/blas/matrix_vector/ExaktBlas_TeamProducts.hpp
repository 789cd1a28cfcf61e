// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMPRODUCTS_HPP
#define EXAKTBLAS_TEAMPRODUCTS_HPP

/// \file
/// \brief Sums of products by one team, exactly: the path of devices and of the team functions, real and complex.

#include "../operands/ExaktBlas_Epilogue.hpp"
#include "../operands/ExaktBlas_Modes.hpp"

#include <Exakt_Reducer.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The entries of op(A).
template <class V>
struct Operated {
  V view;
  bool transposed, conjugated;

  KOKKOS_FUNCTION Operated(V const& a, ModeLetter mode)
      : view(a), transposed(!mode.is('N')), conjugated(has_complex_entries<V> && mode.is('C')) {}

  KOKKOS_FORCEINLINE_FUNCTION std::size_t rows() const { return view.extent(transposed ? 1 : 0); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t columns() const { return view.extent(transposed ? 0 : 1); }
  KOKKOS_FORCEINLINE_FUNCTION EntryOf<V> entry(std::size_t i, std::size_t j) const {
    EntryOf<V> const value = transposed ? view(j, i) : view(i, j);
    if constexpr (has_complex_entries<V>) {
      if (conjugated) return EntryOf<V>(value.real(), negated(value.imag()));
    }
    return value;
  }
};

/// Exact sums of the real and of the imaginary parts; of real products only the first is used.
template <bool complex>
struct ExactParts {
  DotAccumulator<double> real;

  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(A const& a, X const& x) {
    real.add_product(exact_double(a), exact_double(x));
  }
  KOKKOS_FUNCTION ExactParts& operator+=(ExactParts const& other) {
    real += other.real;
    return *this;
  }
  KOKKOS_FUNCTION void clear() { real.clear(); }
};

template <>
struct ExactParts<true> {
  // Without buffers: two accumulators of a reduction stay below 2 KB.
  ExactProducts real, imaginary;

  KOKKOS_FORCEINLINE_FUNCTION ExactProducts& of(RealProduct product) {
    return product.into_imaginary() ? imaginary : real;
  }

  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(A const& a, X const& x) {
    for_each_real_product<Scalar<A>::is_complex, Scalar<X>::is_complex>([&](RealProduct product) {
      double const factor = part_of(a, product.of_a);
      of(product).add_product(product.is_negative() ? negated(factor) : factor, part_of(x, product.of_x));
    });
  }
  KOKKOS_FUNCTION ExactParts& operator+=(ExactParts const& other) {
    real += other.real;
    imaginary += other.imaginary;
    return *this;
  }
  KOKKOS_FUNCTION void clear() { *this = ExactParts(); }
};

/// alpha * S + beta * y with an entry of any kind.
template <class Y, bool complex>
KOKKOS_INLINE_FUNCTION Y combined_entry(ExactParts<complex> const& sum, Factor const& alpha, Factor const& beta,
                                        Y const& y) {
  using R = typename Scalar<Y>::Real;
  if constexpr (complex) {
    bool const reads = !beta.is_zero();
    auto const result =
        combine_complex<R>(alpha, sum.real, sum.imaginary, beta, reads ? exact_double(Scalar<Y>::real(y)) : 0,
                           reads ? exact_double(Scalar<Y>::imaginary(y)) : 0);
    return Y(result.real(), result.imag());
  } else {
    Epilogue const epilogue{alpha.real, beta.real, !beta.is_zero(), false};
    return epilogue.template exactly<R>(sum.real.normalized(), epilogue.reads_y ? exact_double(y) : 0, 1);
  }
}

/// The exact sum of a(i, j) * x(j), j below `columns`, by the vector lanes of one thread of a team.
template <bool complex, class Member, class A, class X>
KOKKOS_INLINE_FUNCTION ExactParts<complex> thread_sum_of_products(Member const& member, A const& a, X const& x,
                                                                  std::size_t begin, std::size_t end) {
  ExactParts<complex> sum;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(member, end - begin),
      [&](std::size_t j, ExactParts<complex>& partial) { partial.add_product(a(begin + j), x(begin + j)); },
      Reducer<ExactParts<complex>>(sum));
  return sum;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
