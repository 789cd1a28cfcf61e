// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of its own: a test with a main() of its own leaves it in the library.
#include "ExaktTest_Main.hpp"

int main(int argc, char* argv[]) { return ExaktTest::run(argc, argv); }
