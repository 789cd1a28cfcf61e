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

/// The real or the imaginary part of an entry, exactly; a real number has no imaginary part but zero.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double part_of(T const& entry, bool imaginary) {
  if constexpr (Scalar<T>::is_complex) {
    if (imaginary) return exact_double(Scalar<T>::imaginary(entry));
  } else {
    if (imaginary) return 0;
  }
  return exact_double(Scalar<T>::real(entry));
}

/// \brief One of the real products that a product a*x of complex numbers is: which parts of the factors, and the part of
/// the result that it is added to, or subtracted from.
struct RealProduct {
  bool of_a, of_x;  // whether it is the imaginary part
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool into_imaginary() const { return of_a != of_x; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_negative() const { return of_a && of_x; }
};

/// f(product) for the real products of a*x, which are one, two or four. That of both imaginary parts comes last.
EXAKT_CALLS_ARGUMENT
template <bool a_is_complex, bool x_is_complex, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_real_product(F const& f) {
  f(RealProduct{false, false});
  if constexpr (x_is_complex) f(RealProduct{false, true});
  if constexpr (a_is_complex) f(RealProduct{true, false});
  if constexpr (a_is_complex && x_is_complex) f(RealProduct{true, true});
}

/// alpha or beta. A real type has no imaginary part at all, not one of zero: alpha = 2 scales an infinity.
struct Factor {
  double real, imaginary;
  bool is_complex;

  KOKKOS_FUNCTION bool is_one() const { return real == 1 && (!is_complex || Impl::is_zero(imaginary)); }
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
