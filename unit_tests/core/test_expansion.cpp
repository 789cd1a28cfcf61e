// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Expansion;

template <class T>
const std::vector<SumCase<T>>& sum_cases() {
  static const auto cases = make_sum_cases<T>(40 * case_factor(), 220);
  return cases;
}

/// \pre the terms have at least as many exponents as would fill any expansion.
template <class A>
void check_long_families() {
  using T = typename A::value_type;
  Random random(221);
  for (const auto& family : long_families<T>())
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i) {
      INFO(family.name);
      const auto terms = family.make(random);
      A a;
      add_one_by_one(a, terms);
      const Exact exact = exact_sum(terms);
      for (const Rounding mode : every_rounding) EXAKT_CHECK_BITS(a.round(mode), exact.round<T>(mode));
    }
}

template <class T, int P>
void check_size() {
  INFO("P = " << P);
  check_every_order<Expansion<T, P, false>>(sum_cases<T>());
  check_every_order<Expansion<T, P, true>>(sum_cases<T>());
  check_long_families<Expansion<T, P, false>>();
  check_long_families<Expansion<T, P, true>>();
}

}  // namespace

TEMPLATE_TEST_CASE("an expansion of any size, with or without early exit, holds the exact sum", "", double, float) {
  check_size<TestType, 2>();
  check_size<TestType, 3>();
  check_size<TestType, 4>();
  check_size<TestType, 5>();
  check_size<TestType, 6>();
  check_size<TestType, 7>();
  check_size<TestType, 8>();
}

TEMPLATE_TEST_CASE("an expansion keeps every promise of an accumulator", "", (Expansion<double, 2>), (Expansion<double, 8, true>),
                   (Expansion<float, 4>), (Expansion<float, 3, true>)) {
  check_contract<TestType>(sum_cases<typename TestType::value_type>());
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
  check_doubling_and_removal<TestType>();
  for (const std::uint64_t count : {3u, 129u, 100'000u}) {
    check_many_additions_of<TestType>(std::numeric_limits<typename TestType::value_type>::max(), count);
    check_many_additions_of<TestType>(std::numeric_limits<typename TestType::value_type>::denorm_min(), count);
  }
}

TEST_CASE("a float is a term of an expansion of doubles") {
  Expansion<double, 4> sum;
  sum += 0.1f;
  sum -= std::numeric_limits<float>::denorm_min();
  EXAKT_CHECK_BITS(sum.round(), Exact().add(0.1f).subtract(std::numeric_limits<float>::denorm_min()).round<double>());
}
