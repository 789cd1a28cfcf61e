// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_C.hpp"
#include "ExaktTest_Cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

namespace {

using namespace ExaktTest;

template <class T>
struct Functions;
#define FUNCTIONS(letter, T)                                                                                           \
  template <>                                                                                                          \
  struct Functions<T> {                                                                                                \
    static constexpr auto variance = exakt_##letter##variance;                                                         \
    static constexpr auto variance_rounded = exakt_##letter##variance_rounded;                                         \
    static constexpr auto variance_batch = exakt_##letter##variance_batch;                                             \
    static constexpr auto stddev = exakt_##letter##stddev;                                                             \
    static constexpr auto stddev_rounded = exakt_##letter##stddev_rounded;                                             \
    static constexpr auto stddev_batch = exakt_##letter##stddev_batch;                                                 \
    static constexpr auto inclusive_scan = exakt_##letter##inclusive_scan;                                             \
    static constexpr auto exclusive_scan = exakt_##letter##exclusive_scan;                                             \
    static constexpr auto segmented_sum = exakt_##letter##segmented_sum;                                               \
    static constexpr auto sum_by_key = exakt_##letter##sum_by_key;                                                     \
    static constexpr auto covariance = exakt_##letter##covariance;                                                     \
    static constexpr auto covariance_rounded = exakt_##letter##covariance_rounded;                                     \
    static constexpr auto correlation = exakt_##letter##correlation;                                                   \
    static constexpr auto correlation_rounded = exakt_##letter##correlation_rounded;                                   \
    static constexpr auto complex_variance = exakt_##letter##complex_variance;                                         \
    static constexpr auto complex_variance_rounded = exakt_##letter##complex_variance_rounded;                         \
    static constexpr auto complex_stddev = exakt_##letter##complex_stddev;                                             \
    static constexpr auto complex_stddev_rounded = exakt_##letter##complex_stddev_rounded;                             \
    static constexpr auto histogram = exakt_##letter##histogram;                                                       \
    static constexpr decltype(&exakt_##letter##sum) of_vector[] = {exakt_##letter##sum, exakt_##letter##nrm1,          \
                                                                   exakt_##letter##nrm2, exakt_##letter##nrm2_squared, \
                                                                   exakt_##letter##mean};                              \
    static constexpr decltype(&exakt_##letter##sum_batch) of_batch[] = {                                               \
        exakt_##letter##sum_batch, exakt_##letter##nrm1_batch, exakt_##letter##nrm2_batch,                             \
        exakt_##letter##nrm2_squared_batch, exakt_##letter##mean_batch};                                               \
  };
FUNCTIONS(d, double)
FUNCTIONS(s, float)

template <class T, class F>
void for_each_family(Random& random, F const& f) {
  for (auto const& family : short_families<T>()) {
    INFO(family.name);
    f(family.make(random));
  }
  for (auto const& family : long_families<T>()) {
    INFO(family.name);
    f(family.make(random));
  }
  f(std::vector<T>());
}

template <class T>
Expected<T> expected_spread(std::vector<T> const& x, bool is_root, int ddof, Rounding mode) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const sum = exact_sum(x), squares = exact_dot(x, x);
  if (n <= ddof || n == 0 || !sum.is_finite() || !squares.is_finite()) return {std::numeric_limits<T>::quiet_NaN()};
  auto const scaled = Exact::scaled_variance(sum, squares, x.size());
  auto const freedom = static_cast<std::uint64_t>(n - ddof);
  return is_root ? scaled.template round_sqrt_of_quotient<T>(x.size(), freedom, mode)
                 : scaled.template round_quotient_by_product<T>(x.size(), freedom, mode);
}

}  // namespace

TEMPLATE_TEST_CASE("variances of C are rounded once, in every mode and with every increment", "", double, float) {
  using F = Functions<TestType>;
  Random random(1910);
  for_each_family<TestType>(random, [&](std::vector<TestType> const& x) {
    for (bool const is_root : {false, true})
      for (int const ddof : {0, 1})
        for (std::ptrdiff_t const increment : {1, -2}) {
          Incremented<TestType> entries(x, increment);
          TestType result = 1;
          REQUIRE((is_root ? F::stddev : F::variance)(length(x), entries.data(), increment, ddof, &result) ==
                  EXAKT_SUCCESS);
          EXAKT_CHECK_BITS(result, expected_spread(x, is_root, ddof, Rounding::to_nearest));
          for (Rounding const mode : every_rounding) {
            REQUIRE((is_root ? F::stddev_rounded : F::variance_rounded)(length(x), entries.data(), increment, ddof,
                                                                        static_cast<exakt_rounding>(mode),
                                                                        &result) == EXAKT_SUCCESS);
            EXAKT_CHECK_BITS(result, expected_spread(x, is_root, ddof, mode));
          }
        }
  });
}

TEMPLATE_TEST_CASE("many vectors of C have the results of each", "", double, float) {
  using F = Functions<TestType>;
  Random random(1911);
  // 140 of 2000 are more than one block of those that are copied.
  for (std::ptrdiff_t const n : {0, 1, 37, 700, 2000})
    for (std::ptrdiff_t const count : {0, 1, 5, 19, 140}) {
      if ((n == 2000) != (count == 140)) continue;
      std::vector<TestType> x(static_cast<std::size_t>(n * count) + 1);
      for (TestType& entry : x) entry = random.value<TestType>(random.between(-60, 60));
      // Some sums cancel; some are infinite, or NaN.
      for (std::size_t i = 3; i < x.size(); i += 11) x[i] = -x[i - 3];
      if (x.size() > 500) x[5] = x[400] = std::numeric_limits<TestType>::infinity();
      // By rows, by columns, and one vector again and again.
      for (auto const& [incx, stridex] : {std::pair{count, std::ptrdiff_t{1}}, {std::ptrdiff_t{1}, n}, {1, 0}, {-1, n}})
        for (std::ptrdiff_t const incr : {1, -2}) {
          INFO(count << " of " << n << ", incx " << incx << ", stridex " << stridex << ", incr " << incr);
          Incremented<TestType> results(std::vector<TestType>(static_cast<std::size_t>(count)), incr);
          for (int verb = 0; verb < 5; ++verb) {
            REQUIRE(F::of_batch[verb](n, count, x.data(), incx, stridex, results.data(), incr) == EXAKT_SUCCESS);
            for (std::ptrdiff_t j = 0; j < count; ++j) {
              TestType one = 7;
              REQUIRE(F::of_vector[verb](n, x.data() + j * stridex, incx, &one) == EXAKT_SUCCESS);
              EXAKT_CHECK_BITS(results[static_cast<std::size_t>(j)], one);
            }
          }
          for (bool const is_root : {false, true}) {
            int const ddof = is_root ? 0 : 1;
            REQUIRE((is_root ? F::stddev_batch : F::variance_batch)(n, count, x.data(), incx, stridex, ddof,
                                                                    results.data(), incr) == EXAKT_SUCCESS);
            for (std::ptrdiff_t j = 0; j < count; ++j) {
              TestType one = 7;
              REQUIRE((is_root ? F::stddev : F::variance)(n, x.data() + j * stridex, incx, ddof, &one) ==
                      EXAKT_SUCCESS);
              EXAKT_CHECK_BITS(results[static_cast<std::size_t>(j)], one);
            }
          }
        }
    }
}

TEMPLATE_TEST_CASE("prefixes of C are rounded once, with every pair of increments and in place", "", double, float) {
  using F = Functions<TestType>;
  Random random(1912);
  for_each_family<TestType>(random, [&](std::vector<TestType> const& x) {
    std::vector<Expected<TestType>> prefixes(1, Exact().template round<TestType>());
    Exact sum;
    for (TestType const entry : x) {
      sum.add(entry);
      prefixes.push_back(sum.template round<TestType>());
    }
    auto const check = [&](Incremented<TestType>& results, std::size_t first) {
      for (std::size_t i = 0; i < x.size(); ++i) EXAKT_CHECK_BITS(results[i], prefixes[i + first]);
    };
    for (std::ptrdiff_t const incx : every_increment) {
      for (std::ptrdiff_t const incr : every_increment) {
        Incremented<TestType> entries(x, incx), results(x, incr);
        REQUIRE(F::inclusive_scan(length(x), entries.data(), incx, results.data(), incr) == EXAKT_SUCCESS);
        check(results, 1);
        REQUIRE(F::exclusive_scan(length(x), entries.data(), incx, results.data(), incr) == EXAKT_SUCCESS);
        check(results, 0);
      }
      Incremented<TestType> both(x, incx);
      REQUIRE(F::inclusive_scan(length(x), both.data(), incx, both.data(), incx) == EXAKT_SUCCESS);
      check(both, 1);
    }
  });
}

TEMPLATE_TEST_CASE("segments and keys of C have the sums of their terms", "", double, float) {
  using F = Functions<TestType>;
  Random random(1913);
  std::vector<TestType> x;
  std::vector<std::ptrdiff_t> offsets(1, 0);
  std::vector<std::int64_t> keys;
  std::map<std::int64_t, Exact> of_key;
  for_each_family<TestType>(random, [&](std::vector<TestType> const& terms) {
    for (TestType const term : terms) {
      x.push_back(term);
      keys.push_back(static_cast<std::int64_t>(offsets.size() % 7) * 100'000'000'000 - 3);
      of_key[keys.back()].add(term);
    }
    offsets.push_back(length(x));
  });
  std::ptrdiff_t const segments = length(offsets) - 1;
  for (std::ptrdiff_t const incx : every_increment) {
    Incremented<TestType> terms(x, incx), sums(std::vector<TestType>(offsets.size() - 1), -2);
    REQUIRE(F::segmented_sum(segments, offsets.data(), length(x), terms.data(), incx, sums.data(), -2) ==
            EXAKT_SUCCESS);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      EXAKT_CHECK_BITS(sums[s], exact_sum(std::vector<TestType>(x.begin() + offsets[s], x.begin() + offsets[s + 1]))
                                    .template round<TestType>());

    std::vector<std::int64_t> unique_keys(keys.size());
    std::vector<TestType> sums_of_keys(keys.size());
    std::ptrdiff_t count = -1;
    REQUIRE(F::sum_by_key(length(keys), keys.data(), terms.data(), incx, unique_keys.data(), sums_of_keys.data(),
                          length(keys), &count) == EXAKT_SUCCESS);
    REQUIRE(count == static_cast<std::ptrdiff_t>(of_key.size()));
    std::size_t k = 0;
    for (auto const& [key, sum] : of_key) {
      CHECK(unique_keys[k] == key);
      EXAKT_CHECK_BITS(sums_of_keys[k++], sum.template round<TestType>());
    }
  }
}

TEMPLATE_TEST_CASE("covariances, correlations and complex variances of C are rounded once", "", double, float) {
  using T = TestType;
  using F = Functions<T>;
  Random random(871);
  for (int i = 0; i < 300; ++i) {
    std::size_t const n = random.between<std::size_t>(0, 20);
    double const mean = i % 3 == 0 ? 0 : i % 3 == 1 ? 1e3 : sizeof(T) == 4 ? 1e5 : 1e10;
    std::vector<T> x(n), y(n);
    for (T& entry : x) entry = static_cast<T>(mean) + random.value<T>(random.between(-8, 2));
    for (T& entry : y) entry = -static_cast<T>(mean) + random.value<T>(random.between(-8, 2));
    auto const sum_x = exact_sum(x), sum_y = exact_sum(y);
    auto const both = Exact::scaled_covariance(sum_x, sum_y, exact_dot(x, y), n);
    auto const of_x = Exact::scaled_variance(sum_x, exact_dot(x, x), n),
               of_y = Exact::scaled_variance(sum_y, exact_dot(y, y), n);
    auto together = of_x;
    together.add(of_y);
    T const nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> const backwards(y.rbegin(), y.rend());
    auto const varies = [](std::vector<T> const& z) {
      return std::adjacent_find(z.begin(), z.end(), std::not_equal_to<>()) != z.end();
    };
    bool const both_vary = varies(x) && varies(y);
    for (exakt_rounding const mode : {EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, EXAKT_UPWARD, EXAKT_DOWNWARD}) {
      auto const rounding = static_cast<Rounding>(mode);
      T covariance = 7, correlation = 7;
      REQUIRE(F::covariance_rounded(length(x), x.data(), 1, backwards.data(), -1, 1, mode, &covariance) ==
              EXAKT_SUCCESS);
      REQUIRE(F::correlation_rounded(length(x), x.data(), 1, backwards.data(), -1, mode, &correlation) ==
              EXAKT_SUCCESS);
      EXAKT_CHECK_BITS(covariance,
                       n < 2 ? Expected<T>{nan} : both.template round_quotient_by_product<T>(n, n - 1, rounding));
      EXAKT_CHECK_BITS(correlation,
                       !both_vary ? Expected<T>{nan} : both.template round_quotient_by_root<T>(of_x, of_y, rounding));
      T variance = 7, stddev = 7;
      REQUIRE(F::complex_variance_rounded(length(x), x.data(), 1, backwards.data(), -1, 1, mode, &variance) ==
              EXAKT_SUCCESS);
      REQUIRE(F::complex_stddev_rounded(length(x), x.data(), 1, backwards.data(), -1, 1, mode, &stddev) ==
              EXAKT_SUCCESS);
      EXAKT_CHECK_BITS(variance,
                       n < 2 ? Expected<T>{nan} : together.template round_quotient_by_product<T>(n, n - 1, rounding));
      EXAKT_CHECK_BITS(stddev,
                       n < 2 ? Expected<T>{nan} : together.template round_sqrt_of_quotient<T>(n, n - 1, rounding));
    }
    T covariance = 7, correlation = 7, variance = 7, stddev = 7;
    REQUIRE(F::covariance(length(x), x.data(), 1, y.data(), 1, 0, &covariance) == EXAKT_SUCCESS);
    REQUIRE(F::correlation(length(x), x.data(), 1, y.data(), 1, &correlation) == EXAKT_SUCCESS);
    REQUIRE(F::complex_variance(length(x), x.data(), 1, y.data(), 1, 0, &variance) == EXAKT_SUCCESS);
    REQUIRE(F::complex_stddev(length(x), x.data(), 1, y.data(), 1, 0, &stddev) == EXAKT_SUCCESS);
    EXAKT_CHECK_BITS(covariance, n < 1 ? Expected<T>{nan} : both.template round_quotient_by_product<T>(n, n));
    EXAKT_CHECK_BITS(correlation, !both_vary ? Expected<T>{nan} : both.template round_quotient_by_root<T>(of_x, of_y));
    EXAKT_CHECK_BITS(variance, n < 1 ? Expected<T>{nan} : together.template round_quotient_by_product<T>(n, n));
    EXAKT_CHECK_BITS(stddev, n < 1 ? Expected<T>{nan} : together.template round_sqrt_of_quotient<T>(n, n));
  }
}

TEMPLATE_TEST_CASE("sums of weights of C are rounded once, with every pair of increments", "", double, float) {
  using T = TestType;
  Random random(872);
  double const edges[] = {-HUGE_VAL, -1, 0, 0, 2};
  for_each_family<T>(random, [&](std::vector<T> const& weights) {
    std::vector<double> x(weights.size());
    for (double& entry : x) entry = random.one_of(-HUGE_VAL, -1.5, -1.0, -0.0, 1.0, 2.0, 2.5, std::nan(""));
    std::vector<Exact> exact(4);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t b = 0; b < 4; ++b)
        if (x[i] >= edges[b] && (x[i] < edges[b + 1] || (b == 3 && x[i] == 2))) exact[b].add(weights[i]);
    for (std::ptrdiff_t const incx : every_increment)
      for (std::ptrdiff_t const incw : every_increment) {
        INFO(x.size() << " entries, incx " << incx << ", incw " << incw);
        Incremented<double> entries(x, incx);
        Incremented<T> terms(weights, incw);
        T sums[4] = {7, 7, 7, 7};
        REQUIRE(Functions<T>::histogram(length(x), entries.data(), incx, terms.data(), incw, 4, edges, sums) ==
                EXAKT_SUCCESS);
        for (std::size_t b = 0; b < 4; ++b) EXAKT_CHECK_BITS(sums[b], exact[b].template round<T>());
      }
  });
}

TEST_CASE("batches, scans, segments and keys that are none are refused in a sentence") {
  double x[] = {1, 2, 3, 4}, r[] = {7, 7, 7, 7};
  std::int64_t const keys[] = {1, 2, 1, 3};
  std::int64_t unique_keys[4];
  std::ptrdiff_t const offsets[] = {0, 2, 1};
  std::ptrdiff_t count = -1;
  check_refused(exakt_dsum_batch(2, -1, x, 1, 2, r, 1), "exakt_dsum_batch: count is -1; it must not be negative");
  check_refused(exakt_dsum_batch(2, 2, x, 1, -2, r, 1), "exakt_dsum_batch: stridex is -2; it must not be negative");
  check_refused(exakt_dsum_batch(2, 2, x, 1, PTRDIFF_MAX, r, 1),
                "exakt_dsum_batch: x is taken as 2 times 9223372036854775807 entries, which is more than memory holds");
  check_refused(exakt_dmean_batch(2, 2, x, 1, 2, r, 0), "exakt_dmean_batch: incr is 0; entries of result must differ");
  check_refused(exakt_dvariance_batch(2, 2, x, 1, 2, 0, x, 1),
                "exakt_dvariance_batch: result and x share memory; one is written, the other read");
  check_refused(exakt_dcovariance(2, x, 1, nullptr, 1, 0, r), "exakt_dcovariance: y is NULL");
  check_refused(exakt_dcorrelation_rounded(2, x, 1, x, 1, 9, r),
                "exakt_dcorrelation_rounded: the rounding mode is 9; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, "
                "EXAKT_UPWARD or EXAKT_DOWNWARD");
  check_refused(exakt_dcomplex_variance_rounded(2, x, 1, x, 1, 0, 9, r),
                "exakt_dcomplex_variance_rounded: the rounding mode is 9; it must be EXAKT_TO_NEAREST, "
                "EXAKT_TOWARD_ZERO, EXAKT_UPWARD or EXAKT_DOWNWARD");
  double const descending[] = {1, 0};
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 1, descending, r),
                "exakt_dhistogram: edges[0] is 1, edges[1] is 0; edges must ascend");
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 3, x, x + 3),
                "exakt_dhistogram: r and x share memory; one is written, the other read");
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 0, x, r), "exakt_dhistogram: bins is 0; there must be one");
  check_refused(exakt_dinclusive_scan(3, x, 1, x + 1, 1),
                "exakt_dinclusive_scan: r and x share memory; one is written, the other read");
  double one = 3;  // one entry has no next one, whatever the increments
  REQUIRE(exakt_dinclusive_scan(1, &one, 1, &one, -2) == EXAKT_SUCCESS);
  EXAKT_CHECK_BITS(one, 3.0);
  check_refused(exakt_dinclusive_scan(4, x, 1, x, -1),
                "exakt_dinclusive_scan: r and x share memory; one is written, the other read");
  check_refused(exakt_dexclusive_scan(3, nullptr, 1, r, 1), "exakt_dexclusive_scan: x is NULL");
  check_refused(exakt_dsegmented_sum(2, offsets, 4, x, 1, r, 1),
                "exakt_dsegmented_sum: offsets[2] is 1, n is 4; offsets must not decrease, and lie between 0 and n");
  check_refused(exakt_dsegmented_sum(1, offsets, 1, x, 1, r, 1),
                "exakt_dsegmented_sum: offsets[1] is 2, n is 1; offsets must not decrease, and lie between 0 and n");
  check_refused(exakt_dsum_by_key(4, keys, x, 1, unique_keys, r, 2, &count),
                "exakt_dsum_by_key: unique_keys is 2 entries, sums is 2 entries; there are 3 "
                "different keys, each needs an entry in both");
  check_refused(exakt_dsum_by_key(4, keys, x, 1, unique_keys, r, 4, nullptr), "exakt_dsum_by_key: count is NULL");
  check_refused(exakt_dsum_by_key(4, keys, x, 1, unique_keys, r, 4, reinterpret_cast<std::ptrdiff_t*>(unique_keys + 1)),
                "exakt_dsum_by_key: count and unique_keys share memory; one is written, the other read");
  check_refused(exakt_dsum_by_key(4, keys, x, 1, unique_keys, x, 4, &count),
                "exakt_dsum_by_key: sums and x share memory; one is written, the other read");
  CHECK((count == -1 && r[0] == 7 && r[3] == 7 && x[3] == 4));
}

