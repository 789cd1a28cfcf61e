// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Options.hpp"

#include "ExaktTool_Answer.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Help.hpp"

#include <CLI/CLI.hpp>
#include <Exakt_Version.hpp>
#include <Exakt_describe.hpp>

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

namespace Exakt::Tool {
namespace {

constexpr char const* see_help = " (see exakt --help)";

template <class Value>
using Names = std::vector<std::pair<char const*, Value>>;

Names<Verb> const verb_names = {{"sum", Verb::sum}, {"mean", Verb::mean},   {"nrm2", Verb::nrm2},
                                {"dot", Verb::dot}, {"merge", Verb::merge}, {"demo", Verb::demo}};
Names<Rounding> const rounding_names = {{"to_nearest", Rounding::to_nearest},
                                        {"toward_zero", Rounding::toward_zero},
                                        {"upward", Rounding::upward},
                                        {"downward", Rounding::downward},
                                        {"nearest", Rounding::to_nearest},
                                        {"zero", Rounding::toward_zero},
                                        {"up", Rounding::upward},
                                        {"down", Rounding::downward}};
Names<Format> const format_names = {
    {"npy", Format::npy}, {"raw", Format::raw}, {"text", Format::text}, {"csv", Format::csv}};
Names<Result> const result_names = {{"f64", Result::f64}, {"f32", Result::f32}};
Names<bool> const yes_or_no = {{"yes", true}, {"no", false}};

/// The options as they are written, before they are understood.
struct Words {
  std::string type, format, header, rounding, result, threads;
};

template <class Value>
Value look_up(Names<Value> const& names, std::string const& option, std::string const& word) {
  std::string choices;
  for (auto const& [name, value] : names) {
    if (word == name) return value;
    choices += (choices.empty() ? "" : ", ") + std::string(name);
  }
  throw Failure(option + " " + word + ": must be one of " + choices);
}

unsigned parse_threads(std::string const& word) {
  constexpr unsigned most = 4096;
  unsigned value = 0;
  if (!CLI::detail::lexical_cast(word, value) || value < 1 || value > most)
    throw Failure("--threads " + word + ": must be a number from 1 to " + std::to_string(most));
  return value;
}

void understand(Words const& words, Options& options) {
  if (!words.type.empty() && !(options.type = element_type_from_name(words.type)))
    throw Failure("--type " + words.type +
                  ": must be one of f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64 (with be or le: f64be)");
  if (!words.format.empty()) options.format = look_up(format_names, "--format", words.format);
  if (!words.header.empty()) options.header = look_up(yes_or_no, "--header", words.header);
  if (!words.rounding.empty()) options.rounding = look_up(rounding_names, "--rounding", words.rounding);
  if (!words.result.empty()) options.result = look_up(result_names, "--result", words.result);
  options.threads =
      words.threads.empty() ? std::max(1u, std::thread::hardware_concurrency()) : parse_threads(words.threads);
}

void add_input_options(CLI::App& command, Words& words, Options& options) {
  auto const add = [&](char const* option, std::string& word, char const* kind, char const* description) {
    command.add_option(option, word, description)->type_name(kind)->group("Input");
  };
  add("--format", words.format, "FORMAT", "npy, raw, text or csv; recognized if not given");
  add("--type", words.type, "TYPE", "raw binary numbers of this type: f64, f32, f16, i8 ... u64, f64be ...");
  add("--column", options.column, "COLUMN", "column of a CSV table: its name, or its number from 1");
  add("--header", words.header, "yes|no", "whether a CSV table begins with the names of its columns");
  add("--threads", words.threads, "N", "number of threads; all cores if not given");
}

void add_output_options(CLI::App& command, Words& words, Options& options) {
  auto const add = [&](char const* option, std::string& word, char const* kind, char const* description) {
    command.add_option(option, word, description)->type_name(kind)->group("Output");
  };
  add("--rounding", words.rounding, "MODE", "to_nearest (if not given), toward_zero, upward or downward");
  add("--result", words.result, "f64|f32", "the type that is rounded to; f64 if not given");
  command.add_flag("--hex", options.hex, "print the hexadecimal form, such as 0x1.8p+3")->group("Output");
  command.add_flag("--json", options.json, "print a JSON object")->group("Output");
  add("--state", options.state, "FILE", "save the exact sum, for exakt merge");
}

void check_command(int argc, char const* const* argv) {
  std::string const commands = "sum, mean, nrm2, dot, merge, demo";
  if (argc < 2) throw Failure("name a command: " + commands + see_help);
  std::string const word = argv[1];
  if (!word.starts_with('-') && !verb_from_name(word))
    throw Failure("'" + word + "' is not a command; " + "known are " + commands + see_help);
}

void check(Options const& options) {
  auto const standard_inputs = std::count(options.files.begin(), options.files.end(), "-");
  if (standard_inputs > 1)
    throw Failure("standard input (-) can be read once, not " + std::to_string(standard_inputs) + " times");
  if (options.verb == Verb::dot && options.files.size() != 2)
    throw Failure("dot takes two files, not " + std::to_string(options.files.size()));
  if (options.files.empty() && options.verb == Verb::merge)
    throw Failure("merge: name the files that --state has written");
  if (options.files.empty() && options.verb != Verb::demo)
    throw Failure(std::string(name(options.verb)) + ": name a file, or - for standard input");
  for (auto const& file : options.files)
    if (file.empty()) throw Failure("the name of a file is empty");
}

}  // namespace

char const* name(Verb verb) {
  for (auto const& [name, value] : verb_names)
    if (value == verb) return name;
  return "";
}

std::optional<Verb> verb_from_name(std::string const& name) {
  for (auto const& [known, value] : verb_names)
    if (name == known) return value;
  return {};
}

char const* name(Rounding rounding) {
  for (auto const& [name, value] : rounding_names)
    if (value == rounding) return name;
  return "";
}

char const* name(Result result) { return result == Result::f32 ? "f32" : "f64"; }

std::optional<Options> parse_command_line(int argc, char const* const* argv) {
  check_command(argc, argv);
  Options options;
  Words words;
  CLI::App app(Help::purpose, "exakt");
  app.set_version_flag("--version", std::string("exakt " EXAKT_VERSION "\n") + Exakt::describe());
  app.footer(Help::examples);

  auto const add_command = [&](Verb verb, char const* description, char const* files_description) {
    CLI::App* command = app.add_subcommand(name(verb), description);
    command->callback([&options, verb] { options.verb = verb; });
    if (files_description != nullptr) command->add_option("FILE", options.files, files_description)->type_name("");
    return command;
  };
  constexpr char const* data_files = "files with numbers, or - for standard input; several are taken together";
  for (auto* command :
       {add_command(Verb::sum, Help::sum, data_files), add_command(Verb::mean, Help::mean, data_files),
        add_command(Verb::nrm2, Help::nrm2, data_files),
        add_command(Verb::dot, Help::dot, "two files of the same length; one may be - for standard input")}) {
    add_input_options(*command, words, options);
    add_output_options(*command, words, options);
    command->footer(Help::formats);
  }
  add_output_options(*add_command(Verb::merge, Help::merge, "files that --state has written"), words, options);
  add_command(Verb::demo, Help::demo, nullptr)
      ->add_option("--threads", words.threads, "most threads to try; all cores, and at least 4, if not given")
      ->type_name("N");

  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    write_to_standard_output(text.str());
    return {};
  } catch (CLI::ParseError const& error) {
    throw Failure(std::string(error.what()) + see_help);
  }
  understand(words, options);
  if (options.verb == Verb::demo && words.threads.empty()) options.threads = std::max(4u, options.threads);
  check(options);
  return options;
}

}  // namespace Exakt::Tool
