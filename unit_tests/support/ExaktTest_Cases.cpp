// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Cases.hpp"

#include <string>

namespace ExaktTest {

template <class T>
Answers<T> answers_of(const Exact& exact, std::uint64_t count) {
  Answers<T> result;
  for (int i = 0; i < 4; ++i) {
    const Rounding mode = every_rounding[i];
    result.round[i] = exact.round<T>(mode).value;
    result.round_to_float[i] = exact.round<float>(mode).value;
    result.mean[i] = exact.round_quotient<T>(count, mode).value;
    result.root[i] = exact.round_sqrt<T>(mode).value;
  }
  result.nan = exact.is_nan();
  result.finite = exact.is_finite();
  return result;
}

template <class T>
void check_answers(const Answers<T>& actual, const Answers<T>& expected) {
  for (int i = 0; i < 4; ++i) {
    const auto check = [&](const char* what, auto is, auto should_be) {
      if (!compare(is, Expected<decltype(should_be)>{should_be}))
        report_difference(__FILE__, __LINE__, std::string(what) + ' ' + name_of(every_rounding[i]) + " is " + describe_bits(is) +
                                                  ", expected " + describe_bits(should_be));
    };
    check("the sum rounded", actual.round[i], expected.round[i]);
    check("the sum rounded to float", actual.round_to_float[i], expected.round_to_float[i]);
    check("the mean rounded", actual.mean[i], expected.mean[i]);
    check("the square root rounded", actual.root[i], expected.root[i]);
  }
  EXAKT_CHECK(actual.nan == expected.nan);
  EXAKT_CHECK(actual.finite == expected.finite);
}

template <class T>
std::vector<SumCase<T>> make_sum_cases(std::uint64_t per_family, std::uint64_t stream) {
  Random random(stream);
  std::vector<SumCase<T>> cases;
  for (const auto& family : short_families<T>())
    for (std::uint64_t i = 0; i < per_family; ++i) {
      auto terms = family.make(random);
      const Exact exact = exact_sum(terms);
      const auto expected = answers_of<T>(exact, terms.size());
      cases.push_back({family.name, std::move(terms), exact, expected});
    }
  return cases;
}

template <class T>
std::vector<DotCase<T>> make_dot_cases(std::uint64_t per_family, std::uint64_t stream) {
  Random random(stream);
  std::vector<DotCase<T>> cases;
  for (const auto& family : short_product_families<T>())
    for (std::uint64_t i = 0; i < per_family; ++i) {
      auto terms = family.make(random);
      const Exact exact = exact_dot(terms.x, terms.y);
      const auto expected = answers_of<T>(exact, terms.size());
      cases.push_back({family.name, std::move(terms), exact, expected});
    }
  return cases;
}

#define EXAKT_TEST_INSTANTIATE(T)                                                        \
  template Answers<T> answers_of<T>(const Exact&, std::uint64_t);                        \
  template void check_answers<T>(const Answers<T>&, const Answers<T>&);                  \
  template std::vector<SumCase<T>> make_sum_cases<T>(std::uint64_t, std::uint64_t);      \
  template std::vector<DotCase<T>> make_dot_cases<T>(std::uint64_t, std::uint64_t)
EXAKT_TEST_INSTANTIATE(double);
EXAKT_TEST_INSTANTIATE(float);
#undef EXAKT_TEST_INSTANTIATE

}  // namespace ExaktTest
