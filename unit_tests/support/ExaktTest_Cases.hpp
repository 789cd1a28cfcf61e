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
  char const* family;
  std::vector<T> terms;
  Exact exact;
  Answers<T> expected;
};

template <class T>
struct DotCase {
  char const* family;
  ProductTerms<T> terms;
  Exact exact;
  Answers<T> expected;
};

/// The oracle's answers; `count` is the divisor of the mean.
template <class T>
Answers<T> answers_of(Exact const& exact, std::uint64_t count);

template <class T>
void check_answers(Answers<T> const& actual, Answers<T> const& expected);

/// `per_family` cases of each short family.
template <class T>
std::vector<SumCase<T>> make_sum_cases(std::uint64_t per_family, std::uint64_t stream);
template <class T>
std::vector<DotCase<T>> make_dot_cases(std::uint64_t per_family, std::uint64_t stream);

/// The same, made anew only if something else was asked for the last time.
template <class T>
std::vector<SumCase<T>> const& stored_sum_cases(std::uint64_t per_family, std::uint64_t stream);
template <class T>
std::vector<DotCase<T>> const& stored_dot_cases(std::uint64_t per_family, std::uint64_t stream);

/// Calls check with one batch of such cases after the other, as many as case_factor() says: a long run needs no more
/// memory than a short one.
template <class T, class Check>
void for_each_batch_of_sums(std::uint64_t per_family, std::uint64_t stream, Check const& check) {
  for (std::uint64_t batch = 0; batch < case_factor(); ++batch)
    check(stored_sum_cases<T>(per_family, stream + 1000 * batch));
}
template <class T, class Check>
void for_each_batch_of_dots(std::uint64_t per_family, std::uint64_t stream, Check const& check) {
  for (std::uint64_t batch = 0; batch < case_factor(); ++batch)
    check(stored_dot_cases<T>(per_family, stream + 1000 * batch));
}

}  // namespace ExaktTest

#endif
