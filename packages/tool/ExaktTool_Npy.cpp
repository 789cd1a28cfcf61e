// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Npy.hpp"

#include "ExaktTool_BinaryReader.hpp"
#include "ExaktTool_Columns.hpp"
#include "ExaktTool_NpyHeader.hpp"
#include "ExaktTool_Number.hpp"

#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace Exakt::Tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The type of the parts, if the numbers are complex.
std::optional<ElementType> part_of_complex(std::string const& type) {
  auto const c = type.find('c');
  if (c == std::string::npos || (type.substr(c) != "c8" && type.substr(c) != "c16")) return {};
  return element_type_from_numpy(type.substr(0, c) + (type.substr(c) == "c8" ? "f4" : "f8"));
}

/// \brief Finds the numbers that --column names in the records of an array.
class FieldFinder {
 public:
  FieldFinder(Input const& input, NpyHeader const& header, std::string const& wanted)
      : m_input(input), m_header(header), m_wanted(split_columns(wanted, names())) {}

  RecordLayout find() const {
    if (!m_header.type.empty()) return layout_without_fields();
    if (m_wanted.empty())
      fail(m_header.type_at, "the array has fields; take one of them, as --column NAME: " + list_of_fields());
    RecordLayout layout{m_header.record_bytes, {}};
    for (auto const& name : m_wanted) layout.columns.push_back(column_of_fields(name));
    return layout;
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, std::string const& what) const {
    m_input.fail("byte " + std::to_string(at) + ": " + what);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (auto const& field : m_header.fields)
      if (!field.name.empty()) names.push_back(field.name);
    return names;
  }

  std::string list_of_fields() const {
    std::string text;
    for (auto const& name : names()) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  ElementType number_of(std::string const& type, std::uint64_t at) const {
    auto const number = element_type_from_numpy(type);
    if (!number)
      fail(at, "the type " + quoted(type) +
                   " is not one of f2, f4, f8, i1 ... i8, u1 ... u8, b1; if doubles hold its values, save what "
                   ".astype('f8') makes of them");
    return *number;
  }

  RecordLayout layout_without_fields() const {
    auto const part = part_of_complex(m_header.type);
    if (!part) {
      if (!m_wanted.empty())
        fail(m_header.type_at, "the array has no fields; --column is for these, and for CSV tables");
      return RecordLayout(number_of(m_header.type, m_header.type_at));
    }
    RecordLayout layout{2 * part->bytes, {}};
    for (auto const& name : m_wanted)
      if (name == "real" || name == "imag") layout.columns.push_back({*part, name == "real" ? 0 : part->bytes, name});
    if (m_wanted.empty() || layout.columns.size() != m_wanted.size())
      fail(m_header.type_at,
           "the array is of complex numbers; take a part of them: --column real or --column imag, or both: --column "
           "real,imag");
    return layout;
  }

  RecordLayout::Column column_of_fields(std::string const& name) const {
    for (auto const& field : m_header.fields)
      if (!field.name.empty() && field.name == name) return column_of(field);
    // A field may have a point in its name; only where none has this one is it part of a complex number.
    for (auto const& field : m_header.fields)
      for (bool const is_real : {true, false})
        if (auto const part = part_of_complex(field.type);
            part && !field.name.empty() && name == field.name + (is_real ? ".real" : ".imag")) {
          refuse_several(field);
          return {*part, field.offset + (is_real ? 0 : part->bytes), name};
        }
    fail(m_header.type_at, "the array has no field " + quoted(name) + "; it has " + list_of_fields());
  }

  RecordLayout::Column column_of(NpyField const& field) const {
    refuse_several(field);
    if (part_of_complex(field.type))
      fail(field.at, "the field " + quoted(field.name) + " is of complex numbers; take a part of them: --column " +
                         field.name + ".real or --column " + field.name + ".imag, or both: --column " + field.name +
                         ".real," + field.name + ".imag");
    return {number_of(field.type, field.at), field.offset, field.name};
  }

  void refuse_several(NpyField const& field) const {
    if (field.count != 1)
      fail(field.at, "the field " + quoted(field.name) +
                         " is not a number, but several; save it as an array of its own, without fields");
  }

  Input const& m_input;
  NpyHeader const& m_header;
  std::vector<std::string> m_wanted;
};

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

std::unique_ptr<Reader> open_npy(std::unique_ptr<Input> input, Options const& options) {
  if (!looks_like_npy(input->peek(magic.size())))
    input->fail("byte 0: an .npy file begins with \\x93NUMPY, this one does not");
  NpyHeader const header = read_npy_header(*input);
  RecordLayout layout = FieldFinder(*input, header, options.column).find();
  check_column_count(*input, options, layout.columns.size());
  std::uint64_t bytes = layout.bytes;
  for (auto const extent : header.shape)
    if (extent == 0) bytes = 0;
  for (auto const extent : header.shape) {
    if (bytes != 0 && extent > std::numeric_limits<std::uint64_t>::max() / 2 / bytes)
      input->fail("byte " + std::to_string(header.begin) + ": the shape has more elements than any file");
    bytes *= extent;
  }
  return std::make_unique<BinaryReader>(std::move(input), std::move(layout), bytes,
                                        describe_order(header.fortran_order, header.shape));
}

}  // namespace Exakt::Tool
