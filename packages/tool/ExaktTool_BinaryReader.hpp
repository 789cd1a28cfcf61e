// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_BINARYREADER_HPP
#define EXAKTTOOL_BINARYREADER_HPP

#include "ExaktTool_Reader.hpp"

#include <optional>

namespace Exakt::Tool {

/// Where the numbers are: one of a type in each record, behind `offset` bytes of it.
struct RecordLayout {
  ElementType type;
  std::size_t bytes = type.bytes;  ///< of a record
  std::size_t offset = 0;

  bool is_number_alone() const { return bytes == type.bytes; }
};

/// \brief Numbers of one type, one behind the other or one in each record: a raw binary file, or an .npy file behind its header.
class BinaryReader : public Reader {
 public:
  /// \param expected_bytes  How many bytes of records there must be; nothing if the end of the input says so.
  /// \param order           What unusual_order() returns.
  BinaryReader(std::unique_ptr<Input> input, RecordLayout layout, std::optional<std::uint64_t> expected_bytes = {},
               std::string order = {});

  bool next(Piece& piece) override;
  std::span<double const> decode(Piece& piece) const override;
  std::size_t terms_per_element() const override { return m_layout.type.terms(); }
  std::optional<std::size_t> elements_in(Piece const& piece) const override { return piece.size / m_layout.bytes; }
  std::string unusual_order() const override { return m_order; }

 private:
  void check_size(std::uint64_t bytes) const;

  RecordLayout m_layout;
  std::optional<std::uint64_t> m_expected_bytes;
  std::string m_order;
  std::uint64_t m_begin;  ///< of the numbers, in the input
};

}  // namespace Exakt::Tool

#endif
