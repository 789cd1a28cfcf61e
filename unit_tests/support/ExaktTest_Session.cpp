// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of Catch2 2, which is in its header where this macro is defined: a file of its own, without Kokkos.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "ExaktTest_Session.hpp"

int ExaktTest::run_session(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
