// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_DECIMAL_HPP
#define EXAKTTOOL_DECIMAL_HPP

#include "ExaktTool_GrowingSum.hpp"

#include <string>

namespace Exakt::Tool {

/// \brief A decimal number as it is written: +-digits * 10^exponent, rounded to nothing.
struct Decimal {
  /// Bounds of what is read: the exponent, and the digits on each side of the point.
  static constexpr int largest_exponent = 10000, most_digits = 10000;

  enum class Kind { number, infinity, nan, not_a_number, exponent_too_large, too_many_digits } kind;
  bool negative;
  char const* begin;  ///< of the digits, among which may be a point
  char const* end;    ///< of the digits
  int exponent;       ///< of the last digit
  char const* next;   ///< first character behind the number

  bool is_readable() const { return kind == Kind::number || kind == Kind::infinity || kind == Kind::nan; }
};

/// \brief Reads one decimal number (`-1.5e3`), `inf`, `infinity` or `nan`.
Decimal parse_decimal(char const* begin, char const* end);

/// What is wrong with it, to be put behind the text: ` is not a decimal number`.
std::string complaint(Decimal const& number);

/// Adds a number exactly. \pre It is readable; the radix of the sum is decimal, here and below.
void add_decimal(GrowingSum& sum, Decimal const& number);

/// \brief sum / divisor, rounded once to `R`, float or double. 0 / 0 is NaN.
template <class R>
R round_decimal(GrowingSum const& sum, std::uint64_t divisor, Rounding mode);

/// \brief The exact value as text, `-123e-2`: without zeros at its end, so that equal values are equal texts.
std::string decimal_text(GrowingSum const& sum);

/// \brief The sum that decimal_text() wrote.
/// \throws std::invalid_argument  It is none.
GrowingSum sum_from_decimal_text(std::string const& text);

}  // namespace Exakt::Tool

#endif
