// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Input.hpp"

#include "ExaktTool_Failure.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Exakt::Tool {
namespace {

/// Calls transfer(done) until size bytes are there, the input ends or an error occurs (-1).
template <class Transfer>
ssize_t repeat_until_full(std::size_t size, Transfer transfer) {
  std::size_t done = 0;
  while (done < size) {
    ssize_t const n = transfer(done);
    if (n == 0) break;
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      return -1;
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

Input::Input(std::string const& path) : m_name(path == "-" ? "standard input" : path) {
  m_descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (m_descriptor < 0) fail(std::strerror(errno));
  if ((::fcntl(m_descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY) fail(std::strerror(EBADF));
  struct stat about {};
  if (::fstat(m_descriptor, &about) != 0) fail(std::strerror(errno));
  if (S_ISDIR(about.st_mode)) fail("is a directory, not a file");
  // Standard input may be a file that its owner has already read in part: only a file opened here is known to start at
  // 0. Files of /proc say that they are empty.
  if (S_ISREG(about.st_mode) && path != "-" && about.st_size > 0) {
    m_size = static_cast<std::uint64_t>(about.st_size);
#ifdef POSIX_FADV_SEQUENTIAL
    ::posix_fadvise(m_descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  }
}

Input::~Input() {
  if (m_descriptor > STDIN_FILENO) ::close(m_descriptor);
}

std::size_t Input::read(std::byte* buffer, std::size_t size) {
  std::size_t const from_peeked = std::min(size, m_peeked.size());
  std::copy_n(m_peeked.begin(), from_peeked, buffer);
  m_peeked.erase(m_peeked.begin(), m_peeked.begin() + static_cast<std::ptrdiff_t>(from_peeked));
  std::size_t const wanted = m_at_end ? 0 : size - from_peeked;
  std::byte* const rest = buffer + from_peeked;
  std::size_t const more = m_content ? read_content(rest, wanted) : read_descriptor(rest, wanted);
  m_at_end = m_at_end || more < size - from_peeked;
  std::size_t const total = from_peeked + more;
  m_offset += total;
  return total;
}

std::size_t Input::read_descriptor(std::byte* buffer, std::size_t size) {
  ssize_t const n =
      repeat_until_full(size, [&](std::size_t done) { return ::read(m_descriptor, buffer + done, size - done); });
  if (n < 0) fail("byte " + std::to_string(m_offset) + ": " + std::strerror(errno));
  return static_cast<std::size_t>(n);
}

std::size_t Input::read_content(std::byte* buffer, std::size_t size) const {
  try {
    return m_content(buffer, size);
  } catch (Failure const&) {
    throw;
  } catch (std::runtime_error const& error) {
    fail(error.what());
  }
}

void Input::decompress() {
  // What was looked at comes first.
  auto source = [this, head = std::move(m_peeked), at_end = m_at_end](std::byte* buffer, std::size_t size) mutable {
    std::size_t const n = std::min(size, head.size());
    std::copy_n(head.begin(), n, buffer);
    head.erase(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(n));
    return n != 0 || at_end ? n : read_descriptor(buffer, size);
  };
  auto inflate = std::make_shared<Inflate>(Wrapping::gzip, std::move(source));
  replace_content([inflate](std::byte* buffer, std::size_t size) { return inflate->read(buffer, size); });
}

void Input::enter(std::string const& part, ByteSource content) {
  m_name += ": " + part;
  replace_content(std::move(content));
}

void Input::replace_content(ByteSource content) {
  m_peeked.clear();
  m_at_end = false;
  m_size.reset();
  m_content = std::move(content);
}

std::span<std::byte const> Input::peek(std::size_t n) {
  if (m_peeked.size() < n) {
    std::vector<std::byte> bytes(n);
    std::uint64_t const offset = m_offset;
    bytes.resize(read(bytes.data(), n));
    m_offset = offset;
    m_peeked = std::move(bytes);
  }
  return m_peeked;
}

std::size_t Input::read_at(std::uint64_t position, std::byte* buffer, std::size_t size) const {
  ssize_t const n = repeat_until_full(size, [&](std::size_t done) {
    return ::pread(m_descriptor, buffer + done, size - done, static_cast<off_t>(position + done));
  });
  if (n < 0) fail("byte " + std::to_string(position) + ": " + std::strerror(errno));
  return static_cast<std::size_t>(n);
}

void Input::skip(std::uint64_t bytes) { m_offset += bytes; }

void Input::fail(std::string const& what) const { throw Failure(m_name + ": " + what); }

}  // namespace Exakt::Tool
