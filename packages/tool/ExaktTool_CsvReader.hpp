// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_CSVREADER_HPP
#define EXAKTTOOL_CSVREADER_HPP

#include "ExaktTool_LineReader.hpp"

namespace Exakt::Tool {

/// \brief One column of a table in comma, semicolon or tab separated values.
///
/// Fields may be quoted as in RFC 4180, with separators, line ends and doubled quotes inside. Every record has as many
/// fields as the first one: in any other, a field may stand in another column's place. Empty lines and lines that begin
/// with `#` are passed over.
class CsvReader : public LineReader {
 public:
  /// \param column  Name of the column (as the header spells it) or its number, from 1; empty if there is only one.
  ///                What is a name and a number is taken for the name, if there is a header.
  /// \param header  Whether the first record names the columns; nothing: it does if `column` is one of its fields and
  ///                not the number of a column, or if none of its fields is a number.
  /// \throws Failure  There is no such column, or more than one to choose from, or the first record may or may not
  ///                name the columns.
  CsvReader(std::unique_ptr<Input> input, std::string const& column, std::optional<bool> header);

  std::span<double const> decode(Piece& piece) const override;

 protected:
  std::size_t whole_part(char const* text, std::size_t size) override;

 private:
  std::vector<std::string> first_record(std::size_t& end);
  bool has_names(std::vector<std::string> const& fields, std::string const& column) const;
  void choose_column(std::string const& column, std::vector<std::string> const& names, bool has_header);
  double decode_field(Piece const& piece, char const* begin, char const* end) const;

  char m_separator = ',';
  std::size_t m_columns = 0;
  std::size_t m_column_index = 0;
  std::string m_column_label;  ///< for messages
};

}  // namespace Exakt::Tool

#endif
