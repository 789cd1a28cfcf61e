// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Number.hpp"

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

/// Whether a byte of these eight is below '.', as those between numbers are.
bool has_separator(char const* eight) {
  std::uint64_t bytes;
  std::memcpy(&bytes, eight, sizeof(bytes));
  constexpr std::uint64_t ones = ~std::uint64_t{0} / 255;
  return ((bytes - ones * '.') & ~bytes & ones * 0x80) != 0;
}

/// \brief Digits with a point or without, as most numbers of tables are written: an integer and a power of ten that are
/// doubles, so that the one division rounds (Clinger, How to read floating point numbers accurately, 1990).
///
/// False, and nothing is said, for whatever is written otherwise.
bool parse_short(char const* begin, char const* end, Number& number) {
  constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr int most_digits = 15;  // 10^15 < 2^53
  char const* p = begin;
  bool const negative = p != end && *p == '-';
  if (negative) ++p;
  // Long ones are not read twice.
  if (end - p > most_digits + 1 && !has_separator(p) && !has_separator(p + 8)) return false;
  std::uint64_t integer = 0;
  auto const read_digits = [&] {
    char const* const first = p;
    for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p)
      integer = integer * 10 + static_cast<std::uint64_t>(*p - '0');  // what overflows is thrown away
    return p - first;
  };
  auto const before = read_digits();
  auto after = before - before;
  if (p != end && *p == '.') {
    ++p;
    after = read_digits();
  }
  auto const digits = before + after;
  if (digits == 0 || digits > most_digits) return false;
  if (p != end && (*p == 'e' || *p == 'E' || *p == 'x' || *p == 'X')) return false;
  double const value = static_cast<double>(integer) / powers[after];
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
  if (begin != end && (*begin == '-' || *begin == '+')) ++begin;
  std::string_view const text(begin, static_cast<std::size_t>(end - begin));
  auto const is = [](char c, char lower) { return c == lower || c == lower - 'a' + 'A'; };
  return text.empty() || text == "NA" || (text.size() == 3 && is(text[0], 'n') && is(text[1], 'a') && is(text[2], 'n'));
}

namespace {
constexpr std::uint64_t missing_bits = 0x7ff8000000004e41;  // a quiet NaN, with "NA" in it
}

double missing_value() { return std::bit_cast<double>(missing_bits); }
bool is_missing(double x) { return std::bit_cast<std::uint64_t>(x) == missing_bits; }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 24;
  std::string result = "'";
  for (char const p : text.substr(0, longest)) {
    auto const c = static_cast<unsigned char>(p);
    if (c >= 0x20 && c != 0x7f) {
      result += p;
    } else {
      constexpr char digit[] = "0123456789abcdef";
      result += {'\\', 'x', digit[c >> 4], digit[c & 15]};
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace Exakt::Tool
