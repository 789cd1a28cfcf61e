// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_SUITE_HPP
#define EXAKTPERF_SUITE_HPP

#include "ExaktPerf_Comparison.hpp"
#include "ExaktPerf_Data.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ExaktPerf {

/// \brief How many times as fast as something else the subject of a case has to be, at least.
struct Floor {
  std::string against;            ///< The name of a way, or of a speed measured elsewhere.
  double ratio;                   ///< The least ratio; of speed elsewhere, one.
  double entries_per_second = 0;  ///< The speed measured elsewhere, of one thread.
};

struct Case {
  std::string name;  ///< For the report and for --benchmark_filter.
  std::int64_t n;    ///< Entries; dry runs take fewer.
  std::function<Comparison(std::int64_t n)> make;
  std::vector<Floor> floors = {};
  double abscissa = 0;  ///< Where the case stands in a figure.
};

/// \brief The cases of a program, in order of registration. They are made when their turn comes: data of one case at a
/// time are in memory.
std::vector<Case>& cases();

/// \brief Registers cases before main() runs: `Registration const sums([] { cases().push_back(...); });`
struct Registration {
  explicit Registration(void (*add_cases)()) { add_cases(); }
};

/// \brief n for names: 2e5, 123.
std::string short_form(std::int64_t n);

}  // namespace ExaktPerf

#endif
