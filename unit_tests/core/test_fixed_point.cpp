// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Reducer.hpp>
#include <Exakt_Serialization.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ExponentRange;
using Exakt::Hallberg;
using Exakt::HighPrecision;

constexpr bool constexpr_arithmetic_is_exact() {
  HighPrecision<3, 2> a;
  a += 0x1p60;
  a += 0x1p-100;
  a -= 0x1p60;
  Hallberg<4, 50> b;
  b += -0x1p80;
  b += 0x1p-90;
  b += 0x1p80;
  return a.round() == 0x1p-100 && b.round() == 0x1p-90 && !a.is_overflowed() && !b.is_inexact();
}
static_assert(constexpr_arithmetic_is_exact());

template <class A>
constexpr bool is_a_value = std::is_trivially_copyable_v<A>&& std::is_same_v<typename A::value_type, double> &&
                            sizeof(A) < 1024;
static_assert(is_a_value<HighPrecision<8, 4>> && is_a_value<Hallberg<14, 37>>, "in Views, over MPI, to devices");
static_assert(sizeof(HighPrecision<8, 4>) == 8 * (8 + 2), "the words, how often they went round, the flags");

/// All doubles fit.
using WideHighPrecision = HighPrecision<34, 17>;
using WideHallberg = Hallberg<44, 52>;

/// x with trailing and leading bits anywhere within [2^lowest, 2^highest).
double number_within(Random& random, ExponentRange range) {
  int const lowest = random.between(range.lowest, range.highest - 1),
            bits = random.between(1, std::min(53, range.highest - lowest));
  double const significand = static_cast<double>((random.bits() >> (64 - bits)) | 1);
  return std::ldexp(random.coin() ? significand : -significand, lowest);
}

}  // namespace

TEST_CASE("the HP method has the ranges of Table 1") {
  // N = 6 has 384 bits; the paper's table prints 256 for it.
  CHECK(HighPrecision<2, 1>::words * 64 == 128);
  CHECK(HighPrecision<3, 2>::words * 64 == 192);
  CHECK(HighPrecision<8, 4>::words * 64 == 512);
  auto const check = [](auto format, double max_range, double smallest) {
    using Format = decltype(format);
    // Seven digits are printed.
    CHECK(std::abs(std::ldexp(1.0, Format::highest_exponent) / max_range - 1) < 1e-6);
    CHECK(std::abs(std::ldexp(1.0, Format::lowest_exponent) / smallest - 1) < 1e-6);

    double const too_large = std::ldexp(1.0, Format::highest_exponent), largest = std::nextafter(too_large, 0.0),
                 least = std::ldexp(1.0, Format::lowest_exponent);
    for (double const sign : {1.0, -1.0}) {
      EXAKT_CHECK_BITS(Format(sign * largest).round(), sign * largest);
      EXAKT_CHECK_BITS(Format(sign * least).round(), sign * least);
      CHECK(!Format(sign * largest).is_overflowed());
      CHECK(!Format(sign * least).is_inexact());
      CHECK(Format(sign * too_large).is_overflowed());
      CHECK(Format(sign * least / 2).is_inexact());
    }
  };
  check(HighPrecision<2, 1>(), 9.223372e18, 5.421011e-20);
  check(HighPrecision<3, 2>(), 9.223372e18, 2.938736e-39);
  check(HighPrecision<6, 3>(), 3.138551e57, 1.593092e-58);
  check(HighPrecision<8, 4>(), 5.789604e76, 8.636169e-78);
}

TEST_CASE("the Hallberg method has the precision and summands of Table 2, and the helper finds its parameters") {
  CHECK((Hallberg<10, 52>::precision_bits == 520 && Hallberg<10, 52>::max_summands == 2048));
  CHECK((Hallberg<12, 43>::precision_bits == 516 && Hallberg<12, 43>::max_summands == 1u << 20));
  CHECK((Hallberg<14, 37>::precision_bits == 518 && Hallberg<14, 37>::max_summands == 64u << 20));
  ExponentRange const range{HighPrecision<8, 4>::lowest_exponent, HighPrecision<8, 4>::highest_exponent};
  auto const check = [&](std::uint64_t count, int N, int M) {
    auto const size = Exakt::hallberg_size(range, count);
    CHECK(size.N == N);
    CHECK(size.M == M);
  };
  check(2048, 10, 52);
  check(1u << 20, 12, 43);
  check(64u << 20, 14, 37);
}

