// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace Exakt::Tool {
namespace {

std::string decimal_form(Answer const& answer, Options const& options) {
  return options.result == Result::f32 ? decimal(static_cast<float>(answer.value)) : decimal(answer.value);
}

}  // namespace

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

}  // namespace Exakt::Tool
