// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Columns.hpp"

#include "ExaktTool_CsvRecord.hpp"
#include "ExaktTool_Failure.hpp"

#include <algorithm>

namespace Exakt::Tool {

std::vector<std::string> split_columns(std::string const& text, std::vector<std::string> const& names) {
  if (text.empty()) return {};
  if (std::find(names.begin(), names.end(), text) != names.end()) return {text};
  std::vector<std::string> columns;
  for (char const *p = text.data(), *end = p + text.size();; ++p) {
    CsvField const field = parse_csv_field(p, end, ',');
    columns.push_back(content(field));
    if (!field.closed) throw Failure("--column " + text + ": a quote is never closed");
    if (columns.back().empty()) throw Failure("--column " + text + ": the name of a column is empty");
    p = field.next;
    if (p == end) return columns;
    if (*p != ',') throw Failure("--column " + text + ": a name with a line end in it must be quoted, as in CSV");
  }
}

void check_column_count(Input const& input, Options const& options, std::size_t columns) {
  std::string const count = std::to_string(columns);
  if (options.verb == Verb::dot && is_dot_of_columns(options)) {
    if (columns != 2) input.fail("dot of one table takes two columns, as in --column A,B, not " + count);
  } else if (columns != 1) {
    if (options.verb == Verb::dot) input.fail("dot of two files takes one column of each, not " + count);
    if (options.verb == Verb::report) input.fail("report is of one column, not " + count);
    if (!options.state.empty()) input.fail("--state saves one sum, and --column names " + count + " columns");
  }
}

}  // namespace Exakt::Tool
