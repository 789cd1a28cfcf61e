// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Decimal.hpp"

#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace Exakt::Tool {
namespace {

constexpr int digits_per_position = 9;
constexpr std::uint32_t radix = 1000000000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char const* skip_digits(char const* p, char const* end) { return std::find_if_not(p, end, is_digit); }

/// The exponent, or one that is too large if the digits say a larger one.
int parse_exponent(char const* p, char const* end) {
  constexpr int enough = 10 * Decimal::largest_exponent;
  int exponent = 0;
  for (; p != end && exponent < enough; ++p) exponent = 10 * exponent + (*p - '0');
  return exponent;
}

/// An infinity or a NaN, or no number.
Decimal parse_special(char const* begin, char const* end) {
  Number const number = parse_number(begin, end);
  Decimal::Kind kind = Decimal::Kind::not_a_number;
  if (number.kind == Number::Kind::number && std::isinf(number.value)) kind = Decimal::Kind::infinity;
  if (number.kind == Number::Kind::number && std::isnan(number.value)) kind = Decimal::Kind::nan;
  return {kind, std::signbit(number.value), begin, begin, 0, number.end};
}

// Integers of any size: words from the lowest one, of which the highest is not zero.
using Words = std::vector<std::uint32_t>;

void multiply_and_add(Words& x, std::uint32_t factor, std::uint32_t summand) {
  std::uint64_t carry = summand;
  for (auto& word : x) {
    carry += std::uint64_t{word} * factor;
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) x.push_back(static_cast<std::uint32_t>(carry));
}

/// x * radix^power.
void scale(Words& x, int power) {
  for (int i = 0; i < power; ++i) multiply_and_add(x, radix, 0);
}

int bit_length(Words const& x) { return x.empty() ? 0 : 32 * static_cast<int>(x.size()) - std::countl_zero(x.back()); }

void double_it(Words& x) { multiply_and_add(x, 2, 0); }

void shift_left(Words& x, int bits) {
  if (bits % 32 != 0) multiply_and_add(x, std::uint32_t{1} << (bits % 32), 0);
  x.insert(x.begin(), static_cast<std::size_t>(bits / 32), 0);
}

bool is_less(Words const& x, Words const& y) {
  if (x.size() != y.size()) return x.size() < y.size();
  return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
}

/// x - y. \pre x >= y.
void subtract(Words& x, Words const& y) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t const difference = std::uint64_t{x[i]} - (i < y.size() ? y[i] : 0) - borrow;
    x[i] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63;
  }
  while (!x.empty() && x.back() == 0) x.pop_back();
}

/// \brief x / y with 62 bits at least, by long division. The remainder is exact, so "is there more?" is.
///
/// Both are shifted to the same length, so 1/2 < x/y < 2; invariant: x < 2 y. \pre x, y > 0.
Impl::TruncatedReal quotient_of(Words x, Words y, bool negative) {
  constexpr int bits = 63;
  int const distance = bit_length(x) - bit_length(y);
  shift_left(distance > 0 ? y : x, std::abs(distance));
  std::uint64_t quotient = 0;
  for (int i = 0; i < bits; ++i) {
    bool const fits = !is_less(x, y);
    if (fits) subtract(x, y);
    quotient = quotient << 1 | (fits ? 1 : 0);
    double_it(x);
  }
  return {quotient, distance - bits + 1, negative, !x.empty()};
}

}  // namespace

Decimal parse_decimal(char const* begin, char const* end) {
  char const* p = begin;
  bool const negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  char const* const digits = p;
  p = skip_digits(p, end);
  auto const whole = p - digits;
  std::ptrdiff_t fraction = 0;
  if (p != end && *p == '.') {
    char const* const point = p;
    p = skip_digits(p + 1, end);
    fraction = p - point - 1;
  }
  if (whole + fraction == 0) return parse_special(begin, end);
  char const* const digits_end = p;
  int exponent = 0;
  if (p != end && (*p == 'e' || *p == 'E')) {
    char const* first = p + 1;
    bool const below_one = first != end && *first == '-';
    if (first != end && (*first == '-' || *first == '+')) ++first;
    char const* const last = skip_digits(first, end);
    if (last != first) {
      exponent = (below_one ? -1 : 1) * parse_exponent(first, last);
      p = last;
    }
  }
  auto kind = Decimal::Kind::number;
  if (std::abs(exponent) > Decimal::largest_exponent) kind = Decimal::Kind::exponent_too_large;
  if (std::max(whole, fraction) > Decimal::most_digits) kind = Decimal::Kind::too_many_digits;
  return {kind, negative, digits, digits_end, exponent - static_cast<int>(fraction), p};
}

