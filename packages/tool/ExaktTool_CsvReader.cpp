// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_CsvReader.hpp"

#include "ExaktTool_Lines.hpp"
#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace Exakt::Tool {
namespace {

std::string_view without_blanks(char const* begin, char const* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<Input> input, Options const& options)
    : LineReader(std::move(input)), m_missing(options.missing), m_decimal(options.decimal) {
  skip_comments();
  m_layout = read_csv_layout(*m_input, options);
  if (m_layout.header_bytes != 0) skip(m_layout.header_bytes);
}

void CsvReader::skip_comments() {
  std::size_t taken = 0;
  do {
    auto const head = m_input->peek(Piece::capacity);
    auto const* const begin = reinterpret_cast<char const*>(head.data());
    char const* const end = begin + head.size();
    char const* p = begin;
    while (p != end && is_passed_over(p, end)) {
      char const* const line_end = find_line_end(p, end);
      if (find_stray_return(p, line_end) != nullptr) m_input->fail(stray_return_in_comment);
      if (line_end == end && head.size() >= Piece::capacity) {  // the rest of the line is not in sight
        if (p != begin) break;
        m_input->fail("a comment before the first record does not end within " + std::to_string(Piece::capacity >> 10) +
                      " KiB");
      }
      p = std::min(line_end + 1, end);
    }
    taken = static_cast<std::size_t>(p - begin);
    skip(taken);
  } while (taken != 0);
}

std::vector<std::string> CsvReader::columns() const {
  std::vector<std::string> names;
  for (auto const& column : m_layout.columns) names.push_back(column.name);
  return names;
}

std::size_t CsvReader::whole_part(char const* text, std::size_t size) {
  return whole_csv_records({text, size}, m_layout.separator);
}

void CsvReader::pass_missing(Piece const& piece, CsvColumn const& column, std::string_view field,
                             std::string const& complaint) const {
  bool const missing = is_missing(field.data(), field.data() + field.size());
  if (missing && m_missing == Missing::skip) return;
  if (field.empty()) fail_at(piece, field.data(), column.label + " is empty");
  fail_at(piece, field.data(),
          column.label + ", " + quoted(field) + "," +
              (missing && m_missing == Missing::error ? " is a missing value" : complaint));
}

std::optional<double> CsvReader::number_of(Piece const& piece, CsvColumn const& column, CsvField const& field) const {
  auto const text = without_blanks(field.begin, field.end);
  char const* const end = text.data() + text.size();
  Number const number = parse_number(text.data(), end);
  bool const is_number = number.kind == Number::Kind::number && number.end == end;
  if (is_number && !std::isnan(number.value)) return number.value;
  if (is_number && m_missing == Missing::as_read)
    return std::numeric_limits<double>::quiet_NaN();  // not missing_value()
  pass_missing(piece, column, text,
               number.kind == Number::Kind::too_large ? complaint(number) : std::string(" is not a number"));
  return {};
}

std::optional<Decimal> CsvReader::decimal_of(Piece const& piece, CsvColumn const& column, CsvField const& field) const {
  auto const text = without_blanks(field.begin, field.end);
  char const* const end = text.data() + text.size();
  Decimal number = parse_decimal(text.data(), end);
  if (number.next != end) number.kind = Decimal::Kind::not_a_number;
  if (number.is_readable() && (m_missing == Missing::as_read || number.kind != Decimal::Kind::nan)) return number;
  pass_missing(piece, column, text, complaint(number));
  return {};
}

void CsvReader::fail_short(Piece const& piece, char const* record, std::size_t fields) const {
  std::string why = "the first one has " + std::to_string(m_layout.fields);
  auto const is_missing_here = [&](CsvColumn const& column) { return column.index >= fields; };
  auto const lost = std::find_if(m_layout.columns.begin(), m_layout.columns.end(), is_missing_here);
  if (lost != m_layout.columns.end()) why = lost->label + " is missing";
  fail_at(piece, record, "the record has " + std::to_string(fields) + (fields == 1 ? " field, " : " fields, ") + why);
}

template <class Begin, class Take>
void CsvReader::for_each_field(Piece const& piece, Begin begin, Take take) const {
  char const* p = piece.text();
  char const* const end = p + piece.size;
  while (p != end) {
    if (is_passed_over(p, end)) {
      char const* const line_end = find_line_end(p, end);
      if (char const* const found = find_stray_return(p, line_end); found != nullptr)
        fail_at(piece, found, stray_return_in_comment);
      p = std::min(line_end + 1, end);
      continue;
    }
    char const* const record = p;
    begin();
    for (std::size_t index = 0;; ++index) {
      CsvField const field = parse_csv_field(p, end, m_layout.separator);
      if (!field.closed)
        fail_at(piece, p,
                field.next == end ? "a quote is opened here and never closed"
                                  : "something follows the quoted field that begins here");
      take(index, field);
      p = field.next;
      if (p == end || *p != m_layout.separator) {
        if (index + 1 != m_layout.fields) fail_short(piece, record, index + 1);
        break;
      }
      ++p;
    }
    if (p != end && *p == '\r') ++p;
    if (p != end) ++p;
  }
}

std::span<double const> CsvReader::decode(Piece& piece) const {
  piece.terms.clear();
  piece.skipped = 0;
  CsvColumn const& column = m_layout.columns.front();
  for_each_field(
      piece, [] {},
      [&](std::size_t index, CsvField const& field) {
        if (index != column.index) return;
        if (auto const number = number_of(piece, column, field))
          piece.terms.push_back(*number);
        else
          ++piece.skipped;
      });
  return piece.terms;
}

void CsvReader::decode_records(Piece& piece, Records& records) const {
  constexpr Decimal missing{Decimal::Kind::not_a_number, false, nullptr, nullptr, 0, nullptr};
  records.clear();
  std::size_t const columns = m_layout.columns.size();
  std::size_t numbers = 0;
  auto const begin = [&] {
    if (m_decimal)
      records.decimals.resize(numbers + columns, missing);
    else
      records.numbers.resize(numbers + columns);
    if (m_layout.by) records.keys.emplace_back();
    numbers += columns;
  };
  auto const take_key = [&](CsvField const& field) {
    bool const is_in_text = !field.quoted || std::find(field.begin, field.end, '"') == field.end;
    records.keys.back() =
        is_in_text ? without_blanks(field.begin, field.end) : records.unquoted.emplace_back(content(field));
  };
  for_each_field(piece, begin, [&](std::size_t index, CsvField const& field) {
    if (m_layout.by && m_layout.by->index == index) take_key(field);
    for (std::size_t c = 0; c < columns; ++c) {
      CsvColumn const& column = m_layout.columns[c];
      if (column.index != index) continue;
      std::size_t const place = numbers - columns + c;
      if (m_decimal)
        records.decimals[place] = decimal_of(piece, column, field).value_or(missing);
      else
        records.numbers[place] = number_of(piece, column, field).value_or(missing_value());
    }
  });
}

}  // namespace Exakt::Tool
