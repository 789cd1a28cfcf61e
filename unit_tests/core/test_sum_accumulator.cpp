// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_GuardedArray.hpp"

namespace {

using namespace ExaktTest;
using Exakt::SumAccumulator;

template <class T>
SumAccumulator<T> bulk_sum(std::vector<T> const& terms) {
  SumAccumulator<T> sum;
  sum.add(terms.data(), terms.size());
  return sum;
}

template <class T>
void check_rounded(SumAccumulator<T> const& sum, Exact const& exact) {
  for (Rounding const mode : every_rounding) {
    EXAKT_CHECK_BITS(sum.round(mode), exact.template round<T>(mode));
    EXAKT_CHECK_BITS(sum.template round<float>(mode), exact.template round<float>(mode));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("SumAccumulator keeps every promise of an accumulator", "", double, float) {
  for_each_batch_of_sums<TestType>(200, 230,
                                   [](auto const& cases) { check_contract<SumAccumulator<TestType>>(cases); });
  check_special_values<SumAccumulator<TestType>>();
  check_integers<SumAccumulator<TestType>>();
  check_quotients<SumAccumulator<TestType>>();
  check_doubling_and_removal<SumAccumulator<TestType>>();
  for (std::uint64_t const count : {7u, 63u, 64u, 65u, 129u, 4095u, 100'000u})
    for (TestType const x :
         {std::numeric_limits<TestType>::max(), -std::numeric_limits<TestType>::denorm_min(), TestType(-0.1)})
      check_many_additions_of<SumAccumulator<TestType>>(x, count);
}

TEMPLATE_TEST_CASE("adding in bulk, one by one, and in pieces of both is the same sum", "", double, float) {
  Random random(231);
  auto const check = [&](char const* family, std::vector<TestType> const& terms) {
    INFO(family << ", " << terms.size() << " terms");
    Exact const exact = exact_sum(terms);
    auto const bulk = bulk_sum(terms);
    check_rounded(bulk, exact);
    SumAccumulator<TestType> one_by_one, mixed;
    add_one_by_one(one_by_one, terms);
    EXAKT_CHECK(one_by_one == bulk);
    for (std::size_t i = 0; i < terms.size();) {
      std::size_t const n = std::min(terms.size() - i, random.between<std::size_t>(1, random.one_of(20, 200)));
      if (random.coin())
        mixed.add(terms.data() + i, n);
      else
        add_one_by_one(mixed, slice(terms, i, i + n));
      i += n;
    }
    EXAKT_CHECK(mixed == bulk);
    check_rounded(mixed, exact);
  };
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 100 * case_factor(); ++i) check(family.name, family.make(random));
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      auto const terms = family.make(random);
      for (Order const order : every_order) check(family.name, reordered(terms, order, random));
    }
}

TEMPLATE_TEST_CASE("2^16 to 2^21 terms, added in bulk and one by one, agree with the oracle", "", double, float) {
  Random random(232);
  for (auto const& family : carry_families<TestType>())
    for (std::uint64_t i = 0; i < case_factor(); ++i) {
      auto const terms = family.make(random);
      INFO(family.name << ", " << terms.size() << " terms");
      auto const bulk = bulk_sum(terms);
      SumAccumulator<TestType> one_by_one;
      add_one_by_one(one_by_one, terms);
      check_rounded(bulk, exact_sum(terms));
      EXAKT_CHECK(one_by_one == bulk);
    }
}

TEMPLATE_TEST_CASE("arrays of length 0 to 100, ending or beginning at an unmapped page, are read to the last entry", "",
                   double, float) {
  using Array = GuardedArray<TestType>;
  Random random(233);
  for (std::size_t n = 0; n <= 100; ++n)
    for (std::uint64_t i = 0; i < 5 * case_factor(); ++i) {
      std::vector<TestType> terms(n);
      for (auto& x : terms) x = random.value<TestType>(random.between(-100, 100));
      Exact const exact = exact_sum(terms);
      for (auto const side : {Array::Against::page_after, Array::Against::page_before}) {
        Array const array(terms, side);
        SumAccumulator<TestType> sum;
        sum.add(array.data(), n);
        EXAKT_CHECK_BITS(sum.round(), exact.template round<TestType>());
      }
    }
}

TEMPLATE_TEST_CASE("adding in bulk is right in every floating-point environment, subnormal terms included", "", double,
                   float) {
  Random random(234);
  for (auto const& family : long_families<TestType>())
    for (auto const& environment : every_fp_environment()) {
      INFO(family.name << ", " << environment.name);
      auto const terms = family.make(random);
      Exact const exact = exact_sum(terms);
      SumAccumulator<TestType> sum, before;
      add_one_by_one(before, slice(terms, 0, 13));
      auto const rest = slice(terms, 13, terms.size());
      TestType rounded[4];
      {
        ScopedFpEnvironment const scope(environment);
        sum.add(terms.data(), terms.size());
        before.add(rest.data(), rest.size());
        for (int mode = 0; mode < 4; ++mode) rounded[mode] = sum.round(every_rounding[mode]);
      }
      for (int mode = 0; mode < 4; ++mode)
        EXAKT_CHECK_BITS(rounded[mode], exact.template round<TestType>(every_rounding[mode]));
      check_rounded(before, exact);
    }
}

TEST_CASE("floats are terms of a sum of doubles, subnormal ones also while denormals are zeros") {
  Random random(235);
  for (std::uint64_t i = 0; i < 500 * case_factor(); ++i) {
    Exact exact;
    std::vector<float> terms(random.between<std::size_t>(1, 100));
    for (float& x : terms) {
      x = random.value<float>(random.between(-149, 127));
      if (random.coin()) x = random.value<float>(-140);
      exact.add(x);
    }
    for (auto const& environment : every_fp_environment()) {
      SumAccumulator<double> sum, negated;
      double rounded;
      {
        ScopedFpEnvironment const scope(environment);
        for (float const x : terms) {
          sum += x;
          negated -= x;
        }
        rounded = sum.round();
      }
      INFO(environment.name);
      EXAKT_CHECK_BITS(rounded, exact.round<double>());
      negated += sum;
      EXAKT_CHECK(negated == SumAccumulator<double>());
    }
  }
}

TEST_CASE("arrays of narrower numbers are added in bulk, in every environment") {
  Random random(237);
  for (std::uint64_t i = 0; i < 200 * case_factor(); ++i) {
    std::vector<float> floats(random.between<std::size_t>(0, 3000));
    Exact exact;
    int const lowest = random.one_of(-149, -20);
    for (float& x : floats) {
      x = random.value<float>(random.between(lowest, lowest + 40));
      exact.add(x);
    }
    for (auto const& environment : every_fp_environment()) {
      INFO(environment.name);
      SumAccumulator<double> sum;
      double rounded;
      {
        ScopedFpEnvironment const scope(environment);
        sum.add(floats.data(), floats.size());
        rounded = sum.round();
      }
      EXAKT_CHECK_BITS(rounded, exact.round<double>());
    }
  }
}

TEMPLATE_TEST_CASE("the sum does not change when zeros are appended, and scales and negates with its terms", "", double,
                   float) {
  Random random(236);
  using Limits = std::numeric_limits<TestType>;
  for (std::uint64_t i = 0; i < 2'000 * case_factor(); ++i) {
    std::vector<TestType> terms(random.between<std::size_t>(1, 150));
    for (auto& x : terms)
      x = random.value<TestType>(random.between(Limits::min_exponent / 4, Limits::max_exponent / 4));
    auto with_zeros = terms, scaled = terms, negated = terms;
    for (int k = random.between(1, 40); k > 0; --k) with_zeros.push_back(random.one_of(TestType{0}, -TestType{0}));
    random.shuffle(with_zeros);
    int const shift = random.between(Limits::min_exponent / 8, Limits::max_exponent / 8);
    for (auto& x : scaled) x = std::ldexp(x, shift);
    for (auto& x : negated) x = -x;
    auto const sum = bulk_sum(terms);
    EXAKT_CHECK(bulk_sum(with_zeros) == sum);
    EXAKT_CHECK_BITS(bulk_sum(scaled).round(), std::ldexp(sum.round(), shift));
    EXAKT_CHECK_BITS(bulk_sum(negated).round(), -sum.round());
    auto both = sum;
    both.add(negated.data(), negated.size());
    EXAKT_CHECK(both == SumAccumulator<TestType>());
  }
}

TEMPLATE_TEST_CASE("terms of every exponent are gathered in the digits that are named", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  Random random(233);
  check_digits_in_use(SumAccumulator<TestType>());
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    for (std::size_t const n : {1, 20, 100, 3000}) {
      // A last bit as far below as an extraction reaches, and the largest heads.
      std::vector<TestType> terms(n, std::ldexp(2 - Limits::epsilon(), e));
      terms.front() = random.value<TestType>(std::max(e - random.between(0, 70), Limits::min_exponent - 1));
      if (random.coin())
        for (TestType& x : terms) x = -x;
      INFO(n << " terms below 2^" << e + 1);
      check_digits_in_use(bulk_sum(terms));
    }
}

TEMPLATE_TEST_CASE("a sum that is gathered in its long accumulator is the same sum", "", double, float) {
  for (auto const& test : stored_sum_cases<TestType>(20, 232)) {
    INFO(test.family << ", " << test.terms.size() << " terms");
    SumAccumulator<TestType> sum = bulk_sum(test.terms), added;
    for (TestType const x : test.terms) added += x;
    auto const before = sum;
    check_digits_in_use(sum);
    check_digits_in_use(added);
    EXAKT_CHECK(sum.to_long_accumulator() == before.normalized());
    EXAKT_CHECK(sum == before);
    check_digits_in_use(sum);
    sum += TestType(0.5);
    sum += added.to_long_accumulator();
    sum -= TestType(0.5);
    added -= before;
    sum.to_long_accumulator() -= before.normalized();
    auto assigned = bulk_sum(slice(test.terms, 0, test.terms.size() / 2));
    assigned += TestType(0.5);
    assigned.assign(before.normalized());
    EXAKT_CHECK(assigned == before);
    if (test.exact.is_finite()) {
      EXAKT_CHECK(added == SumAccumulator<TestType>());
      check_rounded(sum, test.exact);
    }
  }
}
