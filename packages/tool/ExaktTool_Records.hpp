// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_RECORDS_HPP
#define EXAKTTOOL_RECORDS_HPP

#include "ExaktTool_Decimal.hpp"
#include "ExaktTool_Number.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace Exakt::Tool {

/// \brief The records of a piece, as far as they were asked for.
///
/// Without groups there are no keys. Decimal numbers and keys lie in the text of the piece.
struct Records {
  std::vector<double> numbers;    ///< record by record, the terms of as many numbers as there are columns; a missing
                                  ///< value is missing_value()
  std::vector<Decimal> decimals;  ///< the same with --decimal; missing values are not readable
  std::vector<std::string_view> keys;  ///< one per record
  std::deque<std::string> unquoted;    ///< keys that are not in the text as they are meant

  void clear() {
    numbers.clear();
    decimals.clear();
    keys.clear();
    unquoted.clear();
  }
};

}  // namespace Exakt::Tool

#endif
