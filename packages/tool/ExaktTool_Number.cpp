// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Number.hpp"

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

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

}  // namespace

Number parse_number(char const* begin, char const* end) {
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
