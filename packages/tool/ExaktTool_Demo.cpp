// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Demo.hpp"

#include "ExaktTool_DemoKernels.hpp"
#include "ExaktTool_Print.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>

#include <unistd.h>

namespace Exakt::Tool {
namespace {

constexpr unsigned shuffle_seed = 20090617;

struct Way {
  std::string name;
  DemoValues values;
};

bool is_colour_wanted() {
  char const *const terminal = std::getenv("TERM"), *const no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string(terminal) != "dumb";
}

/// \brief Number of leading characters of a printed value that are right.
std::size_t right_characters(std::string const& printed, std::string const& correct) {
  auto const point = [](std::string const& text) { return std::min(text.find('.'), text.size()); };
  // Digits in other places than the right ones are not right by chance.
  if (point(printed) != point(correct) || printed.find('e') != std::string::npos) return 0;
  auto const differing = std::mismatch(printed.begin(), printed.end(), correct.begin(), correct.end()).first;
  return static_cast<std::size_t>(differing - printed.begin());
}

/// The value, with a mark before its first wrong digit, and blanks to fill a column.
template <class T>
std::string cell(T value, T correct, std::size_t width, bool colour) {
  std::string const text = decimal(value);
  std::size_t const right = value == correct ? text.size() : right_characters(text, decimal(correct));
  std::string result = text.substr(0, right);
  if (value != correct) result += '|' + text.substr(right);
  result.resize(std::max(width, result.size()), ' ');
  if (colour && value != correct) result = result.substr(0, right) + "\033[31m" + result.substr(right) + "\033[0m";
  return result;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

struct Widths {
  std::size_t name = 12, plain_double = 21, exact_double = 19, plain_float = 13, exact_float = 0;
};

std::string table(DemoData const& data, std::vector<Way> const& ways, bool colour) {
  constexpr Widths width;
  std::string text = "  " + padded("", width.name) + padded("plain double", width.plain_double) +
                     padded("exact double", width.exact_double) + padded("plain float", width.plain_float) +
                     "exact float\n";
  for (auto const& [name, values] : ways)
    text += "  " + padded(name, width.name) +
            cell(values.plain_double, data.correct_double, width.plain_double, colour) +
            cell(values.exact_double, data.correct_double, width.exact_double, colour) +
            cell(values.plain_float, data.correct_float, width.plain_float, colour) +
            cell(values.exact_float, data.correct_float, width.exact_float, colour) + "\n";
  return text;
}

bool all_correct(DemoData const& data, std::vector<Way> const& ways) {
  return std::all_of(ways.begin(), ways.end(), [&](Way const& way) {
    return std::bit_cast<std::uint64_t>(way.values.exact_double) == std::bit_cast<std::uint64_t>(data.correct_double) &&
           std::bit_cast<std::uint32_t>(way.values.exact_float) == std::bit_cast<std::uint32_t>(data.correct_float);
  });
}

std::string in_threads(unsigned n) { return std::to_string(n) + (n == 1 ? " thread" : " threads"); }

std::vector<unsigned> thread_counts(unsigned most) {
  std::vector<unsigned> counts;
  for (unsigned const n : {1u, 2u, 4u, most})
    if (n <= most && (counts.empty() || n > counts.back())) counts.push_back(n);
  return counts;
}

std::string speed_row(char const* name, double speed, double plain) {
  char line[96];
  std::snprintf(line, sizeof line, "    %-42s %7.2f %8.2f\n", name, speed * 1e-9, speed / plain);
  return line;
}

std::string speeds(std::string const& heading, DemoParallel const& parallel) {
  char line[96];
  std::snprintf(line, sizeof line, "  %-44s %7s %8s\n", heading.c_str(), "Gelem/s", "ratio");
  return line + speed_row("plain parallel_reduce", parallel.plain_speed, parallel.plain_speed) +
         speed_row("exact parallel_reduce (ExactSum)", parallel.reducer_speed, parallel.plain_speed) +
         speed_row("exact, whole array at once (exakt sum)", parallel.bulk_speed, parallel.plain_speed);
}

}  // namespace

unsigned threads_of_demo() { return std::max(4u, std::thread::hardware_concurrency()); }

bool run_demo(unsigned most_threads) {
  std::array<DemoData, demo_data_sets> const sets = {cancelling_numbers(), num_acc4()};
  std::array<std::vector<Way>, demo_data_sets> ways;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    std::vector<std::size_t> order(sets[k].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    ways[k].push_back({"forward", sum_in_order(sets[k], order)});
    std::reverse(order.begin(), order.end());
    ways[k].push_back({"backward", sum_in_order(sets[k], order)});
    ways[k].push_back({"shuffled", sum_in_order(sets[k], shuffled_indices(sets[k].size(), shuffle_seed))});
  }
  std::string speed;
  for (unsigned const threads : thread_counts(most_threads)) {
    auto const parallel = sum_in_parallel(sets, threads);
    if (!parallel) continue;
    for (std::size_t k = 0; k < sets.size(); ++k) ways[k].push_back({in_threads(threads), parallel->values[k]});
    if (threads <= std::max(1u, std::thread::hardware_concurrency())) speed += speeds(in_threads(threads), *parallel);
  }

  bool const colour = is_colour_wanted();
  bool correct = true;
  for (std::size_t k = 0; k < sets.size(); ++k) correct = correct && all_correct(sets[k], ways[k]);
  write_to_standard_output(
      "A plain sum rounds after every addition: it depends on the order of the terms\n"
      "and on the number of threads. An exact sum does not. Each line below takes the\n"
      "same sum in another way; a bar | stands before the first wrong digit.\n"
      "\n"
      "1. A million numbers that cancel: 500000 pairs x and -x, and pi. The sum is pi.\n\n" +
      table(sets[0], ways[0], colour) +
      "\n"
      "2. NIST StRD NumAcc4: 1001 numbers, mean certified to be 10000000.2. (As floats\n"
      "   they are all 10000000.)\n\n" +
      table(sets[1], ways[1], colour) +
      "\n"
      "3. Speed on the million numbers\n\n" +
      speed + "\n" +
      (correct ? "All exact values have the same bits, the correct ones.\n"
               : "FAILED: some exact values do not have the correct bits.\n"));
  return correct;
}

}  // namespace Exakt::Tool
