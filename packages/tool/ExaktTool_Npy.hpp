// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_NPY_HPP
#define EXAKTTOOL_NPY_HPP

#include "ExaktTool_Options.hpp"
#include "ExaktTool_Reader.hpp"

namespace Exakt::Tool {

/// True if the bytes begin as an .npy file does.
bool looks_like_npy(std::span<std::byte const> head);

/// \brief Reads the header of an .npy file (versions 1 to 3) and gives a reader for the numbers behind it.
/// \param options  Their --column names fields of a structured type, `NAME.real` or `NAME.imag` of complex ones, or `real`
///                 and `imag` of complex numbers.
/// \throws Failure  The header is damaged, the numbers are of a kind that has no exact sum here, or there is no such field.
std::unique_ptr<Reader> open_npy(std::unique_ptr<Input> input, Options const& options);

}  // namespace Exakt::Tool

#endif
