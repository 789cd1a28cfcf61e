// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Answer.hpp"
#include "ExaktTool_Demo.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Options.hpp"
#include "ExaktTool_Total.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

namespace {

constexpr int exit_success = 0;
constexpr int exit_differs = 1;
constexpr int exit_no_answer = 2;

int run(int argc, char const* const* argv) {
  using namespace Exakt::Tool;
  auto const options = parse_command_line(argc, argv);
  if (!options) return exit_success;
  if (options->verb == Verb::demo) return run_demo(*options) ? exit_success : exit_differs;
  Total const total = options->verb == Verb::merge ? total_of_states(*options) : total_of_files(*options);
  std::string const answer = format(round(total, *options), *options);
  if (!options->state.empty()) save_state(total, options->state);
  write_to_standard_output(answer);
  return exit_success;
}

int complain(std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::fprintf(stderr, "exakt: %s\n", what.c_str());
  return exit_no_answer;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (Exakt::Tool::Failure const& failure) {
    return complain(failure.what());
  } catch (std::bad_alloc const&) {
    return complain("not enough memory");
  } catch (std::exception const& error) {
    return complain(error.what());
  }
}
