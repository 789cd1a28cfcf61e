// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Npy.hpp"

#include "ExaktTool_BinaryReader.hpp"
#include "ExaktTool_Number.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace Exakt::Tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// What the header of an .npy file says of the array.
struct Description {
  RecordLayout layout;
  bool fortran_order;
  std::vector<std::uint64_t> shape;
};

/// A name in the encoding of the command line.
std::string utf_8_of_latin_1(std::string const& text) {
  std::string result;
  for (unsigned char const c : text)
    result += c < 0x80 ? std::string(1, static_cast<char>(c))
                       : std::string{static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
  return result;
}

/// \brief Reads the header of an .npy file: a Python dictionary with three keys, each once, and blanks behind it.
///
/// Strict: what Python would refuse, or read as something other than a tuple, a bool or a string, is damage.
class HeaderParser {
 public:
  HeaderParser(Input const& input, std::string text, std::uint64_t begin, bool is_latin_1, std::string wanted)
      : m_input(input),
        m_text(std::move(text)),
        m_begin(begin),
        m_is_latin_1(is_latin_1),
        m_wanted(std::move(wanted)) {}

  Description parse() {
    for (std::string const key : {"descr", "fortran_order", "shape"})
      if (m_text.find("'" + key + "'") == std::string::npos && m_text.find('"' + key + '"') == std::string::npos)
        fail(0, "the .npy header has no '" + key + "'");
    skip_blanks();
    if (!take('{')) fail(m_at, "the .npy header does not begin with {");
    skip_blanks();
    while (!take('}')) {
      parse_entry();
      skip_blanks();
      if (!take(',') && peek() != '}') fail(m_at, "a comma or the } of the .npy header is missing here");
      skip_blanks();
    }
    skip_blanks();
    if (m_at != m_text.size()) fail(m_at, "something follows the } of the .npy header");
    if (!m_type) fail(0, "the .npy header has no 'descr'");
    if (!m_fortran_order) fail(0, "the .npy header has no 'fortran_order'");
    if (!m_shape) fail(0, "the .npy header has no 'shape'");
    return {*m_type, *m_fortran_order, *m_shape};
  }

  [[noreturn]] void fail(std::size_t at, std::string const& what) const {
    m_input.fail("byte " + std::to_string(m_begin + at) + ": " + what);
  }

 private:
  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

  bool take(char c) {
    bool const is_there = m_at < m_text.size() && m_text[m_at] == c;
    m_at += is_there ? 1 : 0;
    return is_there;
  }

  void skip_blanks() { m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); }

  /// What stands in quotes at this place; nothing if no quotes do.
  std::optional<std::string> parse_string() {
    char const quote = peek();
    std::size_t const end = quote == '\'' || quote == '"' ? m_text.find(quote, m_at + 1) : std::string::npos;
    if (end == std::string::npos) return {};
    std::string text = m_text.substr(m_at + 1, end - m_at - 1);
    m_at = end + 1;
    return text;
  }

  void parse_entry() {
    std::size_t const begin = m_at;
    auto const key = parse_string();
    if (!key) fail(begin, "a key of the .npy header, in quotes, is missing here");
    skip_blanks();
    if (!take(':')) fail(m_at, "a colon is missing here");
    skip_blanks();
    bool const is_second =
        (*key == "descr" && m_type) || (*key == "fortran_order" && m_fortran_order) || (*key == "shape" && m_shape);
    if (is_second) fail(begin, "the .npy header has '" + *key + "' twice");
    if (*key == "descr")
      m_type = parse_type();
    else if (*key == "fortran_order")
      m_fortran_order = parse_order();
    else if (*key == "shape")
      m_shape = parse_shape();
    else
      fail(begin, quoted(*key) + " is not a key of an .npy header");
  }

  RecordLayout parse_type() {
    std::size_t const at = m_at;
    auto const descr = parse_string();
    if (!descr) return parse_fields();
    if (auto const part = part_of_complex(*descr)) {
      if (m_wanted != "real" && m_wanted != "imag")
        fail(at, "the array is of complex numbers; take a part of them: --column real or --column imag");
      return {*part, 2 * part->bytes, m_wanted == "real" ? 0 : part->bytes};
    }
    if (!m_wanted.empty()) fail(at, "the array has no fields; --column is for these, and for CSV tables");
    return {number_of(*descr, at)};
  }

  ElementType number_of(std::string const& descr, std::size_t at) const {
    auto const type = element_type_from_numpy(descr);
    if (!type) fail(at, "the array's type " + quoted(descr) + " is not one of f2, f4, f8, i1 ... i8, u1 ... u8, b1");
    return *type;
  }

  /// The type of the parts, if the numbers are complex.
  static std::optional<ElementType> part_of_complex(std::string const& descr) {
    auto const c = descr.find('c');
    if (c == std::string::npos || (descr.substr(c) != "c8" && descr.substr(c) != "c16")) return {};
    return element_type_from_numpy(descr.substr(0, c) + (descr.substr(c) == "c8" ? "f4" : "f8"));
  }

  /// The bytes of a type, whatever it holds: its number is of bytes, or of characters of four.
  std::uint64_t bytes_of(std::string const& descr, std::size_t at) const {
    std::size_t const digits = descr.find_first_of("0123456789");
    std::uint64_t bytes = 0;
    if (digits != std::string::npos) std::from_chars(descr.data() + digits, descr.data() + descr.size(), bytes);
    bool const is_known = digits != std::string::npos && digits > 0 && descr[digits - 1] != 'O';
    if (!is_known || bytes > Piece::capacity)
      fail(at, "the size of a field of type " + quoted(descr) + " is not known");
    return descr[digits - 1] == 'U' ? 4 * bytes : bytes;
  }

  /// A structured type: a list of tuples, each with a name, a type, and perhaps a shape.
  RecordLayout parse_fields() {
    std::size_t const at = m_at;
    if (!take('[')) fail(at, "the array's type is neither in quotes nor a list of fields");
    std::optional<RecordLayout> found;
    std::uint64_t record = 0;
    std::string names;
    skip_blanks();
    while (!take(']')) {
      std::size_t const begin = m_at;
      if (!take('(')) fail(begin, "a field of the array's type is not a tuple");
      auto field = parse_string();
      if (field && m_is_latin_1) field = utf_8_of_latin_1(*field);
      bool const has_comma = take(',');
      skip_blanks();
      auto const descr = parse_string();
      if (!field || !has_comma || !descr)
        fail(begin, "a field of the array's type has a title, or fields of its own, or no name");
      skip_blanks();
      std::uint64_t count = 1;
      if (take(',')) {
        skip_blanks();
        for (std::uint64_t const extent : parse_shape()) count *= std::min<std::uint64_t>(extent, Piece::capacity);
        skip_blanks();
      }
      if (!take(')')) fail(m_at, "the ) of a field of the array's type is missing here");
      bool const is_wanted = !m_wanted.empty() && *field == m_wanted;
      if (is_wanted && count != 1) fail(begin, "the field " + quoted(*field) + " is not a number, but several");
      if (is_wanted) found = RecordLayout{number_of(*descr, begin), 0, static_cast<std::size_t>(record)};
      if (!field->empty()) names += (names.empty() ? "" : ", ") + *field;
      record += std::min<std::uint64_t>(count, Piece::capacity) * bytes_of(*descr, begin);
      if (record > Piece::capacity)
        fail(begin, "the array's records are longer than " + std::to_string(Piece::capacity) + " bytes");
      skip_blanks();
      if (!take(',') && peek() != ']') fail(m_at, "a comma or the ] of the array's type is missing here");
      skip_blanks();
    }
    if (m_wanted.empty()) fail(at, "the array has fields; take one of them, as --column NAME: " + names);
    if (!found) fail(at, "the array has no field " + quoted(m_wanted) + "; it has " + names);
    found->bytes = static_cast<std::size_t>(record);
    return *found;
  }

  bool parse_order() {
    std::size_t const at = m_at;
    m_at = std::min(m_text.find_first_of(" \t\r\n,}", m_at), m_text.size());
    std::string_view const word(m_text.data() + at, m_at - at);
    if (word != "True" && word != "False") fail(at, "fortran_order is neither True nor False");
    return word == "True";
  }

  std::vector<std::uint64_t> parse_shape() {
    std::size_t const at = m_at;
    if (!take('(')) fail(at, "the shape is not a tuple");
    std::vector<std::uint64_t> extents;
    skip_blanks();
    while (!take(')')) {
      extents.push_back(parse_extent());
      skip_blanks();
      bool const has_comma = take(',');
      skip_blanks();
      if (has_comma) continue;
      if (peek() != ')') fail(m_at, "a comma is missing in the shape");
      // To Python, (3) is the number 3.
      if (extents.size() == 1) fail(at, "the shape is not a tuple: its comma is missing");
    }
    return extents;
  }

  std::uint64_t parse_extent() {
    char const* const begin = m_text.data() + m_at;
    char const* const end = m_text.data() + m_text.size();
    std::uint64_t extent = 0;
    auto const [stop, error] = std::from_chars(begin, end, extent);
    // Python refuses numbers with a zero in front.
    if (error != std::errc() || (*begin == '0' && stop - begin > 1))
      fail(m_at, "the shape holds something that is not a size");
    m_at += static_cast<std::size_t>(stop - begin);
    take('L');  // Python 2 wrote 3L
    return extent;
  }

  Input const& m_input;
  std::string m_text;
  std::uint64_t m_begin;
  bool m_is_latin_1;
  std::size_t m_at = 0;
  std::string m_wanted;  // field
  std::optional<RecordLayout> m_type;
  std::optional<bool> m_fortran_order;
  std::optional<std::vector<std::uint64_t>> m_shape;
};

