// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_REPORT_HPP
#define EXAKTTOOL_REPORT_HPP

#include "ExaktTool_Options.hpp"

#include <cstdint>
#include <string>

namespace Exakt::Tool {

struct Page {
  std::string html;
  std::uint64_t skipped;  ///< missing values
};

/// \brief The page of `exakt report`: how far plain sums of the numbers, in many orders and by many numbers of threads,
/// are from the exact one. All numbers are kept in memory.
/// \throws Failure  There are no numbers, or infinities and NaN among them.
Page report(Options const& options);

}  // namespace Exakt::Tool

#endif
