// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_OPTIONS_HPP
#define EXAKTTOOL_OPTIONS_HPP

#include "ExaktTool_ElementType.hpp"

#include <Exakt_Rounding.hpp>

#include <optional>
#include <string>
#include <vector>

namespace Exakt::Tool {

enum class Verb { sum, mean, nrm2, var, stddev, dot, merge, report, demo, selftest };

enum class Format { automatic, npy, raw, text, csv };

/// What an empty field, and the texts NA and NaN, are: an error and NaN, an error each, or nothing.
enum class Missing { as_read, error, skip };

/// The type into which the exact value is rounded, once.
enum class Result { f64, f32 };

/// \brief What the command line asks for.
struct Options {
  Verb verb = Verb::sum;
  std::vector<std::string> files;
  Format format = Format::automatic;
  std::optional<ElementType> type;
  std::string column;  ///< one, or several with commas between them; empty if not given
  std::string by;      ///< empty if not given
  std::string member;  ///< of an archive; empty if not given
  std::optional<bool> header;
  std::optional<char> delimiter;
  Missing missing = Missing::as_read;
  bool decimal = false;
  Rounding rounding = Rounding::to_nearest;
  Result result = Result::f64;
  bool hex = false;
  bool json = false;
  std::string state;  ///< empty if not given
  unsigned threads = 1;
};

/// Commands without inputs.
inline bool has_no_inputs(Verb verb) { return verb == Verb::demo || verb == Verb::selftest; }

/// dot takes its factors from two columns of one table.
inline bool is_dot_of_columns(Options const& options) { return options.verb == Verb::dot && options.files.size() == 1; }

char const* name(Verb verb);
std::optional<Verb> verb_from_name(std::string const& name);
char const* name(Rounding rounding);
char const* name(Result result);
char const* name(Format format);

/// Names of all commands, with commas between them.
std::string command_names();

/// \brief Refuses options that contradict each other or the command, whatever the files hold.
void check(Options const& options);

/// \brief Reads the command line.
///
/// \return Nothing if the answer was a text (`--help`, `--version`, `--man`, `--completion`), which is then already printed.
/// \throws Failure  The command line makes no sense; the text says which part.
std::optional<Options> parse_command_line(int argc, char const* const* argv);

}  // namespace Exakt::Tool

#endif
