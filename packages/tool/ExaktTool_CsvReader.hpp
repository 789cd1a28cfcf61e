// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_CSVREADER_HPP
#define EXAKTTOOL_CSVREADER_HPP

#include "ExaktTool_CsvLayout.hpp"
#include "ExaktTool_CsvRecord.hpp"
#include "ExaktTool_LineReader.hpp"

namespace Exakt::Tool {

/// \brief Columns of a table in comma, semicolon, tab or otherwise separated values.
///
/// Fields may be quoted as in RFC 4180, with separators, line ends and doubled quotes inside. Every record has as many
/// fields as the first one: in any other, a field may stand in another column's place. Empty lines and lines that begin
/// with `#` are passed over.
class CsvReader : public LineReader {
 public:
  /// \throws Failure  As read_csv_layout.
  CsvReader(std::unique_ptr<Input> input, Options const& options);

  std::span<double const> decode(Piece& piece) const override;
  void decode_records(Piece& piece, Records& records) const override;
  std::vector<std::string> columns() const override;

 protected:
  std::size_t whole_part(char const* text, std::size_t size) override;

 private:
  /// Calls begin() at each record and take(index, field) for each of its fields.
  template <class Begin, class Take>
  void for_each_field(Piece const& piece, Begin begin, Take take) const;

  [[noreturn]] void fail_short(Piece const& piece, char const* record, std::size_t fields) const;

  /// A number of a field; nothing for a missing value that is to be left out.
  std::optional<double> number_of(Piece const& piece, CsvColumn const& column, CsvField const& field) const;
  std::optional<Decimal> decimal_of(Piece const& piece, CsvColumn const& column, CsvField const& field) const;

  /// \throws Failure  It is not missing, or that is an error.
  void pass_missing(Piece const& piece, CsvColumn const& column, std::string_view field,
                    std::string const& complaint) const;

  /// Takes the comments and empty lines before the first record.
  void skip_comments();

  CsvLayout m_layout;
  Missing m_missing;
  bool m_decimal;
};

}  // namespace Exakt::Tool

#endif
