// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Bits.hpp"

#include <cstdio>

namespace ExaktTest {

Tally& tally() {
  static Tally totals;
  return totals;
}

void report_difference(char const* file, int line, std::string const& what) {
  FAIL_CHECK(file << ':' << line << ": " << what);
}

void report_difference(char const* file, int line, char const* expression, std::string const& actual,
                       std::string const& expected) {
  report_difference(file, line, std::string(expression) + " is " + actual + ", expected " + expected);
}

void report_false(char const* file, int line, char const* condition) {
  ++tally().differences;
  report_difference(file, line, std::string(condition) + " is false");
}

std::string describe_bits(double x) {
  char text[80];
  std::snprintf(text, sizeof text, "%.17g = %a (bits %016llx)", x, x, static_cast<unsigned long long>(bits_of(x)));
  return text;
}

std::string describe_bits(float x) {
  char text[80];
  std::snprintf(text, sizeof text, "%.9g = %a (bits %08x)", static_cast<double>(x), static_cast<double>(x), bits_of(x));
  return text;
}

}  // namespace ExaktTest