std::string complaint(Decimal const& number) {
  switch (number.kind) {
    case Decimal::Kind::exponent_too_large:
      return " has an exponent beyond " + std::to_string(Decimal::largest_exponent);
    case Decimal::Kind::too_many_digits:
      return " has more than " + std::to_string(Decimal::most_digits) + " digits before or after its point";
    default:
      return " is not a decimal number";
  }
}

void add_decimal(GrowingSum& sum, Decimal const& number) {
  if (number.kind != Decimal::Kind::number)
    return sum.add_infinity_or_nan(number.kind == Decimal::Kind::nan, number.negative);
  int const below = (number.exponent % digits_per_position + digits_per_position) % digits_per_position;
  int position = (number.exponent - below) / digits_per_position;
  std::uint32_t digit = 0, unit = 1;  // of this position, and of its next decimal digit
  for (int i = 0; i < below; ++i) unit *= 10;
  auto const add = [&] {
    sum.add(position++, number.negative ? -std::int64_t{digit} : std::int64_t{digit});
    digit = 0;
    unit = 1;
  };
  for (char const* p = number.end; p != number.begin;) {
    if (*--p == '.') continue;
    digit += unit * static_cast<std::uint32_t>(*p - '0');
    if (unit == radix / 10)
      add();
    else
      unit *= 10;
  }
  add();
}

template <class R>
R round_decimal(GrowingSum const& sum, std::uint64_t divisor, Rounding mode) {
  if (sum.special() != Impl::Special::none) return Impl::special_value<R>(sum.special());
  auto const magnitude = sum.magnitude();
  if (magnitude.digits.empty())
    return divisor == 0 ? Impl::special_value<R>(Impl::Special::nan) : Impl::exact_zero<R>(mode);
  Words numerator, denominator{static_cast<std::uint32_t>(divisor), static_cast<std::uint32_t>(divisor >> 32)};
  while (denominator.back() == 0) denominator.pop_back();
  for (auto digit = magnitude.digits.rbegin(); digit != magnitude.digits.rend(); ++digit)
    multiply_and_add(numerator, radix, *digit);
  scale(magnitude.first > 0 ? numerator : denominator, std::abs(magnitude.first));
  return Impl::round_to<R>(quotient_of(std::move(numerator), std::move(denominator), magnitude.negative), mode);
}

template double round_decimal<double>(GrowingSum const&, std::uint64_t, Rounding);
template float round_decimal<float>(GrowingSum const&, std::uint64_t, Rounding);

std::string decimal_text(GrowingSum const& sum) {
  switch (sum.special()) {
    case Impl::Special::nan:
      return "nan";
    case Impl::Special::positive_infinity:
      return "inf";
    case Impl::Special::negative_infinity:
      return "-inf";
    case Impl::Special::none:
      break;
  }
  auto const magnitude = sum.magnitude();
  if (magnitude.digits.empty()) return "0e0";
  std::string text;
  for (auto digit = magnitude.digits.rbegin(); digit != magnitude.digits.rend(); ++digit) {
    std::string const digits = std::to_string(*digit);
    if (!text.empty()) text.append(static_cast<std::size_t>(digits_per_position) - digits.size(), '0');
    text += digits;
  }
  auto const size = text.find_last_not_of('0') + 1;
  int const exponent = digits_per_position * magnitude.first + static_cast<int>(text.size() - size);
  text.resize(size);
  return (magnitude.negative ? "-" : "") + text + "e" + std::to_string(exponent);
}

GrowingSum sum_from_decimal_text(std::string const& text) {
  constexpr int largest = 8 * Decimal::largest_exponent;  // more than any state has: it is shorter than 64 KiB
  GrowingSum sum(Radix::decimal);
  char const* const end = text.data() + text.size();
  Decimal number = parse_special(text.data(), end);
  if (number.kind == Decimal::Kind::not_a_number) {
    number.kind = Decimal::Kind::number;
    number.negative = text.starts_with('-');
    number.begin = text.data() + (number.negative ? 1 : 0);
    number.end = skip_digits(number.begin, end);
    if (number.end == number.begin || number.end == end || *number.end != 'e')
      throw std::invalid_argument("its decimal sum is not a number");
    auto const [stop, error] = std::from_chars(number.end + 1, end, number.exponent);
    if (error != std::errc() || std::abs(number.exponent) > largest)
      throw std::invalid_argument("the exponent of its decimal sum is not a possible one");
    number.next = stop;
  }
  if (number.next != end) throw std::invalid_argument("something follows its decimal sum");
  add_decimal(sum, number);
  return sum;
}

}  // namespace Exakt::Tool
