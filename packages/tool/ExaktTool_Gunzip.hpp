// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_GUNZIP_HPP
#define EXAKTTOOL_GUNZIP_HPP

#include <cstddef>
#include <functional>
#include <memory>

namespace Exakt::Tool {

/// Whether this program can decompress: it was built with zlib.
#ifdef EXAKT_TOOL_HAS_ZLIB
inline constexpr bool can_gunzip = true;
#else
inline constexpr bool can_gunzip = false;
#endif

/// \brief The content of gzip members (RFC 1952), one behind the other, decompressed as it is asked for.
class Gunzip {
 public:
  /// Fills a buffer with compressed bytes; fewer than its size only at the end.
  using Source = std::function<std::size_t(std::byte*, std::size_t)>;

  explicit Gunzip(Source source);
  ~Gunzip();

  /// \brief Fills a buffer.
  /// \return The number of bytes; less than size only at the end.
  /// \throws std::runtime_error  The data is damaged, or ends too early: `byte N: what`.
  std::size_t read(std::byte* buffer, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Exakt::Tool

#endif
