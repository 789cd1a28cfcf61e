// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Manual.hpp"

#include "ExaktTool_Failure.hpp"

#include <CLI/CLI.hpp>
#include <Exakt_Version.hpp>

#include <algorithm>
#include <vector>

namespace Exakt::Tool {
namespace {

std::vector<CLI::App const*> commands_of(CLI::App const& app) {
  return app.get_subcommands([](CLI::App const*) { return true; });
}

/// Those that are written with dashes, and in the help.
std::vector<CLI::Option const*> options_of(CLI::App const& command) {
  return command.get_options(
      [](CLI::Option const* option) { return option->nonpositional() && !option->get_group().empty(); });
}

bool takes_files(CLI::App const& command) {
  return !command.get_options([](CLI::Option const* option) { return option->get_positional(); }).empty();
}

std::string long_name(CLI::Option const& option) { return "--" + option.get_lnames().front(); }

bool takes_value(CLI::Option const& option) { return option.get_items_expected_max() > 0; }

std::string names_of(std::vector<CLI::App const*> const& commands) {
  std::string names;
  for (auto const* command : commands) names += (names.empty() ? "" : " ") + command->get_name();
  return names;
}

std::string option_names(CLI::App const& command) {
  std::string names;
  for (auto const* option : options_of(command)) names += (names.empty() ? "" : " ") + long_name(*option);
  return names;
}

/// The values of an option whose kind lists them, as in error|skip; else nothing.
std::string values_of(CLI::Option const& option) {
  std::string kind = takes_value(option) ? option.get_type_name() : "";
  if (kind.find('|') == std::string::npos) return {};
  std::replace(kind.begin(), kind.end(), '|', ' ');
  return kind;
}

bool is_file(CLI::Option const& option) { return takes_value(option) && option.get_type_name() == "FILE"; }

/// Text as troff takes it literally.
std::string roff(std::string const& text) {
  std::string result;
  for (char const c : text) {
    if ((result.empty() || result.back() == '\n') && (c == '.' || c == '\'')) result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string in_single_quotes(std::string const& text) {
  std::string result = "'";
  for (char const c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string preformatted(std::string const& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string bash_completion(CLI::App const& app) {
  auto const commands = commands_of(app);
  std::string cases, values;
  auto const add_values = [&](CLI::App const& command) {
    for (auto const* option : options_of(command)) {
      std::string const line = "    " + long_name(*option) + ") words='" + values_of(*option) + "'" +
                               (is_file(*option) ? "" : " files=") + " ;;\n";
      if (takes_value(*option) && values.find(line) == std::string::npos) values += line;
    }
  };
  add_values(app);
  for (auto const* command : commands) {
    cases += "    " + command->get_name() + ") words='" + option_names(*command) + "'" +
             (takes_files(*command) ? "" : " files=") + " ;;\n";
    add_values(*command);
  }
  return "_exakt() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= files=yes\n"
         "  # To bash, an equals sign is a word.\n"
         "  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         names_of(commands) + " " + option_names(app) +
         "' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $before in\n" +
         values +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  local IFS=$'\\n'  # names of files may have blanks in them\n"
         "  [[ -z $files || $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _exakt exakt\n";
}

/// Text between brackets, where zsh's _arguments explains an option.
std::string in_brackets(std::string const& text) {
  std::string result = "[";
  for (char const c : text) result += c == '[' || c == ']' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return result + "]";
}

std::string zsh_completion(CLI::App const& app) {
  std::string commands, options, cases;
  for (auto const* option : options_of(app)) {
    options += "    " + in_single_quotes(long_name(*option) + ":" + option->get_description()) + "\n";
    if (!values_of(*option).empty()) cases += "    " + long_name(*option) + ") compadd " + values_of(*option) + " ;;\n";
  }
  for (auto const* command : commands_of(app)) {
    commands += "    " + in_single_quotes(command->get_name() + ":" + command->get_description()) + "\n";
    cases += "    " + command->get_name() + ") _arguments \\\n";
    for (auto const* option : options_of(*command)) {
      std::string const values = values_of(*option);
      // Behind a second colon stands what the value may be; a blank there is a value that nothing is known of.
      std::string const value = !takes_value(*option) ? ""
                                : is_file(*option)    ? ":file:_files"
                                : values.empty()      ? ":" + option->get_type_name() + ": "
                                                      : ":value:(" + values + ")";
      cases += "      " +
               in_single_quotes(long_name(*option) + (value.empty() ? "" : "=") +
                                in_brackets(option->get_description()) + value) +
               " \\\n";
    }
    cases += takes_files(*command) ? "      '*:file:_files' ;;\n" : "      ;;\n";
  }
  return "#compdef exakt\n"
         "_exakt() {\n"
         "  local -a commands options\n"
         "  commands=(\n" +
         commands + "  )\n  options=(\n" + options +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    if [[ $words[CURRENT] == -* ]]; then _describe -o option options; else _describe command commands; fi\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "# In a folder of $fpath this file is the body of the function; otherwise it was sourced.\n"
         "if [[ $funcstack[1] == _exakt ]]; then\n"
         "  _exakt \"$@\"\n"
         "else\n"
         "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
         "  compdef _exakt exakt\n"
         "fi\n";
}

std::string fish_completion(CLI::App const& app) {
  std::string text = "complete -c exakt -n __fish_use_subcommand -f\n";
  for (auto const* option : options_of(app))
    text += "complete -c exakt -n __fish_use_subcommand -l " + option->get_lnames().front() +
            (values_of(*option).empty() ? "" : " -x -a '" + values_of(*option) + "'") + " -d " +
            in_single_quotes(option->get_description()) + "\n";
  for (auto const* command : commands_of(app)) {
    text += "complete -c exakt -n __fish_use_subcommand -a " + command->get_name() + " -d " +
            in_single_quotes(command->get_description()) + "\n";
    if (!takes_files(*command))
      text += "complete -c exakt -n '__fish_seen_subcommand_from " + command->get_name() + "' -f\n";
    for (auto const* option : options_of(*command)) {
      std::string const values = values_of(*option);
      text += "complete -c exakt -n '__fish_seen_subcommand_from " + command->get_name() + "' -l " +
              option->get_lnames().front() +
              (is_file(*option)       ? " -r"
               : takes_value(*option) ? " -x"
                                      : "") +
              (values.empty() ? "" : " -a '" + values + "'") + " -d " + in_single_quotes(option->get_description()) +
              "\n";
    }
  }
  return text;
}

}  // namespace

std::string manual_page(CLI::App const& app) {
  std::string text = ".TH EXAKT 1 \"\" \"exakt " EXAKT_VERSION
                     "\"\n.SH NAME\nexakt \\- exact sums of the numbers in files\n"
                     ".SH SYNOPSIS\n.B exakt\n.I COMMAND\n[OPTIONS] [FILE...]\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + "\n.SH COMMANDS\n";
  auto const commands = commands_of(app);
  for (auto const* command : commands) {
    text += ".SS exakt " + command->get_name() + "\n" + roff(command->get_description()) + "\n";
    for (auto const* option : options_of(*command)) {
      if (option->get_lnames().front() == "help") continue;
      text += ".TP\n\\fB" + roff(long_name(*option)) + "\\fR";
      if (takes_value(*option)) text += " \\fI" + roff(option->get_type_name()) + "\\fR";
      text += "\n" + roff(option->get_description()) + "\n";
    }
    // Commands that take the same files say the same of them, once, behind the last one.
    bool const is_last =
        command == commands.back() ||
        (*(std::find(commands.begin(), commands.end(), command) + 1))->get_footer() != command->get_footer();
    if (is_last) text += ".PP\n" + preformatted(command->get_footer());
  }
  return text + ".SH EXAMPLES\n" + preformatted(app.get_footer());
}

std::string completion(CLI::App const& app, std::string const& shell) {
  if (shell == "bash") return bash_completion(app);
  if (shell == "zsh") return zsh_completion(app);
  if (shell == "fish") return fish_completion(app);
  throw Failure("--completion " + shell + ": must be one of bash, zsh, fish");
}

}  // namespace Exakt::Tool
