// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_CASES_HPP
#define EXAKTTEST_CASES_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "ExaktTest_Families.hpp"
#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {

/// Every answer that depends on the exact value, in a fixed order.
template <class T>
struct Answers {
  std::array<T, 4> round;
  std::array<float, 4> round_to_float;
  std::array<T, 4> mean;
  std::array<T, 4> root;
  bool nan, finite;
};

/// One sum, and what the oracle says about it.
template <class T>
struct SumCase {
  const char* family;
  std::vector<T> terms;
  Exact exact;
  Answers<T> expected;
};

template <class T>
struct DotCase {
  const char* family;
  Factors<T> terms;
  Exact exact;
  Answers<T> expected;
};

/// The oracle's answers; `count` is the divisor of the mean.
template <class T>
Answers<T> answers_of(const Exact& exact, std::uint64_t count);

template <class T>
void check_answers(const Answers<T>& actual, const Answers<T>& expected);

/// `per_family` cases of each short family.
template <class T>
std::vector<SumCase<T>> make_sum_cases(std::uint64_t per_family, std::uint64_t stream);
template <class T>
std::vector<DotCase<T>> make_dot_cases(std::uint64_t per_family, std::uint64_t stream);

}  // namespace ExaktTest

#endif
