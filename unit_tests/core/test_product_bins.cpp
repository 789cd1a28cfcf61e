// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <summation/Exakt_Extraction.hpp>

#include <cmath>
#include <tuple>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Terms;
using Exakt::Impl::add_each_product;
using Exakt::Impl::add_products_by_exponent;
using Exakt::Impl::ProductBins;

template <class T>
using LongDot = LongAccumulator<T, 56, Terms::products>;

template <class Long, class X, class Y>
Long product_by_product(std::vector<X> const& x, std::vector<Y> const& y) {
  Long sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
  return sum;
}

/// Into bins, and into the digits of a long accumulator: the same sum as one by one, and nothing behind the arrays is read.
template <class Long, class X, class Y>
Long check(std::vector<X> const& x, std::vector<Y> const& y) {
  GuardedArray<X> const xs(x);
  GuardedArray<Y> const ys(y);
  Long by_exponent, by_digits;
  add_products_by_exponent(xs.data(), ys.data(), x.size(), by_exponent);
  add_each_product(xs.data(), ys.data(), static_cast<int>(x.size()), by_digits);
  Long const expected = product_by_product<Long>(x, y);
  EXAKT_CHECK(by_exponent == expected);
  EXAKT_CHECK(by_digits == expected);
  return by_exponent;
}

template <class T>
std::vector<T> numbers_between(Random& random, std::size_t n, int lowest, int highest) {
  std::vector<T> x(n);
  for (T& t : x) t = random.value<T>(random.between(lowest, highest));
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("products added as integers agree with the oracle for every family", "", double, float) {
  Random random(350);
  auto const check_terms = [](ProductTerms<TestType> const& terms) {
    auto const sum = check<LongDot<TestType>>(terms.x, terms.y);
    EXAKT_CHECK_BITS(sum.round(), exact_dot(terms.x, terms.y).template round<TestType>());
  };
  for (auto const& family : short_product_families<TestType>())
    for (std::uint64_t i = 0; i < 40 * case_factor(); ++i) {
      INFO(family.name);
      check_terms(family.make(random));
    }
  for (auto const& family : long_product_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      INFO(family.name);
      check_terms(family.make(random));
    }
}

TEMPLATE_TEST_CASE("factors of two types, of every range and number, into accumulators for two factors and for three",
                   "", (std::tuple<double, double>), (std::tuple<double, float>), (std::tuple<float, double>),
                   (std::tuple<float, float>)) {
  using X = std::tuple_element_t<0, TestType>;
  using Y = std::tuple_element_t<1, TestType>;
  Random random(351);
  for (std::size_t n = 0; n <= 1000; n += n < 300 ? 1 : 89)
    for (int const exponents : {20, 130, 1080}) {
      INFO(n << " products of exponents up to " << exponents);
      auto const x = numbers_between<X>(random, n, -exponents, exponents - 60);
      auto const y = numbers_between<Y>(random, n, -exponents, exponents - 60);
      check<LongDot<double>>(x, y);
      check<LongAccumulator<double, 56, Terms::scaled_products>>(x, y);
      check<LongAccumulator<double, 32, Terms::products>>(x, y);  // digits that no kernel knows
      if constexpr (std::is_same_v<X, float> && std::is_same_v<Y, float>) check<LongDot<float>>(x, y);
    }
}

TEMPLATE_TEST_CASE(
    "bins hold as many of the largest significands as they are said to, at every exponent and of both signs", "",
    double, float) {
  using Limits = std::numeric_limits<TestType>;
  constexpr std::size_t full = ProductBins<TestType, TestType>::capacity;
  TestType const longest = 2 - Limits::epsilon();  // a significand of ones
  int const highest = Limits::max_exponent - 1, lowest = Limits::min_exponent - 1;
  int const step = std::is_same_v<TestType, double> ? 41 : 5;
  for (int exponent = lowest; exponent <= highest; exponent += exponent + 9 > highest ? 1 : step)
    for (int other : {lowest, -1, 0, highest})
      for (TestType const sign : {TestType{1}, TestType{-1}}) {
        TestType const a = std::ldexp(longest, exponent), b = sign * std::ldexp(longest, other);
        INFO(describe_bits(a) << " * " << describe_bits(b));
        LongDot<TestType> expected;
        for (std::size_t i = 0; i < full + 300; ++i) expected.add_product(a, b);
        std::vector<TestType> x(full + 300, a), y(full + 300, b);
        LongDot<TestType> sum;
        add_products_by_exponent(x.data(), y.data(), x.size(), sum);
        EXAKT_CHECK(sum == expected);
        // Half of them up, and half down again.
        for (std::size_t i = 0; i < full; ++i) y[i] = i % 2 == 0 ? b : -b;
        sum.clear();
        add_products_by_exponent(x.data(), y.data(), full, sum);
        EXAKT_CHECK(sum == LongDot<TestType>());
      }
}

TEST_CASE("what one bin hands on reaches the highest one, and a carry of -1 goes on through bins of nothing") {
  // Neighbours in sign and exponent, so that sums of bins cancel but for one unit, which is borrowed from far above.
  for (int low = -1074; low < 1000; low += 13)
    for (int high = low + 1; high < 1023; high += 97)
      for (double const sign : {1.0, -1.0})
        for (double const scale : {0x1p-1074, 0x1p-500, 1.0, 0x1p900}) {
          std::vector<double> const x = {sign * std::ldexp(1.0, high), -sign * std::ldexp(1.0, low)}, y(2, scale);
          INFO(describe_bits(x[0]) << ", " << describe_bits(x[1]) << " times " << describe_bits(scale));
          check<LongDot<double>>(x, y);
        }
}

TEST_CASE("zeros of both signs and subnormal factors have no hidden bit") {
  Random random(352);
  for (int i = 0; i < 200; ++i) {
    std::size_t const n = random.between<std::size_t>(1, 700);
    std::vector<double> x(n), y(n);
    for (std::vector<double>* factors : {&x, &y})
      for (double& t : *factors)
        t = random.one_of(0.0,
                          random.one_of(-0.0, random.one_of(random.value<double>(random.between(-1074, -1015)), 1.5)));
    check<LongDot<double>>(x, y);
    auto const floats = numbers_between<float>(random, n, -149, -120);
    check<LongDot<double>>(floats, y);
    check<LongDot<double>>(x, floats);
  }
}

TEST_CASE("infinities and NaN go to the sum, zero times infinity is a NaN, and other products are added") {
  Random random(353);
  using Limits = std::numeric_limits<double>;
  for (double const special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    for (std::size_t n = 1; n <= 400; n += n < 140 ? 1 : 37)
      for (double const other : {2.0, -2.0, 0.0}) {
        auto x = numbers_between<double>(random, n, -1000, 1000), y = numbers_between<double>(random, n, -1000, 1000);
        std::size_t const at = random.between<std::size_t>(0, n - 1);
        (random.one_of(true, false) ? x : y)[at] = special;
        (std::isfinite(x[at]) ? x : y)[at] = other;
        auto const sum = check<LongDot<double>>(x, y);
        EXAKT_CHECK_BITS(sum.round(), Expected<double>{special * other});
        x[at] = y[at] = 0;
        check<LongDot<double>>(x, y);
      }
  std::vector<double> const all(300, Limits::infinity()), ones(300, -1);
  EXAKT_CHECK_BITS(check<LongDot<double>>(all, ones).round(), Expected<double>{-Limits::infinity()});
}
