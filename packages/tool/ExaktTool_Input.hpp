// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_INPUT_HPP
#define EXAKTTOOL_INPUT_HPP

#include "ExaktTool_Inflate.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Exakt::Tool {

/// \brief The bytes of a file or of standard input (`-`), read in order and never held as a whole.
class Input {
 public:
  /// \throws Failure  The file cannot be opened, or is a directory.
  explicit Input(std::string const& path);
  ~Input();
  Input(Input const&) = delete;
  Input& operator=(Input const&) = delete;

  /// How messages call this input.
  std::string const& name() const { return m_name; }

  /// \brief Reads until the buffer is full or the input ends.
  /// \return The number of bytes read; less than size only at the end.
  std::size_t read(std::byte* buffer, std::size_t size);

  /// The next bytes, at least n of them if the input has so many, without taking them: the next read() delivers them.
  std::span<std::byte const> peek(std::size_t n);

  /// \brief From here on, the bytes are those that the gzip data in the input holds; the length is not known then.
  /// \pre Nothing has been taken.
  void decompress();

  /// \brief From here on, the bytes are those that `content` delivers: of a part of the input, which messages name.
  ///
  /// The length is not known then. What `content` throws, a std::runtime_error, is told as a Failure of this input.
  /// \pre Nothing has been taken.
  void enter(std::string const& part, ByteSource content);

  /// Bytes taken by read() so far.
  std::uint64_t offset() const { return m_offset; }

  /// Length of a regular file in bytes; nothing for a pipe or a terminal.
  std::optional<std::uint64_t> size() const { return m_size; }

  /// \brief Reads at a position of a regular file, from any number of threads at a time.
  /// \return The number of bytes read; less than size only at the end.
  std::size_t read_at(std::uint64_t position, std::byte* buffer, std::size_t size) const;

  /// Marks bytes of a regular file as taken, without reading them.
  void skip(std::uint64_t bytes);

  /// A Failure for this input: `NAME: what`.
  [[noreturn]] void fail(std::string const& what) const;

 private:
  std::size_t read_descriptor(std::byte* buffer, std::size_t size);
  void replace_content(ByteSource content);
  std::size_t read_content(std::byte* buffer, std::size_t size) const;

  std::string m_name;
  int m_descriptor = -1;
  std::optional<std::uint64_t> m_size;
  std::uint64_t m_offset = 0;
  bool m_at_end = false;  ///< asked again, a terminal would wait for more
  std::vector<std::byte> m_peeked;
  ByteSource m_content;  ///< delivers the bytes in place of the descriptor, if there is one
};

}  // namespace Exakt::Tool

#endif
