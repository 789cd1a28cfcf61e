// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>
#include <Exakt_correlation.hpp>
#include <Exakt_covariance.hpp>
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
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;

/// The exact numbers of which the answers are roundings.
template <class T>
class PairOracle {
 public:
  PairOracle(std::vector<T> const& x, std::vector<T> const& y) : m_n(x.size()) {
    auto const sum_x = exact_sum(x), sum_y = exact_sum(y);
    auto const products = exact_dot(x, y), squares_x = exact_dot(x, x), squares_y = exact_dot(y, y);
    m_is_finite = sum_x.is_finite() && sum_y.is_finite();
    if (!m_is_finite) return;
    m_both = Exact::scaled_covariance(sum_x, sum_y, products, m_n);
    m_x = Exact::scaled_variance(sum_x, squares_x, m_n);
    m_y = Exact::scaled_variance(sum_y, squares_y, m_n);
  }
  template <class R>
  Expected<R> covariance(std::int64_t ddof = 1, Rounding mode = Rounding::to_nearest) const {
    if (!m_is_finite || m_n == 0 || static_cast<std::int64_t>(m_n) <= ddof)
      return {std::numeric_limits<R>::quiet_NaN()};
    return m_both.template round_quotient_by_product<R>(m_n, m_n - static_cast<std::uint64_t>(ddof), mode);
  }
  template <class R>
  Expected<R> correlation(Rounding mode = Rounding::to_nearest) const {
    if (!m_is_finite || m_n < 2 || m_x.is_zero() || m_y.is_zero()) return {std::numeric_limits<R>::quiet_NaN()};
    return m_both.template round_quotient_by_root<R>(m_x, m_y, mode);
  }

 private:
  std::uint64_t m_n;
  bool m_is_finite;
  Exact m_both, m_x, m_y;
};

template <class T, class ExecutionSpace, class X, class Y>
void check(ExecutionSpace const& space, X const& x, Y const& y, PairOracle<T> const& oracle) {
  EXAKT_CHECK_BITS(Exakt::covariance(space, x, y), oracle.template covariance<T>());
  EXAKT_CHECK_BITS(Exakt::covariance(space, x, y, 0), oracle.template covariance<T>(0));
  EXAKT_CHECK_BITS(Exakt::correlation(space, x, y), oracle.template correlation<T>());
}

template <class T>
void check_everywhere(std::vector<T> const& x, std::vector<T> const& y) {
  PairOracle<T> const oracle(x, y);
  for_each_host_space([&](auto space) { check(space, borrowed(x), borrowed(y), oracle); });
}

/// Entries around a mean.
template <class T>
std::vector<T> around_mean(Random& random, std::size_t n, double mean) {
  std::vector<T> x(n);
  for (T& entry : x) entry = static_cast<T>(mean + static_cast<double>(random.value<T>(random.between(-4, 0))));
  return x;
}

/// slope * x plus something so small.
template <class T>
std::vector<T> along(Random& random, std::vector<T> const& x, double slope, double noise) {
  std::vector<T> y;
  for (T const entry : x)
    y.push_back(static_cast<T>(slope * static_cast<double>(entry) + noise * random.value<double>(-1)));
  return y;
}

}  // namespace

TEMPLATE_TEST_CASE("covariance and correlation are rounded once, for every family of pairs", "", double, float) {
  using T = TestType;
  Random random(930);
  for (auto const& family : short_product_families<T>())
    for (std::uint64_t i = 0; i < 6 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      check_everywhere(terms.x, terms.y);
      check_everywhere(terms.x, terms.x);
    }
  for (auto const& family : short_families<T>())
    for (std::uint64_t i = 0; i < 4 * case_factor(); ++i) {
      INFO(family.name);
      auto const x = family.make(random);
      check_everywhere(x, reordered(x, every_order[1], random));
    }
}

