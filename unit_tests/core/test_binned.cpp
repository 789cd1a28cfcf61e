// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Binned.hpp>
#include <Exakt_Reducer.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Binned;

static_assert(std::is_trivially_copyable_v<Binned<double>> && sizeof(Binned<double>) == 8 * (6 + 2));

template <class B, class T>
B binned(std::vector<T> const& terms) {
  B sum;
  for (T const x : terms) sum += x;
  return sum;
}

/// |round() - exact| < n max|x| 2^(-W (Fold-1)) + ulp/2, with all of it exact: the two ends of the interval, rounded
/// outwards, enclose the result.
template <class B>
bool is_within_bound(B const& sum, std::vector<typename B::value_type> const& terms, Exact const& exact) {
  using T = typename B::value_type;
  T largest = 0;
  for (T const x : terms) largest = std::max(largest, std::abs(x));
  constexpr int below = B::bin_bits * (B::fold - 1);
  Exact low(exact), high(exact);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    // Split, so that 2^-below times a small number does not underflow.
    double const unit = std::ldexp(1.0, -below);
    low.subtract_product(static_cast<double>(largest), unit);
    high.add_product(static_cast<double>(largest), unit);
  }
  T const rounded = sum.round();
  return low.round<T>().value <= rounded && rounded <= high.round<T>().value;
}

}  // namespace

TEMPLATE_TEST_CASE("a binned sum has the same bits in every order, partition and environment", "", (Binned<double, 3>),
                   (Binned<double, 2>), (Binned<float, 4>)) {
  using T = typename TestType::value_type;
  Random random(280);
  for_each_batch_of_sums<T>(20, 281, [&](auto const& cases) {
    for (auto const& test : cases) {
      INFO(test.family << ", " << test.terms.size() << " terms");
      auto const sum = binned<TestType>(test.terms);
      T const expected = sum.round();
      for (Order const order : every_order) {
        auto const terms = reordered(test.terms, order, random);
        EXAKT_CHECK_BITS(binned<TestType>(terms).round(), expected);
        std::size_t const cut = random.between<std::size_t>(0, terms.size());
        TestType first, second, nothing;
        for (std::size_t i = 0; i < terms.size(); ++i) (i < cut ? first : second) += terms[i];
        first += nothing;
        second += first;
        EXAKT_CHECK_BITS(second.round(), expected);
      }
      for (auto const& environment : every_fp_environment()) {
        TestType hostile;
        T result;
        {
          ScopedFpEnvironment const scope(environment);
          hostile = binned<TestType>(test.terms);
          result = hostile.round();
        }
        EXAKT_CHECK_BITS(result, expected);
      }
      if (!test.exact.is_finite()) EXAKT_CHECK_BITS(expected, Expected<T>{test.expected.round[0]});
    }
  });
}

