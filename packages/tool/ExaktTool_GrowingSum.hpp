// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_GROWINGSUM_HPP
#define EXAKTTOOL_GROWINGSUM_HPP

#include <Exakt_LongAccumulator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Exakt::Tool {

/// What the digits of a GrowingSum count: 2^32 for binary numbers, 10^9 for decimal ones.
enum class Radix : std::uint32_t { binary, decimal };

/// \brief An exact sum with as many digits as its terms need, so that there is room for one per group of a table.
///
///     value = sum of digit[i] * radix^(first + i),   -2^63 < digit[i] < 2^63
///
/// Carry-save, as LongAccumulator: an addition adds less than one radix to some digits and propagates nothing. The
/// additions are counted, and the carries are propagated in time.
class GrowingSum {
 public:
  explicit GrowingSum(Radix radix = Radix::binary) : m_radix(radix) {}

  /// Adds digit * radix^position. \pre |digit| < radix, 2^32 at most.
  void add(int position, std::int64_t digit) {
    if (digit == 0) return;
    make_room(position);
    m_digits[static_cast<std::size_t>(position - m_first)] += digit;
  }

  GrowingSum& operator+=(GrowingSum const& other);

  /// An infinity, or a NaN, joins the sum.
  void add_infinity_or_nan(bool nan, bool negative) { m_flags |= Impl::flag_of_infinity_or_nan(nan, negative); }

  Radix radix() const { return m_radix; }
  Impl::Special special() const { return Impl::special_of(m_flags); }

  /// The absolute value in digits from 0 to radix - 1, of which the first and the last are not zero; and the sign.
  struct Magnitude {
    std::vector<std::uint32_t> digits;
    int first;
    bool negative;
  };
  Magnitude magnitude() const;

  /// Same value, same digits.
  friend bool operator==(GrowingSum const& a, GrowingSum const& b) {
    Magnitude const x = a.magnitude(), y = b.magnitude();
    return a.special() == b.special() && x.first == y.first && x.negative == y.negative && x.digits == y.digits;
  }

  /// As bytes of this machine behind those that are there; take_bytes() reads them and takes them away.
  void append_bytes(std::string& bytes) const;
  static GrowingSum take_bytes(std::string_view& bytes);

 private:
  /// |digit[i]| <= m_additions * 2^32 < 2^63.
  static constexpr std::uint32_t most_additions = (std::uint32_t{1} << 31) - 1;

  void make_room(int position) {
    if (m_additions == most_additions) carry();
    ++m_additions;
    auto const index = static_cast<std::int64_t>(position) - m_first;
    if (index < 0 || index >= static_cast<std::int64_t>(m_digits.size())) grow(position);
  }
  void grow(int position);
  void carry();
  void drop_zeros();

  std::vector<std::int64_t> m_digits;
  std::int32_t m_first = 0;
  std::uint32_t m_additions = 0;
  std::uint32_t m_flags = 0;  // which infinities and NaN came in
  Radix m_radix;
};

/// Adds x exactly. \pre sum.radix() is binary, here and below.
void add_number(GrowingSum& sum, double x);

/// Adds x * y exactly.
void add_product(GrowingSum& sum, double x, double y);

/// \brief The same value as another accumulator. \pre It is a sum of what that one sums.
template <class Long>
Long to_long_accumulator(GrowingSum const& sum) {
  constexpr int radix_bits = 32;
  Long result;
  result.add_special(sum.special());
  auto const magnitude = sum.magnitude();
  for (std::size_t i = 0; i < magnitude.digits.size(); ++i) {
    std::uint64_t digit = magnitude.digits[i];
    int exponent = radix_bits * (magnitude.first + static_cast<int>(i));
    // The lowest digit may reach below the last bit of any term: zeros there.
    if (exponent < Long::lowest_exponent) {
      digit >>= Long::lowest_exponent - exponent;
      exponent = Long::lowest_exponent;
    }
    if (digit != 0) result.template add_scaled<radix_bits>(digit, exponent, magnitude.negative);
  }
  return result;
}

}  // namespace Exakt::Tool

#endif