TEST_CASE("the helpers choose the next size at every boundary of bits, of terms and of the sign") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (int const lowest : {-1074, -129, -128, -127, -65, -64, -63, -1, 0, 5})
    for (int const highest : {-60, -1, 0, 1, 61, 62, 63, 64, 126, 127, 128, 1024})
      for (std::uint64_t const count :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5},
            std::uint64_t{1} << 20, (std::uint64_t{1} << 20) + 1, most >> 3, most >> 2, most >> 1, most}) {
        if (lowest > highest) continue;
        INFO(count << " terms from 2^" << lowest << " to 2^" << highest);
        int carries = 0, fractional = 0, whole = 0, half = 1;
        while (carries < 64 && std::uint64_t{1} << carries < count) ++carries;
        while (-64 * fractional > lowest) ++fractional;
        while (64 * whole - 1 < highest + carries) ++whole;
        auto const words = Exakt::high_precision_size({lowest, highest}, count);
        EXAKT_CHECK(words.K == fractional);
        EXAKT_CHECK(words.N == std::max(1, fractional + whole));
        auto const digits = Exakt::hallberg_size({lowest, highest}, count);
        EXAKT_CHECK(digits.M == std::clamp(63 - carries, 2, 62));
        while (half * digits.M < highest || -half * digits.M > lowest) ++half;
        EXAKT_CHECK(digits.N == 2 * half);
      }
}

TEST_CASE("a format holds a range to its last bit, and as many terms as its sum has room for") {
  using Words = HighPrecision<3, 1>;
  CHECK((Words::holds({-64, 127}, 1) && Words::holds({-64, 125}, 4)));
  CHECK((!Words::holds({-65, 127}, 1) && !Words::holds({-64, 128}, 1) && !Words::holds({-64, 125}, 5)));
  using Digits = Hallberg<4, 40>;  // 23 bits are left for carries
  CHECK((Digits::holds({-80, 80}, 1u << 23) && Digits::holds({-80, 79}, 1u << 24)));
  CHECK((!Digits::holds({-81, 80}, 1) && !Digits::holds({-80, 81}, 1) && !Digits::holds({-80, 80}, (1u << 23) + 1)));
}

TEMPLATE_TEST_CASE("a fixed-point sum that is wide enough keeps the contract of all exact accumulators", "",
                   WideHighPrecision, WideHallberg) {
  for_each_batch_of_sums<double>(10, 270, [](auto const& cases) { check_contract<TestType>(cases); });
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
  check_doubling_and_removal<TestType>();
  for (double const x : {2 - 0x1p-52, -std::numeric_limits<double>::max(), -0x1p-1074})
    check_many_additions_of<TestType>(x, 100'000);
}

TEMPLATE_TEST_CASE("terms within the range give the exact sum, whatever the signs and carries", "",
                   (HighPrecision<1, 0>), (HighPrecision<3, 2>), (HighPrecision<8, 4>), (HighPrecision<4, 4>),
                   (Hallberg<3, 40>), (Hallberg<10, 52>), (Hallberg<2, 62>), (Hallberg<24, 4>)) {
  Random random(271);
  ExponentRange const range{TestType::lowest_exponent, TestType::highest_exponent - 8};
  for (int i = 0; i < 400; ++i) {
    TestType sum, backwards;
    std::vector<double> terms(random.between<std::size_t>(1, 200));
    for (double& x : terms) x = number_within(random, range);
    Exact const exact = exact_sum(terms);
    for (double const x : terms) sum += x;
    for (std::size_t k = terms.size(); k-- > 0;) backwards += TestType(terms[k]);
    for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.round<double>(mode));
    EXAKT_CHECK(sum == backwards);
    auto const status = sum.status();
    EXAKT_CHECK(!status.term_overflowed && !status.term_underflowed && !status.sum_overflowed &&
                !status.result_overflowed && !status.result_underflowed);
    EXAKT_CHECK(Exakt::from_bytes<TestType>(Exakt::to_bytes(sum).data(), Exakt::to_bytes(sum).size()) == sum);
    EXAKT_CHECK(Exakt::to_bytes(sum) == Exakt::to_bytes(Exakt::LongAccumulator<double>() += sum.normalized()));
  }
}

