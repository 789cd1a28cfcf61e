// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_MOMENTS_HPP
#define EXAKT_MOMENTS_HPP

/// \file
/// \brief From the sum S of n numbers and the sum Q of their squares to the variance, and to its root:
///
///     (n Q - S^2) / (n (n - ddof))
///
/// exactly, in integers. Exakt_EnclosedMoments.hpp tries it with doubles first.

#include "../Exakt_LongAccumulator.hpp"
#include "Exakt_EnclosedMoments.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is divided by: n (n - ddof), a positive integer of two words.
using VarianceDivisor = WideProduct;

/// \brief What is subtracted from the number of entries: an integer of any type. One that 64 bits with a sign do not hold is
/// the largest that they do, for that is more than there can be entries, too.
class Ddof {
  /// Enumerations, and std::integral_constant and its like.
  template <class T>
  static constexpr bool stands_for_integer = std::is_convertible_v<T, std::int64_t> && (std::is_enum_v<T> || requires {
                                               requires is_integer_v<typename T::value_type>;
                                             });

 public:
  template <class Integer>
  requires(std::is_arithmetic_v<Integer> || std::is_enum_v<Integer> ||
           stands_for_integer<Integer>) constexpr Ddof(Integer ddof) {
    static_assert(is_integer_v<Integer> || stands_for_integer<Integer>,
                  "Exakt: ddof, which is subtracted from the number of entries, is an integer of at most 64 bits");
    if constexpr (is_integer_v<Integer>) {
      constexpr auto most = std::numeric_limits<std::int64_t>::max();
      bool const is_beyond = ddof > 0 && static_cast<std::uint64_t>(ddof) > static_cast<std::uint64_t>(most);
      m_number = is_beyond ? most : static_cast<std::int64_t>(ddof);
    } else if constexpr (stands_for_integer<Integer>) {
      m_number = ddof;
    }
  }
  constexpr operator std::int64_t() const { return m_number; }

 private:
  std::int64_t m_number = 0;
};

/// n - ddof, or zero where there are too few entries for a variance.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t degrees_of_freedom(std::uint64_t n, std::int64_t ddof) {
  std::uint64_t const size =
      ddof < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ddof) : static_cast<std::uint64_t>(ddof);
  if (n == 0) return 0;
  if (ddof < 0) return n + size;
  return n > size ? n - size : 0;
}

/// \brief The bits of a quotient, one after the other from the leading bit of the dividend on: long division.
///
/// Invariant: remainder < divisor. The remainder is exact, so "is there more?" is.
template <class Magnitude>
class QuotientBits {
 public:
  KOKKOS_INLINE_FUNCTION constexpr QuotientBits(Magnitude const& x, WideProduct const& divisor)
      : m_x(x), m_divisor(divisor), m_position(x.leading()) {}

  /// The exponent of the next bit.
  KOKKOS_INLINE_FUNCTION constexpr int exponent() const { return m_x.lowest_exponent + m_position; }

  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t next() {
    bool const carry = (m_remainder.high >> 63) != 0;  // twice the remainder may need a bit more
    m_remainder.high = m_remainder.high << 1 | m_remainder.low >> 63;
    m_remainder.low = m_remainder.low << 1 | m_x.bits(m_position--, 1);
    bool const fits = carry || m_remainder.high > m_divisor.high ||
                      (m_remainder.high == m_divisor.high && m_remainder.low >= m_divisor.low);
    if (!fits) return 0;
    bool const borrow = m_remainder.low < m_divisor.low;
    m_remainder.low -= m_divisor.low;
    m_remainder.high -= m_divisor.high + (borrow ? 1 : 0);
    return 1;
  }

  /// Whether any bit behind those that were asked for is set.
  KOKKOS_INLINE_FUNCTION constexpr bool has_more() const {
    return m_remainder.high != 0 || m_remainder.low != 0 || m_x.any_below(m_position + 1);
  }

 private:
  Magnitude const& m_x;
  WideProduct m_divisor, m_remainder{0, 0};
  int m_position;
};

/// x / divisor as far as a rounding asks. \pre x is not zero.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr TruncatedReal quotient_of(Magnitude const& x, VarianceDivisor const& divisor) {
  QuotientBits<Magnitude> bits(x, divisor);
  std::uint64_t quotient = 0;
  int exponent = 0;
  while (quotient >> 61 == 0) {
    exponent = bits.exponent();
    quotient = quotient << 1 | bits.next();
  }
  return {quotient, exponent, x.negative, bits.has_more()};
}

