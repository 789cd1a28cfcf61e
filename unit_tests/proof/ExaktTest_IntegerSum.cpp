// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_IntegerSum.hpp"

#include <algorithm>
#include <cmath>

namespace ExaktTest {
namespace {

__extension__ using Wide = unsigned __int128;

struct Parts {
  bool is_negative;
  std::uint64_t significand;
  int exponent;  // of its last bit
};
Parts parts_of(double x) {
  auto const bits = bits_of(x);
  std::uint64_t const field = bits >> 52 & 0x7ff, fraction = bits & 0xfffffffffffffu;
  return {bits >> 63 != 0, field == 0 ? fraction : fraction | std::uint64_t{1} << 52,
          static_cast<int>(field == 0 ? 1 : field) - 1075};
}
bool has_finite_bits(double x) { return (bits_of(x) >> 52 & 0x7ff) != 0x7ff; }
bool has_zero_bits(double x) { return bits_of(x) << 1 == 0; }

std::uint64_t root(Wide x) {
  Wide result = 0;
  for (Wide bit = Wide{1} << 63; bit != 0; bit >>= 1)
    if ((result + bit) * (result + bit) <= x) result += bit;
  return static_cast<std::uint64_t>(result);
}

/// The same by an estimate, corrected; x >= 2^126, so that the root has 64 bits.
std::uint64_t root_of_large(Wide x) {
  auto const estimate = std::sqrt(static_cast<long double>(x));
  if (estimate >= 0x1p64L) return root(x);
  auto result = static_cast<std::uint64_t>(estimate);
  for (int step = 0; step < 8; ++step) {
    Wide const square = Wide{result} * result;
    if (square > x)
      --result;
    else if (x - square > 2 * Wide{result})
      ++result;
    else
      return result;
  }
  return root(x);
}

}  // namespace

void IntegerSum::add_magnitude(bool negative, Wide magnitude, int exponent) {
  if (magnitude == 0) return;
  int const position = exponent - lowest_exponent, shift = position & 63;
  int word = position >> 6;
  auto& side = m_side[negative];
  Wide const low = magnitude << shift;
  std::uint64_t const parts[] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                                 shift == 0 ? 0 : static_cast<std::uint64_t>(magnitude >> (128 - shift))};
  m_first = std::min(m_first, word);
  bool carry = false;
  for (std::uint64_t const part : parts) {
    std::uint64_t const before = side[word], sum = before + part;
    side[word] = sum + carry;
    carry = sum < before || side[word] < sum;
    ++word;
  }
  for (; carry; ++word) carry = ++side[word] == 0;
  m_last = std::max(m_last, word);
}

void IntegerSum::add_special(double x) {
  if (is_nan_bits(x))
    m_nan = true;
  else
    m_infinite[bits_of(x) >> 63] = true;
}

IntegerSum& IntegerSum::add_product(double x, double y) {
  if (has_finite_bits(x) && has_finite_bits(y)) {
    Parts const a = parts_of(x), b = parts_of(y);
    add_magnitude(a.is_negative != b.is_negative, Wide{a.significand} * b.significand, a.exponent + b.exponent);
  } else {
    add_special(x * y);
  }
  return *this;
}

IntegerSum& IntegerSum::add_scaled(double alpha, IntegerSum const& other) {
  if (!other.is_finite() || !has_finite_bits(alpha)) {
    double value = other.is_finite() ? 1.0 : other.special<double>();
    if (other.is_finite()) {
      Leading const sum = other.leading();
      value = sum.top == 0 ? 0.0 : sum.is_negative ? -1.0 : 1.0;
    }
    add_special(alpha * value);
    return *this;
  }
  Words words;
  int first, last;
  bool const negative = other.subtract(words, first, last);
  Parts const factor = parts_of(alpha);
  for (int i = first; i < last; ++i)
    add_magnitude(negative != factor.is_negative, Wide{words[i]} * factor.significand,
                  lowest_exponent + 64 * i + factor.exponent);
  return *this;
}

