// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_BinaryReader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace Exakt::Tool {

BinaryReader::BinaryReader(std::unique_ptr<Input> input, RecordLayout layout,
                           std::optional<std::uint64_t> expected_bytes, std::string order)
    : Reader(std::move(input)),
      m_layout(std::move(layout)),
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
                  std::to_string(m_layout.bytes) + " bytes of an " + m_layout.columns.front().type.name());
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

std::vector<std::string> BinaryReader::columns() const {
  std::vector<std::string> names;
  for (auto const& column : m_layout.columns) names.push_back(column.name);
  return names;
}

void BinaryReader::fill(Piece& piece) const {
  if (!m_input->size()) return;
  std::size_t const got = m_input->read_at(piece.offset, piece.bytes(), piece.size);
  if (got < piece.size)
    m_input->fail("byte " + std::to_string(piece.offset + got) + ": the file became shorter while it was read");
}

void BinaryReader::gather(Piece const& piece, std::size_t record_bytes, RecordLayout::Column const& column,
                          std::byte* to) {
  std::size_t const bytes = column.type.bytes;
  for (std::size_t i = 0; i < piece.size / record_bytes; ++i)
    std::memmove(to + i * bytes, piece.bytes() + i * record_bytes + column.offset, bytes);
}

std::span<double const> BinaryReader::decode(Piece& piece) const {
  fill(piece);
  auto const& column = m_layout.columns.front();
  std::size_t const n = piece.size / m_layout.bytes;
  if (m_layout.bytes != column.type.bytes) gather(piece, m_layout.bytes, column, piece.bytes());
  if (is_native_double(column.type)) return {piece.storage.data(), n};
  piece.terms.resize(n * column.type.terms());
  widen(column.type, piece.bytes(), n, piece.terms.data());
  return piece.terms;
}

void BinaryReader::decode_records(Piece& piece, Records& records) const {
  fill(piece);
  records.clear();
  std::size_t const n = piece.size / m_layout.bytes, columns = m_layout.columns.size(), terms = m_layout.terms();
  records.numbers.assign(n * columns * terms, 0.0);
  std::vector<std::byte> numbers;
  for (std::size_t c = 0; c < columns; ++c) {
    auto const& column = m_layout.columns[c];
    std::size_t const terms_here = column.type.terms();
    numbers.resize(n * column.type.bytes);
    gather(piece, m_layout.bytes, column, numbers.data());
    piece.terms.resize(n * terms_here);
    widen(column.type, numbers.data(), n, piece.terms.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < terms_here; ++k) {
        double const term = piece.terms[i * terms_here + k];
        // No NaN of an array stands for a missing value, whatever its bits.
        records.numbers[(i * columns + c) * terms + k] =
            std::isnan(term) ? std::numeric_limits<double>::quiet_NaN() : term;
      }
  }
}

}  // namespace Exakt::Tool
