// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENCLOSEDMOMENTS_HPP
#define EXAKT_ENCLOSEDMOMENTS_HPP

/// \file
/// \brief From enclosures of the sum S of n numbers and of the sum Q of their squares to the variance, and to its root:
///
///     (n Q - S^2) / (n (n - ddof))
///
/// What cancels in n Q - S^2 costs the enclosures digits. Each function returns an enclosure that holds the exact result
/// of its operation for all numbers in its operands, up to roundings of its bound, for which whoever reads it makes room;
/// or one without a bound.
///
/// \tparam is_fused  How products are split (two_product_by()). Kernels, which are compiled for processors with a fused
///                   multiply-add behind the back of the macros, say so.

#include "Exakt_Enclosure.hpp"

#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

/// a * n, for an integer 0 < n < 2^53.
template <bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION Enclosure multiply(Enclosure const& a, double n) {
  if (!has_exact_products(a.high)) return {};
  auto const product = two_product_by<is_fused>(a.high, n);
  double const rest = opaque(a.low * n);
  // The product of low is rounded by 2^-53 of it, and the sum by 2^-53 of both; nothing underflows.
  return {product.value, product.error + rest,
          opaque(a.bound * n) * (1 + 0x1p-40) + 0x1p-51 * (magnitude_of(product.error) + magnitude_of(rest))};
}

/// a * b.
template <bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION Enclosure multiply(Enclosure const& a, Enclosure const& b) {
  constexpr double least = 0x1p-440, underflow = 0x1p-1000;
  double const x = a.high, y = b.high, x_size = magnitude_of(x), y_size = magnitude_of(y);
  double const x_rest = magnitude_of(a.low) + a.bound, y_rest = magnitude_of(b.low) + b.bound;
  // (x + x' + d)(y + y' + e) = x y + (x y' + x' y + x' y') + ((y + y') d + (x + x' + d) e), |d| <= a.bound
  if (!(x_size < 0x1p440 && y_size < 0x1p440)) return {};
  if (x_size < least || y_size < least)
    return {0, 0, opaque((x_size + x_rest) * (y_size + y_rest)) * (1 + 0x1p-40) + underflow};
  auto const product = two_product_by<is_fused>(x, y);
  double const left = opaque(x * b.low), right = opaque(a.low * y), both = opaque(a.low * b.low);
  double const rest = opaque((y_size + y_rest) * a.bound) + opaque((x_size + x_rest) * b.bound);
  return {
      product.value, product.error + ((left + right) + both),
      rest * (1 + 0x1p-40) +
          0x1p-50 * ((magnitude_of(product.error) + magnitude_of(both)) + (magnitude_of(left) + magnitude_of(right))) +
          underflow};
}

/// \brief a / n, for a number 0 < n < 2^54.
///
/// As try_round_quotient() does it, without the rounding, and with one division, which need not wait for a: q is within
/// 2^-51 of high / n, so that high - product.value is exact (Sterbenz). Less product.error it may need a bit more than a
/// double has, 2^-105 of high at most; what else is rounded on the way to c is less than 2^-50 of it.
template <bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION Enclosure quotient(Enclosure const& a, double n) {
  double const reciprocal = opaque(1 / n);
  auto const [high, low] = two_sum(a.high, a.low);
  if (!has_exact_products(high)) return {};
  double const q = opaque(high * reciprocal);
  auto const product = two_product_by<is_fused>(q, n);
  double const c = opaque(((high - product.value) - product.error) + low) * reciprocal;
  return {q, c,
          (a.bound * reciprocal) * (1 + 0x1p-40) + 0x1p-50 * magnitude_of(c) + 0x1p-103 * magnitude_of(q) + 0x1p-1000};
}

/// a / (n * freedom), for integers below 2^53: by one division where their product is a double.
template <bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION Enclosure quotient(Enclosure const& a, double n, double freedom) {
  double const divisor = opaque(n * freedom);
  if (divisor < 0x1p53) return quotient<is_fused>(a, divisor);
  return quotient<is_fused>(quotient<is_fused>(a, n), freedom);
}

/// n P - S T.
template <bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION Enclosure scaled_covariance(Enclosure const& x, Enclosure const& y,
                                                        Enclosure const& products, double n) {
  Enclosure scaled = multiply<is_fused>(products, n);
  Enclosure const subtracted = multiply<is_fused>(x, y);
  add_enclosure(scaled, {-subtracted.high, -subtracted.low, subtracted.bound});
  return scaled;
}

/// \brief The variance, or its root, rounded to nearest, if the enclosures of the sums decide it.
/// \pre freedom > 0.
template <class R, bool is_root, bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_variance(Enclosure const& sum, Enclosure const& squares, std::uint64_t n,
                                                    std::uint64_t freedom, R& result) {
  if (n >> 53 != 0 || freedom >> 53 != 0) return false;
  double const count = static_cast<double>(n);
  Enclosure const scaled = scaled_covariance<is_fused>(sum, sum, squares, count);
  Enclosure const variance = quotient<is_fused>(scaled, count, static_cast<double>(freedom));
  if constexpr (is_root) {
    return try_round_sqrt<R, is_fused>(variance, result);
  } else {
    return variance.high > 0 && try_round(variance, result);
  }
}

/// The mean, where the square of it is nearly all of the squares' sum: then it is worth a pass of its own to subtract it;
/// else zero.
KOKKOS_FORCEINLINE_FUNCTION double worthwhile_shift(Enclosure const& sum, Enclosure const& squares, double n) {
  double const mean = sum.high / n;
  bool const is_known = sum.bound < HUGE_VAL && squares.bound < HUGE_VAL;
  return is_known && mean * mean * n > 0.999 * squares.high ? mean : 0;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
