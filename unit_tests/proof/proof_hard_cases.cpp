// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published hard cases: hard/*.txt, as README.md describes them.
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_sum.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "ExaktTest_Proof.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest::Proof {
namespace {

template <class T>
T number(std::string const& text) {
  char* end = nullptr;
  T const x = sizeof(T) == 8 ? static_cast<T>(std::strtod(text.c_str(), &end)) : std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw std::runtime_error("'" + text + "' is no number");
  return x;
}

/// Terms, or products a*b, an arrow, and the results: to nearest, or in all four roundings.
template <class T>
void replay(std::string const& line, Trial& trial) {
  std::istringstream words(line);
  std::string word;
  std::vector<T> x, y, results;
  while (words >> word && word != "->") {
    auto const star = word.find('*');
    x.push_back(number<T>(word.substr(0, star)));
    if (star != std::string::npos) y.push_back(number<T>(word.substr(star + 1)));
  }
  while (words >> word) results.push_back(number<T>(word));
  if ((results.size() != 1 && results.size() != 4) || (!y.empty() && x.size() != y.size()))
    throw std::runtime_error("no case: " + line);
  for (bool const reversed : {false, true}) {
    if (reversed) {
      std::reverse(x.begin(), x.end());
      std::reverse(y.begin(), y.end());
    }
    for (std::size_t m = 0; m < results.size(); ++m)
      trial.compare(y.empty() ? Exakt::sum(borrowed(x), every_rounding[m])
                              : Exakt::dot(borrowed(x), borrowed(y), every_rounding[m]),
                    results[m]);
  }
}

}  // namespace

std::uint64_t replay_hard_cases(std::string const& directory, Counts& counts) {
  for (char const* const name : {"sum_f64", "sum_f32", "dot_f64", "dot_f32"}) {
    std::string const path = directory + '/' + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::uint64_t const before = counts.cases;
    std::string line;
    for (std::uint64_t number_of_line = 1; std::getline(file, line); ++number_of_line) {
      if (line.empty() || line[0] == '#') continue;
      Trial trial(path, number_of_line, 0, counts);
      if (std::string(name).ends_with("f64"))
        replay<double>(line, trial);
      else
        replay<float>(line, trial);
    }
    if (counts.cases == before) throw std::runtime_error(path + ": has no cases");
  }
  return counts.differences;
}

}  // namespace ExaktTest::Proof
