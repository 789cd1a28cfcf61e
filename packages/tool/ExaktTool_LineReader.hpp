// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_LINEREADER_HPP
#define EXAKTTOOL_LINEREADER_HPP

#include "ExaktTool_Reader.hpp"

namespace Exakt::Tool {

/// \brief What text and CSV have in common: pieces that end where a number or a record ends, and positions by line and
/// column.
class LineReader : public Reader {
 public:
  explicit LineReader(std::unique_ptr<Input> input);

  bool next(Piece& piece) final;

 protected:
  /// \brief Length of the longest part of the text that holds whole numbers only; 0 if there is none.
  virtual std::size_t whole_part(char const* text, std::size_t size) = 0;

  /// Takes bytes before the first piece.
  void skip(std::size_t bytes);

  /// True while the text that follows is the rest of a comment.
  bool m_in_comment = false;

  /// A Failure at a place of a piece: `NAME: line L, column C: what`.
  [[noreturn]] void fail_at(Piece const& piece, char const* place, std::string const& what) const;

 private:
  void advance(char const* text, std::size_t size);

  std::vector<char> m_rest;  ///< bytes that were read, but belong to the next piece
  std::uint64_t m_line = 1;
  std::uint64_t m_column = 1;
};

}  // namespace Exakt::Tool

#endif
