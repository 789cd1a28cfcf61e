// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_READER_HPP
#define EXAKTTOOL_READER_HPP

#include "ExaktTool_Input.hpp"
#include "ExaktTool_Options.hpp"
#include "ExaktTool_Records.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Exakt::Tool {

/// \brief A stretch of an input that holds whole numbers only.
struct Piece {
  /// Small enough to stay in a core's cache between reading and adding, large enough to hide the cost of a system call.
  static constexpr std::size_t capacity = std::size_t{1} << 18;

  std::vector<double> storage =
      std::vector<double>(capacity / sizeof(double));  // doubles, so that it is aligned for them
  std::size_t size = 0;                                ///< bytes
  std::uint64_t offset = 0;                            ///< of the first byte, in its input
  std::uint64_t line = 1;                              ///< of the first byte; text only
  std::uint64_t column = 1;                            ///< of the first byte; text only
  bool starts_in_comment = false;
  std::vector<double> terms;  ///< room for numbers that need conversion
  std::uint64_t skipped = 0;  ///< missing values, which are not among the terms; decode() counts them

  std::byte* bytes() { return reinterpret_cast<std::byte*>(storage.data()); }
  std::byte const* bytes() const { return reinterpret_cast<std::byte const*>(storage.data()); }
  char const* text() const { return reinterpret_cast<char const*>(storage.data()); }
};

/// \brief The numbers of one input, whatever its format.
///
/// The work is split in two, so that threads share it: next() takes bytes in order, decode() makes numbers of them.
class Reader {
 public:
  explicit Reader(std::unique_ptr<Input> input) : m_input(std::move(input)) {}
  virtual ~Reader() = default;

  /// \brief Takes the next piece; one caller at a time.
  /// \return False at the end of the input.
  virtual bool next(Piece& piece) = 0;

  /// \brief The terms of a piece that next() filled; any number of callers at a time.
  /// \pre Of records, one column was chosen, and its numbers are read as doubles.
  /// \return Terms that live in the piece. Each element of the input is the sum of terms_per_element() of them.
  virtual std::span<double const> decode(Piece& piece) const = 0;

  /// \brief The records of a piece that next() filled; any number of callers at a time. Each number is the sum of
  /// terms_per_element() doubles.
  virtual void decode_records(Piece& piece, Records& records) const = 0;

  /// The names of the columns that were chosen: one at least.
  virtual std::vector<std::string> columns() const { return {""}; }

  virtual std::size_t terms_per_element() const { return 1; }

  /// How many elements a piece holds, if that can be told without decoding it.
  virtual std::optional<std::size_t> elements_in(Piece const&) const { return {}; }

  /// An order of elements other than the natural one, in words; empty for the natural one.
  virtual std::string unusual_order() const { return {}; }

  Input const& input() const { return *m_input; }

 protected:
  std::unique_ptr<Input> m_input;
};

/// What is behind the last point of a file's name, in lower case; empty if there is none.
std::string extension(std::string const& path);

/// \brief Opens an input and recognizes its format, unless the options name one.
/// \throws Failure  It cannot be opened, or is none of the formats.
std::unique_ptr<Reader> open_reader(std::string const& path, Options const& options);

}  // namespace Exakt::Tool

#endif
