// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_CsvRecord.hpp"

#include "ExaktTool_Lines.hpp"

namespace Exakt::Tool {
namespace {

char const* find_quote(char const* p, char const* end) {
  char const* const found = find_in(p, end, '"');
  return found != nullptr ? found : end;
}

bool ends_field(char const* p, char const* end, char separator) {
  return p == end || *p == separator || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

}  // namespace

CsvField parse_csv_field(char const* p, char const* end, char separator) {
  CsvField field{p, p, p, p != end && *p == '"', true};
  if (!field.quoted) {
    while (!ends_field(p, end, separator)) ++p;
    field.end = field.next = p;
    return field;
  }
  field.begin = ++p;
  while ((p = find_quote(p, end)) != end && p + 1 != end && p[1] == '"') p += 2;
  field.end = p;
  field.next = p == end ? end : p + 1;
  field.closed = p != end && ends_field(field.next, end, separator);
  return field;
}

std::string content(CsvField const& field) {
  std::string text;
  for (char const* p = field.begin; p < field.end; ++p) {
    text += *p;
    if (field.quoted && *p == '"') ++p;
  }
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_passed_over(char const* record, char const* end) {
  return record == end || *record == '\n' || *record == '#' ||
         (*record == '\r' && (record + 1 == end || record[1] == '\n'));
}

std::size_t whole_csv_records(std::string_view text, char separator) {
  // Without quotes, every line end is the end of a record.
  if (text.find('"') == std::string_view::npos) return text.rfind('\n') + 1;
  char const* const begin = text.data();
  char const* const end = begin + text.size();
  std::size_t whole = 0;
  for (char const* p = begin; p != end;) {
    if (p == begin + whole && is_passed_over(p, end)) {
      p = find_line_end(p, end);
    } else {
      CsvField const field = parse_csv_field(p, end, separator);
      // A field with a quote too few or too many is left to the decoder, which can name its place, unless its rest is
      // still to come.
      p = field.closed || field.next == end ? field.next : find_line_end(field.next, end);
      if (p != end && *p == '\r') ++p;
    }
    if (p == end) break;
    if (*p == '\n') whole = static_cast<std::size_t>(p + 1 - begin);
    ++p;
  }
  return whole;
}

char guess_csv_separator(std::string_view line) {
  std::string unquoted;
  bool in_quotes = false;
  for (char const c : line) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes) unquoted += c;
  }
  for (char const separator : {'\t', ';', ','})
    if (unquoted.find(separator) != std::string::npos) return separator;
  return ',';
}

}  // namespace Exakt::Tool
