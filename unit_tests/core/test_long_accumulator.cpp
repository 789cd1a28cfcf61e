// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_LongAccumulator.hpp>

#include "ExaktTest_AccumulatorContract.hpp"

template <class T, int RadixBits>
inline constexpr bool ExaktTest::adds_products<Exakt::LongAccumulator<T, RadixBits, Exakt::Terms::products>> = true;

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Terms;

constexpr bool constexpr_arithmetic_is_exact() {
  LongAccumulator<double> a;
  a += 0x1p1000;
  a += 1;
  a -= 0x1p1000;
  a += 0x1p-53;
  LongAccumulator<double, 32, Terms::products> b;
  b.add_product(0x1p-1074, 0x1p-1074);
  LongAccumulator<double> c = a;
  c += a;
  c -= LongAccumulator<double>();
  LongAccumulator<double> d;
  d -= c;
  if (c.round() != 2 || d.round() != -2) return false;
  return a.round() == 1 && a.round(Exakt::Rounding::upward) == 1 + 0x1p-52 && b.round() == 0 &&
         b.round(Exakt::Rounding::upward) == 0x1p-1074 && b.round_sqrt() == 0x1p-1074 && a.round_quotient(2) == 0.5;
}
static_assert(constexpr_arithmetic_is_exact());

template <class Long>
constexpr bool last_digit_has_room() {
  Long a;
  constexpr int last = Long::lowest_exponent + (Long::digit_count - 1) * Long::radix_bits;
  a.template add_scaled<32>(3, last, false);  // what is beyond the last digit is not even touched,
  a.template add_scaled<53>(1, last, true);   // else this was no constant
  return a.digit(Long::digit_count - 1) == 2;
}
static_assert(last_digit_has_room<LongAccumulator<double>>() && last_digit_has_room<LongAccumulator<float, 32>>());

static_assert(LongAccumulator<double, 56>::digit_count == 39, "as in the paper");
static_assert(LongAccumulator<double, 56>::carry_limit == 127, "8 bits, one of which is the sign");

}  // namespace

TEMPLATE_TEST_CASE("a long accumulator of values holds the exact sum, in any order, environment and grouping", "",
                   (LongAccumulator<double, 56>), (LongAccumulator<double, 32>), (LongAccumulator<float, 60>)) {
  for_each_batch_of_sums<typename TestType::value_type>(40, 200,
                                                        [](auto const& cases) { check_contract<TestType>(cases); });
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
}

TEMPLATE_TEST_CASE("a long accumulator of products holds the exact sum of products, and of values too", "",
                   (LongAccumulator<double, 56, Terms::products>), (LongAccumulator<float, 40, Terms::products>)) {
  using T = typename TestType::value_type;
  for_each_batch_of_dots<T>(40, 201, [](auto const& cases) { check_contract<TestType>(cases); });
  for_each_batch_of_sums<T>(40, 200, [](auto const& cases) { check_every_order<TestType>(cases); });
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
}

TEMPLATE_TEST_CASE("a long accumulator of any radix holds the exact sum", "", (LongAccumulator<double, 16>),
                   (LongAccumulator<double, 31>), (LongAccumulator<double, 40>), (LongAccumulator<double, 60>),
                   (LongAccumulator<float, 24>)) {
  using T = typename TestType::value_type;
  for_each_batch_of_sums<T>(40, 200, [](auto const& cases) {
    for (auto const& test : cases) {
      INFO(test.family);
      TestType sum;
      add_one_by_one(sum, test.terms);
      for (int mode = 0; mode < 4; ++mode)
        EXAKT_CHECK_BITS(sum.round(every_rounding[mode]), Expected<T>{test.expected.round[mode]});
    }
  });
}

#define EXAKT_TEST_CARRIES                                                                     \
  (LongAccumulator<double, 24>), (LongAccumulator<double, 56>), (LongAccumulator<double, 60>), \
      (LongAccumulator<float, 32>), (LongAccumulator<double, 60, Terms::products>)

