// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_CSVRECORD_HPP
#define EXAKTTOOL_CSVRECORD_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace Exakt::Tool {

/// \brief One field of a record of comma separated values (RFC 4180).
struct CsvField {
  char const* begin;  ///< of the content, behind an opening quote
  char const* end;    ///< of the content, before a closing quote
  char const* next;   ///< the separator or line end behind the field, or the end of the text
  bool quoted;
  bool closed;  ///< false if a quote is missing: the text ends within the field, or something follows the closing quote
};

/// What may surround the content of a field.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Finds the end of the field that begins at p.
CsvField parse_csv_field(char const* p, char const* end, char separator);

/// The content of a field without surrounding blanks, with doubled quotes made single.
std::string content(CsvField const& field);

/// True where a record need not be looked at: an empty line or a comment.
bool is_passed_over(char const* record, char const* end);

/// \brief Length of the part of a text that consists of whole records, each with its line end.
std::size_t whole_csv_records(std::string_view text, char separator);

/// Tab, semicolon or comma: the first of them that occurs in the line, outside of quotes.
char guess_csv_separator(std::string_view line);

}  // namespace Exakt::Tool

#endif
