// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_BinaryReader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace Exakt::Tool {

BinaryReader::BinaryReader(std::unique_ptr<Input> input, RecordLayout layout,
                           std::optional<std::uint64_t> expected_bytes, std::string order)
    : Reader(std::move(input)),
      m_layout(layout),
      m_expected_bytes(expected_bytes),
      m_order(std::move(order)),
      m_begin(m_input->offset()) {
  // Where the length is known, a wrong one is reported before hours of work, not after them.
  if (m_input->size()) check_size(*m_input->size() - std::min(*m_input->size(), m_begin));
}

void BinaryReader::check_size(std::uint64_t bytes) const {
  auto const end = std::to_string(m_begin + bytes);
  if (m_expected_bytes && bytes < *m_expected_bytes)
    m_input->fail("byte " + end + ": the file ends here, after " + std::to_string(bytes) + " of the " +
                  std::to_string(*m_expected_bytes) + " bytes of data that its header announces");
  if (m_expected_bytes && bytes > *m_expected_bytes)
    m_input->fail("byte " + std::to_string(m_begin + *m_expected_bytes) + ": the file goes on after the " +
                  std::to_string(*m_expected_bytes) + " bytes of data that its header announces");
  if (auto const left = bytes % m_layout.bytes; left != 0)
    m_input->fail("byte " + std::to_string(m_begin + bytes - left) +
                  ": the file ends within a number: " + std::to_string(left) + " of the " +
                  std::to_string(m_layout.bytes) + " bytes of an " + m_layout.type.name());
}

bool BinaryReader::next(Piece& piece) {
  std::uint64_t const taken = m_input->offset() - m_begin;
  std::uint64_t const end = m_expected_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  std::size_t const wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(Piece::capacity / m_layout.bytes * m_layout.bytes, end - taken));
  piece.offset = m_input->offset();
  if (auto const size = m_input->size()) {
    // A regular file is read in decode(), by many threads at once.
    piece.size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, *size - piece.offset));
    m_input->skip(piece.size);
    return piece.size != 0;
  }
  piece.size = m_input->read(piece.bytes(), wanted);
  if (piece.size < wanted) check_size(taken + piece.size);
  if (taken + piece.size == end && !m_input->peek(1).empty()) check_size(end + 1);
  return piece.size != 0;
}

std::span<double const> BinaryReader::decode(Piece& piece) const {
  if (m_input->size()) {
    std::size_t const got = m_input->read_at(piece.offset, piece.bytes(), piece.size);
    if (got < piece.size)
      m_input->fail("byte " + std::to_string(piece.offset + got) + ": the file became shorter while it was read");
  }
  ElementType const type = m_layout.type;
  std::size_t const n = piece.size / m_layout.bytes;
  std::byte* const numbers = piece.bytes();
  if (!m_layout.is_number_alone())
    for (std::size_t i = 0; i < n; ++i)
      std::memmove(numbers + i * type.bytes, numbers + i * m_layout.bytes + m_layout.offset, type.bytes);
  if (is_native_double(type)) return {piece.storage.data(), n};
  piece.terms.resize(n * type.terms());
  widen(type, numbers, n, piece.terms.data());
  return piece.terms;
}

}  // namespace Exakt::Tool
