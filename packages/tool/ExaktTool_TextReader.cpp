// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_TextReader.hpp"

#include "ExaktTool_Number.hpp"

#include <cstring>
#include <string_view>

namespace Exakt::Tool {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool ends_number(char c) { return is_space(c) || c == '#'; }

char const* end_of_line(char const* p, char const* end) {
  void const* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return newline != nullptr ? static_cast<char const*>(newline) : end;
}

}  // namespace

std::size_t TextReader::whole_part(char const* text, std::size_t size) {
  if (auto const newline = std::string_view(text, size).rfind('\n'); newline != std::string_view::npos) {
    m_in_comment = false;
    return newline + 1;
  }
  // One very long line: cut it between two numbers, or anywhere in a comment.
  m_in_comment = m_in_comment || std::memchr(text, '#', size) != nullptr;
  if (m_in_comment) return size;
  while (size != 0 && !is_space(text[size - 1])) --size;
  return size;
}

std::span<double const> TextReader::decode(Piece& piece) const {
  char const* p = piece.text();
  char const* const end = p + piece.size;
  piece.terms.clear();
  if (piece.starts_in_comment) p = end_of_line(p, end);
  while (true) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) return piece.terms;
    if (*p == '#') {
      char const* const line_end = end_of_line(p, end);
      char const* const text_end = line_end != p && line_end[-1] == '\r' ? line_end - 1 : line_end;
      // Where carriage returns end the lines, the comment would go on to the end of the file.
      if (void const* found = std::memchr(p, '\r', static_cast<std::size_t>(text_end - p)); found != nullptr)
        fail_at(piece, static_cast<char const*>(found), "a carriage return in a comment is no line end");
      p = line_end;
      continue;
    }
    Number const number = parse_number(p, end);
    if (number.kind == Number::Kind::number && (number.end == end || ends_number(*number.end))) {
      piece.terms.push_back(number.value);
      p = number.end;
      continue;
    }
    char const* word_end = p;
    while (word_end != end && !ends_number(*word_end)) ++word_end;
    fail_at(piece, p,
            quoted({p, word_end}) +
                (number.kind == Number::Kind::too_large ? " is larger than any double" : " is not a number"));
  }
}

}  // namespace Exakt::Tool
