// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_TEXTREADER_HPP
#define EXAKTTOOL_TEXTREADER_HPP

#include "ExaktTool_LineReader.hpp"

namespace Exakt::Tool {

/// \brief Numbers separated by white space; `#` begins a comment that reaches to the end of its line.
class TextReader : public LineReader {
 public:
  using LineReader::LineReader;

  std::span<double const> decode(Piece& piece) const override;

 protected:
  std::size_t whole_part(char const* text, std::size_t size) override;
};

}  // namespace Exakt::Tool

#endif