TEMPLATE_TEST_CASE("a binned sum of arrays is that of their terms one by one", "", (Binned<double, 2>),
                   (Binned<double, 3>), (Binned<double, 4>), (Binned<double, 6>), (Binned<float, 2>),
                   (Binned<float, 3>), (Binned<float, 4>)) {
  using T = typename TestType::value_type;
  Random random(285);
  auto const check = [&](std::vector<T> const& terms, T before, T after) {
    TestType expected, sum;
    for (TestType* const s : {&expected, &sum}) *s += before;
    for (T const x : terms) expected += x;
    sum.add(terms.data(), terms.size());
    EXAKT_CHECK_BITS(sum.round(), expected.round());
    // The same in each bin: what comes now drops the lower ones.
    for (int i = 0; i < TestType::fold; ++i) {
      after *= T(0x1p14);
      for (TestType* const s : {&expected, &sum}) *s += after;
      EXAKT_CHECK_BITS(sum.round(), expected.round());
    }
  };
  for_each_batch_of_sums<T>(20, 286, [&](auto const& cases) {
    for (auto const& test : cases) {
      INFO(test.family << ", " << test.terms.size() << " terms");
      check(test.terms, 0, 1);
      check(test.terms, random.value<T>(random.between(-60, 60)), random.value<T>(random.between(-20, 60)));
    }
  });
  int const lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  for (std::size_t const n : {1, 2, 7, 8, 9, 2047, 2048, 2049, 7000})
    for (int const range : {0, 30, 2 * std::numeric_limits<T>::max_exponent}) {
      std::vector<T> terms(n);
      int const top = random.between(lowest, std::numeric_limits<T>::max_exponent - 1);
      for (T& x : terms) x = random.value<T>(std::max(lowest, top - random.between(0, range)));
      check(terms, 0, std::ldexp(T(1), top / 2));
      for (auto const& environment : every_fp_environment()) {
        INFO(environment.name);
        TestType sum;
        unsigned long before = 0, after = 0;
        {
          ScopedFpEnvironment const scope(environment);
          before = fp_control_word();
          sum.add(terms.data(), n);
          after = fp_control_word();
        }
        EXAKT_CHECK(sum == binned<TestType>(terms) && before == after);
      }
    }
  // All ones in every slice, as many as a tile has: the most that a lane adds up.
  std::vector<T> const ones(5000, 2 - std::numeric_limits<T>::epsilon());
  for (int e = 0; e < TestType::bin_bits; ++e) {
    std::vector<T> terms;
    for (T const x : ones) terms.push_back(std::ldexp(x, e));
    check(terms, 0, 1);
    terms[4100] = -terms[4100];
    check(terms, 0, 1);
  }
  constexpr T infinity = std::numeric_limits<T>::infinity(), max = std::numeric_limits<T>::max();
  std::vector<T> special(30, 1);
  for (T const x : {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), max, -max, T(-0.0)}) {
    special[17] = x;
    check(special, 0, 1);
    check(std::vector<T>(9, x), 1, 1);
  }
  special[3] = -infinity;
  special[29] = infinity;
  check(special, 0, 1);
}

TEMPLATE_TEST_CASE("the error of a binned sum is below its bound", "", (Binned<double, 2>), (Binned<double, 3>),
                   (Binned<float, 2>), (Binned<float, 3>)) {
  using T = typename TestType::value_type;
  Random random(282);
  for (auto const& test : stored_sum_cases<T>(20, 281)) {
    INFO(test.family);
    if (test.exact.is_finite()) EXAKT_CHECK(is_within_bound(binned<TestType>(test.terms), test.terms, test.exact));
  }
  // One large term, whose bin decides, and many that are cut as much as possible.
  bool some_are_inexact = false;
  for (int i = 0; i < 500; ++i) {
    int const top = random.between(-20, 20), W = TestType::bin_bits, K = TestType::fold;
    std::vector<T> terms{std::ldexp(T{1}, top), std::ldexp(T{-1}, top)};
    for (int k = 0; k < 50; ++k) {
      terms.push_back((2 - std::numeric_limits<T>::epsilon()) *
                      std::ldexp(T{1}, top - W * (K - 1) + random.between(-3, 3)));
    }
    Exact const exact = exact_sum(terms);
    auto const sum = binned<TestType>(terms);
    EXAKT_CHECK(is_within_bound(sum, terms, exact));
    some_are_inexact = some_are_inexact || !same_bits(sum.round(), exact.round<T>().value);
  }
  CHECK(some_are_inexact);  // or else the bound was not tried
}

