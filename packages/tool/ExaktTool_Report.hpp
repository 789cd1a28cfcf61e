// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_REPORT_HPP
#define EXAKTTOOL_REPORT_HPP

#include "ExaktTool_Options.hpp"

#include <string>

namespace Exakt::Tool {

/// \brief The page of `exakt report`: how far plain sums of the numbers, in many orders and by many numbers of threads,
/// are from the exact one. All numbers are kept in memory.
/// \throws Failure  There are no numbers, or infinities and NaN among them.
std::string report(Options const& options);

}  // namespace Exakt::Tool

#endif
