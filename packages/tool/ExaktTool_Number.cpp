// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Number.hpp"

#include "ExaktTool_Print.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace Exakt::Tool {
namespace {

/// std::from_chars does not say whether a number out of range is too large or too small; strtod does, and rounds small
/// ones.
Number out_of_range(char const* begin, char const* end) {
  double const value = std::strtod(std::string(begin, end).c_str(), nullptr);
  return {std::isinf(value) ? Number::Kind::too_large : Number::Kind::number, value, end};
}

bool is_hexadecimal(char const* begin, char const* end) {
  return end - begin > 2 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
}

constexpr std::uint64_t ones = ~std::uint64_t{0} / 255;  // one in each byte

/// Whether a byte of these eight is below '.', as those between numbers are.
bool has_separator(char const* eight) {
  std::uint64_t bytes;
  std::memcpy(&bytes, eight, sizeof(bytes));
  return ((bytes - ones * '.') & ~bytes & ones * 0x80) != 0;
}

/// Whether these eight bytes are digits.
bool are_digits(std::uint64_t bytes) {
  // Digits are 0x30 ... 0x39: six more leaves the upper half of the byte as it is.
  return (((bytes ^ ones * '0') | ((bytes + ones * 6) ^ ones * '0')) & ones * 0xf0) == 0;
}

/// The number that eight digits make, of which the first is the lowest byte.
std::uint64_t value_of_digits(std::uint64_t bytes) {
  // Neighbours are joined to numbers of two digits, of four, and of eight.
  bytes = (bytes & ones * 0x0f) * (1 + (10 << 8)) >> 8;
  bytes = (bytes & 0x00ff00ff00ff00ff) * (1 + (100 << 16)) >> 16;
  return (bytes & 0x0000ffff0000ffff) * (1 + (std::uint64_t{10000} << 32)) >> 32;
}

template <class T, std::size_t size>
constexpr std::array<T, size> powers_of(T base) {
  std::array<T, size> powers{1};
  for (std::size_t i = 1; i < size; ++i) powers[i] = base * powers[i - 1];
  return powers;
}
constexpr auto powers_of_ten = powers_of<double, 23>(10);         // 10^22 is a double, as 5^22 < 2^53
constexpr auto powers_of_five = powers_of<std::uint64_t, 28>(5);  // 5^27 < 2^64

#ifdef __SIZEOF_INT128__
constexpr bool has_wide_integers = true;

/// \brief RN(integer / 10^power). \pre 0 < integer; 5^power < 2^64
///
/// With W = integer * 2^a and D = 5^power * 2^b, both in [2^63, 2^64), the quotient W * 2^62 / D is between 2^61 and 2^63.
/// Its last bit is set if there is a remainder: this bit is far behind those that decide how doubles are rounded.
double divide_by_power_of_ten(std::uint64_t integer, std::size_t power) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t const five = powers_of_five[power];
  int const a = std::countl_zero(integer), b = std::countl_zero(five);
  Wide const dividend = static_cast<Wide>(integer << a) << 62;
  auto const quotient = static_cast<std::uint64_t>(dividend / (five << b));
  // Of the remainder, which is below 2^64, the lower bits are all.
  bool const is_exact = static_cast<std::uint64_t>(dividend) == quotient * (five << b);
  constexpr int bias = 1023, stored = 52;
  auto const exponent = static_cast<std::uint64_t>(bias + b - a - 62 - static_cast<int>(power));
  return static_cast<double>(static_cast<std::int64_t>(quotient | (is_exact ? 0 : 1))) *
         std::bit_cast<double>(exponent << stored);
}
#else
constexpr bool has_wide_integers = false;
double divide_by_power_of_ten(std::uint64_t, std::size_t) { return 0; }
#endif

