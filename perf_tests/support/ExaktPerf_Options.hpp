// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_OPTIONS_HPP
#define EXAKTPERF_OPTIONS_HPP

/// \file
/// \brief What programs refuse on their command lines.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ExaktPerf {

/// \brief The whole number above zero that the text is; nothing if it is anything else, as 1e3 is.
inline std::optional<int> positive_number(std::string_view text) {
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_one = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_one ? std::optional(number) : std::nullopt;
}

/// \brief Whether the program is worth measuring: most of Exakt are templates, compiled with it.
#ifdef __OPTIMIZE__
inline constexpr bool is_optimized = true;
#else
inline constexpr bool is_optimized = false;
#endif
inline constexpr char not_optimized[] =
    "This program is not optimized and can only --dry-run; the preset `release` builds one that measures.\n";

}  // namespace ExaktPerf

#endif
