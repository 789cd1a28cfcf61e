// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_PRINT_HPP
#define EXAKTTOOL_PRINT_HPP

#include <string>

namespace Exakt::Tool {

/// \brief Shortest decimal that reads back to the same bits; without exponent from 1e-5 to below 1e16.
std::string decimal(double value);
std::string decimal(float value);

/// \brief Hexadecimal form, such as `0x1.8p+3`: the bits themselves.
std::string hexadecimal(double value);

/// \brief Writes to standard output.
/// \throws Failure  Not everything could be written.
void write_to_standard_output(std::string const& text);

}  // namespace Exakt::Tool

#endif