void IntegerSum::clear() {
  for (auto& side : m_side)
    for (int i = m_first; i < m_last; ++i) side[i] = 0;
  m_first = count;
  m_last = 0;
  m_nan = m_infinite[0] = m_infinite[1] = false;
}

bool IntegerSum::subtract(Words& words, int& first, int& last) const {
  first = m_first;
  last = m_last;
  while (last > first && m_side[0][last - 1] == m_side[1][last - 1]) --last;
  bool const negative = last > first && m_side[0][last - 1] < m_side[1][last - 1];
  auto const& larger = m_side[negative];
  auto const& smaller = m_side[!negative];
  bool borrow = false;
  for (int i = first; i < last; ++i) {
    std::uint64_t const difference = larger[i] - smaller[i];
    words[i] = difference - borrow;
    borrow = larger[i] < smaller[i] || difference < borrow;
  }
  while (last > first && words[last - 1] == 0) --last;
  return negative;
}

auto IntegerSum::leading(Words const& words, int first, int last, int exponent_of_first) -> Leading {
  while (last > first && words[last - 1] == 0) --last;
  if (last <= first) return {};
  Leading result;
  int const zeros = std::countl_zero(words[last - 1]);
  std::uint64_t const next = last - 2 >= first ? words[last - 2] : 0;
  result.top = words[last - 1] << zeros | (zeros == 0 ? 0 : next >> (64 - zeros));
  result.exponent = exponent_of_first + 64 * (last - first) - 1 - zeros;
  result.is_inexact = next << zeros != 0;
  for (int i = first; i < last - 2 && !result.is_inexact; ++i) result.is_inexact = words[i] != 0;
  return result;
}

auto IntegerSum::leading() const -> Leading {
  Words words;
  int first, last;
  bool const negative = subtract(words, first, last);
  Leading result = leading(words, first, last, lowest_exponent + 64 * first);
  result.is_negative = negative;
  return result;
}

/// By long division, 128 bits further than the sum goes: the divisor has at most 64, so the quotient has 64 at least.
auto IntegerSum::quotient(std::uint64_t divisor, int exponent) const -> Leading {
  Words words, digits;
  int first, last;
  bool const negative = subtract(words, first, last);
  if (last <= first) return {};
  std::uint64_t rest = 0;
  for (int i = last - 1; i >= first - 2; --i) {
    Wide const part = Wide{rest} << 64 | (i >= first ? words[i] : 0);
    digits[i - first + 2] = static_cast<std::uint64_t>(part / divisor);
    rest = static_cast<std::uint64_t>(part % divisor);
  }
  Leading result = leading(digits, 0, last - first + 2, lowest_exponent + 64 * (first - 2) - exponent);
  result.is_negative = negative;
  result.is_inexact |= rest != 0;
  return result;
}

template <class R>
R IntegerSum::special() const {
  if (is_nan()) return std::numeric_limits<R>::quiet_NaN();
  return m_infinite[0] ? std::numeric_limits<R>::infinity() : -std::numeric_limits<R>::infinity();
}