TEMPLATE_TEST_CASE("arrays give what their terms give one by one, with all that is reported", "", (HighPrecision<8, 4>),
                   (HighPrecision<3, 2>), (Hallberg<14, 37>), (Hallberg<4, 50>), WideHighPrecision, WideHallberg) {
  Random random(322);
  constexpr ExponentRange range{TestType::lowest_exponent, TestType::highest_exponent};
  auto const check = [&](std::vector<double> const& terms) {
    TestType expected, sum;
    for (double const x : terms) expected += x;
    sum.add(terms.data(), terms.size());
    EXAKT_CHECK_BITS(sum.round(), expected.round());
    EXAKT_CHECK(sum == expected);
    EXAKT_CHECK(sum.losses() == expected.losses());
    EXAKT_CHECK(sum.is_overflowed() == expected.is_overflowed());
    EXAKT_CHECK(sum.is_inexact() == expected.is_inexact());
    return sum;
  };
  constexpr int low = std::max(range.lowest, -1074), high = std::min(range.highest, 1024);
  for (std::size_t const n : {1, 5, 2048, 2049, 5000})
    for (int const width : {10, 100, 230, 2200}) {
      INFO(n << " terms within " << width << " bits");
      // Within the range; at its upper end; with bits below it; beyond it.
      for (int const place : {0, 1, 2, 3}) {
        int const top = place == 0   ? random.between(low + 1, high)
                        : place == 1 ? high
                        : place == 2 ? std::min(low + 60, high)
                                     : std::min(high + 20, 1024);
        ExponentRange const some{std::max(place == 2 ? low - 30 : low, std::max(top - width, -1074)), top};
        std::vector<double> terms(n);
        for (double& x : terms) x = number_within(random, some);
        check(terms);
      }
    }
  // The most that a tile can be, of either sign: terms of all ones.
  for (double const sign : {1.0, -1.0})
    for (int const e : {high, high - 11, high - 12, high - 13})
      check(std::vector<double>(4096, sign * std::ldexp(1 - 0x1p-53, e)));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (double const special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), -0.0, 0x1p-1074}) {
    std::vector<double> terms(100, 1.0);
    terms[70] = special;
    check(terms);
  }
  std::vector<double> numbers(3000);
  for (double& x : numbers) x = number_within(random, {0, 40});
  TestType const expected = check(numbers);
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    TestType sum;
    {
      ScopedFpEnvironment const scope(environment);
      sum.add(numbers.data(), numbers.size());
    }
    EXAKT_CHECK(sum == expected);
  }
  int const integers[] = {1, -7, 100};
  TestType sum, of_each;
  sum.add(integers, 3);
  for (int const i : integers) of_each += i;
  EXAKT_CHECK(sum == of_each);
}

