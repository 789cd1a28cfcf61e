// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_MAIN_HPP
#define EXAKTTEST_MAIN_HPP

namespace ExaktTest {

/// Runs the tests between Kokkos::initialize and Kokkos::finalize: all that main() has to do, unless it has more to do.
int run(int argc, char* argv[]);

}  // namespace ExaktTest

#endif