TEST_CASE("what functions of groups write is not what they read, no entry is written twice, and nothing is NULL") {
  double x[] = {1, 2, 3, 4}, r[] = {7, 7, 7, 7};
  std::int64_t keys[] = {1, 2, 1, 3}, unique_keys[] = {5, 5, 5, 5};
  std::ptrdiff_t offsets[] = {0, 2, 4}, count = -1;
  auto* const of_keys = reinterpret_cast<double*>(keys);
  auto* const of_unique_keys = reinterpret_cast<double*>(unique_keys);
  auto* const of_offsets = reinterpret_cast<double*>(offsets);
  auto* const of_x = reinterpret_cast<std::int64_t*>(x);
  auto const check_shared = [](exakt_status status, std::string const& names) {
    check_refused(status, names + " share memory; one is written, the other read");
  };
  check_shared(exakt_dsegmented_sum(2, offsets, 4, x, 1, x + 3, 1), "exakt_dsegmented_sum: r and x");
  check_shared(exakt_dsegmented_sum(2, offsets, 4, x, 1, of_offsets, 1), "exakt_dsegmented_sum: r and offsets");
  auto const by_key = [&](std::int64_t* unique, double* sums, std::ptrdiff_t* found) {
    return exakt_dsum_by_key(4, keys, x, 1, unique, sums, 4, found);
  };
  check_shared(by_key(keys, r, &count), "exakt_dsum_by_key: unique_keys and keys");
  check_shared(by_key(of_x, r, &count), "exakt_dsum_by_key: unique_keys and x");
  check_shared(by_key(unique_keys, of_keys, &count), "exakt_dsum_by_key: sums and keys");
  check_shared(by_key(unique_keys, of_unique_keys, &count), "exakt_dsum_by_key: sums and unique_keys");
  check_shared(by_key(unique_keys, r, reinterpret_cast<std::ptrdiff_t*>(keys + 3)),
               "exakt_dsum_by_key: count and keys");
  check_shared(by_key(unique_keys, r, reinterpret_cast<std::ptrdiff_t*>(x)), "exakt_dsum_by_key: count and x");
  check_shared(by_key(unique_keys, r, reinterpret_cast<std::ptrdiff_t*>(r + 3)), "exakt_dsum_by_key: count and sums");
  check_shared(exakt_dhistogram(4, r, 1, x, 1, 1, r, x + 3), "exakt_dhistogram: r and weights");
  check_shared(exakt_dhistogram(4, r, 1, r, 1, 3, x, x + 3), "exakt_dhistogram: r and edges");

  check_refused(exakt_dsegmented_sum(2, offsets, 4, x, 1, r, 0),
                "exakt_dsegmented_sum: incr is 0; entries of r must differ");
  check_refused(exakt_dexclusive_scan(4, x, 1, r, 0), "exakt_dexclusive_scan: incr is 0; entries of r must differ");
  double const none[] = {0, std::nan(""), 2};
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 2, none, r),
                "exakt_dhistogram: edges[0] is 0, edges[1] is nan; edges must ascend");

  check_refused(exakt_dsegmented_sum(2, nullptr, 4, x, 1, r, 1), "exakt_dsegmented_sum: offsets is NULL");
  check_refused(exakt_dsum_by_key(4, nullptr, x, 1, unique_keys, r, 4, &count), "exakt_dsum_by_key: keys is NULL");
  check_refused(by_key(nullptr, r, &count), "exakt_dsum_by_key: unique_keys is NULL");
  check_refused(by_key(unique_keys, nullptr, &count), "exakt_dsum_by_key: sums is NULL");
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 1, nullptr, r), "exakt_dhistogram: edges is NULL");
  check_refused(exakt_dhistogram(4, x, 1, x, 1, 1, x, nullptr), "exakt_dhistogram: r is NULL");
  CHECK((count == -1 && r[0] == 7 && r[3] == 7 && x[0] == 1 && x[3] == 4));
  CHECK((keys[0] == 1 && keys[3] == 3 && unique_keys[0] == 5 && offsets[2] == 4));
}
