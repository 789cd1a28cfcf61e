// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_DEMO_HPP
#define EXAKTTOOL_DEMO_HPP

namespace Exakt::Tool {

struct Options;

/// \brief Prints the table of `exakt demo`.
/// \return True if every exact sum had the same, correct bits.
bool run_demo(Options const& options);

}  // namespace Exakt::Tool

#endif
