// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_CONFORMANCECALLS_HPP
#define EXAKTTEST_CONFORMANCECALLS_HPP

#include <string>
#include <vector>

namespace ExaktTest {

/// What one call gave.
struct CallResult {
  std::string call;
  std::vector<double> entries;
};

/// The same source, compiled against Kokkos Kernels and against Exakt.
namespace WithKokkosKernels {
std::vector<CallResult> call_everything();
}
namespace WithExakt {
std::vector<CallResult> call_everything();
}

}  // namespace ExaktTest

#endif
