// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Npy.hpp"

#include "ExaktTool_BinaryReader.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

namespace Exakt::Tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// \brief The header of an .npy file is a Python dictionary; this finds the values of its three keys.
class Header {
 public:
  Header(Input const& input, std::string text, std::uint64_t begin)
      : m_input(input), m_text(std::move(text)), m_begin(begin) {}

  ElementType type() const {
    std::size_t const at = value_of("descr");
    char const quote = at < m_text.size() ? m_text[at] : '\0';
    std::size_t const end = quote == '\'' || quote == '"' ? m_text.find(quote, at + 1) : std::string::npos;
    if (end == std::string::npos) fail(at, "the array has a structured type; extract one field of it");
    std::string const descr = m_text.substr(at + 1, end - at - 1);
    auto const type = element_type_from_numpy(descr);
    if (!type) fail(at, "the array's type '" + descr + "' is not one of f2, f4, f8, i1 ... i8, u1 ... u8, b1");
    return *type;
  }

  bool fortran_order() const {
    std::size_t const at = value_of("fortran_order");
    if (m_text.compare(at, 4, "True") == 0) return true;
    if (m_text.compare(at, 5, "False") == 0) return false;
    fail(at, "fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> shape() const {
    std::size_t const at = value_of("shape");
    std::vector<std::uint64_t> extents;
    char const* p = m_text.data() + at;
    char const* const end = m_text.data() + m_text.size();
    if (p == end || *p++ != '(') fail(at, "the shape is not a tuple");
    while (p != end && *p != ')') {
      if (*p == ' ' || *p == ',' || *p == 'L') {  // Python 2 wrote 3L
        ++p;
        continue;
      }
      std::uint64_t extent = 0;
      auto const [next, bad] = std::from_chars(p, end, extent);
      if (bad != std::errc())
        fail(static_cast<std::size_t>(p - m_text.data()), "the shape holds something that is not a size");
      extents.push_back(extent);
      p = next;
    }
    if (p == end) fail(at, "the shape is not closed");
    return extents;
  }

  [[noreturn]] void fail(std::size_t at, std::string const& what) const {
    m_input.fail("byte " + std::to_string(m_begin + at) + ": " + what);
  }

 private:
  std::size_t value_of(std::string const& key) const {
    std::size_t at = m_text.find("'" + key + "'");
    if (at == std::string::npos) at = m_text.find('"' + key + '"');
    if (at != std::string::npos) at = m_text.find(':', at + key.size() + 2);
    if (at != std::string::npos) at = m_text.find_first_not_of(' ', at + 1);
    if (at == std::string::npos) fail(0, "the .npy header has no '" + key + "'");
    return at;
  }

  Input const& m_input;
  std::string m_text;
  std::uint64_t m_begin;
};

std::string read_header(Input& input) {
  unsigned char fixed[12];
  auto const take = [&](unsigned char* to, std::size_t n) {
    if (input.read(reinterpret_cast<std::byte*>(to), n) != n)
      input.fail("byte " + std::to_string(input.offset()) + ": the file ends within its .npy header");
  };
  take(fixed, 8);
  unsigned const version = fixed[6];
  if (version < 1 || version > 3)
    input.fail("byte 6: .npy version " + std::to_string(version) + " is unknown; 1, 2 and 3 are known");
  std::size_t const length_bytes = version == 1 ? 2 : 4;
  take(fixed + 8, length_bytes);
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | fixed[8 + i];
  // NumPy itself refuses more than 10000 characters unless told to trust the file.
  if (constexpr std::size_t longest = 1 << 20; length > longest)
    input.fail("byte 8: an .npy header of " + std::to_string(length) + " bytes is not believable");
  std::string text(length, ' ');
  take(reinterpret_cast<unsigned char*>(text.data()), length);
  return text;
}

std::string describe_order(bool fortran, std::vector<std::uint64_t> const& shape) {
  std::string text;
  int long_extents = 0;
  for (auto const extent : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
    long_extents += extent > 1;
  }
  return fortran && long_extents > 1 ? "Fortran order, " + text : "";
}

}  // namespace

bool looks_like_npy(std::span<std::byte const> head) {
  return head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

std::unique_ptr<Reader> open_npy(std::unique_ptr<Input> input) {
  if (!looks_like_npy(input->peek(magic.size())))
    input->fail("byte 0: an .npy file begins with \\x93NUMPY, this one does not");
  std::string text = read_header(*input);
  std::uint64_t const begin = input->offset() - text.size();
  Header const header(*input, std::move(text), begin);
  ElementType const type = header.type();
  bool const fortran = header.fortran_order();
  auto const shape = header.shape();
  std::uint64_t bytes = type.bytes;
  for (auto const extent : shape)
    if (extent == 0) bytes = 0;
  for (auto const extent : shape) {
    if (bytes != 0 && extent > std::numeric_limits<std::uint64_t>::max() / 2 / bytes)
      header.fail(0, "the shape has more elements than any file");
    bytes *= extent;
  }
  return std::make_unique<BinaryReader>(std::move(input), type, bytes, describe_order(fortran, shape));
}

}  // namespace Exakt::Tool
