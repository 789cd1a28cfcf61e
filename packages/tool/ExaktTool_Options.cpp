// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Options.hpp"

#include "ExaktTool_Demo.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Help.hpp"
#include "ExaktTool_Manual.hpp"
#include "ExaktTool_Print.hpp"

#include <CLI/CLI.hpp>
#include <Exakt_Version.hpp>
#include <Exakt_describe.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace Exakt::Tool {
namespace {

constexpr char const* see_help = " (see exakt --help)";

template <class Value>
using Names = std::vector<std::pair<char const*, Value>>;

Names<Verb> const verb_names = {{"sum", Verb::sum},          {"mean", Verb::mean},     {"nrm2", Verb::nrm2},
                                {"var", Verb::var},          {"stddev", Verb::stddev}, {"dot", Verb::dot},
                                {"merge", Verb::merge},      {"report", Verb::report}, {"demo", Verb::demo},
                                {"selftest", Verb::selftest}};
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
Names<Missing> const missing_names = {{"error", Missing::error}, {"skip", Missing::skip}};
Names<char> const delimiter_names = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"space", ' '}};

/// The options as they are written, before they are understood.
struct Words {
  std::string type, format, header, delimiter, missing, rounding, result, threads;
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
  char const* const end = word.data() + word.size();
  auto const [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > most)
    throw Failure("--threads " + word + ": must be a number from 1 to " + std::to_string(most));
  return value;
}

char parse_delimiter(std::string const& word) {
  for (auto const& [name, value] : delimiter_names)
    if (word == name) return value;
  // Others may begin a number, a name, a quoted field or a comment.
  if (word.size() != 1 || std::string_view("\t ,;:|!$%&*/<=>?@\\^_`~'()[]{}").find(word[0]) == std::string_view::npos)
    throw Failure(
        "--delimiter " + word +
        ": must be one character, not of names, numbers, quotes or comments, or comma, semicolon, tab, space");
  return word[0];
}

void understand(Words const& words, Options& options) {
  if (!words.type.empty() && !(options.type = element_type_from_name(words.type)))
    throw Failure("--type " + words.type +
                  ": must be one of f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64 (with be or le: f64be)");
  if (!words.format.empty()) options.format = look_up(format_names, "--format", words.format);
  if (!words.header.empty()) options.header = look_up(yes_or_no, "--header", words.header);
  if (!words.delimiter.empty()) options.delimiter = parse_delimiter(words.delimiter);
  if (!words.missing.empty()) options.missing = look_up(missing_names, "--missing", words.missing);
  if (!words.rounding.empty()) options.rounding = look_up(rounding_names, "--rounding", words.rounding);
  if (!words.result.empty()) options.result = look_up(result_names, "--result", words.result);
  options.threads =
      words.threads.empty() ? std::max(1u, std::thread::hardware_concurrency()) : parse_threads(words.threads);
}

constexpr char mark = '\1';
/// The arguments, those in brackets behind a mark: CLI11 would take the name of a file for a list, and take it apart.
std::vector<std::string> marked(int argc, char const* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {  // the last one first, as CLI11 takes them
    std::string const argument = argv[i];
    bool const needs_mark = (argument.starts_with('[') && argument.ends_with(']')) || argument.starts_with(mark);
    arguments.push_back((needs_mark ? std::string(1, mark) : "") + argument);
  }
  return arguments;
}
std::string unmarked(std::string const& argument) { return argument.starts_with(mark) ? argument.substr(1) : argument; }

/// \brief Adds an option that takes a value.
///
/// CLI11 takes whatever comes next for the value. Where that is an option, or nothing, the value was forgotten.
void add_option(CLI::App& command, char const* group, char const* option, std::string& word, char const* kind,
                char const* description) {
  command.add_option(option, word, description)
      ->type_name(kind)
      ->group(group)
      ->transform(unmarked)
      ->each([=](std::string const& value) {
        if (value.empty()) throw Failure(std::string(option) + ": its " + kind + " is empty" + see_help);
        if (value.starts_with("--"))
          throw Failure(std::string(option) + ": its " + kind + " is missing; " + value + " looks like an option" +
                        see_help);
      });
}

