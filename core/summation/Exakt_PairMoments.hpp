// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PAIRMOMENTS_HPP
#define EXAKT_PAIRMOMENTS_HPP

/// \file
/// \brief From the sums of x, y, x y, x^2 and y^2 over n pairs to their covariance and their correlation:
///
///     C(x, y) / (n (n - ddof))    and    C(x, y) / sqrt(C(x, x) C(y, y)),    C(x, y) = n sum(x y) - sum(x) sum(y)
///
/// Exactly, in integers; or from enclosures of the sums.

#include "Exakt_Moments.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// A positive integer of 32-bit limbs, the lowest first.
template <int Limbs>
struct Natural {
  std::uint32_t limb[Limbs] = {};
  int size = 0;  // limbs; the highest one is not zero

  constexpr int bits() const { return size == 0 ? 0 : 32 * (size - 1) + bit_width(limb[size - 1]); }
  constexpr void trim() {
    while (size > 0 && limb[size - 1] == 0) --size;
  }
};

template <int A, int B>
constexpr Natural<A + B> product_of(Natural<A> const& a, Natural<B> const& b) {
  Natural<A + B> result;
  for (int i = 0; i < a.size; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < b.size; ++j) {
      carry += std::uint64_t{a.limb[i]} * b.limb[j] + result.limb[i + j];  // (2^32 - 1)^2 + 2 (2^32 - 1) < 2^64
      result.limb[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    result.limb[i + b.size] = static_cast<std::uint32_t>(carry);
  }
  result.size = a.size + b.size;
  result.trim();
  return result;
}

/// a * 2^shift, as Limbs limbs hold it.
template <int Limbs, int A>
constexpr Natural<Limbs> shifted(Natural<A> const& a, int shift) {
  Natural<Limbs> result;
  int const whole = shift / 32, part = shift % 32;
  for (int i = 0; i < a.size; ++i) {
    std::uint64_t const moved = std::uint64_t{a.limb[i]} << part;
    result.limb[whole + i] |= static_cast<std::uint32_t>(moved);
    if (moved >> 32 != 0) result.limb[whole + i + 1] |= static_cast<std::uint32_t>(moved >> 32);
  }
  result.size = a.size + whole + 1 < Limbs ? a.size + whole + 1 : Limbs;
  result.trim();
  return result;
}

/// -1, 0 or 1.
template <int A, int B>
constexpr int compare(Natural<A> const& a, Natural<B> const& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (int i = a.size - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
  return 0;
}

/// x = number * 2^exponent, without trailing zero limbs.
template <int Limbs>
struct ScaledNatural {
  Natural<Limbs> number;
  int exponent = 0;

  template <class Magnitude>
  constexpr explicit ScaledNatural(Magnitude const& x) {
    int const leading = x.leading();
    while (exponent <= leading && x.bits(exponent, 32) == 0) exponent += 32;
    for (int position = exponent; position <= leading; position += 32)
      number.limb[number.size++] = static_cast<std::uint32_t>(x.bits(position, 32));
  }
};

/// \brief sqrt(|a a'| / (b c)) with the sign of a, as far as a rounding asks: bit by bit, each decided by integers,
///
///     q^2 b c <= |a a'| 2^(2 k),    k such that 2^59 <= q < 2^61.
///
/// \pre a and a' are not zero, b and c are positive; the unit of all is the same.
template <class Magnitude>
constexpr TruncatedReal root_of_ratio(Magnitude const& a, Magnitude const& other_a, Magnitude const& b,
                                      Magnitude const& c) {
  constexpr int limbs = (LongAccumulator<double, 56, Terms::scaled_products>::digit_count * 56 + 31) / 32;
  constexpr int root_bits = 61, room = 2 * limbs + 2 * root_bits / 32 + 2;
  ScaledNatural<limbs> const x(a), other_x(other_a), y(b), z(c);
  auto const divisor = product_of(y.number, z.number);
  auto const dividend = product_of(x.number, other_x.number);
  // |a a'| / (b c) = dividend / divisor * 2^e, between 2^(d - 1) and 2^(d + 1).
  int const e = x.exponent + other_x.exponent - y.exponent - z.exponent;
  int const d = dividend.bits() + e - divisor.bits();
  int const k = root_bits - ((d + 2) >> 1);
  int const shift = e + 2 * k;
  auto const left = shifted<room>(divisor, shift < 0 ? -shift : 0);
  auto const right = shifted<room>(dividend, shift < 0 ? 0 : shift);
  std::uint64_t root = 0;
  bool is_exact = false;
  for (int bit = root_bits - 1; bit >= 0; --bit) {
    std::uint64_t const trial = root | std::uint64_t{1} << bit;
    auto const square = wide_product(trial, trial);
    Natural<4> factor;
    for (int i = 0; i < 4; ++i)
      factor.limb[i] = static_cast<std::uint32_t>((i < 2 ? square.low : square.high) >> (i % 2 * 32));
    factor.size = 4;
    factor.trim();
    int const order = compare(product_of(left, factor), right);
    if (order > 0) continue;
    root = trial;
    is_exact = order == 0;
  }
  return {root, -k, a.negative, !is_exact};
}

/// a / sqrt(b c), likewise.
template <class Magnitude>
constexpr TruncatedReal quotient_by_root(Magnitude const& a, Magnitude const& b, Magnitude const& c) {
  return root_of_ratio(a, a, b, c);
}

/// The covariance, rounded once from the exact sums. NaN without degrees of freedom, or where a term is infinite or NaN.
template <class R, class SumLong, class ProductLong>
constexpr R round_covariance(SumLong const& x, SumLong const& y, ProductLong const& products, std::uint64_t n,
                             std::int64_t ddof, Rounding mode) {
  std::uint64_t const freedom = degrees_of_freedom(n, ddof);
  auto const has_special = [](auto const& sum) { return sum.special() != Special::none; };
  auto const s = x.normalized(), t = y.normalized();
  auto const p = products.normalized();
  if (freedom == 0 || has_special(s) || has_special(t) || has_special(p)) return special_value<R>(Special::nan);
  auto const magnitude = scaled_covariance(s, t, p, n).normalized().magnitude();
  if (magnitude.leading() < 0) return exact_zero<R>(mode);
  return round_to<R>(quotient_of(magnitude, wide_product(n, freedom)), mode);
}

/// \brief The variance of the complex numbers x + iy, (C(x, x) + C(y, y)) / (n (n - ddof)), or its root, rounded once.
template <class R, bool is_root, class SumLong, class ProductLong>
constexpr R round_complex_variance(SumLong const& x, SumLong const& y, ProductLong const& x_squares,
                                   ProductLong const& y_squares, std::uint64_t n, std::int64_t ddof, Rounding mode) {
  std::uint64_t const freedom = degrees_of_freedom(n, ddof);
  auto const has_special = [](auto const& sum) { return sum.special() != Special::none; };
  auto const s = x.normalized(), t = y.normalized();
  auto const q = x_squares.normalized(), r = y_squares.normalized();
  if (freedom == 0 || has_special(s) || has_special(t) || has_special(q) || has_special(r))
    return special_value<R>(Special::nan);
  auto scaled = scaled_covariance(s, s, q, n);
  scaled += scaled_covariance(t, t, r, n);
  auto const magnitude = scaled.normalized().magnitude();
  if (magnitude.leading() < 0) return exact_zero<R>(mode);
  auto const divisor = wide_product(n, freedom);
  return round_to<R>(is_root ? root_of_quotient(magnitude, divisor) : quotient_of(magnitude, divisor), mode);
}

/// The correlation, rounded once from the exact sums. NaN if a variance is zero, or where a term is infinite or NaN.
template <class R, class SumLong, class ProductLong>
constexpr R round_correlation(SumLong const& x, SumLong const& y, ProductLong const& products,
                              ProductLong const& x_squares, ProductLong const& y_squares, std::uint64_t n,
                              Rounding mode) {
  auto const has_special = [](auto const& sum) { return sum.special() != Special::none; };
  auto const s = x.normalized(), t = y.normalized();
  auto const p = products.normalized(), q = x_squares.normalized(), r = y_squares.normalized();
  R const undefined = special_value<R>(Special::nan);
  if (n < 2 || has_special(s) || has_special(t) || has_special(p) || has_special(q) || has_special(r)) return undefined;
  auto const of_x = scaled_covariance(s, s, q, n).normalized().magnitude();
  auto const of_y = scaled_covariance(t, t, r, n).normalized().magnitude();
  if (of_x.leading() < 0 || of_y.leading() < 0) return undefined;
  auto const of_both = scaled_covariance(s, t, p, n).normalized().magnitude();
  if (of_both.leading() < 0) return exact_zero<R>(mode);
  return round_to<R>(quotient_by_root(of_both, of_x, of_y), mode);
}

// The same with enclosures.

/// a / b, for b > 0; without a bound if b is not known well.
inline Enclosure quotient(Enclosure const& a, Enclosure const& b) {
  auto const x = two_sum(a.high, a.low), y = two_sum(b.high, b.low);
  if (!has_exact_products(x.value) || !has_exact_products(y.value) || !(b.bound < 0x1p-40 * y.value)) return {};
  // (x + x' + d) / (y + y' + e) = q + (x - q y + x' - q y' + d - q e) / (y + y' + e)
  double const q = opaque(x.value / y.value);
  if (!has_exact_products(q)) return {};
  auto const product = two_product(q, y.value);
  double const c = (((x.value - product.value) - product.error) + (x.error - opaque(q * y.error))) / y.value;
  // The correction is rounded by a few 2^-53 of it and of q y', which is below 2^-53 x, and divided by y, not by y + y' + e.
  return {q, c,
          ((a.bound + magnitude_of(q) * b.bound) / y.value) * (1 + 0x1p-30) +
              magnitude_of(c) * (0x1p-49 + 2 * (b.bound / y.value)) + magnitude_of(q) * 0x1p-103 + 0x1p-1000};
}

/// \brief The covariance, rounded to nearest, if the enclosures of the sums decide it. \pre freedom > 0.
template <class R>
bool try_round_covariance(Enclosure const& x, Enclosure const& y, Enclosure const& products, std::uint64_t n,
                          std::uint64_t freedom, R& result) {
  if (n >> 53 != 0 || freedom >> 53 != 0) return false;
  double const count = static_cast<double>(n);
  Enclosure const scaled = scaled_covariance(x, y, products, count);
  return try_round(quotient(scaled, count, static_cast<double>(freedom)), result);
}

/// \brief The variance of complex numbers, or its root, likewise. \pre freedom > 0.
template <class R, bool is_root>
bool try_round_complex_variance(Enclosure const& x, Enclosure const& y, Enclosure const& x_squares,
                                Enclosure const& y_squares, std::uint64_t n, std::uint64_t freedom, R& result) {
  if (n >> 53 != 0 || freedom >> 53 != 0) return false;
  double const count = static_cast<double>(n);
  Enclosure scaled = scaled_covariance(x, x, x_squares, count);
  add_enclosure(scaled, scaled_covariance(y, y, y_squares, count));
  Enclosure const variance = quotient(scaled, count, static_cast<double>(freedom));
  if constexpr (is_root) {
    return try_round_sqrt(variance, result);
  } else {
    return variance.high > 0 && try_round(variance, result);
  }
}

/// \brief The correlation likewise: the root of its square, with the sign of the covariance.
template <class R>
bool try_round_correlation(Enclosure const& x, Enclosure const& y, Enclosure const& products,
                           Enclosure const& x_squares, Enclosure const& y_squares, std::uint64_t n, R& result) {
  if (n >> 53 != 0) return false;
  double const count = static_cast<double>(n);
  Enclosure const of_both = scaled_covariance(x, y, products, count);
  Enclosure const of_x = scaled_covariance(x, x, x_squares, count), of_y = scaled_covariance(y, y, y_squares, count);
  // What might be zero has a product with a bound as large as itself, by which nothing is divided, and no sign.
  if (!try_round_sqrt(quotient(multiply(of_both, of_both), multiply(of_x, of_y)), result)) return false;
  // Where n P and S T cancel, low may be the larger part.
  if (of_both.high + of_both.low < 0) result = -result;
  return true;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
