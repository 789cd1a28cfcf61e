// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>
#include <Exakt_stddev.hpp>
#include <Exakt_variance.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_EnclosureOf.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;

/// The exact n sum(x^2) - sum(x)^2, of which all answers are roundings.
template <class T>
class Oracle {
 public:
  explicit Oracle(std::vector<T> const& x) : m_n(x.size()) {
    auto const sum = exact_sum(x), squares = exact_dot(x, x);
    m_is_finite = sum.is_finite() && squares.is_finite();
    if (m_is_finite) m_scaled = Exact::scaled_variance(sum, squares, m_n);
  }
  template <class R>
  Expected<R> variance(std::int64_t ddof = 1, Rounding mode = Rounding::to_nearest) const {
    if (!is_defined(ddof)) return {std::numeric_limits<R>::quiet_NaN()};
    return m_scaled.template round_quotient_by_product<R>(m_n, freedom(ddof), mode);
  }
  template <class R>
  Expected<R> stddev(std::int64_t ddof = 1, Rounding mode = Rounding::to_nearest) const {
    if (!is_defined(ddof)) return {std::numeric_limits<R>::quiet_NaN()};
    return m_scaled.template round_sqrt_of_quotient<R>(m_n, freedom(ddof), mode);
  }

 private:
  std::uint64_t freedom(std::int64_t ddof) const { return m_n - static_cast<std::uint64_t>(ddof); }
  bool is_defined(std::int64_t ddof) const { return m_is_finite && m_n > 0 && static_cast<std::int64_t>(m_n) > ddof; }

  std::uint64_t m_n;
  bool m_is_finite;
  Exact m_scaled;
};

template <class T, class ExecutionSpace, class V>
void check(ExecutionSpace const& space, V const& x, Oracle<T> const& oracle) {
  EXAKT_CHECK_BITS(Exakt::variance(space, x), oracle.template variance<T>());
  EXAKT_CHECK_BITS(Exakt::stddev(space, x), oracle.template stddev<T>());
  EXAKT_CHECK_BITS(Exakt::variance(space, x, 0), oracle.template variance<T>(0));
  EXAKT_CHECK_BITS(Exakt::stddev(space, x, 0), oracle.template stddev<T>(0));
}

/// Entries around a mean, so many standard deviations away from zero.
template <class T>
std::vector<T> around(Random& random, std::size_t n, double mean) {
  std::vector<T> x(n);
  for (T& entry : x) {
    T const t = random.value<T>(random.between(-4, 0));
    entry = static_cast<T>(mean + static_cast<double>(t));
  }
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("variance and stddev are rounded once, for every family in every order", "", double, float) {
  Random random(910);
  auto const check_everywhere = [](std::vector<TestType> const& x) {
    Oracle<TestType> const oracle(x);
    for_each_host_space([&](auto space) { check(space, borrowed(x), oracle); });
  };
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      for (Order const order : every_order) check_everywhere(reordered(terms, order, random));
    }
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 4 * case_factor(); ++i) {
      INFO(family.name);
      check_everywhere(family.make(random));
    }
}

