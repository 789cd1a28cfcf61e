// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_FAILURE_HPP
#define EXAKTTOOL_FAILURE_HPP

#include <stdexcept>

namespace Exakt::Tool {

/// \brief Something that the user has to know: one line, which names what was wrong and where.
///
/// The program prints it on standard error after `exakt: ` and ends with exit code 2.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace Exakt::Tool

#endif
