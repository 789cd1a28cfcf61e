// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Expansion;

template <class A>
void check_long_families() {
  using T = typename A::value_type;
  Random random(221);
  for (auto const& family : long_families<T>())
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      A a;
      add_one_by_one(a, terms);
      Exact const exact = exact_sum(terms);
      for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(a.round(mode), exact.round<T>(mode));
    }
}

/// Every family in every order, rounded in every mode.
template <class A>
void check_sums() {
  using T = typename A::value_type;
  Random random(222);
  for_each_batch_of_sums<T>(40, 220, [&](auto const& cases) {
    for (auto const& test : cases)
      for (Order const order : every_order) {
        INFO(test.family << ", " << name_of(order));
        A a;
        add_one_by_one(a, reordered(test.terms, order, random));
        for (int mode = 0; mode < 4; ++mode)
          EXAKT_CHECK_BITS(a.round(every_rounding[mode]), Expected<T>{test.expected.round[mode]});
      }
  });
  check_long_families<A>();
}

template <class T, int P>
void check_size() {
  INFO("P = " << P);
  check_sums<Expansion<T, P, false>>();
  check_sums<Expansion<T, P, true>>();
}

}  // namespace

TEST_CASE("an expansion of doubles of any size, with or without early exit, holds the exact sum") {
  check_size<double, 2>();
  check_size<double, 3>();
  check_size<double, 4>();
  check_size<double, 5>();
  check_size<double, 6>();
  check_size<double, 7>();
  check_size<double, 8>();
}

TEST_CASE("an expansion of floats, with or without early exit, holds the exact sum") {
  check_size<float, 2>();
  check_size<float, 5>();
  check_size<float, 8>();
}

TEMPLATE_TEST_CASE("an expansion keeps every promise of an accumulator", "", (Expansion<double, 4>),
                   (Expansion<float, 3, true>)) {
  for_each_batch_of_sums<typename TestType::value_type>(40, 220,
                                                        [](auto const& cases) { check_contract<TestType>(cases); });
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
  check_doubling_and_removal<TestType>();
  for (std::uint64_t const count : {3u, 129u, 100'000u}) {
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
