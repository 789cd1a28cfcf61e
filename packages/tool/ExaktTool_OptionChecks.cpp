// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Options.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace Exakt::Tool {
namespace {

/// The first of the options that only tables have; empty if none is given.
std::string table_option(Options const& options) {
  if (!options.column.empty()) return "--column";
  if (!options.by.empty()) return "--by";
  if (options.header) return "--header";
  return options.delimiter ? "--delimiter" : "";
}

/// The first of the options that only numbers in characters have.
std::string text_option(Options const& options) {
  if (options.missing != Missing::as_read) return "--missing";
  return options.decimal ? "--decimal" : "";
}

void check_formats(Options const& options) {
  auto const refuse_unless = [&](std::string const& option, char const* meant, std::initializer_list<Format> formats) {
    if (option.empty()) return;
    if (options.format != Format::automatic &&
        std::find(formats.begin(), formats.end(), options.format) == formats.end())
      throw Failure(option + " is for " + meant + ", not for --format " + name(options.format));
    if (options.type && option != "--type")
      throw Failure(option + " is for " + meant + ", --type for raw binary: not both");
  };
  if (table_option(options) != "--column" || options.format != Format::npy)  // fields have names, too
    refuse_unless(table_option(options), "CSV tables", {Format::csv});
  refuse_unless(options.member.empty() ? "" : "--member", ".npz archives", {Format::npy});
  refuse_unless(text_option(options), "text and CSV", {Format::text, Format::csv});
  refuse_unless(options.type ? "--type" : "", "raw binary", {Format::raw});
}

void check_verb(Options const& options) {
  std::string const verb = name(options.verb);
  bool const is_of_decimals = options.verb == Verb::sum || options.verb == Verb::mean || options.verb == Verb::merge;
  if (options.decimal && !is_of_decimals) throw Failure("--decimal is for sum, mean and merge, not for " + verb);
  if (!options.by.empty() && options.verb == Verb::report)
    throw Failure("--by is not for report, which is of one column");
  if (!options.by.empty() && !options.state.empty()) throw Failure("--state saves one sum, --by makes many: not both");
  if (options.verb == Verb::dot && options.files.size() == 2) {
    if (!options.by.empty()) throw Failure("dot --by takes one table with both factors, as --column A,B");
    if (options.missing == Missing::skip)
      throw Failure("--missing skip is not for dot of two files, whose numbers would lose their partners");
  }
}

/// Identifies what can be read only once, whatever its name: `-` and `/dev/stdin` may be the same pipe.
std::optional<std::pair<dev_t, ino_t>> identity_of_pipe(std::string const& path) {
  struct stat about {};
  bool const is_known = (path == "-" ? ::fstat(STDIN_FILENO, &about) : ::stat(path.c_str(), &about)) == 0;
  if (!is_known || !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))) return {};
  return std::pair(about.st_dev, about.st_ino);
}

void check_pipes(std::vector<std::string> const& files) {
  std::map<std::pair<dev_t, ino_t>, std::string> pipes;
  for (auto const& file : files)
    if (auto const pipe = identity_of_pipe(file))
      if (auto const [first, is_new] = pipes.emplace(*pipe, file); !is_new)
        throw Failure(file + ": is the same pipe as " + first->second + ", and can be read once");
}

void check_files(Options const& options) {
  auto const standard_inputs = std::count(options.files.begin(), options.files.end(), "-");
  if (standard_inputs > 1)
    throw Failure("standard input (-) can be read once, not " + std::to_string(standard_inputs) + " times");
  bool const is_of_one_table = is_dot_of_columns(options) && !options.column.empty();
  if (options.verb == Verb::dot && options.files.size() != 2 && !is_of_one_table)
    throw Failure("dot takes two files, not " + std::to_string(options.files.size()));
  if (options.files.empty() && options.verb == Verb::merge)
    throw Failure("merge: name the files that --state has written");
  if (options.files.empty() && !has_no_inputs(options.verb))
    throw Failure(std::string(name(options.verb)) + ": name a file, or - for standard input");
  for (auto const& file : options.files)
    if (file.empty()) throw Failure("the name of a file is empty");
  check_pipes(options.files);
}

}  // namespace

void check(Options const& options) {
  check_formats(options);
  check_verb(options);
  check_files(options);
}

}  // namespace Exakt::Tool
