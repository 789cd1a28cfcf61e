// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SCALARS_HPP
#define EXAKTBLAS_SCALARS_HPP

/// \file
/// \brief Entries and factors, real or complex, as exact doubles.

#include <Exakt_Folds.hpp>
#include <Exakt_Half.hpp>

#include <Kokkos_Complex.hpp>

#include <complex>
#include <type_traits>

namespace Exakt::Impl {

/// The real type behind an entry, and whether the entry has an imaginary part.
template <class T>
struct Scalar {
  using Real = T;
  static constexpr bool is_complex = false;
  static KOKKOS_FORCEINLINE_FUNCTION T real(T const& x) { return x; }
};
template <class T>
struct Scalar<Kokkos::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
  static KOKKOS_FORCEINLINE_FUNCTION T real(Kokkos::complex<T> const& x) { return x.real(); }
  static KOKKOS_FORCEINLINE_FUNCTION T imaginary(Kokkos::complex<T> const& x) { return x.imag(); }
};
template <class T>
struct Scalar<std::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
  static T real(std::complex<T> const& x) { return x.real(); }
  static T imaginary(std::complex<T> const& x) { return x.imag(); }
};

template <class V>
using EntryOf = typename V::non_const_value_type;
template <class V>
using RealEntryOf = typename Scalar<EntryOf<V>>::Real;
template <class V>
inline constexpr bool has_complex_entries = Scalar<EntryOf<V>>::is_complex;

/// x as a double: exact in every floating-point environment.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double exact_double(T x) {
  using F = FloatFormat<T>;
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    if constexpr (std::is_same_v<T, float>) {
      if (is_zero_or_normal(x)) return static_cast<double>(x);
    }
    if (is_nan(x)) return from_bits<double>(false, FloatFormat<double>::quiet_nan);
    if (!is_finite(x)) return from_bits<double>(is_negative(x), FloatFormat<double>::infinity);
    static_assert(FloatFormat<double>::min_exponent < F::lsb_exponent, "the product is a normal number");
    auto const parts = integer_parts(x);
    double const magnitude =
        static_cast<double>(static_cast<std::int64_t>(parts.significand)) * power_of_two(parts.exponent);
    return parts.negative ? negated(magnitude) : magnitude;
  }
}

KOKKOS_FORCEINLINE_FUNCTION double magnitude_of(double x) {
  return bit_cast<double>(bits_of(x) & ~FloatFormat<double>::sign_mask);
}

/// alpha or beta. A real type has no imaginary part at all, not one of zero: alpha = 2 scales an infinity.
struct Factor {
  double real, imaginary;
  bool is_complex;

  KOKKOS_FUNCTION bool is_zero() const { return Impl::is_zero(real) && (!is_complex || Impl::is_zero(imaginary)); }
};

template <class F>
KOKKOS_INLINE_FUNCTION Factor factor(F const& f) {
  if constexpr (Scalar<F>::is_complex) {
    return {exact_double(Scalar<F>::real(f)), exact_double(Scalar<F>::imaginary(f)), true};
  } else {
    return {exact_double(factor_of<double>(f)), 0, false};
  }
}

}  // namespace Exakt::Impl

#endif