TEMPLATE_TEST_CASE("variance does not cancel, however far the mean lies from the entries' spread", "", double, float) {
  Random random(911);
  for (std::size_t const n : {std::size_t{2}, std::size_t{3}, std::size_t{100}, std::size_t{5000}, std::size_t{70'001}})
    for (int binade = -20; binade<50; binade += n> 1000 ? 7 : 1) {
      INFO(n << " entries around 2^" << binade);
      auto const x = around<TestType>(random, n, std::ldexp(random.coin() ? 1.25 : -1.75, binade));
      Oracle<TestType> const oracle(x);
      for_each_host_space([&](auto space) { check(space, borrowed(x), oracle); });
    }
}

TEMPLATE_TEST_CASE("entries that are all the same have the variance +0, and others a positive one", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  Random random(912);
  for (std::size_t const n : {1, 2, 3, 10, 4096, 5000, 40'000}) {
    for (TestType const value : {TestType(0), TestType(-0.0), TestType(0.1), random.value<TestType>(-100),
                                 Limits::max(), Limits::denorm_min(), -Limits::min()}) {
      std::vector<TestType> x(n, value);
      EXAKT_CHECK_BITS(Exakt::variance(borrowed(x), 0), TestType(0));
      EXAKT_CHECK_BITS(Exakt::stddev(borrowed(x), 0), TestType(0));
      EXAKT_CHECK_BITS(Exakt::variance(borrowed(x), 0, Rounding::downward), -TestType(0));
      if (n < 2 || value == Limits::max()) continue;
      x[n / 2] = std::nextafter(value, Limits::max());
      Oracle<TestType> const oracle(x);
      check(Space(), borrowed(x), oracle);
      EXAKT_CHECK(Exakt::variance(borrowed(x), Rounding::upward) > 0);
    }
  }
}

TEST_CASE("results that are exact, ties, and their neighbours") {
  auto const variance = [](std::vector<double> const& x, int ddof = 1) { return Exakt::variance(borrowed(x), ddof); };
  CHECK(same_bits(variance({1, 2, 3, 4, 5}), 2.5));
  CHECK(same_bits(variance({1, 2, 3, 4, 5}, 0), 2.0));
  CHECK(same_bits(Exakt::stddev(borrowed(std::vector<double>{1, 3}), 0), 1.0));
  CHECK(same_bits(variance({-3e200, 3e200}), HUGE_VAL));
  CHECK(same_bits(Exakt::stddev(borrowed(std::vector<double>{-3e200, 3e200}), 0), 3e200));
  // (0, 2 s) has the variance s^2 with ddof = 0: of s = 2^27 + 1 a tie, exactly.
  for (double const beside : {0.0, 0x1p-500, -0x1p-500, 0x1p-1074}) {
    std::vector<double> const x{0, 2 * (0x1p27 + 1), beside / 2, 0x1p28 + 2, 0, 0x1p28 + 2};
    Oracle<double> const oracle(x);
    check(Space(), borrowed(x), oracle);
    std::vector<double> const y{beside, 2 * (0x1p27 + 1)};
    check(Space(), borrowed(y), Oracle<double>(y));
  }
  // Subnormal variances, and those of subnormal numbers.
  for (int const e : {-537, -538, -530, -500, -700, -1074}) {
    std::vector<double> const x{0, std::ldexp(3.0, e), std::ldexp(1.0, e), 0x1p-1074};
    check(Space(), borrowed(x), Oracle<double>(x));
  }
}

TEST_CASE("NaN without degrees of freedom, and where an entry is not finite") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const x = contiguous(std::vector<double>{1, 2, 4});
  HostVector<double> const empty;
  for (int const ddof : {-1, 0, 1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    CHECK(same_bits(Exakt::variance(empty, ddof), nan));
    CHECK(same_bits(Exakt::stddev(Space(), empty, ddof), nan));
  }
  CHECK(same_bits(Exakt::variance(contiguous(std::vector<double>{7})), nan));
  CHECK(same_bits(Exakt::variance(x, 3), nan));
  CHECK(same_bits(Exakt::variance(x, 4), nan));
  CHECK(same_bits(Exakt::variance(x, std::numeric_limits<int>::max()), nan));
  Oracle<double> const oracle({1, 2, 4});
  for (int const ddof : {2, -1, -5, std::numeric_limits<int>::min()}) {
    EXAKT_CHECK_BITS(Exakt::variance(x, ddof), oracle.variance<double>(ddof));
    EXAKT_CHECK_BITS(Exakt::stddev(x, ddof), oracle.stddev<double>(ddof));
  }
  // Beyond an int, where 32 bits would make 0, 1 or -1 of them.
  auto const r = contiguous(std::vector<double>{0});
  HostMatrix<double, Kokkos::LayoutLeft> const X(x.data(), 3, 1);
  enum Divisor { population, sample };
  EXAKT_CHECK_BITS(Exakt::variance(x, population), oracle.variance<double>(0));
  EXAKT_CHECK_BITS(Exakt::variance(x, std::integral_constant<int, sample>()), oracle.variance<double>(1));
  auto const beyond = [&](auto ddof, Expected<double> const& variance, Expected<double> const& stddev) {
    EXAKT_CHECK_BITS(Exakt::variance(x, ddof), variance);
    EXAKT_CHECK_BITS(Exakt::variance(Space(), x, ddof), variance);
    EXAKT_CHECK_BITS(Exakt::stddev(x, ddof), stddev);
    Exakt::variance(r, X, ddof);
    EXAKT_CHECK_BITS(r(0), variance);
    Exakt::stddev(Space(), r, X, ddof);
    EXAKT_CHECK_BITS(r(0), stddev);
  };
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t const ddof : {std::uint64_t{1} << 32, std::uint64_t{1} << 63, most, most - 1})
    beyond(ddof, {nan}, {nan});
  for (std::int64_t const ddof : {std::int64_t{1} << 40, (std::int64_t{1} << 32) + 1}) beyond(ddof, {nan}, {nan});
  for (std::int64_t const ddof :
       {-(std::int64_t{1} << 32), (std::int64_t{-1} << 40) + 1, std::numeric_limits<std::int64_t>::min()})
    beyond(ddof, oracle.variance<double>(ddof), oracle.stddev<double>(ddof));
  beyond(std::uint8_t{2}, oracle.variance<double>(2), oracle.stddev<double>(2));
  beyond(short{-2}, oracle.variance<double>(-2), oracle.stddev<double>(-2));
  for (double const bad : {nan, HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t const n : {std::size_t{2}, std::size_t{300}, std::size_t{40'000}}) {
      std::vector<double> y(n, 1.5);
      std::vector<double> const all(n, bad);
      y[n / 2] = bad;
      for (auto const& entries : {y, all}) {
        CHECK(same_bits(Exakt::variance(borrowed(entries)), nan));
        CHECK(same_bits(Exakt::stddev(borrowed(entries), 0), nan));
      }
    }
  }
}

TEMPLATE_TEST_CASE("variance in the other directions of rounding", "", double, float) {
  Random random(913);
  for (int i = 0; i < 200; ++i) {
    auto const x = around<TestType>(random, random.between<std::size_t>(2, 20), i % 2 == 0 ? 0 : 1000);
    Oracle<TestType> const oracle(x);
    for (Rounding const mode : every_rounding) {
      INFO(name_of(mode));
      EXAKT_CHECK_BITS(Exakt::variance(borrowed(x), 0, mode), oracle.template variance<TestType>(0, mode));
      EXAKT_CHECK_BITS(Exakt::variance(borrowed(x), mode), oracle.template variance<TestType>(1, mode));
      EXAKT_CHECK_BITS(Exakt::variance(Space(), borrowed(x), mode), oracle.template variance<TestType>(1, mode));
      EXAKT_CHECK_BITS(Exakt::stddev(borrowed(x), mode), oracle.template stddev<TestType>(1, mode));
      EXAKT_CHECK_BITS(Exakt::stddev(Space(), borrowed(x), mode), oracle.template stddev<TestType>(1, mode));
    }
  }
}

TEST_CASE("counts beyond 2^32: the divisor has more than 64 bits") {
  // n - k zeros and k numbers: only the sums are needed.
  Random random(914);
  int decided = 0;
  for (int i = 0; i < 300; ++i) {
    std::uint64_t const n = random.bits() >> random.between(0, 40);
    Exakt::SumAccumulator<double> sum;
    Exakt::DotAccumulator<double> squares;
    Exact exact_sum, exact_squares;
    for (int k = 0; k < 5; ++k) {
      double const x = random.value<double>(random.between(-30, 30));
      sum += x;
      squares.add_product(x, x);
      exact_sum.add(x);
      exact_squares.add_product(x, x);
    }
    auto const scaled = Exact::scaled_variance(exact_sum, exact_squares, n);
    for (int const ddof : {0, 1, 7}) {
      EXAKT_CHECK_BITS((Exakt::Impl::round_variance<double, false>(sum.normalized(), squares.normalized(), n, ddof,
                                                                   Rounding::to_nearest)),
                       scaled.round_quotient_by_product<double>(n, n - static_cast<std::uint64_t>(ddof)));
      EXAKT_CHECK_BITS((Exakt::Impl::round_variance<double, true>(sum.normalized(), squares.normalized(), n, ddof,
                                                                  Rounding::to_nearest)),
                       scaled.round_sqrt_of_quotient<double>(n, n - static_cast<std::uint64_t>(ddof)));
    }
    double result;
    auto const of_sum = enclosure_of(exact_sum), of_squares = enclosure_of(exact_squares);
    if (Exakt::Impl::try_round_variance<double, false>(of_sum, of_squares, n, n - 1, result)) {
      ++decided;
      EXAKT_CHECK_BITS(result, scaled.round_quotient_by_product<double>(n, n - 1));
    }
    if (Exakt::Impl::try_round_variance<double, true>(of_sum, of_squares, n, n - 1, result))
      EXAKT_CHECK_BITS(result, scaled.round_sqrt_of_quotient<double>(n, n - 1));
  }
  CHECK(decided > 100);
}

TEST_CASE("enclosures of the sums decide ordinary variances, and only ever rightly") {
  // Bounds as wide as they may be: what is decided must hold for every number in them.
  Random random(915);
  int decided = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t const n = random.between<std::uint64_t>(2, 50);
    std::vector<double> x;
    double const mean = random.coin() ? 0 : std::ldexp(1.0, random.between(-10, 30));
    for (std::uint64_t k = 0; k < n; ++k) x.push_back(mean + random.value<double>(random.between(-3, 0)));
    Oracle<double> const oracle(x);
    auto const enclose = [&](Exact const& exact, int digits) {
      double const high = exact.round<double>().value;
      Exact rest = exact;
      rest.subtract(high);
      double const low = rest.round<double>().value, bound = std::ldexp(std::fabs(high), -digits);
      // Up to the bound aside.
      double const aside = random.coin() ? bound : -bound * 0x1p-3;
      return Exakt::Impl::Enclosure{high, low + aside, bound * (1 + 0x1p-20) + 0x1p-100 * std::fabs(high)};
    };
    int const digits = random.between(50, 90);
    auto const sum = enclose(exact_sum(x), digits), squares = enclose(exact_dot(x, x), digits);
    double result;
    if (Exakt::Impl::try_round_variance<double, false>(sum, squares, n, n - 1, result)) {
      ++decided;
      EXAKT_CHECK_BITS(result, oracle.variance<double>());
    }
    if (Exakt::Impl::try_round_variance<double, true>(sum, squares, n, n - 1, result))
      EXAKT_CHECK_BITS(result, oracle.stddev<double>());
  }
  CHECK(decided > 5'000);
  CHECK(decided < 19'900);
}

TEST_CASE("a shift that the first entries make worthwhile need not suit the others") {
  Random random(918);
  constexpr std::size_t n = 40'001;
  double const infinity = HUGE_VAL;
  // Drifts within what the first shift suits, and beyond; a mean that comes late; entries that no shift suits.
  std::pair<double, double> const means[] = {{1e9, 1e9}, {1e9, 1.5e9}, {1e9, 5e9},       {-1e9, 1e9},
                                             {0, 1e9},   {1e9, 0},     {1e-300, 1e-300}, {1e300, 1e300}};
  for (auto const& [first, last] : means)
    for (double const entry : {first, 0.0, 1e200, infinity, -first}) {
      INFO("means from " << first << " to " << last << ", an entry " << entry);
      std::vector<double> x;
      for (std::size_t i = 0; i < n; ++i)
        x.push_back(first + (last - first) * static_cast<double>(i) / n + random.value<double>(random.between(-4, 0)));
      x[random.between<std::size_t>(300, n - 1)] = entry;
      Oracle<double> const oracle(x);
      for_each_host_space([&](auto space) { check(space, borrowed(x), oracle); });
      Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const X("X", n, 3);
      for (std::size_t i = 0; i < n; ++i) {
        X(i, 0) = x[i];
        X(i, 1) = x[n - 1 - i];
        X(i, 2) = static_cast<double>(i % 7);
      }
      Kokkos::View<double*, Kokkos::HostSpace> const r("r", 3);
      Exakt::variance(Space(), r, X);
      EXAKT_CHECK_BITS(r(0), oracle.variance<double>());
      EXAKT_CHECK_BITS(r(1), oracle.variance<double>());
    }
}

TEMPLATE_TEST_CASE("variance of any length and any view reads no other entry", "", double, float) {
  Random random(916);
  for (std::size_t const n : {0, 1, 2, 7, 9, 255, 256, 257, 4087, 4095, 4096, 4097, 32767, 32768, 32777, 65536}) {
    INFO(n << " entries");
    auto const x = around<TestType>(random, n, 0.5);
    Oracle<TestType> const oracle(x);
    GuardedArray<TestType> const last(x), first(x, GuardedArray<TestType>::Against::page_before);
    check(Space(), BorrowedVector<TestType>(last.data(), n), oracle);
    check(Space(), BorrowedVector<TestType>(first.data(), n), oracle);
    if (n % 256 <= 1)
      for_each_kind_of_view([&](char const* kind, auto const& view) {
        INFO(kind);
        check(Space(), view(x), oracle);
        EXAKT_CHECK_BITS(Exakt::variance(view(x)), oracle.template variance<TestType>());
      });
  }
}

TEMPLATE_TEST_CASE("the variance of each column, and into a rank-0 View", "", double, float) {
  using Kokkos::LayoutLeft;
  using Kokkos::LayoutRight;
  Random random(917);
  const std::pair<std::size_t, std::size_t> shapes[] = {{0, 2},    {1, 3},     {2, 0},     {5, 1},
                                                        {100, 13}, {4097, 19}, {40'000, 3}};
  for (auto const& [n, m] : shapes) {
    INFO(n << " x " << m);
    std::vector<std::vector<TestType>> columns;
    double const means[] = {0, 1e5, 1e7, 1e12};  // decided at once, by a shift, by integers; and constants
    for (std::size_t j = 0; j < m; ++j)
      columns.push_back(m > 3 && j % 5 == 0 ? std::vector<TestType>(n, TestType(0.1))
                                            : around<TestType>(random, n, means[j % 4]));
    auto const check_matrix = [&, m = m](auto const& X) {
      auto const narrow = poisoned<HostVector<float>>(m);
      auto const wide = strided(std::vector<double>(m, -1));
      Exakt::variance(Space(), narrow, X);
      Exakt::stddev(wide, X, 0);
      for (std::size_t j = 0; j < m; ++j) {
        Oracle<TestType> const oracle(columns[j]);
        EXAKT_CHECK_BITS(narrow(j), oracle.template variance<float>());
        EXAKT_CHECK_BITS(wide(j), oracle.template stddev<double>(0));
      }
    };
    check_matrix(whole_matrix<LayoutLeft>(columns, n));
    check_matrix(whole_matrix<LayoutRight>(columns, n));
    check_matrix(corner_of_poison<LayoutLeft>(columns, n));
    check_matrix(corner_of_poison<LayoutRight>(columns, n));
    if (m > 0) {
      auto const r = poisoned<HostScalar<double>>();
      Exakt::variance(r, borrowed(columns[0]));
      EXAKT_CHECK_BITS(r(), Oracle<TestType>(columns[0]).template variance<double>());
    }
  }
}

TEST_CASE("variance is right in every floating-point environment, on whichever threads") {
  Random random(918);
  for (auto const& [n, mean] : {std::pair(100'003, 0.0), {100'003, 1e5}, {100'003, 1e12}, {300, 0.0}, {300, 1e12}}) {
    INFO(n << " entries around " << mean);
    auto const x = around<double>(random, static_cast<std::size_t>(n), mean);
    auto small = std::vector<float>(x.begin(), x.end());
    for (float& entry : small) entry = std::ldexp(entry, mean > 0 ? -180 : -140);
    Oracle<double> const oracle(x);
    Oracle<float> const of_small(small);
    for (FpSettings const& settings : every_fp_environment())
      for (auto const threads : ScopedFpEnvironment::every_choice) {
        INFO(describe(settings, threads));
        double variance = 0;
        float stddev = 0;
        bool is_left_alone = false;
        {
          ScopedFpEnvironment const scope(settings, threads);
          auto const before = fp_control_word();
          variance = Exakt::variance(Space(), borrowed(x));
          stddev = Exakt::stddev(Space(), borrowed(small));
          is_left_alone = fp_control_word() == before;
        }
        CHECK(is_left_alone);
        EXAKT_CHECK_BITS(variance, oracle.variance<double>());
        EXAKT_CHECK_BITS(stddev, of_small.stddev<float>());
      }
  }
}

TEST_CASE("variance refuses results of another shape, or among the entries") {
  auto const X = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 3);
  auto const r = poisoned<HostVector<double>>(2);
  CHECK(refusal_of([&] { Exakt::variance(r, X); }) ==
        "Exakt::variance: r is 2 entries, X is 5 x 3; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_of([&] { Exakt::stddev(Space(), Kokkos::subview(X, std::pair<int, int>(0, 3), 1), X); }) ==
        "Exakt::stddev: r is 3 entries, x is 5 x 3; they must not share memory");
}
