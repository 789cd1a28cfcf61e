// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Inflate.hpp"

#ifdef EXAKT_TOOL_HAS_ZLIB

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace Exakt::Tool {

struct Inflate::State {
  Wrapping wrapping;
  ByteSource source;
  z_stream stream{};
  std::vector<std::byte> compressed = std::vector<std::byte>(std::size_t{1} << 16);
  std::uint64_t taken = 0;          // compressed bytes, of all the input
  bool is_between_members = false;  // where the input may end
  bool is_done = false;

  [[noreturn]] void fail(char const* what) const {
    throw std::runtime_error("byte " + std::to_string(taken - stream.avail_in) + ": " + what);
  }

  void refill() {
    std::size_t const got = source(compressed.data(), compressed.size());
    taken += got;
    stream.next_in = reinterpret_cast<Bytef*>(compressed.data());
    stream.avail_in = static_cast<uInt>(got);
  }
};

Inflate::Inflate(Wrapping wrapping, ByteSource source) : m_state(new State{wrapping, std::move(source)}) {
  constexpr int largest_window = 15, of_gzip = 16;
  int const window = wrapping == Wrapping::gzip ? largest_window + of_gzip : -largest_window;
  if (inflateInit2(&m_state->stream, window) != Z_OK) throw std::bad_alloc();
}

Inflate::~Inflate() { inflateEnd(&m_state->stream); }

std::size_t Inflate::read(std::byte* buffer, std::size_t size) {
  auto& stream = m_state->stream;
  stream.next_out = reinterpret_cast<Bytef*>(buffer);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out != 0 && !m_state->is_done) {
    if (stream.avail_in == 0) m_state->refill();
    if (stream.avail_in == 0) {
      if (!m_state->is_between_members) m_state->fail("the file ends within its compressed data");
      break;
    }
    if (std::exchange(m_state->is_between_members, false)) inflateReset(&stream);
    int const result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END) m_state->fail("the compressed data is damaged");
    m_state->is_between_members = result == Z_STREAM_END;
    m_state->is_done = result == Z_STREAM_END && m_state->wrapping == Wrapping::none;
  }
  return size - stream.avail_out;
}

std::uint32_t extend_checksum(std::uint32_t so_far, std::byte const* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(so_far, reinterpret_cast<Bytef const*>(bytes), size));
}

}  // namespace Exakt::Tool

#else

namespace Exakt::Tool {

struct Inflate::State {};
Inflate::Inflate(Wrapping, ByteSource) {}
Inflate::~Inflate() = default;
std::size_t Inflate::read(std::byte*, std::size_t) { return 0; }
std::uint32_t extend_checksum(std::uint32_t, std::byte const*, std::size_t) { return 0; }

}  // namespace Exakt::Tool

#endif
