// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Print.hpp"

#include "ExaktTool_Failure.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace Exakt::Tool {
namespace {

std::string name_of_not_finite(double value) {
  return std::isnan(value) ? "nan" : std::signbit(value) ? "-inf" : "inf";
}

template <class T>
std::string shortest_decimal(T value) {
  if (!std::isfinite(value)) return name_of_not_finite(static_cast<double>(value));
  char buffer[64];
  T const magnitude = std::fabs(value);
  auto const format = magnitude == 0 || (magnitude >= T(1e-5) && magnitude < T(1e16)) ? std::chars_format::fixed
                                                                                      : std::chars_format::scientific;
  char const* const end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  return {static_cast<char const*>(buffer), end};
}

}  // namespace

std::string decimal(double value) { return shortest_decimal(value); }
std::string decimal(float value) { return shortest_decimal(value); }

std::string hexadecimal(double value) {
  if (!std::isfinite(value)) return name_of_not_finite(value);
  char buffer[64];
  char const* const end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::hex).ptr;
  std::string text = std::signbit(value) ? "-0x" : "0x";
  return text.append(static_cast<char const*>(buffer), end);
}

void write_to_standard_output(std::string const& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Failure(std::string("standard output: ") + std::strerror(errno));
}

}  // namespace Exakt::Tool
