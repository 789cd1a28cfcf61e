// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_CsvReader.hpp"

#include "ExaktTool_CsvRecord.hpp"
#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <charconv>

namespace Exakt::Tool {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_number(std::string const& field) {
  char const* const end = field.data() + field.size();
  Number const number = parse_number(field.data(), end);
  return number.kind != Number::Kind::not_a_number && number.end == end;
}

std::string list(std::vector<std::string> const& names) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i)
    text += (i == 0 ? "" : ", ") + quoted(names[i].data(), names[i].data() + names[i].size());
  return text + (names.size() > longest ? ", ..." : "");
}

std::string count_columns(std::size_t n) { return std::to_string(n) + (n == 1 ? " column" : " columns"); }

}  // namespace

CsvReader::CsvReader(std::unique_ptr<Input> input, std::string const& column, std::optional<bool> header)
    : LineReader(std::move(input)) {
  std::size_t end = 0;
  std::vector<std::string> const fields = first_record(end);
  if (fields.empty()) return;
  bool const named = !column.empty() && std::find(fields.begin(), fields.end(), column) != fields.end();
  bool const has_header =
      header.value_or((named && !is_number(column)) || std::none_of(fields.begin(), fields.end(), is_number));
  choose_column(column, fields, has_header);
  if (has_header) skip(end);
}

std::vector<std::string> CsvReader::first_record(std::size_t& record_end) {
  auto const head = m_input->peek(Piece::capacity);
  auto const* const begin = reinterpret_cast<char const*>(head.data());
  char const* const end = begin + head.size();
  char const* p = begin;
  while (p != end && is_passed_over(p, end)) p = std::min(find_line_end(p, end) + 1, end);
  m_separator = guess_csv_separator({p, find_line_end(p, end)});
  std::vector<std::string> fields;
  while (p != end) {
    CsvField const field = parse_csv_field(p, end, m_separator);
    if (!field.closed)
      m_input->fail("a quote in the first record is never closed, or something follows a quoted field");
    fields.push_back(content(field));
    p = field.next;
    if (p == end || *p != m_separator) break;
    if (++p == end) fields.emplace_back();
  }
  record_end = static_cast<std::size_t>(std::min(find_line_end(p, end) + 1, end) - begin);
  return fields;
}

void CsvReader::choose_column(std::string const& column, std::vector<std::string> const& names, bool has_header) {
  auto const columns = count_columns(names.size()) + (has_header ? ": " + list(names) : "");
  if (column.empty()) {
    if (names.size() > 1) m_input->fail("the table has " + columns + "; choose one with --column");
  } else if (auto const found = std::find(names.begin(), names.end(), column); has_header && found != names.end()) {
    m_column_index = static_cast<std::size_t>(found - names.begin());
  } else {
    std::size_t number = 0;
    char const* const end = column.data() + column.size();
    auto const [stop, error] = std::from_chars(column.data(), end, number);
    bool const is_index = error == std::errc() && stop == end;
    if (!is_index)
      m_input->fail("no column is named '" + column + "'; the table has " +
                    (has_header ? columns : "no header, and " + columns));
    if (number < 1 || number > names.size())
      m_input->fail("there is no column " + column + "; the table has " + columns);
    m_column_index = number - 1;
  }
  m_column_label = "field " + std::to_string(m_column_index + 1);
  if (has_header) m_column_label += " (" + names[m_column_index] + ")";
}

std::size_t CsvReader::whole_part(char const* text, std::size_t size) {
  return whole_csv_records({text, size}, m_separator);
}

double CsvReader::decode_field(Piece const& piece, char const* begin, char const* end) const {
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  if (begin == end) fail_at(piece, begin, m_column_label + " is empty");
  Number const number = parse_number(begin, end);
  if (number.kind == Number::Kind::too_large)
    fail_at(piece, begin, m_column_label + ", " + quoted(begin, end) + ", is larger than any double");
  if (number.kind == Number::Kind::not_a_number || number.end != end)
    fail_at(piece, begin, m_column_label + ", " + quoted(begin, end) + ", is not a number");
  return number.value;
}

std::span<double const> CsvReader::decode(Piece& piece) const {
  char const* p = piece.text();
  char const* const end = p + piece.size;
  piece.terms.clear();
  while (p != end) {
    if (is_passed_over(p, end)) {
      p = std::min(find_line_end(p, end) + 1, end);
      continue;
    }
    char const* const record = p;
    for (std::size_t index = 0;; ++index) {
      CsvField const field = parse_csv_field(p, end, m_separator);
      if (!field.closed)
        fail_at(piece, p,
                field.next == end ? "a quote is opened here and never closed"
                                  : "something follows the quoted field that begins here");
      if (index == m_column_index) piece.terms.push_back(decode_field(piece, field.begin, field.end));
      p = field.next;
      if (p == end || *p != m_separator) {
        if (index < m_column_index)
          fail_at(piece, record,
                  "the record has " + std::to_string(index + 1) + (index == 0 ? " field, " : " fields, ") +
                      m_column_label + " is missing");
        break;
      }
      ++p;
    }
    if (p != end && *p == '\r') ++p;
    if (p != end) ++p;
  }
  return piece.terms;
}

}  // namespace Exakt::Tool