template <class R>
R IntegerSum::rounded(Leading const& x, Rounding mode) {
  using Limits = std::numeric_limits<R>;
  using Bits = BitsOf<R>;
  constexpr int precision = Limits::digits, min_exponent = Limits::min_exponent - 1;
  constexpr std::uint64_t infinity = std::bit_cast<Bits>(Limits::infinity());
  std::uint64_t const sign = std::uint64_t{1} << (8 * sizeof(R) - 1);
  auto const number = [&](std::uint64_t magnitude, bool negative) {
    return std::bit_cast<R>(static_cast<Bits>(magnitude | (negative ? sign : 0)));
  };
  if (x.top == 0) return number(0, mode == Rounding::downward);
  bool const away = mode == (x.is_negative ? Rounding::downward : Rounding::upward);
  if (x.exponent >= Limits::max_exponent)
    return number(away || mode == Rounding::to_nearest ? infinity : infinity - 1, x.is_negative);
  int const subnormal = std::max(0, min_exponent - x.exponent), dropped = 64 - precision + subnormal;
  std::uint64_t kept = 0, half = 0, rest = 1;
  if (dropped <= 64) {
    kept = dropped == 64 ? 0 : x.top >> dropped;
    half = x.top >> (dropped - 1) & 1;
    rest = (x.top << (64 - dropped) << 1) | static_cast<std::uint64_t>(x.is_inexact);
  }
  if (mode == Rounding::to_nearest ? half != 0 && (rest != 0 || kept % 2 != 0) : away && (half | rest) != 0) ++kept;
  // The leading bit of a normal number counts as one more in the field of the exponent.
  std::uint64_t const field = subnormal > 0 ? 0 : static_cast<std::uint64_t>(x.exponent - min_exponent);
  return number((field << (precision - 1)) + kept, x.is_negative);
}

template <class R>
R IntegerSum::round(Rounding mode) const {
  return is_finite() ? rounded<R>(leading(), mode) : special<R>();
}

template <class R>
R IntegerSum::round_mean(std::uint64_t n, Rounding mode) const {
  if (n == 0) return std::numeric_limits<R>::quiet_NaN();
  return is_finite() ? rounded<R>(quotient(n, 0), mode) : special<R>();
}

template <class R>
R IntegerSum::round_quotient(double divisor, Rounding mode) const {
  R const infinity = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  Parts const d = parts_of(divisor);
  if (is_nan() || is_nan_bits(divisor)) return nan;
  if (!has_finite_bits(divisor)) return is_finite() ? rounded<R>({}, mode) : nan;
  if (!is_finite()) return m_infinite[1] != d.is_negative ? -infinity : infinity;
  Leading x = leading();
  if (has_zero_bits(divisor)) return x.top == 0 ? nan : x.is_negative != d.is_negative ? -infinity : infinity;
  x = quotient(d.significand, d.exponent);
  if (x.top != 0) x.is_negative ^= d.is_negative;
  return rounded<R>(x, mode);
}

template <class R>
R IntegerSum::round_sqrt(Rounding mode) const {
  if (!is_finite()) return special<R>();
  Words words;
  int first, last;
  subtract(words, first, last);
  Leading x = leading(words, first, last, lowest_exponent + 64 * first);
  if (x.top == 0) return rounded<R>(x, mode);
  // The root of the 127 or 128 leading bits, rounded down, is that of the whole, rounded down.
  int const zeros = std::countl_zero(words[last - 1]);
  auto const word = [&](int i) { return i >= first ? words[i] : 0; };
  Wide bits = Wide{word(last - 1)} << 64 | word(last - 2);
  if (zeros > 0) bits = bits << zeros | word(last - 3) >> (64 - zeros);
  bool is_inexact = word(last - 3) << zeros != 0;
  for (int i = first; i < last - 3 && !is_inexact; ++i) is_inexact = words[i] != 0;
  if (x.exponent % 2 == 0) {
    is_inexact |= (bits & 1) != 0;
    bits >>= 1;
  }
  x.top = root_of_large(bits);
  x.is_inexact = is_inexact || Wide{x.top} * x.top != bits;
  x.exponent = x.exponent >= 0 ? x.exponent / 2 : -((1 - x.exponent) / 2);
  return rounded<R>(x, mode);
}

#define EXAKT_INSTANTIATE(R)                                           \
  template R IntegerSum::round<R>(Rounding) const;                     \
  template R IntegerSum::round_mean<R>(std::uint64_t, Rounding) const; \
  template R IntegerSum::round_quotient<R>(double, Rounding) const;    \
  template R IntegerSum::round_sqrt<R>(Rounding) const;
EXAKT_INSTANTIATE(double)
EXAKT_INSTANTIATE(float)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktTest
