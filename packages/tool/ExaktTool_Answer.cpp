// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Answer.hpp"

#include "ExaktTool_Failure.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
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

std::string decimal_form(Answer const& answer, Options const& options) {
  return options.result == Result::f32 ? decimal(static_cast<float>(answer.value)) : decimal(answer.value);
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

std::string format_value(Answer const& answer, Options const& options) {
  return options.hex ? hexadecimal(answer.value) : decimal_form(answer, options);
}

std::string format_name(std::string const& name) {
  bool const is_plain = std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == '"'; });
  if (is_plain) return name;
  std::string quoted = "\"";
  for (char const c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string format(Answer const& answer, Options const& options) {
  if (!options.json) return format_value(answer, options) + "\n";
  std::string const text = decimal_form(answer, options);
  nlohmann::ordered_json object;
  object["command"] = name(answer.verb);
  if (answer.group) object["group"] = *answer.group;
  if (answer.column) object["column"] = *answer.column;
  // JSON has no infinities and no NaN; they appear as strings.
  if (std::isfinite(answer.value))
    object["value"] = answer.value;
  else
    object["value"] = text;
  object["decimal"] = text;
  object["hex"] = hexadecimal(answer.value);
  object["type"] = name(options.result);
  object["rounding"] = name(options.rounding);
  object["count"] = answer.count;
  // Names of groups and columns are bytes of the input, and perhaps no UTF-8.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_to_standard_output(std::string const& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Failure(std::string("standard output: ") + std::strerror(errno));
}

}  // namespace Exakt::Tool
