// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_WORDS_HPP
#define EXAKTMPI_WORDS_HPP

/// \file
/// \brief A long accumulator as 64-bit integers that MPI_SUM may add up in any order, on any number of ranks.
///
/// The words of one sum, w = RadixBits, D digits:
///
///     whole digits    | digit 0 | digit 1 | ... | digit D-1 |                       up to L / 2 ranks
///     halves          | low 0 | high 0 | low 1 | high 1 | ... | high D-1 |          any number of ranks
///
/// Whole digits travel as they are, not normalized, as long as there is room for the sum: a digit of a rank is bounded
/// by its units() * 2^w, at most L = carry_limit = min(2^(63-w), 2^31) - 1 of them, and if no rank sends more than
/// U = floor(L / R) units, for R ranks
///
///     |sum of any of them| <= R * U * 2^w < 2^63        63 ranks for w = 56; 2^30 - 1 for w <= 32
///
/// A rank with more units gives the carries to the neighbouring digits, which leaves two. So do all where halves
/// travel: of a digit in [-2^(w+1), 2^(w+1)] the lower h = ceil(w/2) <= 30 bits, in [0, 2^h), and the signed rest, in
/// [-2^(h+1), 2^(h+1)]:
///
///     |sum of any of them| <= R * 2^(h+1) < 2^31 * 2^31     any R that is an int
///
/// Digits outside of those in use are zero and need not travel. Of a negative number that was normalized those above
/// the leading one are all ones: LongAccumulator::carry() takes them back.
///
/// Infinities travel as counts in one more word, positive ones in its lower 32 bits (R < 2^31), negative ones above; a
/// NaN counts as both.

#include <Exakt_LongAccumulator.hpp>

#include <cstdint>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::DigitRange;

/// \brief Which digits are in use in any of some sums: most sums use those of the ones before, and nothing is stored for them.
template <class Long>
class UsedDigits {
 public:
  /// \param digits  The others of this sum are zero.
  KOKKOS_FUNCTION constexpr void add(Long const& sum, DigitRange digits = Long::all_digits) {
    if (!is_used({digits.begin, digits.end < m_range.begin ? digits.end : m_range.begin}, sum) &&
        !is_used({digits.begin > m_range.end ? digits.begin : m_range.end, digits.end}, sum))
      return;
    while (sum.digit(digits.begin) == 0) ++digits.begin;
    while (sum.digit(digits.end - 1) == 0) --digits.end;
    if (digits.begin < m_range.begin) m_range.begin = digits.begin;
    if (digits.end > m_range.end) m_range.end = digits.end;
  }
  KOKKOS_FUNCTION constexpr DigitRange range() const { return m_range; }

 private:
  static KOKKOS_FUNCTION constexpr bool is_used(DigitRange digits, Long const& sum) {
    std::int64_t bits = 0;
    for (int i = digits.begin; i < digits.end; ++i) bits |= sum.digit(i);
    return bits != 0;
  }

  DigitRange m_range = Long::no_digits;
};

/// \brief The words of accumulators of type Long on a number of ranks.
template <class Long>
class Words {
  static constexpr int radix_bits = Long::radix_bits;
  static constexpr int low_bits = (radix_bits + 1) / 2, high_bits = radix_bits - low_bits;
  static constexpr int top = Long::digit_count - 1;
  static constexpr std::int64_t low_radix = std::int64_t{1} << low_bits, high_radix = std::int64_t{1} << high_bits;
  static_assert(low_bits <= 30 && high_bits <= 30, "halves of a digit leave room for 2^31 ranks and two more bits");

 public:
  static constexpr int at_most = 2 * Long::digit_count;  ///< words of a sum

  explicit constexpr Words(int ranks)
      : m_units(Long::carry_limit / static_cast<std::uint32_t>(ranks)), m_halved(m_units < 2) {
    if (m_halved) m_units = 2;
  }

  KOKKOS_FUNCTION constexpr int per_digit() const { return m_halved ? 2 : 1; }
  KOKKOS_FUNCTION constexpr int per_sum() const { return per_digit() * Long::digit_count; }

  /// \brief Makes the digits of a sum small enough to travel.
  /// \return The word for infinities and NaN.
  KOKKOS_FUNCTION constexpr std::int64_t prepare(Long& sum) const {
    DigitRange digits = Long::all_digits;
    return prepare(sum, digits);
  }

  /// \brief The same.
  /// \param digits  Those outside of these are zero; and still afterwards.
  KOKKOS_FUNCTION constexpr std::int64_t prepare(Long& sum, DigitRange& digits) const {
    if (sum.units() > m_units || sum.digit(top) < 0) {
      sum.carry();
      digits = Long::all_digits;
    }
    return special_word(sum.special());
  }

  /// \brief Writes the words of some digits of a sum that was prepared.
  KOKKOS_FUNCTION constexpr void pack(Long const& sum, DigitRange range, std::int64_t* words) const {
    if (!m_halved) {
      for (int i = range.begin; i < range.end; ++i) *words++ = sum.digit(i);
    } else {
      for (int i = range.begin; i < range.end; ++i) {
        *words++ = sum.digit(i) & (low_radix - 1);
        *words++ = sum.digit(i) >> low_bits;
      }
    }
  }

  /// \brief The sum of all ranks takes the place of this rank's, which was prepared and packed.
  ///
  /// \param words  Sums of the words of all ranks for the digits in `range`; all ranks have zeros in the others.
  KOKKOS_FUNCTION constexpr void unpack(std::int64_t const* words, DigitRange range, Long& sum) const {
    if (!m_halved) return sum.replace_digits(words, range.begin, range.end);
    std::int64_t digits[Long::digit_count] = {};
    // Carried upwards, digit i of the total is the floor of (what all ranks have below digit i+1) / 2^(w*i), at most
    // 2 * R * 2^w: beyond 64 bits, but not so in halves.
    std::int64_t carry = 0;
    for (int i = range.begin; i < Long::digit_count; ++i, words += 2) {
      bool const inside = i < range.end;
      std::int64_t low = (inside ? words[0] : 0) + carry;
      carry = low >> low_bits;
      low &= low_radix - 1;
      std::int64_t high = (inside ? words[1] : 0) + carry;
      if (i < top) {
        carry = high >> high_bits;
        high &= high_radix - 1;
      } else if (high >= high_radix || high < -high_radix) {
        // Beyond the range, and an infinity when it is normalized; the digit itself might not fit.
        high = high < 0 ? -high_radix : high_radix;
        low = 0;
      }
      digits[i] = high * low_radix + low;
    }
    sum.replace_digits(digits, 0, Long::digit_count);
  }

  static KOKKOS_FUNCTION constexpr void unpack_special(std::int64_t word, Long& sum) {
    using Exakt::Impl::Special;
    if ((word & 0xffffffff) != 0) sum.add_special(Special::positive_infinity);
    if ((word >> 32) != 0) sum.add_special(Special::negative_infinity);
  }

 private:
  static KOKKOS_FUNCTION constexpr std::int64_t special_word(Exakt::Impl::Special special) {
    using Exakt::Impl::Special;
    std::int64_t const plus = special == Special::positive_infinity || special == Special::nan;
    std::int64_t const minus = special == Special::negative_infinity || special == Special::nan;
    return plus + minus * (std::int64_t{1} << 32);
  }

  std::uint32_t m_units;  // that each rank may send as they are
  bool m_halved;
};

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
