// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_DIGITS_HPP
#define EXAKTSCATTER_DIGITS_HPP

/// \file
/// \brief Digits that are signed words, as threads have left them, as one integer.

#include <numerics/Exakt_Magnitude.hpp>

#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

/// +-significand * 2^offset in the units of a number of digits of RadixBits bits: what of it falls into each.
template <int RadixBits>
struct TermDigits {
  std::uint64_t significand;
  int offset;
  bool negative;

  /// The digit of its leading bit. \pre significand != 0
  KOKKOS_FUNCTION constexpr int highest() const { return (offset + bit_width(significand) - 1) / RadixBits; }

  KOKKOS_FUNCTION constexpr std::int64_t operator()(int k) const {
    int const position = RadixBits * k - offset;  // of the lowest bit of the digit in the significand
    if (position >= 64 || position <= -RadixBits) return 0;
    std::uint64_t const bits = position >= 0 ? significand >> position : significand << -position;
    auto const digit = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << RadixBits) - 1));
    return negative ? -digit : digit;
  }
};

/// The normalized absolute value of sum of digit(k) * 2^(lowest_exponent + RadixBits * k), k < count, where Digits has room for
/// 64 more bits.
///
/// \param digit_of  From k to a signed word.
/// \param extra     From k to one more digit, |extra(k)| < 2^RadixBits; zero for the highest and beyond.
template <int Digits, int RadixBits, class Digit, class Extra>
KOKKOS_FUNCTION constexpr Magnitude<Digits, RadixBits> magnitude_of_digits(int lowest_exponent, int count,
                                                                           Digit const& digit_of, Extra const& extra) {
  constexpr std::int64_t mask = (std::int64_t{1} << RadixBits) - 1;
  Magnitude<Digits, RadixBits> result{{}, lowest_exponent, false};
  int const end = count + (64 + RadixBits - 1) / RadixBits;  // what the highest digit holds
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

struct NoExtraDigits {
  KOKKOS_FUNCTION constexpr std::int64_t operator()(int) const { return 0; }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
