// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_LINES_HPP
#define EXAKTTOOL_LINES_HPP

#include <cstddef>
#include <cstring>

namespace Exakt::Tool {

/// The first c from p on, or nullptr. \pre p <= end
inline char const* find_in(char const* p, char const* end, char c) {
  return p == end ? nullptr : static_cast<char const*>(std::memchr(p, c, static_cast<std::size_t>(end - p)));
}

/// The line end at p or behind it, or the end of the text.
inline char const* find_line_end(char const* p, char const* end) {
  char const* const found = find_in(p, end, '\n');
  return found != nullptr ? found : end;
}

/// \brief A carriage return in a line that does not end it, or nullptr. Where such characters end the lines of a file, a comment
/// would go on to its end.
inline char const* find_stray_return(char const* p, char const* line_end) {
  return find_in(p, line_end != p && line_end[-1] == '\r' ? line_end - 1 : line_end, '\r');
}

inline constexpr char stray_return_in_comment[] = "a carriage return in a comment is no line end";

}  // namespace Exakt::Tool

#endif
