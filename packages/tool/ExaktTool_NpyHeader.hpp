// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_NPYHEADER_HPP
#define EXAKTTOOL_NPYHEADER_HPP

#include "ExaktTool_Input.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Exakt::Tool {

/// A field of a structured type.
struct NpyField {
  std::string name;     ///< in UTF-8; empty for padding
  std::string type;     ///< as NumPy describes it, such as `<f8`
  std::uint64_t count;  ///< numbers in it: 1 unless it has a shape
  std::size_t offset;   ///< within a record, in bytes
  std::uint64_t at;     ///< of its description, in the input: for messages
};

/// What the header of an .npy file says of the array.
struct NpyHeader {
  std::string type;              ///< as NumPy describes it; empty if it is structured
  std::vector<NpyField> fields;  ///< of a structured type
  std::size_t record_bytes = 0;  ///< of a structured type
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;    ///< of the dictionary, in the input: for messages
  std::uint64_t type_at = 0;  ///< of the type, likewise
};

/// \brief Reads the header of an .npy file: a Python dictionary with three keys, each once, and blanks behind it.
///
/// Strict: what Python would refuse, or read as something other than a tuple, a bool or a string, is damage.
/// \throws Failure  The header is damaged, or the size of a record is not known.
NpyHeader read_npy_header(Input& input);

}  // namespace Exakt::Tool

#endif
