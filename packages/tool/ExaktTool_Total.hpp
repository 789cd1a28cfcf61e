// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_TOTAL_HPP
#define EXAKTTOOL_TOTAL_HPP

#include "ExaktTool_Answer.hpp"
#include "ExaktTool_GrowingSum.hpp"
#include "ExaktTool_Options.hpp"
#include "ExaktTool_Share.hpp"

#include <Exakt_Accumulator.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace Exakt::Tool {

using Sum = SumAccumulator<double>;
using Dot = DotAccumulator<double>;

/// What a variance is made of.
struct Moments {
  Sum sum;
  Dot squares;

  Moments& operator+=(Moments const& other) {
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
  friend bool operator==(Moments const& a, Moments const& b) { return a.sum == b.sum && a.squares == b.squares; }
};

/// \brief All that a command needs to remember of its data: an exact sum and how many numbers went into it.
struct Total {
  Verb verb = Verb::sum;
  std::uint64_t count = 0;
  std::variant<Sum, Dot, Moments, GrowingSum> exact;  ///< the last one is of decimal numbers
  std::uint64_t skipped = 0;                          ///< missing values
  std::optional<std::string> column = {};             ///< the name of the column, if one was asked for
};

/// The answer for all the numbers that went into the total, rounded once as the options say.
Answer round(Total const& total, Options const& options);

/// \brief Reads the inputs that the options name, as much of them as is this process' share.
/// \throws Failure  An input is missing or malformed.
Total total_of_files(Options const& options, Share& share);

/// \brief Adds up states.
/// \throws Failure  A state is damaged, or of another command than the first.
Total total_of_states(Options const& options);

/// \brief Finds out before the work whether its state can be saved.
/// \throws Failure  The folder cannot be written to, or what has that name is not a file or is one of the inputs.
void check_state_can_be_saved(Options const& options);

/// \brief Writes a total to a file, whole or not at all.
/// \param print_answer  Called before the file takes its name: whoever gets no answer has the old state to try again.
void save_state(Total const& total, std::string const& path, std::function<void()> const& print_answer);

/// \throws Failure  The file is missing, damaged or not a state.
Total load_state(std::string const& path);

}  // namespace Exakt::Tool

#endif
