// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_PRINT_HPP
#define EXAKTTOOL_PRINT_HPP

#include <string>
#include <string_view>

namespace Exakt::Tool {

/// \brief Shortest decimal that reads back to the same bits; without exponent from 1e-5 to below 1e16.
std::string decimal(double value);
std::string decimal(float value);

/// \brief Hexadecimal form, such as `0x1.8p+3`: the bits themselves.
std::string hexadecimal(double value);

/// \brief Writes to standard output.
/// \throws Failure  Not everything could be written.
void write_to_standard_output(std::string const& text);

/// \brief The text with escape(byte) in place of each byte that a terminal may obey: control characters, also those from
/// 0x80 to 0x9f. Behind the first byte of a character of UTF-8 these are a part of it.
template <class Escape>
std::string without_controls(std::string_view text, Escape escape) {
  std::string result;
  int to_come = 0;  // bytes of the character that has begun
  for (char const byte : text) {
    auto const c = static_cast<unsigned char>(byte);
    bool const continues = to_come > 0 && (c & 0xc0) == 0x80;
    // 0xc2 begins the control characters of UTF-8, too, and no other that ends in such a byte.
    to_come = continues ? to_come - 1 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c > 0xc2 ? 1 : 0;
    if (continues || (c >= 0x20 && c < 0x7f) || c >= 0xa0)
      result += byte;
    else
      result += escape(c);
  }
  return result;
}

}  // namespace Exakt::Tool

#endif
