// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_COLUMNS_HPP
#define EXAKTTOOL_COLUMNS_HPP

#include "ExaktTool_Input.hpp"
#include "ExaktTool_Options.hpp"

#include <string>
#include <vector>

namespace Exakt::Tool {

/// \brief The columns that --column names: one whose name has commas in it, or several, which may be quoted as in CSV.
/// \param names  All that the input has.
/// \throws Failure  The text is no list of names.
std::vector<std::string> split_columns(std::string const& text, std::vector<std::string> const& names);

/// \throws Failure  The command cannot do with so many columns of an input.
void check_column_count(Input const& input, Options const& options, std::size_t columns);

}  // namespace Exakt::Tool

#endif