/// \brief The square root of x / divisor: digit by digit, one bit of the root for two of the quotient. \pre x > 0.
///
/// Invariant: remainder = (quotient so far) - root^2, 0 <= remainder <= 2*root, so 4*remainder + 3 < 2^63.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr TruncatedReal root_of_quotient(Magnitude const& x, VarianceDivisor const& divisor) {
  QuotientBits<Magnitude> bits(x, divisor);
  // Pairs are aligned to even exponents, so that the root of 2^(2k) is 2^k.
  std::uint64_t pair = bits.exponent() % 2 != 0 ? bits.next() << 1 : 0;
  std::uint64_t root = 0, remainder = 0;
  int exponent = bits.exponent();
  for (;;) {
    pair |= bits.next();
    remainder = remainder << 2 | pair;
    std::uint64_t const trial = root << 2 | 1;
    bool const fits = remainder >= trial;
    if (fits) remainder -= trial;
    root = root << 1 | (fits ? 1 : 0);
    if (root >> 59 != 0) break;
    pair = bits.next() << 1;
    exponent = bits.exponent();
  }
  return {root, exponent / 2, false, remainder != 0 || bits.has_more()};
}

/// \brief n P - S T, of the sum P of products and the sums S and T of their factors: at most 2^64 terms reach
/// 2^(2 * 1024 + 128), the products of the smallest ones begin at 2^-2148.
///
/// \pre The sums are normalized, and finite.
template <class SumLong, class ProductLong>
KOKKOS_INLINE_FUNCTION constexpr auto scaled_covariance(SumLong const& x, SumLong const& y, ProductLong const& products,
                                                        std::uint64_t n) {
  using Wide = LongAccumulator<double, 56, Terms::scaled_products>;
  static_assert(Wide::lowest_exponent <= 2 * SumLong::lowest_exponent &&
                Wide::highest_exponent >= 2 * SumLong::highest_exponent + 64);
  Wide result;
  auto const add = [&result](std::uint64_t a, std::uint64_t b, int exponent, bool negative) {
    auto const product = wide_product(a, b);
    if (product.low != 0) result.add_scaled(product.low, exponent, negative);
    if (product.high != 0) result.add_scaled(product.high, exponent + 64, negative);
  };
  auto const p = products.magnitude();
  EXAKT_ROLLED_LOOP
  for (int i = 0; i < ProductLong::digit_count; ++i)
    add(p.digit[i], n, p.lowest_exponent + ProductLong::radix_bits * i, p.negative);
  auto const s = x.magnitude(), t = y.magnitude();
  EXAKT_ROLLED_LOOP
  for (int i = 0; i < SumLong::digit_count; ++i) {
    if (s.digit[i] == 0) continue;
    EXAKT_ROLLED_LOOP
    for (int j = 0; j < SumLong::digit_count; ++j)
      add(s.digit[i], t.digit[j], 2 * s.lowest_exponent + SumLong::radix_bits * (i + j), s.negative == t.negative);
  }
  return result;
}

/// \brief The variance, or its root, rounded once from the exact sums. NaN without degrees of freedom, or where a term
/// is infinite or NaN.
template <class R, bool is_root, class SumLong, class SquaresLong>
KOKKOS_INLINE_FUNCTION constexpr R round_variance(SumLong const& a_sum, SquaresLong const& a_squares, std::uint64_t n,
                                                  std::int64_t ddof, Rounding mode) {
  auto const sum = a_sum.normalized();
  auto const squares = a_squares.normalized();
  std::uint64_t const freedom = degrees_of_freedom(n, ddof);
  if (freedom == 0 || sum.special() != Special::none || squares.special() != Special::none)
    return special_value<R>(Special::nan);
  auto const variance = scaled_covariance(sum, sum, squares, n).normalized();
  auto const magnitude = variance.magnitude();
  if (magnitude.leading() < 0) return exact_zero<R>(mode);
  auto const divisor = wide_product(n, freedom);
  return round_to<R>(is_root ? root_of_quotient(magnitude, divisor) : quotient_of(magnitude, divisor), mode);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
