// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_TextReader.hpp"

#include "ExaktTool_Lines.hpp"
#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace Exakt::Tool {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool ends_number(char c) { return is_space(c) || c == '#'; }

}  // namespace

std::size_t TextReader::whole_part(char const* text, std::size_t size) {
  if (auto const newline = std::string_view(text, size).rfind('\n'); newline != std::string_view::npos) {
    m_in_comment = false;
    return newline + 1;
  }
  // One very long line: cut it between two numbers, or anywhere in a comment.
  m_in_comment = m_in_comment || std::memchr(text, '#', size) != nullptr;
  if (m_in_comment) return text[size - 1] == '\r' ? size - 1 : size;  // it may belong to a line end
  while (size != 0 && !is_space(text[size - 1])) --size;
  return size;
}

template <class Decode>
void TextReader::for_each_word(Piece const& piece, Decode decode) const {
  char const* p = piece.text();
  char const* const end = p + piece.size;
  auto const pass_comment = [&] {
    char const* const line_end = find_line_end(p, end);
    if (char const* const found = find_stray_return(p, line_end); found != nullptr)
      fail_at(piece, found, stray_return_in_comment);
    p = line_end;
  };
  if (piece.starts_in_comment) pass_comment();
  while (true) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) return;
    if (*p == '#') {
      pass_comment();
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
