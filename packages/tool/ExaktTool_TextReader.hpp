// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_TEXTREADER_HPP
#define EXAKTTOOL_TEXTREADER_HPP

#include "ExaktTool_LineReader.hpp"

namespace Exakt::Tool {

/// \brief Numbers separated by white space; `#` begins a comment that reaches to the end of its line.
class TextReader : public LineReader {
 public:
  TextReader(std::unique_ptr<Input> input, Missing missing) : LineReader(std::move(input)), m_missing(missing) {}

  std::span<double const> decode(Piece& piece) const override;
  void decode_records(Piece& piece, Records& records) const override;

 protected:
  std::size_t whole_part(char const* text, std::size_t size) override;

 private:
  /// Calls decode(p, end) where a number begins; it returns where that ends.
  template <class Decode>
  void for_each_word(Piece const& piece, Decode decode) const;

  /// The end of a word that is a missing value, to be left out.
  /// \throws Failure  It is none, or an error.
  char const* pass_missing(Piece const& piece, char const* word, char const* end, std::string const& complaint) const;

  Missing m_missing;
};

}  // namespace Exakt::Tool

#endif