std::string read_header(Input& input) {
  unsigned char fixed[12];
  auto const take = [&](unsigned char* to, std::size_t n) {
    if (input.read(reinterpret_cast<std::byte*>(to), n) != n)
      input.fail("byte " + std::to_string(input.offset()) + ": the file ends within its .npy header");
  };
  take(fixed, 8);
  unsigned const version = fixed[6];
  unsigned const minor = fixed[7];
  if (version < 1 || version > 3 || minor != 0)
    input.fail("byte 6: .npy version " + std::to_string(version) + (minor != 0 ? "." + std::to_string(minor) : "") +
               " is unknown; 1, 2 and 3 are known");
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

std::unique_ptr<Reader> open_npy(std::unique_ptr<Input> input, std::string const& field) {
  if (!looks_like_npy(input->peek(magic.size())))
    input->fail("byte 0: an .npy file begins with \\x93NUMPY, this one does not");
  auto const head = input->peek(magic.size() + 1);
  bool const is_latin_1 = head.size() > magic.size() && std::to_integer<int>(head[magic.size()]) < 3;
  std::string text = read_header(*input);
  std::uint64_t const begin = input->offset() - text.size();
  HeaderParser header(*input, std::move(text), begin, is_latin_1, field);
  auto const [layout, fortran, shape] = header.parse();
  std::uint64_t bytes = layout.bytes;
  for (auto const extent : shape)
    if (extent == 0) bytes = 0;
  for (auto const extent : shape) {
    if (bytes != 0 && extent > std::numeric_limits<std::uint64_t>::max() / 2 / bytes)
      header.fail(0, "the shape has more elements than any file");
    bytes *= extent;
  }
  return std::make_unique<BinaryReader>(std::move(input), layout, bytes, describe_order(fortran, shape));
}

}  // namespace Exakt::Tool
