// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_REFLECTORS_HPP
#define EXAKTBLASABI_REFLECTORS_HPP

/// \file
/// \brief A = Q R by reflectors: panels of columns, each of them by halves.

#include "ExaktBlasAbi_Operations.hpp"

#include <limits>

namespace ExaktBlasAbi {

/// \brief x := (beta, v(2), ...), with H^H x = (beta, 0, ...), H = I - tau v v^H, v(1) = 1, beta real.
template <class T>
T reflect(Matrix<T> const& x) {
  using R = Real<T>;
  std::size_t const n = x.extent(0);
  T& first = x(0, 0);
  bool is_reflected = part_of(first, true) != 0;
  for (std::size_t i = 1; i < n; ++i) is_reflected = is_reflected || !is_zero_entry(x(i, 0));
  if (!is_reflected) return T(0);
  auto const norm = [&] {
    ExactProducts squares;
    for (std::size_t i = 0; i < n; ++i)
      for (int p = 0; p < (is_complex<T> ? 2 : 1); ++p)
        squares.add_product(part_of(x(i, 0), p == 1), part_of(x(i, 0), p == 1));
    return squares.template round_sqrt<R>();
  };
  // Small numbers are multiplied by a power of two first, for subnormal ones have few bits, and large ones, for the norm and
  // first - beta must not overflow.
  R size = norm(), scale = 1;
  if (size < std::numeric_limits<R>::min())
    scale = sizeof(R) == 4 ? R(0x1p75) : R(0x1p600);
  else if (!(size <= std::numeric_limits<R>::max() / 4))
    scale = 0x1p-64;
  for (std::size_t i = 0; i < n && scale < 1; ++i)
    for (int p = 0; p < (is_complex<T> ? 2 : 1); ++p)
      if (!std::isfinite(part_of(x(i, 0), p == 1))) scale = 1;
  if (scale != 1) {
    for (std::size_t i = 0; i < n; ++i) x(i, 0) = by_parts(x(i, 0), [&](R part) { return part * scale; });
    size = norm();
  }
  R const real = Exakt::Impl::Scalar<T>::real(first), beta = std::signbit(real) ? size : -size;
  T divisor = first;
  if constexpr (is_complex<T>) {
    divisor = T(real - beta, first.imag());
  } else {
    divisor = real - beta;
  }
  for (std::size_t i = 1; i < n; ++i) x(i, 0) = quotient(x(i, 0), divisor);
  T tau;
  if constexpr (is_complex<T>) {
    tau = T((beta - real) / beta, -first.imag() / beta);
  } else {
    tau = (beta - real) / beta;
  }
  first = T(beta / scale);
  return tau;
}

/// The reflectors' vectors that A has below its diagonal, with the ones and zeros that it has not.
template <class T>
Zeros<T> reflectors_of(Matrix<T> const& a) {
  Zeros<T> v(a.extent(0), a.extent(1));
  for (std::size_t j = 0; j < a.extent(1); ++j) {
    v.view(j, j) = T(1);
    for (std::size_t i = j + 1; i < a.extent(0); ++i) v.view(i, j) = a(i, j);
  }
  return v;
}

/// C := (I - V T V^H)^H C.
template <class T>
void apply_reflectors(Matrix<T> const& v, Matrix<T> const& t, Matrix<T> const& c) {
  Zeros<T> const w(v.extent(1), c.extent(1)), tw(v.extent(1), c.extent(1));
  multiply(factor_in(v, "C"), factor_in(c), factor_of_one, nothing, w.view);
  multiply(factor_in(t, "C"), factor_in(w.view), factor_of_one, nothing, tw.view);
  multiply(factor_in(v), factor_in(tw.view), minus_one, factor_of_one, c);
}

/// \brief Q R of a panel of no more columns than rows; Q = I - V T V^H for an upper triangular T, which is zeros before.
template <class T>
void factor_panel(Matrix<T> const& a, Matrix<T> const& t) {
  std::size_t const m = a.extent(0), n = a.extent(1);
  if (n == 1) {
    t(0, 0) = reflect(a);
    return;
  }
  std::size_t const half = n / 2;
  Span const left{0, half}, right{half, n}, below{half, m};
  factor_panel(part(a, {0, m}, left), part(t, left, left));
  auto const v = reflectors_of(part(a, {0, m}, left));
  apply_reflectors(v.view, part(t, left, left), part(a, {0, m}, right));
  factor_panel(part(a, below, right), part(t, right, right));
  // T12 = -T1 V1^H V2 T2
  auto const v2 = reflectors_of(part(a, below, right));
  Zeros<T> const products(half, n - half), half_done(half, n - half);
  multiply(factor_in(part(v.view, below, left), "C"), factor_in(v2.view), factor_of_one, nothing, products.view);
  multiply(factor_in(part(t, left, left)), factor_in(products.view), minus_one, nothing, half_done.view);
  multiply(factor_in(half_done.view), factor_in(part(t, right, right)), factor_of_one, nothing, part(t, left, right));
}

template <class T>
void factor_qr(Matrix<T> const& a, T* tau) {
  constexpr std::size_t panel = 32;
  std::size_t const m = a.extent(0), n = a.extent(1), count = m < n ? m : n;
  for (Span const columns : Exakt::Impl::Pieces{{0, count}, panel}) {
    Span const rows{columns.begin, m}, rest{columns.end, n};
    auto const some = part(a, rows, columns);
    Zeros<T> const t(columns.size(), columns.size());
    factor_panel(some, t.view);
    for (std::size_t j = 0; j < columns.size(); ++j) tau[columns.begin + j] = t.view(j, j);
    if (rest.size() > 0) apply_reflectors(reflectors_of(some).view, t.view, part(a, rows, rest));
  }
}

}  // namespace ExaktBlasAbi

#endif
