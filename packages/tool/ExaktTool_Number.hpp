// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_NUMBER_HPP
#define EXAKTTOOL_NUMBER_HPP

#include <string>
#include <string_view>

namespace Exakt::Tool {

/// \brief What stands at a place of a text where a number should be.
struct Number {
  enum class Kind { number, not_a_number, too_large } kind;
  double value;     ///< nearest double of what is written (ties to even); of a too large one nothing useful
  char const* end;  ///< first character behind the number
};

/// \brief Reads one number: decimal (`-1.5e3`), hexadecimal (`0x1.8p+3`), `inf`, `infinity` or `nan`.
///
/// Independent of the locale. A value that is too small for a double becomes the nearest one, perhaps 0.
Number parse_number(char const* begin, char const* end);

/// The text in quotes, cut if it is long and with unprintable bytes made visible: for messages.
std::string quoted(std::string_view text);

}  // namespace Exakt::Tool

#endif
