// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SHORTSUM_HPP
#define EXAKT_SHORTSUM_HPP

/// \file
/// \brief The exact sum of one extracted tile, in as many integers as it has levels.

#include "../numerics/Exakt_ExactValue.hpp"
#include "Exakt_ExtractionLevels.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief value = sum of units[k] * 2^level_unit(e, k): what the extraction of a tile of terms below 2^e leaves.
///
/// To be rounded like any accumulator, at the cost of a few digits instead of forty: where an enclosure cannot decide,
/// next to a tie above all, this can.
template <int Levels>
class ShortSum : public ExactValue<ShortSum<Levels>, double> {
  static constexpr int digit_count = Levels + 1;  // |units| < 2^63: the first level needs two digits of 40 bits

 public:
  /// Whether levels are level_step apart: at the lower end of the range they are not.
  static bool fits(int e, int lowest) { return level_unit(e, Levels - 1, lowest) > lowest; }

  /// \pre fits(e, lowest)
  ShortSum(std::int64_t const (&units)[Levels], int e, int lowest)
      : m_lowest_exponent(level_unit(e, Levels - 1, lowest)) {
    std::int64_t carry = 0;
    for (int i = 0; i < Levels; ++i) {
      std::int64_t const digit = units[Levels - 1 - i] + carry;
      carry = digit >> level_step;
      m_digits[i] = digit & digit_mask;
    }
    m_digits[Levels] = carry;
  }

  ShortSum const& normalized() const { return *this; }
  Special special() const { return Special::none; }

  Magnitude<digit_count, level_step> magnitude() const {
    Magnitude<digit_count, level_step> result{{}, m_lowest_exponent, m_digits[Levels] < 0};
    std::int64_t carry = 0;
    for (int i = 0; i < digit_count; ++i) {
      std::int64_t const digit = (result.negative ? -m_digits[i] : m_digits[i]) + carry;
      carry = digit >> level_step;
      result.digit[i] = static_cast<std::uint64_t>(digit & digit_mask);
    }
    return result;
  }

  bool same_digits(ShortSum const& other) const {
    bool same = m_lowest_exponent == other.m_lowest_exponent;
    for (int i = 0; i < digit_count; ++i) same = same && m_digits[i] == other.m_digits[i];
    return same;
  }

 private:
  static constexpr std::int64_t digit_mask = (std::int64_t{1} << level_step) - 1;

  std::int64_t m_digits[digit_count];  // in [0, 2^level_step), but for the highest one
  int m_lowest_exponent;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