TEMPLATE_TEST_CASE("a binned sum is exact for terms cut off at the last bin, after each of them and around zero", "",
                   (Binned<double, 2>), (Binned<double, 3>), (Binned<double, 4>), (Binned<double, 8>),
                   (Binned<float, 2>), (Binned<float, 3>), (Binned<float, 4>), (Binned<float, 7>)) {
  using T = typename TestType::value_type;
  constexpr int W = TestType::bin_bits, K = TestType::fold, digits = std::numeric_limits<T>::digits;
  Random random(287);
  auto const bin_of = [](int exponent) { return (exponent + 100 * W) / W - 100; };
  for (int i = 0; i < 40; ++i) {
    // The top bin is known from the first term on; all places of the others below it, and some of them far below.
    int const top = random.between(-20, 20), unit = W * (bin_of(top) - K + 1);
    T const largest = std::ldexp(T(2) - std::numeric_limits<T>::epsilon(), top);
    std::vector<T> terms{largest, -largest};
    for (int e = top; e > unit - digits - 10 && e > std::numeric_limits<T>::min_exponent; --e) {
      T const ones = std::ldexp(T(2) - std::numeric_limits<T>::epsilon(), e), x = random.value<T>(e);
      for (T const y : {ones, -ones, -ones, x, ones, -x, -x, -ones, ones, x, std::ldexp(T(1), e), -std::ldexp(T(1), e)})
        terms.push_back(y);
    }
    for (int k = 0; k < 100; ++k) terms.push_back(random.coin() ? largest : std::ldexp(largest, -random.between(1, W)));
    for (T const sign : {T(1), T(-1)}) {
      TestType sum, subtracted;
      TestType atomic(largest);
      Exact exact;
      for (T const x : terms) {
        sum += sign * x;
        subtracted -= -sign * x;
        Exakt::atomic_add(&atomic, sign * x);
        exact.add(static_cast<double>(std::ldexp(std::trunc(std::ldexp(sign * x, -unit)), unit)));
        EXAKT_CHECK_BITS(sum.round(), exact.round<T>());
        EXAKT_CHECK(sum == subtracted && sum == atomic);
      }
    }
  }
}

TEST_CASE("enough folds make the sum of any terms of one bin exact") {
  Random random(283);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> terms(500);
    for (double& x : terms) x = random.value<double>(random.between(-20, 20));
    EXAKT_CHECK_BITS((binned<Binned<double, 4>>(terms).round()), exact_sum(terms).round<double>());
  }
}