void add_flag(CLI::App& command, char const* group, char const* option, bool& flag, char const* description) {
  command.add_flag(option, flag, description)->group(group)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void add_input_options(CLI::App& command, Words& words, Options& options) {
  auto const add = [&](char const* option, std::string& word, char const* kind, char const* description) {
    add_option(command, "Input", option, word, kind, description);
  };
  add("--format", words.format, "npy|raw|text|csv", "recognized if not given");
  add("--type", words.type, "TYPE", "raw binary numbers of this type: f64, f32, f16, i8 ... u64, f64be ...");
  add("--column", options.column, "COLUMN",
      "column of a CSV table: its name, or its number from 1; several as A,B, for a result each; of .npy records "
      "fields");
  add("--member", options.member, "NAME",
      "member of an .npz archive, with its .npy or without; the only one if not given");
  add("--by", options.by, "COLUMN", "a result for each group of records with the same entry in this column, sorted");
  add("--header", words.header, "yes|no", "whether a CSV table begins with the names of its columns");
  add("--delimiter", words.delimiter, "CHAR", "what stands between the fields of a CSV table: a character, or tab");
  add("--missing", words.missing, "error|skip", "what to do about empty fields and the texts NA and NaN");
  add_flag(command, "Input", "--decimal", options.decimal, "sum decimal numbers as they are written: 0.1 + 0.2 is 0.3");
  add("--threads", words.threads, "N", "number of threads; all cores if not given");
}

/// Options that a command refuses in a sentence of its own need no line in its help.
void hide(CLI::App& command, std::initializer_list<char const*> options) {
  for (auto const* option : options) command.get_option(option)->group("");
}

void add_output_options(CLI::App& command, Words& words, Options& options) {
  auto const add = [&](char const* option, std::string& word, char const* kind, char const* description) {
    add_option(command, "Output", option, word, kind, description);
  };
  add("--rounding", words.rounding, "to_nearest|toward_zero|upward|downward", "to_nearest if not given");
  add("--result", words.result, "f64|f32", "the type that is rounded to; f64 if not given");
  add_flag(command, "Output", "--hex", options.hex, "print the hexadecimal form, such as 0x1.8p+3");
  add_flag(command, "Output", "--json", options.json, "print a JSON object, with the hexadecimal form in it");
  add("--state", options.state, "FILE", "save the exact sum, for exakt merge");
}

/// What the parser says, in words of our own where its are none of a sentence.
std::string sentence_of(CLI::ParseError const& error) {
  std::string text = error.what();
  constexpr std::string_view missing[] = {": 1 required ", " missing"}, repeated = ": At Most 1 required but received ";
  auto const end_of_option = text.find(": ");
  if (end_of_option == std::string::npos) return text;
  std::string_view const rest = std::string_view(text).substr(end_of_option);
  if (rest.starts_with(repeated)) return text.substr(0, end_of_option) + " is given more than once";
  if (rest.starts_with(missing[0]) && rest.ends_with(missing[1])) {
    std::string const kind(rest.substr(missing[0].size(), rest.size() - missing[0].size() - missing[1].size()));
    return text.substr(0, end_of_option) + ": its " + kind + " is missing";
  }
  return text;
}

std::string name_a_command() { return "name a command: " + command_names() + see_help; }

/// Without the name of a file, numbers come from a pipe or a file; a terminal would wait for ever.
bool reads_standard_input(Options const& options) {
  if (!options.files.empty() || options.verb == Verb::merge || has_no_inputs(options.verb)) return false;
  return (options.verb != Verb::dot || !options.column.empty()) && ::isatty(STDIN_FILENO) == 0;
}

void check_command(int argc, char const* const* argv) {
  if (argc < 2) throw Failure(name_a_command());
  std::string const word = argv[1];
  if (!word.starts_with('-') && !verb_from_name(word))
    throw Failure("'" + word + "' is not a command; " + "known are " + command_names() + see_help);
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    std::string const text = argv[i];
    auto const equals = text.find('=');
    if (!text.starts_with("--") || equals == std::string::npos) continue;
    // CLI11 would take the next word for the value, or the value for a wish not to have the flag.
    std::string const option = text.substr(0, equals);
    if (equals + 1 == text.size()) throw Failure(text + ": the value is empty" + see_help);
    for (std::string_view const flag : {"--hex", "--json", "--decimal", "--help", "--version", "--man"})
      if (option == flag) throw Failure(option + " takes no value" + see_help);
  }
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

char const* name(Format format) {
  for (auto const& [name, value] : format_names)
    if (value == format) return name;
  return "";
}

std::string command_names() {
  std::string names;
  for (auto const& [name, value] : verb_names) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::optional<Options> parse_command_line(int argc, char const* const* argv) {
  check_command(argc, argv);
  Options options;
  Words words;
  CLI::App app(Help::purpose, "exakt");
  app.set_version_flag("--version", std::string("exakt " EXAKT_VERSION "\n") + Exakt::describe() +
                                        (*EXAKT_TOOL_MULTIPLIERS == '\0' ? "" : "; gemm with " EXAKT_TOOL_MULTIPLIERS));
  std::string shell;
  bool wants_manual = false;
  add_option(app, "Options", "--completion", shell, "bash|zsh|fish", "print a completion script for bash, zsh or fish");
  add_flag(app, "Options", "--man", wants_manual, "print the manual page; try: exakt --man | man -l -");
  app.footer(Help::examples);
  app.require_subcommand(0, 1);  // behind it, the name of a command is the name of a file

  auto const add_command = [&](Verb verb, char const* description, char const* files_description) {
    CLI::App* command = app.add_subcommand(name(verb), description);
    command->callback([&options, verb] { options.verb = verb; });
    if (files_description != nullptr)
      command->add_option("FILE", options.files, files_description)->type_name("")->transform(unmarked);
    return command;
  };
  constexpr char const* data_files =
      "files with numbers, or - for standard input, which may be left out behind a pipe; several are taken together";
  for (auto* command :
       {add_command(Verb::sum, Help::sum, data_files), add_command(Verb::mean, Help::mean, data_files),
        add_command(Verb::nrm2, Help::nrm2, data_files), add_command(Verb::var, Help::var, data_files),
        add_command(Verb::stddev, Help::stddev, data_files),
        add_command(Verb::dot, Help::dot,
                    "two files of the same length, or one table with --column A,B; one may be - for standard input")}) {
    add_input_options(*command, words, options);
    add_output_options(*command, words, options);
    command->footer(Help::formats);
  }
  for (Verb const verb : {Verb::nrm2, Verb::var, Verb::stddev, Verb::dot})
    hide(*app.get_subcommand(name(verb)), {"--decimal"});
  CLI::App* const report = add_command(Verb::report, Help::report, data_files);
  add_input_options(*report, words, options);
  hide(*report, {"--by", "--decimal", "--threads"});
  report->footer(Help::page);
  CLI::App* const merge = add_command(Verb::merge, Help::merge, "files that --state has written");
  add_output_options(*merge, words, options);
  add_flag(*merge, "Input", "--decimal", options.decimal, "insist on states that were saved with --decimal");
  merge->footer(Help::states);
  CLI::App* const demo = add_command(Verb::demo, Help::demo, nullptr);
  add_option(*demo, "Options", "--threads", words.threads, "N",
             "most threads to try; all cores, and at least 4, if not given");
  demo->footer(Help::verdict);
  add_command(Verb::selftest, Help::selftest, nullptr)->footer(Help::selftest_verdict);

  try {
    app.parse(marked(argc, argv));
  } catch (CLI::Success const& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    write_to_standard_output(text.str());
    return {};
  } catch (CLI::ParseError const& error) {
    std::string sentence = sentence_of(error);
    std::erase(sentence, mark);
    throw Failure(sentence + see_help);
  }
  if (wants_manual || !shell.empty()) {
    if (!app.get_subcommands().empty() || (wants_manual && !shell.empty()))
      throw Failure(std::string(wants_manual ? "--man" : "--completion") + " stands alone" + see_help);
    write_to_standard_output(wants_manual ? manual_page(app) : completion(app, shell));
    return {};
  }
  if (app.get_subcommands().empty()) throw Failure(name_a_command());
  understand(words, options);
  if (options.verb == Verb::report && !words.threads.empty()) throw Failure("--threads is not for report");
  if (reads_standard_input(options)) options.files = {"-"};
  if (options.verb == Verb::demo && words.threads.empty()) options.threads = threads_of_demo();
  check(options);
  return options;
}

}  // namespace Exakt::Tool