TEMPLATE_TEST_CASE("neither cancels, however far the means lie from the spread, and however close to a line", "",
                   double, float) {
  using T = TestType;
  Random random(931);
  for (std::size_t const n : {std::size_t{2}, std::size_t{3}, std::size_t{100}, std::size_t{33'001}})
    for (int binade = -20; binade<50; binade += n> 1000 ? 14 : 3)
      for (double const noise : {1.0, 0x1p-10, 0x1p-26, 0x1p-40, 0.0}) {
        if (n > 1000 && noise != 1.0 && noise != 0x1p-26) continue;
        INFO(n << " entries around 2^" << binade << ", noise " << noise);
        auto const x = around_mean<T>(random, n, std::ldexp(random.coin() ? 1.25 : -1.75, binade));
        check_everywhere(x, along<T>(random, x, random.coin() ? 1 : -3, noise));
        if (noise == 1.0) check_everywhere(around_mean<T>(random, n, 0), x);
      }
}

TEMPLATE_TEST_CASE("the correlation has the sign of the covariance, however much of it cancels", "", double, float) {
  using T = TestType;
  Random random(939);
  for (int i = 0; i < 3'000 * case_factor(); ++i) {
    // Integers of any size whose deviations from their means hardly correlate.
    std::size_t const n = random.between<std::size_t>(3, 40);
    double const mean = std::ldexp(1.0, random.between(4, std::numeric_limits<T>::digits - 6));
    std::vector<T> x(n), y(n);
    for (T& entry : x) entry = static_cast<T>(mean + random.between(-4, 8));
    for (T& entry : y) entry = static_cast<T>(-mean + random.between(-4, 8));
    PairOracle<T> const oracle(x, y);
    INFO(n << " entries around " << mean);
    EXAKT_CHECK_BITS(Exakt::correlation(borrowed(x), borrowed(y)), oracle.template correlation<T>());
  }
}

TEMPLATE_TEST_CASE("the correlation is in [-1, 1]: of a line it is one, and beside it what is nearest", "", double,
                   float) {
  using T = TestType;
  Random random(932);
  for (std::size_t const n : {2, 3, 17, 1000}) {
    auto const x = around_mean<T>(random, n, 3);
    std::vector<T> doubled, negated;
    for (T const entry : x) {
      doubled.push_back(2 * entry);
      negated.push_back(-entry);
    }
    for (Rounding const mode : every_rounding) {
      EXAKT_CHECK_BITS(Exakt::correlation(borrowed(x), borrowed(x), mode), T(1));
      EXAKT_CHECK_BITS(Exakt::correlation(borrowed(x), borrowed(doubled), mode), T(1));
      EXAKT_CHECK_BITS(Exakt::correlation(Space(), borrowed(x), borrowed(negated), mode), T(-1));
    }
    for (int i = 0; i < 60; ++i) {
      std::vector<T> y = i % 2 == 0 ? x : negated;
      T& entry = y[random.between<std::size_t>(0, n - 1)];
      entry = std::nextafter(entry, static_cast<T>(random.coin() ? 100 : -100));
      PairOracle<T> const oracle(x, y);
      for (Rounding const mode : every_rounding) {
        T const result = Exakt::correlation(borrowed(x), borrowed(y), mode);
        EXAKT_CHECK_BITS(result, oracle.template correlation<T>(mode));
        EXAKT_CHECK(std::fabs(result) <= 1);
      }
    }
  }
}

TEST_CASE("quotients and roots that are exact, ties of them, and what lies beside") {
  // x = (1, -1, 0, 0, ...), y = (a, b, ...): sums are small integers.
  Random random(933);
  for (int i = 0; i < 1500; ++i) {
    std::size_t const n = random.between<std::size_t>(2, 5);
    std::vector<double> x(n), y(n);
    int const digits = i % 3 == 0 ? 2 : i % 3 == 1 ? 27 : 40;
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = static_cast<double>(random.between<std::int64_t>(-2, 2));
      y[k] = static_cast<double>(random.between<std::int64_t>(0, std::int64_t{1} << digits));
    }
    PairOracle<double> const oracle(x, y);
    check(Space(), borrowed(x), borrowed(y), oracle);
    EXAKT_CHECK_BITS(Exakt::covariance(borrowed(x), borrowed(y), Rounding::upward),
                     oracle.covariance<double>(1, Rounding::upward));
    EXAKT_CHECK_BITS(Exakt::covariance(Space(), borrowed(x), borrowed(y), Rounding::upward),
                     oracle.covariance<double>(1, Rounding::upward));
    EXAKT_CHECK_BITS(Exakt::covariance(borrowed(x), borrowed(y), 0, Rounding::downward),
                     oracle.covariance<double>(0, Rounding::downward));
    EXAKT_CHECK_BITS(Exakt::correlation(borrowed(x), borrowed(y), Rounding::toward_zero),
                     oracle.correlation<double>(Rounding::toward_zero));
  }
  // r = 3/5 exactly, and 1/2^k with k so large that the result is subnormal, or nothing.
  CHECK(same_bits(
      Exakt::correlation(borrowed(std::vector<double>{1, -1, 0, 0}), borrowed(std::vector<double>{3, -3, 4, -4})),
      0.6));
  for (int const e : {-30, -500, -530, -537, -538, -1000, -1074}) {
    std::vector<double> const x{1, -1, 0, 0, std::ldexp(1.0, e), 0}, y{0, 0, 1, -1, 1, -1};
    check_everywhere(x, y);
    for (Rounding const mode : every_rounding)
      EXAKT_CHECK_BITS(Exakt::correlation(borrowed(x), borrowed(y), mode),
                       (PairOracle<double>(x, y).correlation<double>(mode)));
  }
  std::vector<double> const huge{0x1.fp1023, -0x1.fp1023, 0x1p-1074, 1}, tiny{0x1p-1074, 0, -0x1p-1074, 0x1p-1060};
  check_everywhere(huge, tiny);
  check_everywhere(huge, huge);
  check_everywhere(tiny, tiny);
}

TEST_CASE("NaN without degrees of freedom, without spread, and where an entry is not finite") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const x{1, 2, 4}, y{3, 1, 2}, same{7, 7, 7};
  HostVector<double> const empty;
  CHECK(same_bits(Exakt::covariance(empty, empty), nan));
  CHECK(same_bits(Exakt::covariance(empty, empty, -1), nan));
  CHECK(same_bits(Exakt::correlation(empty, empty), nan));
  auto const one = contiguous(std::vector<double>{7});
  CHECK(same_bits(Exakt::covariance(one, one), nan));
  CHECK(same_bits(Exakt::covariance(one, one, 0), 0.0));
  CHECK(same_bits(Exakt::covariance(one, one, 0, Rounding::downward), -0.0));
  CHECK(same_bits(Exakt::correlation(one, one), nan));
  CHECK(same_bits(Exakt::covariance(borrowed(x), borrowed(y), 3), nan));
  CHECK(same_bits(Exakt::covariance(Space(), borrowed(x), borrowed(y), std::uint64_t{1} << 32), nan));
  CHECK(same_bits(Exakt::covariance(borrowed(x), borrowed(y), ~std::uint64_t{0}), nan));
  auto const r = contiguous(std::vector<double>{0});
  HostMatrix<double const, Kokkos::LayoutLeft> const X(x.data(), 3, 1), Y(y.data(), 3, 1);
  PairOracle<double> const oracle(x, y);
  for (std::int64_t const ddof :
       {std::int64_t{1} << 32, -(std::int64_t{1} << 32), std::numeric_limits<std::int64_t>::min()}) {
    EXAKT_CHECK_BITS(Exakt::covariance(borrowed(x), borrowed(y), ddof), oracle.covariance<double>(ddof));
    Exakt::covariance(r, X, Y, ddof);
    EXAKT_CHECK_BITS(r(0), oracle.covariance<double>(ddof));
  }
  CHECK(same_bits(Exakt::covariance(borrowed(x), borrowed(same)), 0.0));
  CHECK(same_bits(Exakt::correlation(borrowed(x), borrowed(same)), nan));
  CHECK(same_bits(Exakt::correlation(borrowed(same), borrowed(x)), nan));
  CHECK(same_bits(Exakt::correlation(borrowed(std::vector<double>{1, -1, 0, 0}),
                                     borrowed(std::vector<double>{0, 0, 1, -1}), Rounding::downward),
                  -0.0));
  for (double const bad : {nan, HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t const n : {std::size_t{2}, std::size_t{300}, std::size_t{40'000}}) {
      std::vector<double> z(n, 1.5), w(n, 0);
      z[n / 2] = bad;
      w[0] = 1;
      CHECK(same_bits(Exakt::covariance(borrowed(z), borrowed(w)), nan));
      CHECK(same_bits(Exakt::covariance(borrowed(w), borrowed(z)), nan));
      CHECK(same_bits(Exakt::correlation(borrowed(z), borrowed(w)), nan));
      CHECK(same_bits(Exakt::correlation(borrowed(w), borrowed(z)), nan));
    }
  }
}

TEST_CASE("enclosures of the sums decide ordinary pairs, and only ever rightly") {
  Random random(934);
  int decided = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::uint64_t const n = random.between<std::uint64_t>(2, 20);
    auto const x = around_mean<double>(random, n, random.coin() ? 0 : std::ldexp(1.0, random.between(-10, 20)));
    auto const y = along<double>(random, x, random.coin() ? 1 : -2, std::ldexp(1.0, random.between(-30, 3)));
    PairOracle<double> const oracle(x, y);
    int const fewest = random.between(45, 90);
    auto const enclose = [&](Exact const& exact) {
      int const digits = fewest + (random.coin() ? 0 : 40);
      double const high = exact.round<double>().value;
      Exact rest = exact;
      rest.subtract(high);
      double const low = rest.round<double>().value, bound = std::ldexp(std::fabs(high), -digits);
      double const aside = random.coin() ? bound : -bound * 0x1p-3;
      return Exakt::Impl::Enclosure{high, low + aside, bound * (1 + 0x1p-20) + 0x1p-100 * std::fabs(high)};
    };
    auto const sum_x = enclose(exact_sum(x)), sum_y = enclose(exact_sum(y)), products = enclose(exact_dot(x, y));
    double result;
    if (Exakt::Impl::try_round_covariance(sum_x, sum_y, products, n, n - 1, result))
      EXAKT_CHECK_BITS(result, oracle.covariance<double>());
    if (Exakt::Impl::try_round_correlation(sum_x, sum_y, products, enclose(exact_dot(x, x)), enclose(exact_dot(y, y)),
                                           n, result)) {
      ++decided;
      EXAKT_CHECK_BITS(result, oracle.correlation<double>());
    }
  }
  CHECK(decided > 1'000);
  CHECK(decided < 4'950);
}

TEST_CASE("counts of pairs beyond 2^32: the divisor has more than 64 bits") {
  Random random(940);
  int decided = 0;
  for (int i = 0; i < 300; ++i) {
    // n - 5 pairs of zeros: only the sums are needed.
    std::uint64_t const n = random.bits() >> random.between(0, 40);
    Exakt::SumAccumulator<double> x, y;
    Exakt::DotAccumulator<double> products, x_squares, y_squares;
    std::vector<double> u, v;
    for (int k = 0; k < 5; ++k) {
      u.push_back(random.value<double>(random.between(-30, 30)));
      v.push_back(random.value<double>(random.between(-30, 30)));
      x += u.back();
      y += v.back();
      products.add_product(u.back(), v.back());
      x_squares.add_product(u.back(), u.back());
      y_squares.add_product(v.back(), v.back());
    }
    auto const sum_x = exact_sum(u), sum_y = exact_sum(v);
    auto const uv = exact_dot(u, v), uu = exact_dot(u, u), vv = exact_dot(v, v);
    auto const both = Exact::scaled_covariance(sum_x, sum_y, uv, n), of_x = Exact::scaled_variance(sum_x, uu, n),
               of_y = Exact::scaled_variance(sum_y, vv, n);
    auto const of_complex = Exact(of_x).add(of_y);
    auto const covariance = both.round_quotient_by_product<double>(n, n - 1),
               correlation = both.round_quotient_by_root<double>(of_x, of_y),
               variance = of_complex.round_quotient_by_product<double>(n, n - 1),
               stddev = of_complex.round_sqrt_of_quotient<double>(n, n - 1);
    using namespace Exakt::Impl;
    auto const s = x.normalized(), t = y.normalized();
    auto const p = products.normalized(), q = x_squares.normalized(), r = y_squares.normalized();
    Rounding const nearest = Rounding::to_nearest;
    EXAKT_CHECK_BITS(round_covariance<double>(s, t, p, n, 1, nearest), covariance);
    EXAKT_CHECK_BITS(round_correlation<double>(s, t, p, q, r, n, nearest), correlation);
    EXAKT_CHECK_BITS((round_complex_variance<double, false>(s, t, q, r, n, 1, nearest)), variance);
    EXAKT_CHECK_BITS((round_complex_variance<double, true>(s, t, q, r, n, 1, nearest)), stddev);
    auto const a = enclosure_of(sum_x), b = enclosure_of(sum_y), c = enclosure_of(uv), d = enclosure_of(uu),
               e = enclosure_of(vv);
    double result;
    if (try_round_covariance(a, b, c, n, n - 1, result)) {
      ++decided;
      EXAKT_CHECK_BITS(result, covariance);
    }
    if (try_round_correlation(a, b, c, d, e, n, result)) EXAKT_CHECK_BITS(result, correlation);
    if (try_round_complex_variance<double, false>(a, b, d, e, n, n - 1, result)) EXAKT_CHECK_BITS(result, variance);
    if (try_round_complex_variance<double, true>(a, b, d, e, n, n - 1, result)) EXAKT_CHECK_BITS(result, stddev);
  }
  CHECK(decided > 100);
}

TEST_CASE("from exact sums: next to numbers and to ties, closer than any bit that is looked at") {
  // With sums of zero the correlation is p / sqrt(q r); q r a square.
  auto const bits = [](std::vector<double> const& parts, double root_x, double root_y, Rounding mode) {
    Exakt::DotAccumulator<double> p, q, r;
    Exact exact, x, y;
    for (double const part : parts) {
      p += part;
      exact.add(part);
    }
    q.add_product(root_x, root_x);
    x.add_product(root_x, root_x);
    r.add_product(root_y, root_y);
    y.add_product(root_y, root_y);
    Exakt::SumAccumulator<double> const nothing;
    std::uint64_t const n = 5;
    EXAKT_CHECK_BITS((Exakt::Impl::round_correlation<double>(nothing.normalized(), nothing.normalized(), p.normalized(),
                                                             q.normalized(), r.normalized(), n, mode)),
                     exact.round_quotient_by_root<double>(x, y, mode));
  };
  for (Rounding const mode : every_rounding)
    for (double const rest : {0.0, 0x1p-59, -0x1p-59, 0x1p-100, -0x1p-100, 0x1p-1000, -0x1p-1000})
      for (double const middle : {0.0, 0x1p-53, -0x1p-54, 0x1p-52 + 0x1p-53})
        for (double const sign : {1.0, -1.0}) {
          INFO(name_of(mode) << ", " << middle << ", " << rest);
          bits({sign, sign * middle, sign * rest}, 1.25, 4, mode);
          bits({sign * 3, sign * middle, sign * rest}, 0x1p-20, 0x1p30, mode);
          bits({sign * 0x1p-1000, sign * middle * 0x1p-1000, sign * rest * 0x1p-60}, 0x1p30, 3, mode);
        }
}

TEST_CASE("sums of differences are known where all of these are doubles, and only there") {
  auto const knows = [](std::vector<double> const& x, std::vector<double> const& y, double x_shift, double y_shift) {
    Exakt::Impl::ShiftedPairs<true> sums;
    sums.add(x.data(), y.data(), static_cast<int>(x.size()), 0, x_shift, y_shift);
    return sums.is_known();
  };
  Exakt::Impl::KernelsOf<double, double> const& kernel = Exakt::Impl::kernels();
  bool const has_products = kernel.enclose != nullptr;
  CHECK(knows({1, 0.5, 2}, {-1, 7, 0}, 1, 0) == has_products);
  CHECK(knows({1e30, 0.5, 2}, {-1, -2, -0.5}, 0, -1) == has_products);
  CHECK(!knows({1, 0.5 - 0x1p-54, 2}, {1, 1, 1}, 1, 0));
  CHECK(!knows({1, 1, 1}, {1, 2, 2 + 0x1p-51}, 0, 1));
  CHECK(!knows({1, 1, 1}, {1, HUGE_VAL, 1}, 0, 0));
}

TEMPLATE_TEST_CASE("pairs of any length and any view, and no other entry is read", "", double, float) {
  using T = TestType;
  Random random(935);
  for (std::size_t const n : {0, 1, 2, 7, 9, 255, 4095, 4096, 4097, 32767, 32768, 32777}) {
    INFO(n << " entries");
    auto const x = around_mean<T>(random, n, 0.5), y = around_mean<T>(random, n, -3);
    PairOracle<T> const oracle(x, y);
    GuardedArray<T> const last(x), last_y(y), first(x, GuardedArray<T>::Against::page_before);
    check(Space(), BorrowedVector<T>(last.data(), n), BorrowedVector<T>(last_y.data(), n), oracle);
    check(Space(), BorrowedVector<T>(first.data(), n), BorrowedVector<T>(last_y.data(), n), oracle);
    if (n % 256 == 1 || n == 9)
      for_each_kind_of_view([&](char const* kind, auto const& view) {
        INFO(kind);
        check(Space(), view(x), borrowed(y), oracle);
        EXAKT_CHECK_BITS(Exakt::covariance(borrowed(x), view(y)), oracle.template covariance<T>());
      });
  }
}

TEST_CASE("covariance and correlation of each pair of columns, and into a rank-0 View") {
  using Kokkos::LayoutLeft;
  using Kokkos::LayoutRight;
  Random random(938);
  const std::pair<std::size_t, std::size_t> shapes[] = {{0, 2},    {1, 3},     {2, 0},     {5, 1},
                                                        {100, 13}, {4097, 19}, {40'000, 3}};
  for (auto const& [n, m] : shapes) {
    INFO(n << " x " << m);
    std::vector<std::vector<double>> x, y;
    for (std::size_t j = 0; j < m; ++j) {  // decided at once, by a shift of one or of both, by integers; constant
      x.push_back(j % 6 == 5 ? std::vector<double>(n, 0.1) : around_mean<double>(random, n, j % 3 == 1 ? 1e9 : 0));
      y.push_back(j % 2 == 0 ? along(random, x[j], -3.0, 0x1p-30)
                             : around_mean<double>(random, n, j % 4 == 1 ? 1e12 : 0));
    }
    auto const check_matrices = [&, m = m](auto const& X, auto const& Y) {
      auto const narrow = poisoned<HostVector<float>>(m);
      auto const wide = strided(std::vector<double>(m, -1));
      Exakt::covariance(wide, X, Y, 0);
      Exakt::correlation(Space(), narrow, X, Y);
      for (std::size_t j = 0; j < m; ++j) {
        PairOracle<double> const oracle(x[j], y[j]);
        EXAKT_CHECK_BITS(wide(j), oracle.covariance<double>(0));
        EXAKT_CHECK_BITS(narrow(j), oracle.correlation<float>());
      }
    };
    check_matrices(whole_matrix<LayoutLeft>(x, n), whole_matrix<LayoutLeft>(y, n));
    check_matrices(whole_matrix<LayoutRight>(x, n), corner_of_poison<LayoutRight>(y, n));
    check_matrices(corner_of_poison<LayoutLeft>(x, n), whole_matrix<LayoutRight>(y, n));
    if (m > 0) {
      auto const r = poisoned<HostScalar<double>>();
      PairOracle<double> const oracle(x[0], y[0]);
      Exakt::covariance(r, borrowed(x[0]), borrowed(y[0]));
      EXAKT_CHECK_BITS(r(), oracle.covariance<double>());
      Exakt::correlation(r, borrowed(x[0]), borrowed(y[0]));
      EXAKT_CHECK_BITS(r(), oracle.correlation<double>());
    }
  }
}

TEST_CASE("operands of two types, and the variance as a covariance") {
  Random random(936);
  for (double const mean : {0.0, 1e5, 1e12}) {
    auto const narrow = around_mean<float>(random, 3000, mean);
    auto const y = around_mean<double>(random, 3000, 1);
    std::vector<double> const x(narrow.begin(), narrow.end());
    PairOracle<double> const oracle(x, y);
    EXAKT_CHECK_BITS(Exakt::covariance(borrowed(narrow), borrowed(y)), oracle.covariance<double>());
    EXAKT_CHECK_BITS(Exakt::correlation(borrowed(y), borrowed(narrow)), oracle.correlation<double>());
    EXAKT_CHECK_BITS(Exakt::covariance(borrowed(y), borrowed(y)), Exakt::variance(borrowed(y)));
  }
}

TEST_CASE("operands of half precision and of another type, to the wider one") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    HalfFormats::MixedFactors<X, Y> const pairs(3000);
    PairOracle<double> const oracle(pairs.wide_x, pairs.wide_y);
    auto const covariance = Exakt::covariance(borrowed(pairs.x), borrowed(pairs.y));
    auto const correlation = Exakt::correlation(borrowed(pairs.y), borrowed(pairs.x));
    CHECK(std::is_same_v<decltype(covariance), R const>);
    CHECK(std::is_same_v<decltype(correlation), R const>);
    EXAKT_CHECK_BITS(covariance, oracle.covariance<R>());
    EXAKT_CHECK_BITS(correlation, oracle.correlation<R>());
  });
}

TEST_CASE("covariance and correlation are right in every floating-point environment, on whichever threads") {
  Random random(937);
  for (double const mean : {0.0, 1e12}) {
    auto const x = around_mean<double>(random, 40'003, mean);
    auto const y = along<double>(random, x, 0.5, 0.25);
    std::vector<float> small_x(x.begin(), x.end()), small_y(y.begin(), y.end());
    for (auto* const small : {&small_x, &small_y})
      for (float& entry : *small) entry = std::ldexp(entry, mean > 0 ? -180 : -140);
    PairOracle<double> const oracle(x, y);
    PairOracle<float> const of_small(small_x, small_y);
    for (FpSettings const& settings : every_fp_environment())
      for (auto const threads : ScopedFpEnvironment::every_choice) {
        INFO(describe(settings, threads));
        double covariance = 0, correlation = 0;
        float small_covariance = 0, small_correlation = 0;
        bool is_left_alone = false;
        {
          ScopedFpEnvironment const scope(settings, threads);
          auto const before = fp_control_word();
          covariance = Exakt::covariance(Space(), borrowed(x), borrowed(y));
          correlation = Exakt::correlation(Space(), borrowed(x), borrowed(y));
          small_covariance = Exakt::covariance(Space(), borrowed(small_x), borrowed(small_y));
          small_correlation = Exakt::correlation(Space(), borrowed(small_x), borrowed(small_y));
          is_left_alone = fp_control_word() == before;
        }
        CHECK(is_left_alone);
        EXAKT_CHECK_BITS(covariance, oracle.covariance<double>());
        EXAKT_CHECK_BITS(correlation, oracle.correlation<double>());
        EXAKT_CHECK_BITS(small_covariance, of_small.covariance<float>());
        EXAKT_CHECK_BITS(small_correlation, of_small.correlation<float>());
      }
  }
}

TEST_CASE("operands of different shapes, and results of another or among the operands, are refused") {
  auto const x = poisoned<HostVector<double>>(5), y = poisoned<HostVector<double>>(4);
  CHECK(refusal_of([&] { Exakt::covariance(x, y); }) ==
        "Exakt::covariance: x is 5 entries, y is 4 entries; they must be the same");
  CHECK(refusal_of([&] { Exakt::correlation(Space(), x, y); }) ==
        "Exakt::correlation: x is 5 entries, y is 4 entries; they must be the same");
  auto const X = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 3),
             Y = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 2);
  auto const r = poisoned<HostVector<double>>(2);
  CHECK(refusal_of([&] { Exakt::covariance(r, X, Y); }) ==
        "Exakt::covariance: x is 5 x 3, y is 5 x 2; they must be the same");
  CHECK(refusal_of([&] { Exakt::correlation(r, X, X); }) ==
        "Exakt::correlation: r is 2 entries, X is 5 x 3; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_of([&] {
          Exakt::covariance(Kokkos::subview(Y, std::pair<int, int>(0, 2), 1), Y,
                            poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 2));
        }) == "Exakt::covariance: r is 2 entries, x is 5 x 2; they must not share memory");
  CHECK(refusal_of([&] {
          Exakt::covariance(Kokkos::subview(Y, std::pair<int, int>(0, 2), 1),
                            poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 2), Y);
        }) == "Exakt::covariance: r is 2 entries, y is 5 x 2; they must not share memory");
}