TEMPLATE_TEST_CASE("a term of any place carries and borrows through all words, around zero, and beyond the range", "",
                   (HighPrecision<1, 0>), (HighPrecision<1, 1>), (HighPrecision<2, 1>), (HighPrecision<3, 2>),
                   (HighPrecision<4, 4>), (HighPrecision<8, 4>), (Hallberg<1, 40>), (Hallberg<2, 62>),
                   (Hallberg<3, 20>), (Hallberg<4, 50>), (Hallberg<14, 37>), (Hallberg<24, 4>)) {
  constexpr int lowest = TestType::lowest_exponent, highest = TestType::highest_exponent;
  constexpr int carry_bits = TestType::sum_exponent - highest;
  auto const power = [](int exponent) { return std::ldexp(1.0, exponent); };
  double const least = power(lowest), half = power(highest - 1);
  std::vector<std::vector<double>> starts{{},
                                          {least},
                                          {half, -least},        // all bits below the highest one
                                          {half, half, -least},  // the largest sum of the range
                                          {half, half},          // the first beyond it
                                          {half, half, half, half, half, half, half, half, -least}};
  for (std::size_t i = 0; i < 6; ++i) {
    starts.push_back(starts[i]);
    for (double& x : starts.back()) x = -x;
  }
  std::vector<std::pair<TestType, Exact>> sums;
  for (auto const& terms : starts) {
    sums.emplace_back();
    for (double const x : terms) {
      sums.back().first += x;
      sums.back().second.add(x);
    }
    EXAKT_CHECK_BITS(sums.back().first.round(), sums.back().second.template round<double>());
  }
  for (double const sign : {1.0, -1.0}) {
    // Each bit, as often as there is room in digits that have room for carries: nearly all digits go round next.
    sums.emplace_back();
    auto& [sum, exact] = sums.back();
    for (int e = lowest; e < highest; ++e) sum += sign * power(e);
    for (int i = 0; i < carry_bits; ++i) sum += sum;
    exact.add(sign * power(highest + carry_bits));
    exact.add(-sign * power(lowest + carry_bits));
    EXAKT_CHECK_BITS(sum.round(), exact.template round<double>());
    // The lowest number of the highest digit, and of the lowest one.
    sums.emplace_back(TestType(-sign * half), Exact().add(-sign * power(highest + carry_bits)));
    for (int i = 0; i <= carry_bits; ++i) sums.back().first += sums.back().first;
    sums.emplace_back(TestType(-sign * least), Exact().add(-sign * power(lowest + 63)));
    for (int i = 0; i < 63; ++i) sums.back().first += sums.back().first;
  }
  for (auto const& [a, exact_a] : sums)
    for (auto const& [b, exact_b] : sums) {
      TestType sum = a, atomic = a, difference = a;
      sum += b;
      Exakt::atomic_add(&atomic, b);
      difference -= b;
      EXAKT_CHECK_BITS(sum.round(), Exact(exact_a).add(exact_b).template round<double>());
      EXAKT_CHECK_BITS(atomic.round(), sum.round());
      EXAKT_CHECK_BITS(difference.round(), Exact(exact_b).negate().add(exact_a).template round<double>());
      EXAKT_CHECK(atomic == sum && atomic.is_overflowed() == sum.is_overflowed());
      difference += b;
      EXAKT_CHECK(difference == a && difference.is_overflowed() == a.is_overflowed());
    }
  for (auto const& [start, exact_start] : sums) {
    for (int e = lowest; e < highest; ++e) {
      int const bits = std::min(53, highest - e);
      for (double const significand :
           {1.0, power(bits) - 1, bits > 1 ? power(bits - 1) + 1 : 1.0, -1.0, 1 - power(bits), -power(bits - 1)}) {
        double const x = std::ldexp(significand, e);
        Exact exact(exact_start);
        exact.add(x);
        TestType sum = start, subtracted = start, merged = start, atomic = start, compared = start;
        sum += x;
        subtracted -= -x;
        merged += TestType() += x;
        Exakt::atomic_add(&atomic, x);
        Exakt::atomic_add<Exakt::CompareAndSwap>(&compared, x);
        for (TestType const* same : {&subtracted, &merged, &atomic, &compared}) {
          EXAKT_CHECK(sum == *same && sum.is_overflowed() == same->is_overflowed());
        }
        EXAKT_CHECK_BITS(sum.round(), exact.template round<double>());
        EXAKT_CHECK_BITS(sum.round(Rounding::downward), exact.template round<double>(Rounding::downward));
        for (int i = 0; i < 3; ++i) {  // to and fro
          sum -= x;
          EXAKT_CHECK(sum == start && sum.is_overflowed() == start.is_overflowed());
          sum -= x;
          sum += x;
          sum += x;
        }
        EXAKT_CHECK(sum == merged && !sum.is_inexact());
      }
    }
  }
}

