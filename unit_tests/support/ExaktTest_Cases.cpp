// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Cases.hpp"

#include <string>
#include <utility>

namespace ExaktTest {

template <class T>
Answers<T> answers_of(Exact const& exact, std::uint64_t count) {
  Answers<T> result;
  for (int i = 0; i < 4; ++i) {
    Rounding const mode = every_rounding[i];
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
void check_answers(Answers<T> const& actual, Answers<T> const& expected) {
  for (int i = 0; i < 4; ++i) {
    auto const check = [&](char const* what, auto is, auto should_be) {
      if (!compare(is, Expected<decltype(should_be)>{should_be}))
        report_difference(__FILE__, __LINE__,
                          std::string(what) + ' ' + name_of(every_rounding[i]) + " is " + describe_bits(is) +
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
  for (auto const& family : short_families<T>())
    for (std::uint64_t i = 0; i < per_family; ++i) {
      auto terms = family.make(random);
      Exact const exact = exact_sum(terms);
      auto const expected = answers_of<T>(exact, terms.size());
      cases.push_back({family.name, std::move(terms), exact, expected});
    }
  return cases;
}

template <class T>
std::vector<DotCase<T>> make_dot_cases(std::uint64_t per_family, std::uint64_t stream) {
  Random random(stream);
  std::vector<DotCase<T>> cases;
  for (auto const& family : short_product_families<T>())
    for (std::uint64_t i = 0; i < per_family; ++i) {
      auto terms = family.make(random);
      Exact const exact = exact_dot(terms.x, terms.y);
      auto const expected = answers_of<T>(exact, terms.size());
      cases.push_back({family.name, std::move(terms), exact, expected});
    }
  return cases;
}

namespace {

template <class Cases, class Make>
Cases const& kept(std::uint64_t per_family, std::uint64_t stream, Make const& make) {
  static std::pair<std::uint64_t, std::uint64_t> made_for(0, 0);
  static Cases cases;
  if (std::pair const wanted(per_family, stream); made_for != wanted) {
    cases = make(per_family, stream);
    made_for = wanted;
  }
  return cases;
}

}  // namespace

template <class T>
std::vector<SumCase<T>> const& stored_sum_cases(std::uint64_t per_family, std::uint64_t stream) {
  return kept<std::vector<SumCase<T>>>(per_family, stream, make_sum_cases<T>);
}

template <class T>
std::vector<DotCase<T>> const& stored_dot_cases(std::uint64_t per_family, std::uint64_t stream) {
  return kept<std::vector<DotCase<T>>>(per_family, stream, make_dot_cases<T>);
}

#define EXAKT_TEST_INSTANTIATE(T)                                                            \
  template Answers<T> answers_of<T>(Exact const&, std::uint64_t);                            \
  template void check_answers<T>(Answers<T> const&, Answers<T> const&);                      \
  template std::vector<SumCase<T>> make_sum_cases<T>(std::uint64_t, std::uint64_t);          \
  template std::vector<DotCase<T>> make_dot_cases<T>(std::uint64_t, std::uint64_t);          \
  template std::vector<SumCase<T>> const& stored_sum_cases<T>(std::uint64_t, std::uint64_t); \
  template std::vector<DotCase<T>> const& stored_dot_cases<T>(std::uint64_t, std::uint64_t)
EXAKT_TEST_INSTANTIATE(double);
EXAKT_TEST_INSTANTIATE(float);
#undef EXAKT_TEST_INSTANTIATE

}  // namespace ExaktTest
