// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_CSVREADER_HPP
#define EXAKTTOOL_CSVREADER_HPP

#include "ExaktTool_LineReader.hpp"

namespace Exakt::Tool {

/// \brief One column of a table in comma, semicolon or tab separated values.
///
/// Fields may be quoted as in RFC 4180, with separators, line ends and doubled quotes inside. Empty lines and
/// lines that begin with `#` are passed over.
class CsvReader : public LineReader {
 public:
  /// \param column  Name of the column (as the header spells it) or its number, from 1; empty if there is only one.
  /// \param header  Whether the first record names the columns; nothing: it does if that is where `column` is found,
  ///                or if none of its fields is a number.
  /// \throws Failure  There is no such column, or more than one to choose from.
  CsvReader(std::unique_ptr<Input> input, std::string const& column, std::optional<bool> header);

  std::span<double const> decode(Piece& piece) const override;

 protected:
  std::size_t whole_part(char const* text, std::size_t size) override;

 private:
  std::vector<std::string> first_record(std::size_t& end);
  void choose_column(std::string const& column, std::vector<std::string> const& names, bool has_header);
  double decode_field(Piece const& piece, char const* begin, char const* end) const;

  char m_separator = ',';
  std::size_t m_column_index = 0;
  std::string m_column_label;  ///< for messages
};

}  // namespace Exakt::Tool

#endif
