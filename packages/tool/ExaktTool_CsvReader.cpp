// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_CsvReader.hpp"

#include "ExaktTool_CsvRecord.hpp"
#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <charconv>

namespace Exakt::Tool {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// True for one number, or several with blanks between them: those of a text that is no table.
bool is_number(std::string const& field) {
  char const* p = field.data();
  char const* const end = p + field.size();
  while (p != end) {
    Number const number = parse_number(p, end);
    if (number.kind == Number::Kind::not_a_number || (number.end != end && !is_blank(*number.end))) return false;
    p = std::find_if_not(number.end, end, is_blank);
  }
  return !field.empty();
}

std::string list(std::vector<std::string> const& names) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i) text += (i == 0 ? "" : ", ") + quoted(names[i]);
  return text + (names.size() > longest ? ", ..." : "");
}

/// The number that a column is given by; nothing if it can only be a name.
std::optional<std::size_t> column_number(std::string const& column) {
  std::size_t number = 0;
  char const* const end = column.data() + column.size();
  auto const [stop, error] = std::from_chars(column.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

std::string count_columns(std::size_t n) { return std::to_string(n) + (n == 1 ? " column" : " columns"); }

}  // namespace

CsvReader::CsvReader(std::unique_ptr<Input> input, std::string const& column, std::optional<bool> header)
    : LineReader(std::move(input)) {
  std::size_t end = 0;
  std::vector<std::string> const fields = first_record(end);
  m_columns = fields.size();
  if (fields.empty()) {
    if (header.value_or(!column.empty() && !column_number(column)))
      m_input->fail("is empty: there are no names of columns");
    return;
  }
  bool const has_header = header ? *header : has_names(fields, column);
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
    if (!field.quoted && std::find(field.begin, field.end, '\r') != field.end)
      m_input->fail("a carriage return in the first record is no line end; try: tr '\\r' '\\n' <FILE | exakt ... -");
    fields.push_back(content(field));
    p = field.next;
    if (p == end || *p != m_separator) break;
    if (++p == end) fields.emplace_back();
  }
  char const* const line_end = find_line_end(p, end);
  if (line_end == end && head.size() >= Piece::capacity)
    m_input->fail("the first record does not end within " + std::to_string(Piece::capacity >> 10) + " KiB");
  record_end = static_cast<std::size_t>(std::min(line_end + 1, end) - begin);
  return fields;
}

bool CsvReader::has_names(std::vector<std::string> const& fields, std::string const& column) const {
  if (std::none_of(fields.begin(), fields.end(), is_number)) return true;
  if (column.empty() && fields.size() > 1) return false;  // to be told that a column must be chosen
  // A number in the first record may be a name as well as a value; only a column's name can tell.
  bool const is_named = !column.empty() && std::find(fields.begin(), fields.end(), column) != fields.end();
  auto const number = column_number(column);
  bool const is_numbered = number && *number >= 1 && *number <= fields.size();
  if (is_named && !is_numbered) return true;
  if (!is_named && !is_numbered && !column.empty()) return false;  // there is no such column, with a header or without
  m_input->fail("the first record may hold names or values: " + list(fields) + "; say --header yes or --header no");
}

void CsvReader::choose_column(std::string const& column, std::vector<std::string> const& names, bool has_header) {
  auto const columns = count_columns(names.size()) + (has_header ? ": " + list(names) : "");
  auto const found = has_header && !column.empty() ? std::find(names.begin(), names.end(), column) : names.end();
  if (column.empty()) {
    if (names.size() > 1) m_input->fail("the table has " + columns + "; choose one with --column");
  } else if (found != names.end()) {
    m_column_index = static_cast<std::size_t>(found - names.begin());
    auto const second = std::find(found + 1, names.end(), column);
    if (second != names.end())
      m_input->fail("fields " + std::to_string(m_column_index + 1) + " and " +
                    std::to_string(second - names.begin() + 1) + " are both named " + quoted(column) +
                    "; choose one by its number");
  } else {
    auto const number = column_number(column);
    if (!number)
      m_input->fail("no column is named " + quoted(column) + "; the table has " +
                    (has_header ? columns : "no header, and " + columns));
    if (*number < 1 || *number > names.size())
      m_input->fail("there is no column " + column + "; the table has " + columns);
    m_column_index = *number - 1;
  }
  m_column_label = "field " + std::to_string(m_column_index + 1);
  if (has_header) {
    std::string const name = quoted(names[m_column_index]);
    m_column_label += " (" + name.substr(1, name.size() - 2) + ")";
  }
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
    fail_at(piece, begin, m_column_label + ", " + quoted({begin, end}) + ", is larger than any double");
  if (number.kind == Number::Kind::not_a_number || number.end != end)
    fail_at(piece, begin, m_column_label + ", " + quoted({begin, end}) + ", is not a number");
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
        if (index + 1 != m_columns)
          fail_at(piece, record,
                  "the record has " + std::to_string(index + 1) + (index == 0 ? " field, " : " fields, ") +
                      (index < m_column_index ? m_column_label + " is missing"
                                              : "the first one has " + std::to_string(m_columns)));
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
