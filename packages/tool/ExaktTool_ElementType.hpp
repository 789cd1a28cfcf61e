// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_ELEMENTTYPE_HPP
#define EXAKTTOOL_ELEMENTTYPE_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace Exakt::Tool {

/// \brief How one number lies in a binary file.
struct ElementType {
  char kind;          ///< 'f' IEEE 754 binary, 'i' signed, 'u' unsigned, 'b' truth value (one byte)
  std::size_t bytes;  ///< size of one element
  bool big_endian = false;

  /// Doubles that represent one element exactly: its value is their sum.
  std::size_t terms() const { return kind != 'f' && bytes == 8 ? 2 : 1; }

  std::string name() const;
};

/// The type called `f64`, `f32`, `f16`, `i8` ... `u64`, with `be` or `le` behind it for a byte order other than this
/// machine's.
std::optional<ElementType> element_type_from_name(std::string_view name);

/// The type that NumPy describes as, for example, `<f8` or `>i4`.
std::optional<ElementType> element_type_from_numpy(std::string_view descr);

/// Converts n elements, of type.bytes bytes each, to n * type.terms() doubles, without any rounding.
void widen(ElementType type, std::byte const* elements, std::size_t n, double* terms);

/// True if an element already is a double of this machine, so that nothing need be converted.
bool is_native_double(ElementType type);

}  // namespace Exakt::Tool

#endif
