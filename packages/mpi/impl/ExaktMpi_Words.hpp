// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_WORDS_HPP
#define EXAKTMPI_WORDS_HPP

/// \file
/// \brief A long accumulator as 64-bit integers that MPI_SUM may add up in any order, on any number of ranks.
///
/// The words of one sum, w = RadixBits, D digits:
///
///     whole digits    | digit 0 | digit 1 | ... | digit D-1 |                       2^(63-w) ranks at most
///     halves          | low 0 | high 0 | low 1 | high 1 | ... | high D-1 |          any number of ranks
///
/// A normalized accumulator has digits in [0, 2^w) and a signed top one. Of a negative number the digits above its
/// leading one are all ones and the top is -1; they are taken back into the leading digit, which then has the sign, so
/// that words outside of the digits in use are zero and need not travel. Every word is in [-2^w, 2^w), and of halves in
/// [-2^h, 2^h) with h = ceil(w/2) <= 30 bits in the lower one. So for R ranks
///
///     whole digits    |word| <= R * 2^w <= 2^63          if R <= 2^(63-w): 128 ranks for w = 56
///     halves          |word| <= R * 2^h <  2^31 * 2^30   for any R that is an int
///
/// and each sum, those of any subset of the ranks included, is in [-2^63, 2^63). Carried upwards, digit k of the total
/// becomes floor(sum over ranks of (value below digit k+1) / 2^(w*k)), which is in [-R * 2^w, R * 2^w) as well.
///
/// Infinities travel as counts in one more word, positive ones in its lower 32 bits (R < 2^31), negative ones above; a
/// NaN counts as both.

#include <Exakt_LongAccumulator.hpp>

#include <cstdint>

namespace Exakt::Mpi::Impl {

/// Digits [begin, end).
struct DigitRange {
  int begin, end;
  int size() const { return end > begin ? end - begin : 0; }
  void include(DigitRange const& other) {
    begin = other.begin < begin ? other.begin : begin;
    end = other.end > end ? other.end : end;
  }
};

/// \brief The words of accumulators of type Long on a number of ranks.
template <class Long>
class Words {
  static constexpr int radix_bits = Long::radix_bits;
  static constexpr int low_bits = (radix_bits + 1) / 2, high_bits = radix_bits - low_bits;
  static constexpr int top = Long::digit_count - 1;
  static constexpr std::int64_t radix = std::int64_t{1} << radix_bits, low_radix = std::int64_t{1} << low_bits,
                                high_radix = std::int64_t{1} << high_bits;
  static_assert(low_bits <= 30 && high_bits <= 30, "halves of a digit leave room for 2^31 ranks and two more bits");

 public:
  static constexpr int at_most = 2 * Long::digit_count;  ///< words of a sum
  static constexpr DigitRange no_digits{Long::digit_count, 0}, all_digits{0, Long::digit_count};

  explicit constexpr Words(int ranks) : m_halved(std::int64_t{ranks} > (std::int64_t{1} << (63 - radix_bits))) {}

  constexpr int per_digit() const { return m_halved ? 2 : 1; }
  constexpr int per_sum() const { return per_digit() * Long::digit_count; }

  /// \brief Writes the per_sum() words of a normalized accumulator.
  /// \return The digits in use.
  constexpr DigitRange pack(Long const& sum, std::int64_t* words) const {
    std::int64_t const fill = sum.digit(top) < 0 ? radix - 1 : 0;
    int leading = top;  // the highest digit that is more than the sign
    if (sum.digit(top) == (fill == 0 ? 0 : -1)) {
      --leading;
      while (leading >= 0 && sum.digit(leading) == fill) --leading;
      if (fill != 0 && leading < 0) leading = 0;
    }
    int begin = Long::digit_count;
    for (int i = leading; i >= 0; --i) {
      std::int64_t const digit = i == leading && leading < top && fill != 0 ? sum.digit(i) - radix : sum.digit(i);
      put(digit, words + i * per_digit());
      if (digit != 0) begin = i;
    }
    for (int i = per_digit() * (leading + 1); i < per_sum(); ++i) words[i] = 0;
    return {begin, leading + 1};
  }

  /// \brief The accumulator whose digits in `range` are the given words, or sums of such words of all ranks.
  constexpr Long unpack(std::int64_t const* words, DigitRange range) const {
    std::int64_t digits[Long::digit_count] = {};
    if (!m_halved) {
      for (int i = range.begin; i < range.end; ++i) digits[i] = words[i - range.begin];
      return Long::from_digits(digits);
    }
    std::int64_t carry = 0;
    for (int i = range.begin; i < Long::digit_count; ++i) {
      bool const inside = i < range.end;
      std::int64_t low = (inside ? words[2 * (i - range.begin)] : 0) + carry;
      carry = low >> low_bits;
      low &= low_radix - 1;
      std::int64_t high = (inside ? words[2 * (i - range.begin) + 1] : 0) + carry;
      if (i < top) {
        carry = high >> high_bits;
        high &= high_radix - 1;
      } else if (high >= high_radix || high < -high_radix) {
        // Beyond the range, and for from_digits an infinity; the digit itself might not fit.
        high = high < 0 ? -high_radix : high_radix;
        low = 0;
      }
      digits[i] = high * low_radix + low;
    }
    return Long::from_digits(digits);
  }

  static constexpr std::int64_t pack_special(Exakt::Impl::Special special) {
    using Exakt::Impl::Special;
    std::int64_t const plus = special == Special::positive_infinity || special == Special::nan;
    std::int64_t const minus = special == Special::negative_infinity || special == Special::nan;
    return plus + minus * (std::int64_t{1} << 32);
  }

  static constexpr void unpack_special(std::int64_t word, Long& sum) {
    using Exakt::Impl::Special;
    if ((word & 0xffffffff) != 0) sum.add_special(Special::positive_infinity);
    if ((word >> 32) != 0) sum.add_special(Special::negative_infinity);
  }

 private:
  constexpr void put(std::int64_t digit, std::int64_t* words) const {
    if (m_halved) {
      words[0] = digit & (low_radix - 1);
      words[1] = digit >> low_bits;
    } else {
      words[0] = digit;
    }
  }

  bool m_halved;
};

}  // namespace Exakt::Mpi::Impl

#endif
