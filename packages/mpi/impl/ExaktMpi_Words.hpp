// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_WORDS_HPP
#define EXAKTMPI_WORDS_HPP

/// \file
/// \brief A long accumulator as 64-bit integers that MPI_SUM may add up in any order, on any number of ranks.
///
/// The words of one sum, w = RadixBits, D digits:
///
///     whole digits    | digit 0 | digit 1 | ... | digit D-1 |                       up to 2^(63-w) - 1 ranks
///     halves          | low 0 | high 0 | low 1 | high 1 | ... | high D-1 |          any number of ranks
///
/// Whole digits travel as they are, not normalized, as long as there is room for the sum: a digit of a rank is bounded
/// by its units() * 2^w, and if no rank sends more than U = floor((2^(63-w) - 1) / R) units, for R ranks
///
///     |sum of any of them| <= R * U * 2^w < 2^63        127 ranks for w = 56; any number for w <= 32
///
/// A rank with more units normalizes. So do all where halves travel: of digits in [-2^w, 2^w) the lower h = ceil(w/2)
/// <= 30 bits, in [0, 2^h), and the signed rest, in [-2^h, 2^h):
///
///     |sum of any of them| <= R * 2^h < 2^31 * 2^30     any R that is an int
///
/// A normalized accumulator has digits in [0, 2^w) and a signed top one. Of a negative number the digits above its
/// leading one are all ones and the top is -1; they are taken back into the leading digit, which then has the sign, so
/// that digits outside of those in use are zero and need not travel.
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

  explicit constexpr Words(int ranks)
      : m_units(Long::carry_limit / static_cast<std::uint32_t>(ranks)), m_halved(m_units == 0) {}

  constexpr int per_digit() const { return m_halved ? 2 : 1; }
  constexpr int per_sum() const { return per_digit() * Long::digit_count; }

  /// \brief Writes the per_sum() words of an accumulator.
  /// \return The word for infinities and NaN.
  constexpr std::int64_t pack(Long const& sum, std::int64_t* words) const {
    if (!m_halved && sum.units() <= m_units) {
      for (int i = 0; i <= top; ++i) words[i] = sum.digit(i);
      return special_word(sum.special());
    }
    Long const normalized = sum.normalized();  // an infinity, should the sum be beyond the last digit
    pack_normalized(normalized, words);
    return special_word(normalized.special());
  }

  /// \brief The digits that are in use, of words or of several sums' words joined by bitwise or.
  constexpr DigitRange in_use(std::int64_t const* words) const {
    int begin = 0, end = per_sum();
    while (begin < end && words[begin] == 0) ++begin;
    while (end > begin && words[end - 1] == 0) --end;
    return begin == end ? no_digits : DigitRange{begin / per_digit(), (end - 1) / per_digit() + 1};
  }

  /// \brief The accumulator whose digits in `range` are the given words, or sums of such words of all ranks.
  constexpr Long unpack(std::int64_t const* words, DigitRange range) const {
    if (!m_halved) return Long::from_digits(words, range.begin, range.end);
    std::int64_t digits[Long::digit_count] = {};
    // Carried upwards, digit i of the total is the floor of (what all ranks have below digit i+1) / 2^(w*i), at most
    // R * 2^w: beyond 64 bits, but not so in halves.
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
    return Long::from_digits(digits, 0, Long::digit_count);
  }

  static constexpr void unpack_special(std::int64_t word, Long& sum) {
    using Exakt::Impl::Special;
    if ((word & 0xffffffff) != 0) sum.add_special(Special::positive_infinity);
    if ((word >> 32) != 0) sum.add_special(Special::negative_infinity);
  }

 private:
  static constexpr std::int64_t special_word(Exakt::Impl::Special special) {
    using Exakt::Impl::Special;
    std::int64_t const plus = special == Special::positive_infinity || special == Special::nan;
    std::int64_t const minus = special == Special::negative_infinity || special == Special::nan;
    return plus + minus * (std::int64_t{1} << 32);
  }

  constexpr void pack_normalized(Long const& sum, std::int64_t* words) const {
    std::int64_t const fill = sum.digit(top) < 0 ? radix - 1 : 0;
    int leading = top;  // the highest digit that is more than the sign
    if (sum.digit(top) == (fill == 0 ? 0 : -1)) {
      --leading;
      while (leading > 0 && sum.digit(leading) == fill) --leading;
    }
    for (int i = 0; i < leading; ++i) put(sum.digit(i), words + i * per_digit());
    put(fill != 0 && leading < top ? sum.digit(leading) - radix : sum.digit(leading), words + leading * per_digit());
    for (int i = per_digit() * (leading + 1); i < per_sum(); ++i) words[i] = 0;
  }

  constexpr void put(std::int64_t digit, std::int64_t* words) const {
    if (m_halved) {
      words[0] = digit & (low_radix - 1);
      words[1] = digit >> low_bits;
    } else {
      words[0] = digit;
    }
  }

  std::uint32_t m_units;  // that each rank may send as they are
  bool m_halved;
};

}  // namespace Exakt::Mpi::Impl

#endif
