// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_MAGNITUDE_HPP
#define EXAKT_MAGNITUDE_HPP

/// \file
/// \brief The absolute value of a long accumulator as one big integer, and the leading bits of it, of its quotient
/// and of its square root. Each is found with the bits that a rounding needs and an exact answer to "is there more?".

#include "../Exakt_Rounding.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// A non-negative integer of Digits digits, each in [0, 2^RadixBits), times 2^lowest_exponent; and a sign.
template <int Digits, int RadixBits>
struct Magnitude {
  std::uint64_t digit[Digits];
  int lowest_exponent;
  bool negative;
  int count = Digits;  // digits from here on are zero

  /// Position of the leading bit, -1 for zero.
  KOKKOS_INLINE_FUNCTION constexpr int leading() const {
    EXAKT_ROLLED_LOOP
    for (int i = count - 1; i >= 0; --i) {
      if (digit[i] != 0) return RadixBits * i + bit_width(digit[i]) - 1;
    }
    return -1;
  }

  /// `count` <= 64 bits from `position` upwards; what lies outside of the number reads as zero.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bits(int position, int count) const {
    std::uint64_t result = 0;
    int filled = 0;
    if (position < 0) {
      filled = -position < count ? -position : count;
      position = 0;
    }
    EXAKT_ROLLED_LOOP
    for (int i = position / RadixBits, offset = position % RadixBits; filled < count && i < Digits; ++i, offset = 0) {
      result |= (digit[i] >> offset) << filled;
      filled += RadixBits - offset;
    }
    return count == 64 ? result : result & ((std::uint64_t{1} << count) - 1);
  }

  /// Whether any bit below `position` is set.
  KOKKOS_INLINE_FUNCTION constexpr bool any_below(int position) const {
    if (position <= 0) return false;
    int const last = position / RadixBits;
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < Digits && i < last; ++i) {
      if (digit[i] != 0) return true;
    }
    return last < Digits && (digit[last] & ((std::uint64_t{1} << (position % RadixBits)) - 1)) != 0;
  }
};

/// For magnitude_of_digits: nothing beside the digits themselves.
struct NoExtraDigits {
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t operator()(int) const { return 0; }
};

/// The normalized absolute value of sum of digit(k) * 2^(lowest_exponent + RadixBits * k), k < count, where Digits has room for
/// 64 more bits.
///
/// \param digit_of  From k to a signed word.
/// \param extra     From k to one more digit, |extra(k)| < 2^RadixBits; zero for the highest and beyond.
template <int Digits, int RadixBits, class Digit, class Extra>
KOKKOS_INLINE_FUNCTION constexpr Magnitude<Digits, RadixBits> magnitude_of_digits(int lowest_exponent, int count,
                                                                                  Digit const& digit_of,
                                                                                  Extra const& extra) {
  constexpr std::int64_t mask = (std::int64_t{1} << RadixBits) - 1;
  int const end = count + (64 + RadixBits - 1) / RadixBits;  // what the highest digit holds
  Magnitude<Digits, RadixBits> result{{}, lowest_exponent, false, end};
  // |digit / 2^RadixBits| + |carry| < 2^63: nothing overflows.
  std::int64_t carry = 0;
  for (int k = 0; k < end; ++k) {
    auto const digit = k < count ? static_cast<std::int64_t>(digit_of(k)) : 0;
    std::int64_t const low = (digit & mask) + carry + extra(k);
    result.digit[k] = static_cast<std::uint64_t>(low & mask);
    carry = (digit >> RadixBits) + (low >> RadixBits);
  }
  result.negative = carry < 0;
  if (result.negative) {
    std::uint64_t borrow = 1;  // -x is the complement of x, plus one
    for (int k = 0; k < end; ++k) {
      std::uint64_t const digit = (~result.digit[k] & static_cast<std::uint64_t>(mask)) + borrow;
      result.digit[k] = digit & static_cast<std::uint64_t>(mask);
      borrow = digit >> RadixBits;
    }
  }
  return result;
}

/// The value itself: its leading 64 bits.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr TruncatedReal leading_bits(Magnitude const& x) {
  int const low = x.leading() - 63 > 0 ? x.leading() - 63 : 0;
  return {x.bits(low, 64), x.lowest_exponent + low, x.negative, x.any_below(low)};
}

/// The value divided by +-divisor * 2^divisor_exponent: long division, one bit a step, until 62 bits stand.
///
/// The remainder is exact, so "is there more?" is: a remainder, or a bit of x that was not yet brought down.
/// \pre divisor > 0.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr TruncatedReal quotient_bits(Magnitude const& x, IntegerParts const& divisor) {
  std::uint64_t quotient = 0, remainder = 0;
  int position = x.leading();
  if (position < 0) return {0, 0, false, false};
  for (;; --position) {
    bool const carry = (remainder >> 63) != 0;  // the remainder is below the divisor, twice it may need 65 bits
    remainder = (remainder << 1) | x.bits(position, 1);
    bool const fits = carry || remainder >= divisor.significand;
    if (fits) remainder -= divisor.significand;
    quotient = (quotient << 1) | (fits ? 1 : 0);
    if ((quotient >> 61) != 0) break;
  }
  return {quotient, x.lowest_exponent + position - divisor.exponent, x.negative != divisor.negative,
          remainder != 0 || x.any_below(position)};
}

/// The square root of the value: digit by digit, one bit of the root for two of the number, until 60 bits stand.
///
/// Invariant: remainder = (bits brought down) - root^2, 0 <= remainder <= 2*root, so 4*remainder + 3 < 2^63.
/// \pre x is not negative.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr TruncatedReal square_root_bits(Magnitude const& x) {
  int const leading = x.leading();
  if (leading < 0) return {0, 0, false, false};
  // Pairs are aligned to even exponents, so that the root of 2^(2k) is 2^k.
  int exponent = x.lowest_exponent + leading;
  if (exponent % 2 != 0) --exponent;
  std::uint64_t root = 0, remainder = 0;
  for (;; exponent -= 2) {
    remainder = (remainder << 2) | x.bits(exponent - x.lowest_exponent, 2);
    std::uint64_t const trial = (root << 2) | 1;
    bool const fits = remainder >= trial;
    if (fits) remainder -= trial;
    root = (root << 1) | (fits ? 1 : 0);
    if ((root >> 59) != 0) break;
  }
  return {root, exponent / 2, false, remainder != 0 || x.any_below(exponent - x.lowest_exponent)};
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