/// \brief Digits, a point or none, an exponent or none, as most numbers of tables are written: an integer divided by a power
/// of ten. If both are doubles, the one division rounds (Clinger, How to read floating point numbers accurately, 1990).
///
/// False, and nothing is said, for whatever is written otherwise.
bool parse_short(char const* begin, char const* end, Number& number) {
  constexpr std::ptrdiff_t digits_of_doubles = 15, digits_of_integers = 19;  // 10^15 < 2^53, 10^19 < 2^64
  char const* p = begin;
  bool const negative = p != end && *p == '-';
  p += negative ? 1 : 0;
  bool const is_long =
      std::endian::native == std::endian::little && end - p > 16 && !has_separator(p) && !has_separator(p + 8);
  std::uint64_t integer = 0;  // what overflows is thrown away
  auto const read_digits = [&] {
    char const* const first = p;
    if (is_long) {
      for (std::uint64_t eight; end - p >= 8; p += 8) {
        std::memcpy(&eight, p, sizeof(eight));
        if (!are_digits(eight)) break;
        integer = integer * 100'000'000 + value_of_digits(eight);
      }
    }
    for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p)
      integer = integer * 10 + static_cast<std::uint64_t>(*p - '0');
    return p - first;
  };
  bool const has_leading_zero = p != end && *p == '0';
  auto const before = read_digits();
  auto after = before - before;
  if (p != end && *p == '.') {
    ++p;
    after = read_digits();
  }
  if (before + after == 0) return false;
  auto const digits = before + after - (has_leading_zero ? 1 : 0);
  auto power = after;
  if (p != end && (*p == 'e' || *p == 'E')) {
    bool const is_signed = end - p > 1 && (p[1] == '-' || p[1] == '+');
    std::uint32_t exponent = 0;  // of which no second sign is read
    auto const [stop, error] = std::from_chars(p + (is_signed ? 2 : 1), end, exponent);
    if (error != std::errc()) return false;
    power += is_signed && p[1] == '-' ? std::int64_t{exponent} : -std::int64_t{exponent};
    p = stop;
  }
  if (power < 0 || (p != end && (*p == 'x' || *p == 'X'))) return false;
  auto const places = static_cast<std::size_t>(power);
  double value = 0;
  if (digits <= digits_of_doubles && places < powers_of_ten.size()) {
    value = static_cast<double>(integer) / powers_of_ten[places];
  } else if (has_wide_integers && digits <= digits_of_integers && places < powers_of_five.size()) {
    if (integer != 0) value = divide_by_power_of_ten(integer, places);
  } else {
    return false;
  }
  number = {Number::Kind::number, negative ? -value : value, p};
  return true;
}

}  // namespace

Number parse_number(char const* begin, char const* end) {
  if (Number number; parse_short(begin, end, number)) return number;
  double value = 0;
  auto [stop, error] = std::from_chars(begin, end, value);
  bool const plain = error == std::errc() && !(stop != end && (*stop == 'x' || *stop == 'X'));
  if (plain) return {Number::Kind::number, value, stop};
  if (error == std::errc::result_out_of_range) return out_of_range(begin, stop);

  char const* digits = begin;
  bool const negative = digits != end && *digits == '-';
  if (digits != end && (*digits == '-' || *digits == '+')) ++digits;
  // from_chars would take another sign here.
  if (digits == end || *digits == '-' || *digits == '+') return {Number::Kind::not_a_number, 0, begin};
  bool const hexadecimal = is_hexadecimal(digits, end);
  // Nor are there hexadecimal infinities and NaNs.
  if (hexadecimal && digits[2] != '.' && std::isxdigit(static_cast<unsigned char>(digits[2])) == 0)
    return {Number::Kind::not_a_number, 0, begin};
  auto const parsed = hexadecimal ? std::from_chars(digits + 2, end, value, std::chars_format::hex)
                                  : std::from_chars(digits, end, value);
  if (parsed.ec == std::errc::result_out_of_range) return out_of_range(begin, parsed.ptr);
  if (parsed.ec != std::errc()) return {Number::Kind::not_a_number, 0, begin};
  return {Number::Kind::number, negative ? -value : value, parsed.ptr};
}

std::string complaint(Number const& number) {
  return number.kind == Number::Kind::too_large ? " is larger than any double" : " is not a number";
}

bool is_missing(char const* begin, char const* end) {
  std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (text.empty() || text == "NA") return true;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  auto const is = [](char c, char lower) { return c == lower || c == lower - 'a' + 'A'; };
  return text.size() == 3 && is(text[0], 'n') && is(text[1], 'a') && is(text[2], 'n');
}

namespace {
constexpr std::uint64_t missing_bits = 0x7ff8000000004e41;  // a quiet NaN, with "NA" in it
}

double missing_value() { return std::bit_cast<double>(missing_bits); }
bool is_missing(double x) { return std::bit_cast<std::uint64_t>(x) == missing_bits; }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 24;
  auto const escape = [](unsigned char c) {
    constexpr char digit[] = "0123456789abcdef";
    return std::string{'\\', 'x', digit[c >> 4], digit[c & 15]};
  };
  return "'" + without_controls(text.substr(0, longest), escape) + (text.size() > longest ? "...'" : "'");
}

}  // namespace Exakt::Tool
