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

/// What is wrong with it, to be put behind the text: ` is not a number`.
std::string complaint(Number const& number);

/// Whether a field, or a word, is a missing value: empty, NA, or NaN in any case and with any sign.
bool is_missing(char const* begin, char const* end);

/// \brief Stands for a missing value among doubles that keep their places: a NaN that parse_number() does not make.
double missing_value();
bool is_missing(double x);

/// The text in quotes, cut if it is long and with unprintable bytes made visible: for messages.
std::string quoted(std::string_view text);

}  // namespace Exakt::Tool

#endif