TEMPLATE_TEST_CASE("integers of 64 bits are added with all of their bits", "", (HighPrecision<2, 0>),
                   (HighPrecision<4, 2>), (Hallberg<6, 37>), (Hallberg<4, 50>), (Hallberg<40, 4>)) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max(), half = std::uint64_t{1} << 63;
  for (std::uint64_t const x : {most, half, half - 1, half + 1, most << 32, most - 1}) {
    Exact exact;
    TestType sum, atomic;
    for (int i = 1; i <= 5; ++i) {
      sum += x;
      sum -= static_cast<std::int64_t>(half);
      Exakt::atomic_add(&atomic, x);
      Exakt::atomic_add(&atomic, static_cast<std::int64_t>(half - 1));
      Exakt::atomic_add(&atomic, 1);
      for (std::uint64_t const part : {x & 0xffffffffu, x >> 32 << 32, half}) exact.add(static_cast<double>(part));
      EXAKT_CHECK_BITS(sum.round(), exact.template round<double>());
      EXAKT_CHECK(sum == atomic && !sum.is_overflowed() && !sum.is_inexact());
    }
  }
}

TEMPLATE_TEST_CASE("a term beyond the range is reported, and never a wrong number", "", (HighPrecision<3, 2>),
                   (Hallberg<4, 50>)) {
  double const too_large = std::ldexp(1.0, TestType::highest_exponent);
  for (double const x : {too_large, -too_large, 1e300, std::numeric_limits<double>::max()}) {
    TestType sum(1.0);
    sum += x;
    CHECK(sum.is_overflowed());
    CHECK(sum.status().term_overflowed);
    CHECK(std::isnan(sum.round()));
    sum -= x;
    CHECK(std::isnan(sum.round()));
    TestType other;
    other += sum;
    CHECK(other.is_overflowed());
    CHECK(std::isnan(other.round()));
    other.clear();
    CHECK(!other.is_overflowed());
    CHECK(other == TestType());
    TestType merged;
    merged += Exakt::LongAccumulator<double>() += x;
    CHECK(merged.is_overflowed());
  }
}

TEMPLATE_TEST_CASE("bits below the range are cut off towards zero, reported, and the same in every order", "",
                   (HighPrecision<3, 2>), (Hallberg<4, 50>)) {
  Random random(272);
  double const least = std::ldexp(1.0, TestType::lowest_exponent);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> terms(30);
    std::vector<double> cut;
    for (double& x : terms) {
      x = random.value<double>(random.between(TestType::lowest_exponent - 3, TestType::lowest_exponent + 60));
      cut.push_back(std::trunc(x / least) * least);
    }
    TestType sum, other;
    for (double const x : terms) sum += x;
    random.shuffle(terms);
    for (double const x : terms) other += x;
    EXAKT_CHECK(sum.is_inexact());
    EXAKT_CHECK(!sum.is_overflowed());
    EXAKT_CHECK(sum == other);
    EXAKT_CHECK_BITS(sum.round(), exact_sum(cut).round<double>());
  }
  TestType zero(0x1p-1074);
  CHECK(zero.status().term_underflowed);
  EXAKT_CHECK_BITS(zero.round(), 0.0);
}

