// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_SELFTEST_HPP
#define EXAKTTOOL_SELFTEST_HPP

#include <string_view>

namespace Exakt::Tool {

/// A file of the golden set (unit_tests/golden), which this program carries.
struct GoldenFile {
  char const* verb;
  std::string_view text;
};
extern GoldenFile const golden_files[6];

/// \brief Computes the golden sums, norms, means and dots again, and prints the digest of their bits.
/// \return Whether they are the promised ones.
bool run_selftest();

}  // namespace Exakt::Tool

#endif
