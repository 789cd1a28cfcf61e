// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// exakt demo as a program of its own, for a first look: without the parser of options it is built in seconds.

#include "ExaktTool_Demo.hpp"

#include <cstdio>
#include <exception>

int main() {
  try {
    return Exakt::Tool::run_demo(Exakt::Tool::threads_of_demo()) ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "exakt: %s\n", error.what());
    return 2;
  }
}
