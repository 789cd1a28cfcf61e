// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDEN_RESULTS_HPP
#define EXAKTTEST_GOLDEN_RESULTS_HPP

/// \file
/// \brief The results of the golden set, as its lines have them: computed with MPFR, none with Exakt.

#include "ExaktTest_GoldenCases.hpp"
#include "ExaktTest_Oracle.hpp"

namespace ExaktTest::Golden {

std::string result_of_vector(Case const&);
std::string result_of_moments(Case const&);
std::string result_of_matrix(Case const&);
std::string result_of_triangle(Case const&);

inline double number(std::uint64_t word, Format const& format) {
  return format.width == 64 ? number_of<double>(word) : static_cast<double>(number_of<float>(word));
}

/// What the oracle knows, rounded to a format.
template <class Oracle>
std::uint64_t rounded(Oracle const& exact, Format const& format, Rounding mode = Rounding::to_nearest) {
  return format.width == 64 ? word_of(exact.template round<double>(mode).value)
                            : word_of(exact.template round<float>(mode).value);
}

/// to_word(mode) for each mode, one after the other.
template <class ToWord>
std::string in_all_modes(Format const& format, ToWord const& to_word) {
  Words words;
  for (Rounding const mode : every_rounding) words.push_back(to_word(mode));
  return result_text(words, format);
}

}  // namespace ExaktTest::Golden

#endif