TEMPLATE_TEST_CASE("a sum beyond the range is reported, is not lost, and comes back", "", (HighPrecision<2, 1>),
                   (HighPrecision<1, 1>), (Hallberg<2, 61>), (Hallberg<3, 20>)) {
  double const largest = std::nextafter(std::ldexp(1.0, TestType::highest_exponent), 0.0);
  std::uint64_t const enough = (std::uint64_t{1} << (TestType::sum_exponent - TestType::highest_exponent)) + 1;
  std::uint64_t const count = std::min<std::uint64_t>(enough, 5);
  for (double const x : {largest, -largest}) {
    TestType many(x);  // so much that `count` of it are beyond the range
    for (std::uint64_t n = 1; n * count < enough; n *= 2) many += many;
    double const one = many.round();
    TestType sum;
    Exact exact;
    CHECK(!sum.is_overflowed());
    for (std::uint64_t i = 0; i <= 2 * count; ++i) {
      sum += many;
      exact.add(one);
      EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
    }
    CHECK(sum.is_overflowed());
    CHECK(sum.status().sum_overflowed);
    CHECK(!sum.status().term_overflowed);
    TestType twice = sum;
    twice += sum;
    twice -= sum;
    CHECK(twice == sum);
    for (std::uint64_t i = 0; i <= 2 * count; ++i) sum -= many;
    CHECK(!sum.is_overflowed());
    CHECK(sum == TestType());
  }
}

TEMPLATE_TEST_CASE("a sum doubled without end becomes an infinity of its sign", "", (HighPrecision<3, 2>),
                   (Hallberg<4, 50>), WideHighPrecision, WideHallberg) {
  for (double const x : {3.0, -3.0}) {
    TestType sum(x);
    for (int i = 0; i < 1500; ++i) {
      sum += sum;
      double const doubled = std::ldexp(x, i + 1), rounded = sum.round();
      bool const infinite = std::isinf(rounded) && (rounded < 0) == (x < 0);
      EXAKT_CHECK(infinite || rounded == doubled);
      EXAKT_CHECK(infinite || sum.is_overflowed() == (i + 2 >= TestType::sum_exponent));
    }
    CHECK(std::isinf(sum.round()));
  }
}

TEMPLATE_TEST_CASE("a sum merged beyond all counting is reported for good, and never a wrong number", "",
                   (HighPrecision<1, 0>), (HighPrecision<2, 1>), (HighPrecision<4, 4>), (HighPrecision<8, 4>),
                   (Hallberg<1, 40>), (Hallberg<3, 20>), (Hallberg<4, 50>), (Hallberg<2, 62>), WideHighPrecision,
                   WideHallberg) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // A sum is 2^(sum_exponent + 1) times a signed word, and a rest; beyond 2^1088 nothing is an ordinary sum of doubles.
  constexpr int uncounted = TestType::sum_exponent + 64;
  constexpr int first = std::min(TestType::highest_exponent - 1, 1023);
  double const unit = std::ldexp(1.0, first);
  for (double const x : {unit, -unit}) {
    auto const doubled_by = [&](auto const& merge) {
      INFO("doubling " << x);
      TestType sum(x);
      for (int exponent = first + 1; exponent < uncounted + 70; ++exponent) {
        TestType const before = sum;
        merge(sum, before);
        bool const is_infinite = exponent >= std::min(uncounted + (x < 0 ? 1 : 0), 1088);
        EXAKT_CHECK(sum.is_overflowed() == (exponent >= TestType::sum_exponent));
        EXAKT_CHECK(sum.status().sum_overflowed == sum.is_overflowed());
        EXAKT_CHECK(std::isinf(sum.round(Rounding::toward_zero)) == is_infinite);
        EXAKT_CHECK_BITS(sum.round(), is_infinite ? std::copysign(infinity, x) : std::ldexp(x, exponent - first));
      }
      return sum;
    };
    TestType const sums[] = {
        doubled_by([](TestType& sum, TestType const&) { sum += sum; }),
        doubled_by([](TestType& sum, TestType const& same) { sum += same; }),
        doubled_by([](TestType& sum, TestType const& same) {
          TestType negative;
          negative -= same;
          sum -= negative;
        }),
        doubled_by([](TestType& sum, TestType const& same) { Exakt::atomic_add(&sum, same); }),
        doubled_by([](TestType& sum, TestType const& same) { Exakt::atomic_add<Exakt::CompareAndSwap>(&sum, same); })};
    for (TestType const& sum : sums) {
      // Nothing brings it back, and nothing turns it into a number.
      TestType rest = sum;
      for (int i = 0; i < 200; ++i) rest -= TestType(x);
      rest -= unit;
      EXAKT_CHECK_BITS(rest.round(), std::copysign(infinity, x));
      EXAKT_CHECK(rest.is_overflowed());
      rest -= sum;
      EXAKT_CHECK(std::isnan(rest.round()));
      EXAKT_CHECK(rest.is_overflowed());
      TestType into;
      into -= sum;
      EXAKT_CHECK_BITS(into.round(), -std::copysign(infinity, x));
      EXAKT_CHECK((into.is_overflowed() && into.status().sum_overflowed && !into.status().term_overflowed));
      into.clear();
      EXAKT_CHECK((!into.is_overflowed() && into == TestType()));
    }
  }
}

