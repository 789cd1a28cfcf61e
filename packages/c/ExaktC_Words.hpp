// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTC_WORDS_HPP
#define EXAKTC_WORDS_HPP

/// \file
/// \brief A long accumulator as 64-bit integers that are added up word by word, on fewer than 2^31 processes.
///
///     value = sum of word[k] * 2^(lowest + 32 k)        of one sum: |word[k]| < 2^32, all of one sign
///     last word: how many +infinities in its lower 32 bits, -infinities above; a NaN counts as both
///
/// Of R sums |word[k]| < R * 2^32 < 2^63.

#include "exakt.h"

#include <Exakt_LongAccumulator.hpp>

#include <cstdint>

namespace ExaktC {

template <class Long>
inline constexpr int word_count = Long::summed == Exakt::Terms::values ? EXAKT_SUM_WORDS : EXAKT_DOT_WORDS;
template <class Long>
inline constexpr int digits_in_words = (Long::digit_count * Long::radix_bits + 31) / 32;

/// \pre sum is normalized.
template <class Long>
void to_words(Long const& sum, std::int64_t* words) {
  using Exakt::Impl::Special;
  static_assert(digits_in_words<Long> + 2 <= word_count<Long>, "room for what 2^31 sums carry, and for infinities");
  Special const special = sum.special();
  auto const magnitude = sum.magnitude();
  for (int k = 0; k < word_count<Long>; ++k) {
    auto const digit = k < digits_in_words<Long> && special == Special::none
                           ? static_cast<std::int64_t>(magnitude.bits(32 * k, 32))
                           : 0;
    words[k] = magnitude.negative ? -digit : digit;
  }
  bool const nan = special == Special::nan;
  std::int64_t const positive = nan || special == Special::positive_infinity,
                     negative = nan || special == Special::negative_infinity;
  words[word_count<Long> - 1] = positive + negative * (std::int64_t{1} << 32);
}

template <class Long>
Long of_words(std::int64_t const* words) {
  constexpr int digits = word_count<Long> - 1;
  constexpr std::int64_t low = 0xffffffff;
  std::int64_t of[digits], carry = 0;
  for (int k = 0; k < digits; ++k) {
    // word = high * 2^32 + rest: the sum with the carry cannot overflow.
    std::int64_t const rest = (words[k] & low) + carry;
    of[k] = rest & low;
    carry = (words[k] >> 32) + (rest >> 32);
  }
  // Of the top, sum or not, the sign is left: 2^31 sums carry less than 2^32.
  bool const is_negative = carry < 0;
  if (is_negative) {
    std::int64_t borrow = 1;
    for (std::int64_t& digit : of) {
      std::int64_t const complement = (low - digit) + borrow;
      digit = complement & low;
      borrow = complement >> 32;
    }
  }
  Long sum;
  bool is_beyond = carry != 0 && carry != -1;
  for (int k = 0; k < digits; ++k) {
    if (of[k] == 0) continue;
    int const room = Long::digit_count * Long::radix_bits - 32 * k;  // where the digits end, which may be within a word
    if (room >= 32 || (room > 0 && of[k] >> room == 0))
      sum.add_scaled(static_cast<std::uint64_t>(of[k]), Long::lowest_exponent + 32 * k, is_negative);
    else
      is_beyond = true;
  }
  if (is_beyond) sum.add_infinity_or_nan(false, is_negative);
  std::int64_t const counts = words[digits];
  if ((counts & low) != 0) sum.add_infinity_or_nan(false, false);
  if ((counts >> 32) != 0) sum.add_infinity_or_nan(false, true);
  return sum;
}

}  // namespace ExaktC

#endif
