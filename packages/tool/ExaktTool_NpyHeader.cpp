// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_NpyHeader.hpp"

#include "ExaktTool_Number.hpp"
#include "ExaktTool_Reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace Exakt::Tool {
namespace {

std::string utf_8_of(std::uint32_t character) {
  auto const first = [&](unsigned mark, int shift) { return static_cast<char>(mark | character >> shift); };
  auto const next = [&](int shift) { return static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) return {first(0, 0)};
  if (character < 0x800) return {first(0xc0, 6), next(0)};
  if (character < 0x10000) return {first(0xe0, 12), next(6), next(0)};
  return {first(0xf0, 18), next(12), next(6), next(0)};
}

class HeaderParser {
 public:
  HeaderParser(Input const& input, std::string text, std::uint64_t begin, bool is_latin_1)
      : m_input(input), m_text(std::move(text)), m_is_latin_1(is_latin_1) {
    m_header.begin = begin;
  }

  NpyHeader parse() {
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
    if (!m_has_type) fail(0, "the .npy header has no 'descr'");
    if (!m_has_order) fail(0, "the .npy header has no 'fortran_order'");
    if (!m_has_shape) fail(0, "the .npy header has no 'shape'");
    return std::move(m_header);
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string const& what) const {
    m_input.fail("byte " + std::to_string(m_header.begin + at) + ": " + what);
  }

  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

  bool take(char c) {
    bool const is_there = m_at < m_text.size() && m_text[m_at] == c;
    m_at += is_there ? 1 : 0;
    return is_there;
  }

  void skip_blanks() { m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); }

  /// What stands in quotes at this place, in the encoding of the command line; nothing if no quotes do.
  std::optional<std::string> parse_string() {
    std::size_t const begin = m_at;
    char const quote = peek();
    if (quote != '\'' && quote != '"') return {};
    ++m_at;
    std::string text;
    while (!take(quote)) {
      if (m_at == m_text.size()) {
        m_at = begin;
        return {};
      }
      char const c = m_text[m_at++];
      if (c == '\\')
        text += parse_escape();
      else
        text += m_is_latin_1 ? utf_8_of(static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return text;
  }

  /// What follows a backslash, of the escapes that Python's repr() writes.
  std::string parse_escape() {
    std::size_t const begin = m_at - 1;
    char const kind = peek();
    if (take('\\') || take('\'') || take('"')) return {kind};
    if (take('n')) return "\n";
    if (take('r')) return "\r";
    if (take('t')) return "\t";
    std::size_t const digits = take('x') ? 2 : take('u') ? 4 : take('U') ? 8 : 0;
    char const* const first = m_text.data() + m_at;
    char const* const last = first + std::min(digits, m_text.size() - m_at);
    std::uint32_t character = 0;
    auto const [stop, error] = std::from_chars(first, last, character, 16);
    bool const is_surrogate = character >= 0xd800 && character < 0xe000;
    if (error != std::errc() || stop != first + digits || character > 0x10ffff || is_surrogate)
      fail(begin,
           quoted(std::string_view(m_text).substr(begin, 2 + digits)) + " in the .npy header stands for no character");
    m_at += digits;
    return utf_8_of(character);
  }

  void parse_entry() {
    std::size_t const begin = m_at;
    auto const key = parse_string();
    if (!key) fail(begin, "a key of the .npy header, in quotes, is missing here");
    skip_blanks();
    if (!take(':')) fail(m_at, "a colon is missing here");
    skip_blanks();
    bool* const is_there = *key == "descr"           ? &m_has_type
                           : *key == "fortran_order" ? &m_has_order
                           : *key == "shape"         ? &m_has_shape
                                                     : nullptr;
    if (is_there == nullptr) fail(begin, quoted(*key) + " is not a key of an .npy header");
    if (*is_there) fail(begin, "the .npy header has '" + *key + "' twice");
    *is_there = true;
    if (is_there == &m_has_type)
      parse_type();
    else if (is_there == &m_has_order)
      m_header.fortran_order = parse_order();
    else
      m_header.shape = parse_shape();
  }

  void parse_type() {
    m_header.type_at = m_header.begin + m_at;
    if (auto const type = parse_string())
      m_header.type = *type;
    else
      parse_fields();
  }

  /// The bytes of a type, whatever it holds: its number is of bytes, or of characters of four.
  std::uint64_t bytes_of(std::string const& type, std::size_t at) const {
    std::size_t const digits = type.find_first_of("0123456789");
    std::uint64_t bytes = 0;
    if (digits != std::string::npos) std::from_chars(type.data() + digits, type.data() + type.size(), bytes);
    bool const is_known = digits != std::string::npos && digits > 0 && type[digits - 1] != 'O';
    if (!is_known || bytes > Piece::capacity)
      fail(at, "the size of a field of type " + quoted(type) +
                   " is not known; save the other fields, each as an array of its own");
    return type[digits - 1] == 'U' ? 4 * bytes : bytes;
  }

  /// A structured type: a list of tuples, each with a name, a type, and perhaps a shape.
  void parse_fields() {
    if (!take('[')) fail(m_at, "the array's type is neither in quotes nor a list of fields");
    std::uint64_t record = 0;
    skip_blanks();
    while (!take(']')) {
      std::size_t const begin = m_at;
      m_header.fields.push_back(parse_field());
      NpyField& field = m_header.fields.back();
      field.offset = static_cast<std::size_t>(record);
      record += field.count * bytes_of(field.type, begin);
      if (record > Piece::capacity)
        fail(begin, "the array's records are longer than " + std::to_string(Piece::capacity) +
                        " bytes; save the field, as an array of its own");
      skip_blanks();
      if (!take(',') && peek() != ']') fail(m_at, "a comma or the ] of the array's type is missing here");
      skip_blanks();
    }
    m_header.record_bytes = static_cast<std::size_t>(record);
  }

  NpyField parse_field() {
    std::size_t const begin = m_at;
    if (!take('(')) fail(begin, "a field of the array's type is not a tuple");
    auto const name = parse_string();
    bool const has_comma = take(',');
    skip_blanks();
    auto const type = parse_string();
    if (!name || !has_comma || !type)
      fail(begin,
           "a field of the array's type has a title, or fields of its own, or no name; save the numbers in it, as an "
           "array of its own");
    skip_blanks();
    std::uint64_t count = 1;
    if (take(',')) {
      skip_blanks();
      for (std::uint64_t const extent : parse_shape())
        count = std::min<std::uint64_t>(count * std::min<std::uint64_t>(extent, most_numbers), most_numbers);
      skip_blanks();
    }
    if (!take(')')) fail(m_at, "the ) of a field of the array's type is missing here");
    return {*name, *type, count, 0, m_header.begin + begin};
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

  /// More numbers than a record may have bytes.
  static constexpr std::uint64_t most_numbers = Piece::capacity + 1;

  Input const& m_input;
  std::string m_text;
  bool m_is_latin_1;
  std::size_t m_at = 0;
  NpyHeader m_header;
  bool m_has_type = false, m_has_order = false, m_has_shape = false;
};

}  // namespace

NpyHeader read_npy_header(Input& input) {
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
  std::uint64_t const begin = input.offset();
  take(reinterpret_cast<unsigned char*>(text.data()), length);
  bool const is_latin_1 = version < 3;
  return HeaderParser(input, std::move(text), begin, is_latin_1).parse();
}

}  // namespace Exakt::Tool
