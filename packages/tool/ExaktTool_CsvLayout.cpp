// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_CsvLayout.hpp"

#include "ExaktTool_Columns.hpp"
#include "ExaktTool_CsvRecord.hpp"
#include "ExaktTool_Lines.hpp"
#include "ExaktTool_Number.hpp"
#include "ExaktTool_Reader.hpp"

#include <algorithm>
#include <charconv>

namespace Exakt::Tool {
namespace {

using Names = std::vector<std::string>;

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

bool contains(Names const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string list(Names const& names) {
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

class LayoutReader {
 public:
  LayoutReader(Input& input, Options const& options) : m_input(input), m_options(options) {}

  CsvLayout read() {
    std::size_t const record_end = read_first_record();
    m_layout.fields = m_fields.size();
    m_asked = split_columns(m_options.column, m_fields);
    if (m_fields.empty()) {
      read_empty();
    } else {
      m_has_header = m_options.header ? *m_options.header : has_names();
      if (m_has_header) m_layout.header_bytes = record_end;
      if (!m_options.by.empty()) m_layout.by = find(m_options.by);
      for (auto const& column : m_asked) m_layout.columns.push_back(find(column));
      if (m_asked.empty()) m_layout.columns.push_back(only_column());
    }
    check_column_count(m_input, m_options, m_layout.columns.size());
    return m_layout;
  }

 private:
  std::size_t read_first_record();
  void read_empty();
  bool has_names() const;
  CsvColumn find(std::string const& column) const;
  CsvColumn only_column() const;

  CsvColumn at(std::size_t index) const {
    CsvColumn column{index, std::to_string(index + 1), "field " + std::to_string(index + 1)};
    if (m_has_header) {
      column.name = m_fields[index];
      std::string const name = quoted(column.name);
      column.label += " (" + name.substr(1, name.size() - 2) + ")";
    }
    return column;
  }
  std::string describe() const { return count_columns(m_fields.size()) + (m_has_header ? ": " + list(m_fields) : ""); }

  Input& m_input;
  Options const& m_options;
  Names m_fields, m_asked;
  bool m_has_header = false;
  CsvLayout m_layout;
};

/// Returns the number of bytes up to its end.
std::size_t LayoutReader::read_first_record() {
  auto const head = m_input.peek(Piece::capacity);
  auto const* const begin = reinterpret_cast<char const*>(head.data());
  char const* const end = begin + head.size();
  char const* p = begin;
  char const separator = m_options.delimiter ? *m_options.delimiter : guess_csv_separator({p, find_line_end(p, end)});
  m_layout.separator = separator;
  while (p != end) {
    CsvField const field = parse_csv_field(p, end, separator);
    if (!field.closed) m_input.fail("a quote in the first record is never closed, or something follows a quoted field");
    if (!field.quoted && std::find(field.begin, field.end, '\r') != field.end)
      m_input.fail("a carriage return in the first record is no line end; try: tr '\\r' '\\n' <FILE | exakt ... -");
    m_fields.push_back(content(field));
    p = field.next;
    if (p == end || *p != separator) break;
    if (++p == end) m_fields.emplace_back();
  }
  char const* const line_end = find_line_end(p, end);
  if (line_end == end && head.size() >= Piece::capacity)
    m_input.fail("the first record does not end within " + std::to_string(Piece::capacity >> 10) + " KiB");
  return static_cast<std::size_t>(std::min(line_end + 1, end) - begin);
}

/// Of nothing, columns can have numbers only.
void LayoutReader::read_empty() {
  auto const can_be_there = [](std::string const& column) { return column_number(column).has_value(); };
  bool const only_numbers =
      std::all_of(m_asked.begin(), m_asked.end(), can_be_there) && (m_options.by.empty() || can_be_there(m_options.by));
  if (m_options.header.value_or(!only_numbers)) m_input.fail("is empty: there are no names of columns");
  for (auto const& column : m_asked) m_layout.columns.push_back({0, column, ""});
  if (m_asked.empty()) m_layout.columns.push_back({0, "1", ""});
}

bool LayoutReader::has_names() const {
  auto const may_be_value = [&](std::string const& field) {
    bool const is_text_for_missing = m_options.missing != Missing::as_read && !field.empty() &&
                                     is_missing(field.data(), field.data() + field.size());
    return is_text_for_missing || is_number(field);
  };
  // What has no letters, 1,5 or $5 or nothing at all, is no name for certain. Beside digits, what is not in ASCII may be a
  // sign of a currency, a minus, or a space.
  auto const is_name = [](std::string const& field) {
    auto const has = [&](auto const& is) { return std::any_of(field.begin(), field.end(), is); };
    bool const has_digits = has([](char c) { return c >= '0' && c <= '9'; });
    auto const is_letter = [=](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ((c & 0x80) != 0 && !has_digits);
    };
    return has(is_letter) && !is_missing(field.data(), field.data() + field.size());
  };
  if (std::none_of(m_fields.begin(), m_fields.end(), may_be_value) &&
      std::any_of(m_fields.begin(), m_fields.end(), is_name))
    return true;
  Names asked = m_asked;
  if (!m_options.by.empty()) asked.push_back(m_options.by);
  if (asked.empty() && m_fields.size() > 1) return false;  // to be told that a column must be chosen
  // A number in the first record may be a name as well as a value; only a column's name can tell.
  bool must_have_names = false;
  for (auto const& column : asked) {
    bool const is_named = contains(m_fields, column);
    auto const number = column_number(column);
    bool const is_numbered = number && *number >= 1 && *number <= m_fields.size();
    if (!is_named && !is_numbered) return false;  // there is no such column, with a header or without
    must_have_names = must_have_names || !is_numbered;
  }
  if (must_have_names) return true;
  m_input.fail("the first record may hold names or values: " + list(m_fields) + "; say --header yes or --header no");
}

CsvColumn LayoutReader::find(std::string const& column) const {
  auto const found = m_has_header ? std::find(m_fields.begin(), m_fields.end(), column) : m_fields.end();
  if (found != m_fields.end()) {
    auto const index = static_cast<std::size_t>(found - m_fields.begin());
    auto const second = std::find(found + 1, m_fields.end(), column);
    if (second != m_fields.end())
      m_input.fail("fields " + std::to_string(index + 1) + " and " + std::to_string(second - m_fields.begin() + 1) +
                   " are both named " + quoted(column) + "; choose one by its number");
    return at(index);
  }
  auto const number = column_number(column);
  if (!number)
    m_input.fail("no column is named " + quoted(column) + "; the table has " + (m_has_header ? "" : "no header, and ") +
                 describe());
  if (*number < 1 || *number > m_fields.size())
    m_input.fail("there is no column " + column + "; the table has " + describe());
  return at(*number - 1);
}

/// The one that needs no name: the only one, or the only one besides that of the groups.
CsvColumn LayoutReader::only_column() const {
  std::size_t const others = m_layout.by ? 2 : 1;
  if (m_fields.size() > others) m_input.fail("the table has " + describe() + "; choose one with --column");
  if (m_fields.size() < others) m_input.fail("the table has " + describe() + "; there is none besides that of --by");
  return at(m_layout.by && m_layout.by->index == 0 ? 1 : 0);
}

}  // namespace

CsvLayout read_csv_layout(Input& input, Options const& options) { return LayoutReader(input, options).read(); }

}  // namespace Exakt::Tool
