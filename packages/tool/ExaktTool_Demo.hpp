// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_DEMO_HPP
#define EXAKTTOOL_DEMO_HPP

namespace Exakt::Tool {

/// Threads that the demo tries at most if nobody says otherwise: all cores, and at least 4.
unsigned threads_of_demo();

/// \brief Prints the table of `exakt demo`.
/// \return True if every exact sum had the same, correct bits.
bool run_demo(unsigned most_threads);

}  // namespace Exakt::Tool

#endif
