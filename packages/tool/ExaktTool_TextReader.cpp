// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_TextReader.hpp"

#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <cmath>
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

template <class Decode>
void TextReader::for_each_word(Piece const& piece, Decode decode) const {
  char const* p = piece.text();
  char const* const end = p + piece.size;
  if (piece.starts_in_comment) p = end_of_line(p, end);
  while (true) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) return;
    if (*p == '#') {
      char const* const line_end = end_of_line(p, end);
      char const* const text_end = line_end != p && line_end[-1] == '\r' ? line_end - 1 : line_end;
      // Where carriage returns end the lines, the comment would go on to the end of the file.
      if (void const* found = std::memchr(p, '\r', static_cast<std::size_t>(text_end - p)); found != nullptr)
        fail_at(piece, static_cast<char const*>(found), "a carriage return in a comment is no line end");
      p = line_end;
    } else {
      p = decode(p, end);
    }
  }
}

char const* TextReader::pass_missing(Piece const& piece, char const* word, char const* end,
                                     std::string const& complaint) const {
  char const* word_end = std::find_if(word, end, ends_number);
  if (m_missing == Missing::skip && is_missing(word, word_end)) return word_end;
  fail_at(piece, word,
          quoted({word, word_end}) +
              (m_missing == Missing::error && is_missing(word, word_end) ? " is a missing value" : complaint));
}

std::span<double const> TextReader::decode(Piece& piece) const {
  piece.terms.clear();
  piece.skipped = 0;
  for_each_word(piece, [&](char const* p, char const* end) {
    Number const number = parse_number(p, end);
    bool const is_number = number.kind == Number::Kind::number && (number.end == end || ends_number(*number.end));
    if (!is_number || (m_missing != Missing::as_read && std::isnan(number.value))) {
      ++piece.skipped;
      return pass_missing(piece, p, end, complaint(number));
    }
    piece.terms.push_back(number.value);
    return number.end;
  });
  return piece.terms;
}

void TextReader::decode_records(Piece& piece, Records& records) const {
  records.clear();
  for_each_word(piece, [&](char const* p, char const* end) {
    Decimal const number = parse_decimal(p, end);
    bool const is_whole = number.next == end || ends_number(*number.next);
    bool const is_number = number.is_readable() && is_whole;
    if (!is_number || (m_missing != Missing::as_read && number.kind == Decimal::Kind::nan)) {
      auto const missing = Decimal{Decimal::Kind::not_a_number, false, p, p, 0, p};
      records.decimals.push_back(missing);
      return pass_missing(piece, p, end, complaint(is_whole ? number : missing));
    }
    records.decimals.push_back(number);
    return number.next;
  });
}

}  // namespace Exakt::Tool
