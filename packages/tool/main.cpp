// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Answer.hpp"
#include "ExaktTool_Demo.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Options.hpp"
#include "ExaktTool_Print.hpp"
#include "ExaktTool_Ranks.hpp"
#include "ExaktTool_Report.hpp"
#include "ExaktTool_Selftest.hpp"
#include "ExaktTool_Table.hpp"
#include "ExaktTool_Total.hpp"

#include <cerrno>
#include <cstdio>
#include <new>
#include <numeric>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr int exit_success = 0;
constexpr int exit_differs = 1;
constexpr int exit_no_answer = 2;

/// Prints a line on standard error.
void tell(std::string const& what) {
  // Names of files may hold line ends, and sequences that a terminal would obey.
  auto const escape = [](unsigned char c) { return c == '\n' ? " " : "?"; };
  std::fprintf(stderr, "exakt: %s\n", Exakt::Tool::without_controls(what, escape).c_str());
}

/// Whoever leaves values out says how many.
void report_skipped(std::vector<std::uint64_t> const& skipped, std::vector<std::string> const& columns,
                    Exakt::Tool::Options const& options) {
  using namespace Exakt::Tool;
  if (options.missing != Missing::skip) return;
  bool const is_of_records = options.verb == Verb::dot;
  auto const total = std::accumulate(skipped.begin(), skipped.end(), std::uint64_t{0});
  std::string text = "skipped " + std::to_string(total) + (is_of_records ? " record" : " missing value") +
                     (total == 1 ? "" : "s") + (is_of_records ? " with missing values" : "");
  if (columns.size() > 1 && !is_of_records)
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += (c == 0 ? ": " : ", ") + std::to_string(skipped[c]) + " in " + columns[c];
  tell(text);
}

/// What is asked for of records: sums for several columns or groups, or of decimal numbers.
int run_table(Exakt::Tool::Options const& options, Exakt::Tool::Share& share, Exakt::Tool::Ranks const& ranks) {
  using namespace Exakt::Tool;
  Table table = ranks.together(share.failed_at, [&] { return read_table(options, share); });
  ranks.gather(table);
  return ranks.together([&] {
    if (ranks.rank() != 0) return exit_success;
    auto const print_answer = [&] { print(table, options); };
    if (options.state.empty())
      print_answer();
    else
      save_state(total_of(table.sorted().front()->second, 0, options), options.state, print_answer);
    report_skipped(table.skipped, table.columns, options);
    return exit_success;
  });
}

/// All ranks do everything together; where only one is needed, it is rank 0, and the others wait for its success.
int run(int argc, char const* const* argv, Exakt::Tool::Ranks const& ranks) {
  using namespace Exakt::Tool;
  auto const options = ranks.together([&] { return parse_command_line(argc, argv); });
  if (!options) return exit_success;
  if (options->verb == Verb::demo)
    return ranks.together(
        [&] { return ranks.rank() != 0 || run_demo(options->threads) ? exit_success : exit_differs; });
  if (options->verb == Verb::selftest)
    return ranks.together([&] { return ranks.rank() != 0 || run_selftest() ? exit_success : exit_differs; });

  if (options->verb == Verb::report)
    return ranks.together([&] {
      if (ranks.rank() != 0) return exit_success;
      Page const page = report(*options);
      write_to_standard_output(page.html);
      report_skipped({page.skipped}, {}, *options);
      return exit_success;
    });

  ranks.together([&] {
    if (ranks.rank() == 0 && !options->state.empty()) check_state_can_be_saved(*options);
    return exit_success;
  });

  Share share;
  share.rank = static_cast<std::uint64_t>(ranks.rank());
  share.ranks = static_cast<std::uint64_t>(ranks.size());
  if (options->verb != Verb::merge && is_about_records(*options)) return run_table(*options, share, ranks);
  Total total = ranks.together(share.failed_at, [&]() -> Total {
    if (options->verb != Verb::merge) return total_of_files(*options, share);
    return ranks.rank() == 0 ? total_of_states(*options) : Total();
  });
  if (options->verb != Verb::merge) ranks.reduce(total);
  return ranks.together([&] {
    if (ranks.rank() != 0) return exit_success;
    auto const print_answer = [&] { write_to_standard_output(format(round(total, *options), *options)); };
    if (options->state.empty())
      print_answer();
    else
      save_state(total, options->state, print_answer);
    report_skipped({total.skipped}, {}, *options);
    return exit_success;
  });
}

int complain(std::string const& what) {
  tell(what);
  return exit_no_answer;
}

/// \brief Runs f; what it throws is printed as one line, unless another rank prints it.
template <class F>
int complaining(F const& f) {
  try {
    return f();
  } catch (Exakt::Tool::FailureElsewhere const&) {
    return exit_no_answer;
  } catch (Exakt::Tool::Failure const& failure) {
    return complain(failure.what());
  } catch (std::bad_alloc const&) {
    return complain("not enough memory");
  } catch (std::exception const& error) {
    return complain(error.what());
  }
}

/// \brief Where standard input, output or error is closed, keeps its number from the files that are opened later.
///
/// Reading from the one that takes the place of standard input fails, and so does writing to the others.
void hold_standard_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  return complaining([&] {
    Exakt::Tool::Ranks const ranks;
    // The complaint comes before the ranks part: whoever leaves first with an error takes the others along.
    return complaining([&] { return run(argc, argv, ranks); });
  });
}
