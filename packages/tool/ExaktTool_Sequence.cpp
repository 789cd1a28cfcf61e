// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Sequence.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace Exakt::Tool {
namespace {

std::optional<std::uint64_t> size_of_regular_file(std::string const& path) {
  struct stat about {};
  // Of a compressed file nobody knows how long its content is.
  auto const ending = extension(path);
  if (path == "-" || ending == "gz" || ending == "npz" || ::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
    return {};
  return static_cast<std::uint64_t>(about.st_size);
}

}  // namespace

bool is_stream(std::string const& path) {
  struct stat about {};
  return path == "-" || (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

std::optional<std::uint64_t> total_size(std::vector<std::string> const& paths) {
  std::uint64_t total = 0;
  for (auto const& path : paths) {
    auto const size = size_of_regular_file(path);
    if (!size) return {};
    total += *size;
  }
  return total;
}

Sequence::Sequence(Options const& options, Share& share)
    : m_options(options), m_share(share), m_progress(total_size(options.files)) {
  // A wrong name at the end of the list is better told now than in an hour. But pipes and terminals can be read only
  // once, and thousands of files not be open at the same time.
  for (auto const& path : options.files)
    if (!is_stream(path)) open(path);
}

std::shared_ptr<Reader> Sequence::open(std::string const& path) {
  std::shared_ptr<Reader> reader = open_reader(path, m_options);
  auto const columns = reader->columns();
  if (m_columns.empty()) m_columns = columns;
  if (columns.size() != m_columns.size())
    reader->input().fail("--column names " + std::to_string(columns.size()) +
                         (columns.size() == 1 ? " column" : " columns") + " here, and " +
                         std::to_string(m_columns.size()) + " in another input");
  return reader;
}

bool Sequence::next(ReadPiece& taken) {
  return m_share.note_failure(m_place, [&] { return take(taken); });
}

bool Sequence::take(ReadPiece& taken) {
  constexpr int bits_of_piece = 40;  // numbers of pieces within a file
  while (true) {
    if (!m_reader) {
      if (m_opened == m_options.files.size()) return false;
      m_place = std::uint64_t{m_opened} << bits_of_piece;
      auto const& path = m_options.files[m_opened++];
      m_is_stream = is_stream(path);
      if (m_is_stream && m_share.rank != 0) continue;
      m_reader = open(path);
    }
    taken.reader = m_reader;
    if (m_reader->next(taken.piece)) {
      m_progress.update(m_bytes_before + m_reader->input().offset());
      taken.place = m_place++;
      std::uint64_t const piece = taken.place & ((std::uint64_t{1} << bits_of_piece) - 1);
      if (m_share.has(m_opened, piece) || m_is_stream) return true;
    } else {
      m_bytes_before += m_reader->input().offset();
      m_reader.reset();
    }
  }
}

std::size_t ElementStream::take(std::size_t n, std::vector<double>& terms) {
  std::size_t const wanted = n * m_reader->terms_per_element();
  terms.resize(wanted);
  std::size_t got = 0;
  while (got < wanted) {
    if (m_left.empty()) {
      if (!m_reader->next(m_piece)) break;
      m_left = m_reader->decode(m_piece);
      m_skipped += m_piece.skipped;
    }
    std::size_t const now = std::min(wanted - got, m_left.size());
    std::copy_n(m_left.begin(), now, terms.begin() + static_cast<std::ptrdiff_t>(got));
    m_left = m_left.subspan(now);
    got += now;
  }
  terms.resize(got);
  return got / m_reader->terms_per_element();
}

std::size_t ElementStream::skip(std::size_t n) {
  std::size_t const per_element = m_reader->terms_per_element();
  std::size_t done = 0;
  while (done < n) {
    if (m_left.empty()) {
      if (!m_reader->next(m_piece)) break;
      auto const known = m_reader->elements_in(m_piece);
      if (known && *known <= n - done) {
        done += *known;
        continue;
      }
      m_left = m_reader->decode(m_piece);
    }
    std::size_t const now = std::min(n - done, m_left.size() / per_element);
    m_left = m_left.subspan(now * per_element);
    done += now;
  }
  return done;
}

}  // namespace Exakt::Tool
