// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_BINARYREADER_HPP
#define EXAKTTOOL_BINARYREADER_HPP

#include "ExaktTool_Reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Exakt::Tool {

/// Where the numbers are in each record.
struct RecordLayout {
  struct Column {
    ElementType type;
    std::size_t offset;
    std::string name;  ///< empty if the record is the number
  };

  std::size_t bytes;  ///< of a record
  std::vector<Column> columns;

  RecordLayout(std::size_t record_bytes, std::vector<Column> numbers)
      : bytes(record_bytes), columns(std::move(numbers)) {}
  explicit RecordLayout(ElementType type) : bytes(type.bytes), columns{{type, 0, ""}} {}

  /// Doubles for each number, of whichever column.
  std::size_t terms() const {
    std::size_t most = 1;
    for (auto const& column : columns) most = std::max(most, column.type.terms());
    return most;
  }
};

/// \brief Numbers of one type, one behind the other, or some in each record: a raw binary file, or an .npy file behind its header.
class BinaryReader : public Reader {
 public:
  /// \param expected_bytes  How many bytes of records there must be; nothing if the end of the input says so.
  /// \param order           What unusual_order() returns.
  BinaryReader(std::unique_ptr<Input> input, RecordLayout layout, std::optional<std::uint64_t> expected_bytes = {},
               std::string order = {});

  bool next(Piece& piece) override;
  std::span<double const> decode(Piece& piece) const override;
  void decode_records(Piece& piece, Records& records) const override;
  std::vector<std::string> columns() const override;
  std::size_t terms_per_element() const override { return m_layout.terms(); }
  std::optional<std::size_t> elements_in(Piece const& piece) const override { return piece.size / m_layout.bytes; }
  std::string unusual_order() const override { return m_order; }

 private:
  void check_size(std::uint64_t bytes) const;

  /// Reads the bytes of a piece, unless next() has.
  void fill(Piece& piece) const;

  /// The numbers of a column of a piece that is filled, one behind the other. \param to  May be the piece's bytes.
  static void gather(Piece const& piece, std::size_t record_bytes, RecordLayout::Column const& column, std::byte* to);

  RecordLayout m_layout;
  std::optional<std::uint64_t> m_expected_bytes;
  std::string m_order;
  std::uint64_t m_begin;  ///< of the numbers, in the input
};

}  // namespace Exakt::Tool

#endif
