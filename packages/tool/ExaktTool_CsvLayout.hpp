// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_CSVLAYOUT_HPP
#define EXAKTTOOL_CSVLAYOUT_HPP

#include "ExaktTool_Input.hpp"
#include "ExaktTool_Options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace Exakt::Tool {

/// One column of a table that was asked for.
struct CsvColumn {
  std::size_t index;  ///< from 0
  std::string name;   ///< as the header spells it; of a table without header the number, from 1
  std::string label;  ///< for messages
};

/// \brief What the first record of a table and the options say of all of it.
struct CsvLayout {
  char separator = ',';
  std::size_t fields = 0;        ///< of every record; 0 for an empty table
  std::size_t header_bytes = 0;  ///< that come before the first record of numbers
  std::vector<CsvColumn> columns;
  std::optional<CsvColumn> by;
};

/// \brief Looks at the first record, without taking it.
/// \pre It comes next: the comments and empty lines before it are taken.
///
/// A column is given by its name, as the header spells it, or its number, from 1. What is a name and a number is taken
/// for the name, if there is a header. Whether there is one, --header says; if it does not, the first record is one if
/// none of its fields is a number, or if a column is one of its fields and not the number of a column.
///
/// \throws Failure  There is no such column, or more than one to choose from, or the first record may or may not name
///                  the columns, or the command cannot do with so many.
CsvLayout read_csv_layout(Input& input, Options const& options);

}  // namespace Exakt::Tool

#endif
