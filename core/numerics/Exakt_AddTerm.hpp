// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ADDTERM_HPP
#define EXAKT_ADDTERM_HPP

/// \file
/// \brief How a number or a product reaches a fixed-point sum: as +-significand * 2^exponent, or as a special value.
///
/// A `Sum` has `add_scaled(significand, exponent, negative)`, `add_infinity_or_nan(nan, negative)` and
/// `lowest_exponent`.

#include "Exakt_FloatFormat.hpp"
#include "Exakt_WideProduct.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Adds x, of any floating-point type; its value is a multiple of 2^lowest_exponent.
template <class Sum, class X>
KOKKOS_FORCEINLINE_FUNCTION constexpr void add_multiple(Sum& sum, X x) {
  if (!is_finite(x)) return sum.add_infinity_or_nan(is_nan(x), is_negative(x));
  auto const parts = integer_parts(x);
  if (parts.significand == 0) return;
  // Below the lowest bit a multiple has zeros.
  int const zeros = parts.exponent < Sum::lowest_exponent ? Sum::lowest_exponent - parts.exponent : 0;
  sum.add_scaled(parts.significand >> zeros, parts.exponent + zeros, parts.negative);
}

/// Adds x * y, or -x * y, neither rounded nor under- or overflowing.
template <class Sum, class X, class Y>
KOKKOS_INLINE_FUNCTION constexpr void add_product(Sum& sum, X x, Y y, bool subtract) {
  auto const a = integer_parts(x), b = integer_parts(y);
  bool const negative = (a.negative != b.negative) != subtract;
  if (!is_finite(x) || !is_finite(y)) {
    bool const zero_times_infinity = a.significand == 0 || b.significand == 0;
    return sum.add_infinity_or_nan(is_nan(x) || is_nan(y) || zero_times_infinity, negative);
  }
  if (a.significand == 0 || b.significand == 0) return;
  auto const product = wide_product(a.significand, b.significand);
  int const exponent = a.exponent + b.exponent;
  sum.add_scaled(product.low, exponent, negative);
  if (product.high != 0) sum.add_scaled(product.high, exponent + 64, negative);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
