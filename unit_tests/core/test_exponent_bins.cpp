// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <summation/Exakt_Extraction.hpp>

#include <algorithm>
#include <cmath>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Impl::add_by_exponent;
using Exakt::Impl::ExponentBins;

template <class T>
LongAccumulator<T> by_exponent(std::vector<T> const& terms) {
  LongAccumulator<T> sum;
  // At the end of its memory: nothing behind the last term is read.
  GuardedArray<T> const guarded(terms, GuardedArray<T>::Against::page_after);
  add_by_exponent(guarded.data(), terms.size(), sum);
  return sum;
}

template <class T>
LongAccumulator<T> term_by_term(std::vector<T> const& terms) {
  LongAccumulator<T> sum;
  for (T const x : terms) sum += x;
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("terms added by exponent agree with the oracle for every family and with integers", "", double,
                   float) {
  Random random(340);
  auto const check = [](std::vector<TestType> const& terms) {
    auto const sum = by_exponent(terms);
    EXAKT_CHECK_BITS(sum.round(), exact_sum(terms).template round<TestType>());
    EXAKT_CHECK(sum == term_by_term(terms));
  };
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 40 * case_factor(); ++i) {
      INFO(family.name);
      check(family.make(random));
    }
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      INFO(family.name);
      check(family.make(random));
    }
}

TEMPLATE_TEST_CASE("a bin that overflows hands on 2^64 of its units, in either direction and more than once", "",
                   double, float) {
  using Limits = std::numeric_limits<TestType>;
  constexpr int lowest = Limits::min_exponent - Limits::digits;
  TestType const longest = 2 - Limits::epsilon();  // a significand of ones
  // A significand has 53 bits, also that of a float as a double, and a bin 64.
  constexpr std::size_t overflows_four_times = 9000;
  for (int exponent = lowest; exponent < Limits::max_exponent; exponent += exponent < Limits::max_exponent - 5 ? 3 : 1)
    for (TestType const sign : {TestType{1}, TestType{-1}}) {
      TestType const x = sign * std::ldexp(longest, exponent);
      INFO(describe_bits(x));
      std::vector<TestType> terms(overflows_four_times, x);
      LongAccumulator<TestType> expected;
      for (std::size_t i = 0; i < terms.size(); ++i) expected += x;
      EXAKT_CHECK(by_exponent(terms) == expected);
      // Up and back: what was handed on comes back.
      terms.resize(2 * overflows_four_times, -x);
      EXAKT_CHECK(by_exponent(terms) == LongAccumulator<TestType>());
    }
}

TEST_CASE("an infinity or a NaN goes to the sum at once, and the bins are as if it had not been there") {
  Random random(341);
  using Limits = std::numeric_limits<double>;
  for (double const special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()})
    for (int count = 1; count <= ExponentBins::block_size; count += count < 130 ? 1 : 149) {
      std::vector<double> terms(static_cast<std::size_t>(count));
      for (double& x : terms) x = random.value<double>(random.between(-1000, 1000));
      double& replaced = terms[random.between<std::size_t>(0, terms.size() - 1)];
      replaced = special;
      ExponentBins bins;
      LongAccumulator<double> specials, sum;
      bins.add(terms.data(), count, 0, specials);
      EXAKT_CHECK_BITS(specials.round(), Expected<double>{special});
      EXAKT_CHECK_BITS(by_exponent(terms).round(), Expected<double>{special});
      bins.drain(sum);
      replaced = 0;
      EXAKT_CHECK(sum == term_by_term(terms));
    }
}

TEST_CASE("all of a block may be special, of both signs") {
  std::vector<double> terms(ExponentBins::block_size, std::numeric_limits<double>::infinity());
  EXAKT_CHECK_BITS(by_exponent(terms).round(), Expected<double>{std::numeric_limits<double>::infinity()});
  for (std::size_t i = 0; i < terms.size(); i += 2) terms[i] = -terms[i];
  EXAKT_CHECK_BITS(by_exponent(terms).round(), Expected<double>{std::numeric_limits<double>::quiet_NaN()});
}

TEST_CASE("zeros of both signs and subnormal numbers have no hidden bit") {
  Random random(342);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> terms(random.between<std::size_t>(1, 3000));
    for (double& x : terms)
      x = random.one_of(0.0, random.one_of(-0.0, random.value<double>(random.between(-1074, -1015))));
    EXAKT_CHECK(by_exponent(terms) == term_by_term(terms));
  }
}

TEST_CASE("a bin that is zero again has overflowed nevertheless") {
  // Of 2^12 powers of two, 2^52 units each, nothing is left in the bin.
  for (double const x : {1.0, -1.0, 0x1p-1022, 0x1p1011}) {
    std::vector<double> const terms(1 << 12, x);
    EXAKT_CHECK(by_exponent(terms) == term_by_term(terms));
  }
}

TEST_CASE("hidden bits that zeros do not have neither stay in an overflow nor take one away") {
  // Hidden bits of so many zeros fill a bin: 2^12 * 2^52. Every block takes them back.
  for (double const zero : {0.0, -0.0}) {
    std::vector<double> terms(10000, zero);
    EXAKT_CHECK(by_exponent(terms) == term_by_term(terms));
    // The bin is nearly full of subnormal numbers, and overflows with the hidden bits of a block, or without them.
    double const subnormal =
        std::copysign(std::numeric_limits<double>::min() - std::numeric_limits<double>::denorm_min(), zero);
    for (std::size_t const subnormals : {3000, 3900, 4090, 4095, 4096, 4097, 4099, 8200}) {
      terms.assign(subnormals, subnormal);
      terms.resize(subnormals + 1500, zero);
      terms.resize(subnormals + 1600, subnormal);
      EXAKT_CHECK(by_exponent(terms) == term_by_term(terms));
    }
  }
}
