// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_SEQUENCE_HPP
#define EXAKTTOOL_SEQUENCE_HPP

#include "ExaktTool_Progress.hpp"
#include "ExaktTool_Reader.hpp"
#include "ExaktTool_Share.hpp"

#include <memory>

namespace Exakt::Tool {

/// A piece together with the reader that can decode it.
struct ReadPiece {
  std::shared_ptr<Reader const> reader;
  Piece piece;
  std::uint64_t place = 0;  ///< in the order of the work, of all processes
};

/// \brief Several inputs, one after the other.
class Sequence {
 public:
  /// \throws Failure  One of the inputs can already be seen to be missing or malformed.
  Sequence(Options const& options, Share& share);

  /// Takes the next piece for this process, of whichever input; one caller at a time. False at the end of the last.
  bool next(ReadPiece& taken);

  /// Names of the columns that were chosen in the first input that was opened; of all the others as many.
  std::vector<std::string> const& columns() const { return m_columns; }

 private:
  bool take(ReadPiece& taken);
  std::shared_ptr<Reader> open(std::string const& path);

  std::vector<std::string> m_columns;
  Options const& m_options;
  Share& m_share;
  std::size_t m_opened = 0;
  std::uint64_t m_place = 0;
  bool m_is_stream = false;
  std::shared_ptr<Reader> m_reader;
  std::uint64_t m_bytes_before = 0;  ///< length of the inputs that are done
  Progress m_progress;
};

/// \brief The numbers of one input, as many at a time as the caller likes.
class ElementStream {
 public:
  ElementStream(std::string const& path, Options const& options) : m_reader(open_reader(path, options)) {}

  /// \brief Takes up to n elements: their terms, behind one another.
  /// \return How many elements; less than n only at the end.
  std::size_t take(std::size_t n, std::vector<double>& terms);

  /// \brief Goes past up to n elements.
  /// \return How many; less than n only at the end.
  std::size_t skip(std::size_t n);

  /// Missing values among what take() has read.
  std::uint64_t skipped() const { return m_skipped; }

  Reader const& reader() const { return *m_reader; }

 private:
  std::unique_ptr<Reader> m_reader;
  Piece m_piece;
  std::span<double const> m_left;
  std::uint64_t m_skipped = 0;
};

/// Sum of the lengths in bytes, if all of the inputs are files of known length.
std::optional<std::uint64_t> total_size(std::vector<std::string> const& paths);

}  // namespace Exakt::Tool

#endif