TEMPLATE_TEST_CASE("the lowest sum that can be counted is subtracted from zero and from itself", "",
                   (HighPrecision<1, 0>), (HighPrecision<4, 4>), (Hallberg<1, 40>), (Hallberg<3, 20>)) {
  TestType lowest(-std::ldexp(1.0, TestType::highest_exponent - 1));
  for (int i = TestType::highest_exponent - 1; i < TestType::sum_exponent + 64; ++i) lowest += lowest;
  EXAKT_CHECK_BITS(lowest.round(), -std::ldexp(1.0, TestType::sum_exponent + 64));
  TestType nothing = lowest, opposite, sum = lowest;
  nothing -= lowest;
  CHECK((nothing == TestType() && !nothing.is_overflowed()));
  opposite -= lowest;
  EXAKT_CHECK_BITS(opposite.round(), std::numeric_limits<double>::infinity());
  CHECK(opposite.is_overflowed());
  sum += lowest;
  EXAKT_CHECK_BITS(sum.round(), -std::numeric_limits<double>::infinity());
}

TEST_CASE("the conversion back reports what the result type cannot hold") {
  double const large = std::numeric_limits<double>::max();
  WideHighPrecision sum(large);
  CHECK(!sum.status().result_overflowed);
  CHECK(sum.status<float>().result_overflowed);
  sum += large;
  CHECK(sum.status().result_overflowed);
  EXAKT_CHECK_BITS(sum.round(), std::numeric_limits<double>::infinity());
  EXAKT_CHECK_BITS(sum.round(Rounding::toward_zero), large);
  WideHallberg tiny(0x1.8p-1040);
  CHECK(!tiny.status().result_underflowed);  // subnormal, but exact
  tiny -= 0x1p-1074;
  CHECK(!tiny.status().result_underflowed);
  CHECK(tiny.status<float>().result_underflowed);
  CHECK(!WideHallberg(0x1p-149).status<float>().result_underflowed);
  CHECK(WideHallberg(0x1.8p-149).status<float>().result_underflowed);
  CHECK(!WideHallberg(std::numeric_limits<double>::infinity()).status().result_overflowed);
  WideHallberg next_to_normal(0x1p-126);
  next_to_normal -= 0x1p-151;
  CHECK(!next_to_normal.status<float>().result_underflowed);  // rounds to a normal number
  CHECK(next_to_normal.status<float>(Rounding::downward).result_underflowed);
  WideHighPrecision next_to_largest(large);
  next_to_largest += 0x1p969;
  CHECK(!next_to_largest.status().result_overflowed);
  CHECK(next_to_largest.status(Rounding::upward).result_overflowed);
  next_to_largest += 0x1p969;  // halfway to what is beyond
  CHECK(next_to_largest.status().result_overflowed);
  CHECK(!next_to_largest.status(Rounding::toward_zero).result_overflowed);
  HighPrecision<4, 3> left_out(0x1p-160);
  left_out += 0x1p70;
  EXAKT_CHECK_BITS(left_out.round(), std::numeric_limits<double>::quiet_NaN());
  CHECK(!left_out.status<float>().result_underflowed);
}
