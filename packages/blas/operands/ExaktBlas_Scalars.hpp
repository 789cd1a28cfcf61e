// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SCALARS_HPP
#define EXAKTBLAS_SCALARS_HPP

/// \file
/// \brief Entries and factors, real or complex, as exact doubles.

#include "../kernels/ExaktBlas_Kernels.hpp"

#include <Exakt_Half.hpp>
#include <numerics/Exakt_ExactTerm.hpp>
#include <summation/Exakt_Extraction.hpp>

#include <Kokkos_Complex.hpp>

#include <complex>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The real type behind an entry, and whether the entry has an imaginary part.
template <class T>
struct Scalar {
  using Real = T;
  static constexpr bool is_complex = false;
  static constexpr int parts = 1;
  static KOKKOS_FORCEINLINE_FUNCTION T real(T const& x) { return x; }
};
template <class T>
struct Scalar<Kokkos::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
  static constexpr int parts = 2;
  static KOKKOS_FORCEINLINE_FUNCTION T real(Kokkos::complex<T> const& x) { return x.real(); }
  static KOKKOS_FORCEINLINE_FUNCTION T imaginary(Kokkos::complex<T> const& x) { return x.imag(); }
};
template <class T>
struct Scalar<std::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
  static constexpr int parts = 2;
  static T real(std::complex<T> const& x) { return x.real(); }
  static T imaginary(std::complex<T> const& x) { return x.imag(); }
};

template <class T>
using RealOf = typename Scalar<T>::Real;
template <class V>
using EntryOf = typename V::non_const_value_type;
template <class V>
using RealEntryOf = RealOf<EntryOf<V>>;
template <class V>
inline constexpr bool has_complex_entries = Scalar<EntryOf<V>>::is_complex;

/// \brief x as a number of a type that holds it.
///
/// Not a float by way of a double: options of device compilers may make a zero of a subnormal one on the way back.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION To widened(From x) {
  static_assert(converts_exactly_v<From, To>);
  if constexpr (std::is_same_v<To, double>) {
    return exact_double(x);
  } else {
    return static_cast<To>(x);
  }
}

/// The real or the imaginary part of an entry, exactly; a real number has no imaginary part but zero.
template <class To = double, class T>
KOKKOS_FORCEINLINE_FUNCTION To part_of(T const& entry, bool imaginary) {
  if constexpr (Scalar<T>::is_complex) {
    if (imaginary) return widened<To>(Scalar<T>::imaginary(entry));
  } else {
    if (imaginary) return 0;
  }
  return widened<To>(Scalar<T>::real(entry));
}

/// Its negative where that is asked for.
template <class To = double, class T>
KOKKOS_FORCEINLINE_FUNCTION To signed_part(T const& entry, bool imaginary, bool negative) {
  To const part = part_of<To>(entry, imaginary);
  return negative ? negated(part) : part;
}

/// The number with these parts.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T entry_of(typename Scalar<T>::Real const (&parts)[Scalar<T>::parts]) {
  if constexpr (Scalar<T>::is_complex) {
    return T(parts[0], parts[1]);
  } else {
    return parts[0];
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate_entry(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return T(Scalar<T>::real(entry), negated(Scalar<T>::imaginary(entry)));
  } else {
    return entry;
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T negated_entry(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return T(negated(Scalar<T>::real(entry)), negated(Scalar<T>::imaginary(entry)));
  } else {
    return negated(entry);
  }
}

/// alpha or beta. A real type has no imaginary part at all, not one of zero: alpha = 2 scales an infinity.
struct Factor {
  double real, imaginary;
  bool is_complex;

  // By bits, in every environment.
  KOKKOS_FUNCTION bool is_one() const {
    return bits_of(real) == bits_of(1.0) && (!is_complex || Impl::is_zero(imaginary));
  }
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

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