TEST_CASE("two passes, the second with the largest magnitude known, have the bits of one, also added atomically") {
  Random random(284);
  std::vector<double> terms(100'000);
  for (double& x : terms) x = random.value<double>(random.between(-70, 70));
  double const* const x = terms.data();
  auto const once = binned<Binned<double>>(terms);
  for_each_host_space([&](auto space) {
    using Space = decltype(space);
    Kokkos::RangePolicy<Space> const range(space, 0, terms.size());
    Binned<double> sum;
    Kokkos::parallel_reduce(
        range, [=](std::size_t i, Binned<double>& partial) { partial += x[i]; }, Exakt::Reducer<Binned<double>>(sum));
    EXAKT_CHECK_BITS(sum.round(), once.round());

    double largest = 0;
    Kokkos::parallel_reduce(
        range, [=](std::size_t i, double& m) { m = std::abs(x[i]) > m ? std::abs(x[i]) : m; },
        Kokkos::Max<double>(largest));
    Kokkos::View<Binned<double>, Kokkos::HostSpace> const shared("shared");
    shared() = Binned<double>(largest);
    Kokkos::parallel_for(range, [=](std::size_t i) { Exakt::atomic_add(&shared(), x[i]); });
    space.fence();
    EXAKT_CHECK_BITS(shared().round(), once.round());
    EXAKT_CHECK(shared() == once);

    shared().atomic_add(0x1p300);  // above the magnitude that was announced
    EXAKT_CHECK(std::isnan(shared().round()));
  });
}

TEMPLATE_TEST_CASE("a binned sum doubled without end becomes an infinity of its sign", "", (Binned<double, 3>),
                   (Binned<double, 2>), (Binned<float, 4>)) {
  using T = typename TestType::value_type;
  for (T const x : {T(3), T(-3)}) {
    TestType sum;
    sum += x;
    sum += x * T(0x1p-20);  // another bin, of floats
    double const value = static_cast<double>(x) * (1 + 0x1p-20);
    for (int i = 1; i <= 200; ++i) {
      TestType const before = sum;
      if (i % 2 == 0)
        sum += sum;
      else
        sum += before;
      T const doubled = static_cast<T>(std::ldexp(value, i)), rounded = sum.round();
      if (i < 85) {
        EXAKT_CHECK_BITS(rounded, doubled);
      } else {
        EXAKT_CHECK(same_bits(rounded, doubled) || (std::isinf(rounded) && (rounded < 0) == (x < 0)));
      }
      EXAKT_CHECK(!std::isinf(before.round()) || std::isinf(rounded));
    }
    sum -= x;
    CHECK((std::isinf(sum.round()) && (sum.round() < 0) == (x < 0)));
    sum -= std::copysign(std::numeric_limits<T>::infinity(), x);
    CHECK(std::isnan(sum.round()));
  }
}

TEST_CASE("a binned sum that becomes an infinity and one of the other sign are NaN in every order") {
  Binned<double> half, opposite;
  half += 3.0;
  auto whole = half;
  for (whole += half; !std::isinf(whole.round(Rounding::toward_zero)); whole += whole) half = whole;
  opposite += -std::numeric_limits<double>::infinity();
  whole = half;
  whole += half;
  whole += opposite;
  CHECK(std::isnan(whole.round()));
  opposite += half;
  opposite += half;
  CHECK(std::isnan(opposite.round()));
}

TEST_CASE("infinities, NaN, zeros and the bins at both ends") {
  constexpr double infinity = std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::max();
  using B = Binned<double>;
  EXAKT_CHECK_BITS(B().round(), 0.0);
  EXAKT_CHECK_BITS(binned<B>(std::vector{-0.0}).round(), 0.0);
  EXAKT_CHECK_BITS(binned<B>(std::vector{max, infinity}).round(), infinity);
  EXAKT_CHECK_BITS(binned<B>(std::vector{-infinity}).round(), -infinity);
  EXAKT_CHECK(std::isnan(binned<B>(std::vector{-infinity, infinity}).round()));
  EXAKT_CHECK(std::isnan(binned<B>(std::vector{std::numeric_limits<double>::quiet_NaN()}).round()));
  EXAKT_CHECK_BITS(binned<B>(std::vector{max, max, -max}).round(), max);
  EXAKT_CHECK_BITS(binned<B>(std::vector{max, max}).round(), infinity);
  EXAKT_CHECK_BITS(binned<B>(std::vector{0x1p-1074, 0x1p-1074}).round(), 0x1p-1073);
  B sum;
  sum += 0x1p-1074;
  sum += 3.0f;
  sum -= 3.0;
  EXAKT_CHECK_BITS(sum.round(), 0.0);  // dropped for good: not exact
  sum.clear();
  sum += 0x1p-1074;
  EXAKT_CHECK_BITS(sum.round(), 0x1p-1074);
  for (double const x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0}) {
    B atomic(1.0);
    Exakt::atomic_add(&atomic, x);
    EXAKT_CHECK_BITS(atomic.round(), Expected<double>{x + 0.0});
  }
}

#if defined(__x86_64__)
TEST_CASE("a binned sum of an array does not carry the rounding mode of x87 over to SSE") {
  std::vector<double> const terms(5000, 0.1);
  unsigned short found = 0;
  __asm__ volatile("fnstcw %0" : "=m"(found));
  unsigned short const toward_zero = found | 0xc00;
  auto const before = fp_control_word();
  Binned<double, 3> sum;
  __asm__ volatile("fldcw %0" : : "m"(toward_zero));
  sum.add(terms.data(), terms.size());
  auto const after = fp_control_word();
  __asm__ volatile("fldcw %0" : : "m"(found));
  CHECK(before == after);
  CHECK(sum == binned<Binned<double, 3>>(terms));
}
#endif
