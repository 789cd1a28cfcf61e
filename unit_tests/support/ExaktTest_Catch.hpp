// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_CATCH_HPP
#define EXAKTTEST_CATCH_HPP

/// \file
/// Catch2 2.13 and Catch2 3 through one include. Catch2 2 is one large header, Catch2 3 many small ones.

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_message.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif
