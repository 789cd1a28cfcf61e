// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_LongAccumulator.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_ScaledExact.hpp"

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Terms;

template <class T>
struct Formats {
  static constexpr int radix_bits = std::is_same_v<T, double> ? 56 : 40;
  using Sum = LongAccumulator<T, radix_bits, Terms::products>;
  using Scaled = LongAccumulator<T, radix_bits, Terms::scaled_products>;
};

template <class T>
T any_number(Random& random) {
  using Limits = std::numeric_limits<T>;
  if (random.between(0, 9) == 0)
    return random.one_of(Limits::max(), -Limits::max(), Limits::denorm_min(), -Limits::denorm_min(), T{0}, T{1}, T{-1},
                         Limits::min());
  return random.value<T>(random.between(Limits::min_exponent - Limits::digits, Limits::max_exponent - 1));
}

template <class T, class Scaled>
void check_rounding(Scaled const& total, ScaledExact const& expected) {
  for (Rounding const mode : every_rounding) {
    INFO(name_of(mode));
    EXAKT_CHECK_BITS(total.round(mode), expected.round<T>(mode));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("factors times sums of products, plus products and values, are added without rounding", "", double,
                   float) {
  using Formats = Formats<TestType>;
  Random random(240);
  for (std::uint64_t repetition = 0; repetition < 1500 * case_factor(); ++repetition) {
    typename Formats::Scaled total;
    ScaledExact expected(0, Exact());
    for (int terms = random.between(1, 4); terms > 0; --terms) {
      typename Formats::Sum sum;
      Exact exact_sum;
      TestType const factor = any_number<TestType>(random);
      for (int products = random.between(0, 5); products > 0; --products) {
        TestType const x = any_number<TestType>(random), y = any_number<TestType>(random);
        sum.add_product(x, y);
        exact_sum.add_product(x, y);
      }
      total.add_scaled_sum(sum, factor);
      expected.add_scaled(factor, exact_sum);
      // And back again, so that what is left is far below.
      if (random.between(0, 2) == 0) {
        total.add_scaled_sum(sum, -factor);
        expected.add_scaled(-factor, exact_sum);
      }
    }
    TestType const x = any_number<TestType>(random), y = any_number<TestType>(random);
    total.add_product(x, y);
    expected.add_product(x, y);
    check_rounding<TestType>(total, expected);
  }
}

TEST_CASE("the smallest and the largest scaled products are where they should be") {
  using Formats = Formats<double>;
  double const tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
  for (double const x : {tiny, huge}) {
    Formats::Sum sum;
    Exact exact_sum;
    for (int i = 0; i < 300; ++i) {
      sum.add_product(x, x);
      exact_sum.add_product(x, x);
    }
    Formats::Scaled total;
    total.add_scaled_sum(sum, -x);
    check_rounding<double>(total, ScaledExact(-x, exact_sum));
    // Cancelled but for one, and divided by what it was multiplied with.
    total.add_scaled_sum(sum, x);
    CHECK(total == Formats::Scaled());
  }
}

TEST_CASE("a factor of a narrower type is not converted, whatever the environment says of subnormal numbers") {
  using Formats = Formats<double>;
  for (auto const& settings : every_fp_environment()) {
    INFO(settings.name);
    Formats::Sum sum;
    sum.add_product(3.0, 1.0);
    Formats::Scaled total;
    {
      ScopedFpEnvironment const scope(settings);
      total.add_scaled_sum(sum, std::numeric_limits<float>::denorm_min());
      total.add_scaled_sum(sum, Exakt::Impl::opaque(-0x1p-140f));
    }
    EXAKT_CHECK_BITS(total.round(), 3 * (0x1p-149 - 0x1p-140));
  }
}

TEST_CASE("infinities, NaN and 0 * inf are those of the formula") {
  using Formats = Formats<double>;
  using Limits = std::numeric_limits<double>;
  double const values[] = {0, 1, -2, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  for (double const term : values) {
    for (double const factor : values) {
      Formats::Sum sum;
      sum += term;
      Formats::Scaled total;
      total.add_scaled_sum(sum, factor);
      double const product = term * factor;
      EXAKT_CHECK_BITS(total.round(), Expected<double>{product == 0 ? 0.0 : product});
    }
  }
}

TEMPLATE_TEST_CASE("a sum of more products than there can be is an infinity of its sign times any factor but zero", "",
                   double, float) {
  using Formats = Formats<TestType>;
  using Limits = std::numeric_limits<TestType>;
  constexpr TestType infinity = Limits::infinity();
  for (TestType const sign : {TestType{1}, TestType{-1}}) {
    typename Formats::Sum sum;
    sum.add_product(sign * Limits::max(), Limits::max());
    for (int i = 0; i < 64; ++i) sum += sum;
    typename Formats::Scaled total;
    total.add_scaled_sum(sum, Limits::max());
    CHECK(total.is_finite());
    // From here on, up to the end of the last digit.
    for (sum += sum; sum.is_finite(); sum += sum)
      for (TestType const factor : {TestType{1}, TestType(-0.5), Limits::max(), -Limits::denorm_min(), infinity}) {
        total.clear();
        total.add_scaled_sum(sum, factor);
        EXAKT_CHECK_BITS(total.round(Rounding::toward_zero), std::copysign(infinity, sign * factor));
        EXAKT_CHECK(!total.is_finite());
        total.clear();
        total.add_scaled_sum(sum, TestType{0});
        EXAKT_CHECK(total.is_nan());
      }
  }
}
