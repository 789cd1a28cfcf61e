// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_LineReader.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace Exakt::Tool {

LineReader::LineReader(std::unique_ptr<Input> input) : Reader(std::move(input)) {
  constexpr unsigned char byte_order_mark[] = {0xef, 0xbb, 0xbf};
  auto const head = m_input->peek(sizeof byte_order_mark);
  if (head.size() >= sizeof byte_order_mark && std::memcmp(head.data(), byte_order_mark, sizeof byte_order_mark) == 0) {
    std::byte discarded[sizeof byte_order_mark];
    m_input->read(discarded, sizeof discarded);
  }
}

void LineReader::skip(std::size_t bytes) {
  std::vector<char> text(bytes);
  m_input->read(reinterpret_cast<std::byte*>(text.data()), bytes);
  advance(text.data(), bytes);
}

void LineReader::advance(char const* text, std::size_t size) {
  auto const lines = std::count(text, text + size, '\n');
  m_line += static_cast<std::uint64_t>(lines);
  if (lines == 0) {
    m_column += size;
  } else {
    m_column = size - std::string_view(text, size).rfind('\n');
  }
}

bool LineReader::next(Piece& piece) {
  std::byte* const bytes = piece.bytes();
  piece.offset = m_input->offset() - m_rest.size();
  piece.line = m_line;
  piece.column = m_column;
  std::copy(m_rest.begin(), m_rest.end(), reinterpret_cast<char*>(bytes));
  std::size_t const wanted = Piece::capacity - m_rest.size();
  std::size_t const got = m_input->read(bytes + m_rest.size(), wanted);
  std::size_t const size = m_rest.size() + got;
  piece.starts_in_comment = m_in_comment;
  piece.size = got < wanted ? size : whole_part(piece.text(), size);
  if (piece.size == 0 && size != 0)
    fail_at(piece, piece.text(),
            "more than " + std::to_string(Piece::capacity >> 10) + " KiB without the end of a number or a record");
  m_rest.assign(piece.text() + piece.size, piece.text() + size);
  advance(piece.text(), piece.size);
  return piece.size != 0;
}

void LineReader::fail_at(Piece const& piece, char const* place, std::string const& what) const {
  char const* const begin = piece.text();
  auto const lines = static_cast<std::uint64_t>(std::count(begin, place, '\n'));
  char const* line_begin = place;
  while (line_begin != begin && line_begin[-1] != '\n') --line_begin;
  std::uint64_t const column = static_cast<std::uint64_t>(place - line_begin) + (lines == 0 ? piece.column : 1);
  m_input->fail("line " + std::to_string(piece.line + lines) + ", column " + std::to_string(column) + ": " + what);
}

}  // namespace Exakt::Tool