TEMPLATE_TEST_CASE("no number of additions overflows a digit silently", "", EXAKT_TEST_CARRIES) {
  using T = typename TestType::value_type;
  check_doubling_and_removal<TestType>();
  T const all_ones = 2 - std::numeric_limits<T>::epsilon();
  for (T const x : {all_ones, -all_ones, std::numeric_limits<T>::max(), -std::numeric_limits<T>::denorm_min()})
    for (std::uint64_t const count : {3u, 4u, 7u, 8u, 9u, 126u, 127u, 128u, 129u, 255u, 256u, 4095u, 100'000u})
      check_many_additions_of<TestType>(x, count);
}

TEST_CASE("all-ones terms stay exact beyond the 2^31 additions that 32 radix bits leave room for") {
  // In the short run only as many as take a moment: the bound itself is reached in the long one.
  int const log2_of_count = case_factor() >= 100 ? 31 : 22;
  check_many_additions_of<LongAccumulator<double, 32>>(-(2 - 0x1p-52), (std::uint64_t{1} << log2_of_count) + 5);
}

TEMPLATE_TEST_CASE("a sum that is doubled beyond the last digit becomes an infinity of its sign, never another number",
                   "", EXAKT_TEST_CARRIES) {
  using T = typename TestType::value_type;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (T const x : {T{1}, T{-1}, T{3}, T{-3}, std::numeric_limits<T>::max(), -std::numeric_limits<T>::max()}) {
    TestType sum;
    sum += x;
    for (int i = 0; i < 5000; ++i) {
      sum += sum;
      if (i > std::numeric_limits<T>::max_exponent) EXAKT_CHECK_BITS(sum.round(), x < 0 ? -infinity : infinity);
    }
    EXAKT_CHECK(!sum.is_finite());
  }
}

// All radices that divide the range of an accumulator of doubles, and the usual one.
TEMPLATE_TEST_CASE("2^64 of the largest terms fit, of either sign", "", (LongAccumulator<double, 23>),
                   (LongAccumulator<double, 46>), (LongAccumulator<double, 47>), (LongAccumulator<double>),
                   (LongAccumulator<double, 20, Terms::products>), (LongAccumulator<double, 30, Terms::products>),
                   (LongAccumulator<double, 60, Terms::products>),
                   (LongAccumulator<double, 17, Terms::scaled_products>),
                   (LongAccumulator<double, 22, Terms::scaled_products>),
                   (LongAccumulator<double, 34, Terms::scaled_products>)) {
  for (double const sign : {1.0, -1.0}) {
    double const largest = std::numeric_limits<double>::max();
    TestType sum;
    if constexpr (TestType::summed == Terms::values) {
      sum += sign * largest;
    } else if constexpr (TestType::summed == Terms::products) {
      sum.add_product(sign * largest, largest);
    } else {
      LongAccumulator<double, TestType::radix_bits, Terms::products> product;
      product.add_product(largest, largest);
      sum.add_scaled_sum(product, sign * largest);
    }
    for (int i = 0; i < 64; ++i) sum += sum;
    TestType const all = sum.normalized();
    EXAKT_CHECK(all.is_finite());
    sum += 3.0;
    sum -= all;
    EXAKT_CHECK_BITS(sum.round(), 3.0);
  }
}

TEST_CASE("accumulators of different radix agree on every digit boundary") {
  Random random(202);
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    double const x = random.coin() ? std::ldexp(1.0, exponent) : random.value<double>(exponent),
                 y = -std::ldexp(1.0, exponent);
    Exact const exact = Exact().add(x).add(y).add(0x1p-1074);
    auto const check = [&](auto a) {
      a += x;
      a += y;
      a += 0x1p-1074;
      EXAKT_CHECK_BITS(a.round(), exact.round<double>());
    };
    check(LongAccumulator<double, 16>());
    check(LongAccumulator<double, 24>());
    check(LongAccumulator<double, 31>());
    check(LongAccumulator<double, 32>());
    check(LongAccumulator<double, 52>());
    check(LongAccumulator<double, 56>());
    check(LongAccumulator<double, 60>());
    check(LongAccumulator<double, 16, Terms::products>());
  }
}

TEST_CASE("the product of two 64-bit integers is the same from 32-bit halves") {
  Random random(203);
  for (int i = 0; i < 10'000; ++i) {
    auto const a = random.one_of(random.bits(), ~std::uint64_t{0}, random.bits() >> 40);
    auto const b = random.one_of(random.bits(), ~std::uint64_t{0}, random.bits() << 40);
    auto const halves = Exakt::Impl::wide_product_of_halves(a, b), whole = Exakt::Impl::wide_product(a, b);
    EXAKT_CHECK((halves.high == whole.high && halves.low == whole.low));
  }
}

TEST_CASE("normalizing changes no value and makes equal values equal digit by digit") {
  Random random(204);
  for (auto const& test : stored_sum_cases<double>(40, 200)) {
    LongAccumulator<double, 56> once, at_the_end;
    for (double const x : test.terms) {
      once += x;
      once.normalize();
      at_the_end += x;
    }
    EXAKT_CHECK(once == at_the_end);
    EXAKT_CHECK_BITS(once.round(), Expected<double>{test.expected.round[0]});
    if (test.exact.is_finite()) EXAKT_CHECK(once.same_digits(at_the_end.normalized()));
  }
}

/// Rounded by way of the normalized digits.
template <class R, class Long>
R round_normalized(Long const& sum, Rounding mode) {
  auto const value = sum.normalized();
  return value.special() == Exakt::Impl::Special::none
             ? Exakt::Impl::round_to<R>(Exakt::Impl::leading_bits(value.magnitude()), mode)
             : Exakt::Impl::special_value<R>(value.special());
}

template <class Long>
void check_rounding_of_digits(Long const& sum) {
  for (Rounding const mode : every_rounding) {
    EXAKT_CHECK_BITS(sum.template round<double>(mode), round_normalized<double>(sum, mode));
    EXAKT_CHECK_BITS(sum.template round<float>(mode), round_normalized<float>(sum, mode));
  }
}

TEMPLATE_TEST_CASE(
    "digits of any sign and size are rounded as normalized ones are, up to the end of the range and beyond", "",
    (LongAccumulator<double>), (LongAccumulator<double, 56, Terms::products>), (LongAccumulator<double, 60>),
    (LongAccumulator<double, 32>), (LongAccumulator<double, 16>)) {
  Random random(206);
  constexpr int digits = TestType::digit_count, radix_bits = TestType::radix_bits;
  std::int64_t const unit = std::int64_t{1} << radix_bits;
  std::vector<std::int64_t> values(static_cast<std::size_t>(digits));
  TestType before;
  for (int length = 0; length <= digits; ++length)
    for (int i = 0; i < 40; ++i) {
      int const begin = random.one_of(0, random.between(0, digits - length), digits - length);
      int const bits = random.between(1, 62);
      for (int k = 0; k < length; ++k) {
        auto const number = static_cast<std::int64_t>(random.bits() >> (63 - bits));
        values[static_cast<std::size_t>(k)] = random.one_of(number, random.one_of(-number, std::int64_t{0}),
                                                            random.one_of(unit - 1, random.one_of(-1, -unit)));
        auto& value = values[static_cast<std::size_t>(k)];
        auto const most = static_cast<std::int64_t>(TestType::carry_limit - 1) * unit;
        value = value > most ? most : value < -most ? -most : value;
      }
      auto const sum = TestType::from_digits(values.data(), begin, begin + length);
      check_rounding_of_digits(sum);
      // Whatever comes to such digits has room.
      TestType both = sum, expected = sum.normalized();
      both += before;
      both -= 1.5;
      expected += before.normalized();
      expected -= 1.5;
      EXAKT_CHECK(both == expected);
      before = sum;
    }
  // Twice as much again and again: infinite in every direction, as soon as normalized digits have no room for it.
  for (double const x :
       {std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0x1p1000, -0x1p1000}) {
    TestType sum;
    sum += x;
    for (int i = 0; i < 200; ++i) {
      sum += sum;
      check_rounding_of_digits(sum);
    }
  }
}

TEMPLATE_TEST_CASE("carries of all digits at once leave the value and at most two units", "", (LongAccumulator<double>),
                   (LongAccumulator<double, 32>), (LongAccumulator<double, 60>), (LongAccumulator<double, 20>)) {
  auto const& cases = stored_sum_cases<double>(20, 202);
  for (auto const& test : cases) {
    INFO(test.family << ", " << test.terms.size() << " terms");
    TestType sum;
    for (double const x : test.terms) sum += x;
    TestType carried = sum;
    carried.carry();
    EXAKT_CHECK(carried.units() <= 2);
    for (int i = 0; i < TestType::digit_count; ++i) {
      std::int64_t const unit = std::int64_t{1} << TestType::radix_bits;
      EXAKT_CHECK(-2 * unit <= carried.digit(i) && carried.digit(i) <= 2 * unit);
    }
    EXAKT_CHECK(carried == sum);
    carried -= sum;
    EXAKT_CHECK(!test.exact.is_finite() || carried == TestType());
  }
  // Nothing above the leading digit, even after normalizing.
  TestType negative;
  for (int i = 0; i < 1000; ++i) negative -= 0x1.fffffffffffffp0;
  negative.normalize();
  EXAKT_CHECK(negative.digit(TestType::digit_count - 1) == -1);
  negative.carry();
  for (int i = 0; i < TestType::digit_count; ++i) {
    bool const is_above = TestType::lowest_exponent + i * TestType::radix_bits > 12;
    EXAKT_CHECK(!is_above || negative.digit(i) == 0);
  }
  EXAKT_CHECK_BITS(negative.round(), -0x1.fffffffffffffp0 * 1000);
  TestType least;  // all ones, and nothing else
  least -= std::numeric_limits<double>::denorm_min();
  least.normalize();
  least.carry();
  EXAKT_CHECK(least.digit(0) == -1 && least.digit(1) == 0);
  EXAKT_CHECK_BITS(least.round(), -std::numeric_limits<double>::denorm_min());
  // At the end of the last digit the sum is an infinity, as it is when it is normalized.
  while (negative.is_finite()) negative += TestType(negative);
  negative.carry();
  EXAKT_CHECK_BITS(negative.round(), -std::numeric_limits<double>::infinity());
}
