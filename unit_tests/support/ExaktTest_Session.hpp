// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_SESSION_HPP
#define EXAKTTEST_SESSION_HPP

namespace ExaktTest {

/// Catch2 with its own options: its exit status.
int run_session(int argc, char* argv[]);

}  // namespace ExaktTest

#endif
