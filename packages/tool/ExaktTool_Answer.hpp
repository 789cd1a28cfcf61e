// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_ANSWER_HPP
#define EXAKTTOOL_ANSWER_HPP

#include "ExaktTool_Options.hpp"
#include "ExaktTool_Print.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace Exakt::Tool {

/// What a command computed.
struct Answer {
  Verb verb;                                 ///< what was computed; after a merge, what the states held
  double value;                              ///< if the result type is f32, a float
  std::uint64_t count;                       ///< numbers (of dot: pairs)
  std::optional<std::string> group, column;  ///< which of several it is for
};

/// The answer as the options want it printed: one line, with its end.
std::string format(Answer const& answer, Options const& options);

/// The value alone, without a line end; not as JSON.
std::string format_value(Answer const& answer, Options const& options);

/// A name as one field of a line with tabs between the fields: quoted, as in CSV, if it has to be.
std::string format_name(std::string const& name);

}  // namespace Exakt::Tool

#endif
