// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_INFLATE_HPP
#define EXAKTTOOL_INFLATE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace Exakt::Tool {

/// Whether this program can decompress: it was built with zlib.
#ifdef EXAKT_TOOL_HAS_ZLIB
inline constexpr bool can_inflate = true;
#else
inline constexpr bool can_inflate = false;
#endif

/// Fills a buffer with bytes; fewer than its size only at the end.
using ByteSource = std::function<std::size_t(std::byte*, std::size_t)>;

/// What surrounds deflated data (RFC 1951).
enum class Wrapping {
  gzip,  ///< members of RFC 1952, one behind the other
  none,  ///< as in zip archives, which keep lengths and checksums elsewhere
};

/// \brief Deflated data, decompressed as it is asked for.
class Inflate {
 public:
  Inflate(Wrapping wrapping, ByteSource source);
  ~Inflate();

  /// \brief Fills a buffer.
  /// \return The number of bytes; less than size only at the end.
  /// \throws std::runtime_error  The data is damaged, or ends too early: `byte N: what`, counted from its begin.
  std::size_t read(std::byte* buffer, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// The CRC-32 of bytes that have one so far (0 if there are none), and of those that follow.
std::uint32_t extend_checksum(std::uint32_t so_far, std::byte const* bytes, std::size_t size);

}  // namespace Exakt::Tool

#endif
