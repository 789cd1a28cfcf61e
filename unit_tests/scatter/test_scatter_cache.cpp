// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktScatter.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Scattered.hpp"
#include "ExaktTest_Traps.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ExponentRange;
using Exakt::ScatterCache;
// In host memory, whatever the default is: these tests look into it.
template <class T>
using ScatterSum = Exakt::ScatterSum<T, Kokkos::HostSpace>;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Calls add(cache, j) for all j below n, from all threads, with a new cache every so often.
template <int Slots, class Bins, class Add>
void add_through_caches(Bins const& bins, int n, Add const& add) {
  constexpr int chunk = 100;
  Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, (n + chunk - 1) / chunk), [&, bins](int c) {
    ScatterCache<Bins, Slots> cache(bins);
    for (int j = c * chunk; j < std::min(n, (c + 1) * chunk); ++j) add(cache, j);
  });
  Space().fence();
}

template <int Slots, class Bins, class Case>
void add_terms(Bins const& bins, Scattered<Case> const& scattered) {
  add_through_caches<Slots>(bins, scattered.size(), [&](auto& cache, int j) {
    cache.add(scattered.bin[j], scattered.cases[scattered.bin[j]].terms[scattered.position[j]]);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("terms that go through a cache leave each bin the exact sum, for every family", "", double, float) {
  Random random(620);
  for_each_batch_of_sums<TestType>(20, 601, [&](auto const& cases) {
    ScatterSum<TestType> const bins("bins", cases.size());
    for (bool const sorted : {false, true}) {  // each bin in turn: what a cache is good for
      Scattered scattered(cases, random);
      if (sorted) scattered.sort();
      bins.clear();
      add_terms<8>(bins, scattered);
      check_all_bins(bins, cases);
    }
  });
}

TEMPLATE_TEST_CASE("products that go through a cache leave each bin the exact sum, for every family", "", double,
                   float) {
  Random random(621);
  for_each_batch_of_dots<TestType>(20, 603, [&](auto const& cases) {
    ScatterSum<TestType> const bins("bins", cases.size());
    for (bool const sorted : {false, true}) {
      Scattered scattered(cases, random);
      if (sorted) scattered.sort();
      bins.clear();
      add_through_caches<1>(bins, scattered.size(), [&](auto& cache, int j) {
        auto const bin = scattered.bin[j];
        auto const k = static_cast<std::size_t>(scattered.position[j]);
        cache.add_product(bin, cases[bin].terms.x[k], cases[bin].terms.y[k]);
      });
      check_all_bins(bins, cases);
    }
  });
}

TEST_CASE("the rounding mode and flush-to-zero of the threads change no bit of what goes through a cache") {
  Random random(622);
  auto const& cases = stored_sum_cases<double>(20, 601);
  Scattered scattered(cases, random);
  scattered.sort();
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    ScatterSum<double> const bins("bins", cases.size());
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      add_terms<8>(bins, scattered);
    }
    for (std::size_t c = 0; c < cases.size(); ++c)
      EXAKT_CHECK_BITS(bins.round(c), Expected<double>{cases[c].expected.round[0]});
  }
  // Also if the mode changes while there is something in the cache.
  ScatterSum<double> const bins("bins", 1);
  ScatterCache cache(bins);
  Exact exact;
  for (auto const& environment : every_fp_environment()) {
    ScopedFpEnvironment const scope(environment);
    for (double const x : {0.1, -0x1p60, 3e-17, 0x1p-1074, 7.0}) {
      cache.add(0, x);
      exact.add(x);
      cache.add_product(0, x, 0.1);
      exact.add_product(x, 0.1);
    }
  }
  cache.flush();
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(0, mode), exact.round<double>(mode));
}

TEST_CASE("a subnormal part in a cache gets to its bin, whatever the mode is when the cache is flushed or ends") {
  for (auto const& environment : every_fp_environment())
    for (bool const flushes : {true, false}) {
      INFO(environment.name << (flushes ? ", flushed" : ", ended"));
      ScatterSum<double> const bins("bins", 1);
      Exact exact;
      {
        std::optional<ScatterCache<ScatterSum<double>>> cache(bins);
        for (double const x : {0x1.0000000000001p-1022, -0x1p-1022, 1.0}) {
          cache->add(0, x);
          exact.add(x);
        }
        ScopedFpEnvironment const scope(environment);
        if (flushes) cache->flush();
        cache.reset();
      }
      for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(0, mode), exact.round<double>(mode));
    }
}

TEMPLATE_TEST_CASE("no exception is trapped on the way to a bin, directly or through a cache", "", double, float) {
  using T = TestType;
  Random random(623);
  auto const& sums = stored_sum_cases<T>(5, 624);
  auto const& dots = stored_dot_cases<T>(5, 625);
  Scattered const terms(sums, random);
  Scattered const factors(dots, random);
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    ScatterSum<T> const direct("direct", sums.size()), cached("cached", sums.size()), merged("merged", sums.size()),
        products("products", dots.size()), cached_products("cached products", dots.size());
    constexpr int chunk = 500;
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, (std::max(terms.size(), factors.size()) + chunk - 1) / chunk),
                         [&](int c) {
                           ScopedFpEnvironment const scope(environment);
                           ScopedTraps const traps;
                           ScatterCache cache(cached);
                           ScatterCache cache_of_products(cached_products);
                           for (int j = c * chunk; j < std::min(terms.size(), (c + 1) * chunk); ++j) {
                             int const bin = terms.bin[j];
                             T const x = sums[bin].terms[terms.position[j]];
                             direct.add(bin, x);
                             cache.add(bin, x);
                             Exakt::LongAccumulator<T> own;
                             own += x;
                             merged.add(bin, own);
                           }
                           for (int j = c * chunk; j < std::min(factors.size(), (c + 1) * chunk); ++j) {
                             int const bin = factors.bin[j], k = factors.position[j];
                             products.add_product(bin, dots[bin].terms.x[k], dots[bin].terms.y[k]);
                             cache_of_products.add_product(bin, dots[bin].terms.x[k], dots[bin].terms.y[k]);
                           }
                         });
    Space().fence();
    auto const check = [&](ScatterSum<T> const& bins, auto const& cases) {
      std::vector<T> rounded(cases.size());
      std::vector<float> narrow(cases.size());
      {
        ScopedFpEnvironment const scope(environment);
        ScopedTraps const traps;
        bins.merge(ScatterSum<T>("nothing", cases.size()));
        for (std::size_t c = 0; c < cases.size(); ++c) {
          rounded[c] = bins.round(c, Rounding::upward);
          narrow[c] = bins.accumulator(c).template round<float>();
        }
      }
      for (std::size_t c = 0; c < cases.size(); ++c) {
        INFO(bins.name() << ", " << cases[c].family);
        EXAKT_CHECK_BITS(rounded[c], Expected<T>{cases[c].expected.round[2]});
        EXAKT_CHECK_BITS(narrow[c], Expected<float>{cases[c].expected.round_to_float[0]});
      }
    };
    check(direct, sums);
    check(cached, sums);
    check(merged, sums);
    check(products, dots);
    check(cached_products, dots);
  }
}

TEST_CASE("everything that can be added can be added through a cache") {
  ScatterSum<double> const bins("bins", 70);
  Exact exact;
  {
    ScatterCache cache(bins);
    cache.add(1, 0.1f);
    exact.add(0.1f);
    for (std::int64_t const n : {std::int64_t{-7}, (std::int64_t{1} << 53) + 1, -(std::int64_t{1} << 53) - 1,
                                 (std::int64_t{1} << 53) - 1, std::numeric_limits<std::int64_t>::lowest()}) {
      cache.add(1L, n);
      exact.add_integer(n);
    }
    cache.add(std::uint8_t{1}, std::numeric_limits<std::uint64_t>::max());
    exact.add_integer(std::numeric_limits<std::uint64_t>::max());
    cache.add_product(1, 0.1f, 1e-300);
    exact.add_product(static_cast<double>(0.1f), 1e-300);
    cache.add_product(1, 3, 0x1p-1074);
    exact.add_product(3, 0x1p-1074);
    for (int i = 0; i < 20; ++i) {  // sums that overflow
      for (double const huge : {0x1.8p1021, 0x1p1022, 0x1.fp1023}) {
        cache.add(1, i < 10 ? huge : -huge);
        exact.add(i < 10 ? huge : -huge);
      }
    }
    cache.add_product(1, 0x1p1000, 0x1.8p500);
    cache.add_product(1, -0x1p500, 0x1.8p1000);
    Exakt::SumAccumulator<double> sum;
    sum += 0.3;
    cache.add(1, sum);
    exact.add(0.3);
    cache.add(65, 2.0);  // has the place of bin 1
    cache.add(1, 1e-30);
    exact.add(1e-30);
  }
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(1, mode), exact.round<double>(mode));
  EXAKT_CHECK_BITS(bins.round(65), 2.0);

  // Products whose error is a subnormal number, or less than that: every bit is there.
  ScatterSum<double> const direct("direct", 1);
  bins.clear();
  for (int e = -1074; e < -900; ++e) {
    double const x = 0x1.fffffffffffffp-400, y = std::ldexp(0x1.ffffffffffffdp0, e + 400);
    {
      ScatterCache cache(bins);
      cache.add_product(0, x, y);
    }
    direct.add_product(0, x, y);
    REQUIRE(bins.accumulator(0) == direct.accumulator(0));
  }

  // Not one of these bits may get lost between the two numbers of a place.
  bins.clear();
  exact = Exact();
  {
    ScatterCache cache(bins);
    for (int round = 0; round < 2; ++round) {
      for (int e = 1000; e >= -1074; e -= 17) {
        cache.add(69, std::ldexp(1.0, e));
        exact.add(std::ldexp(1.0, e));
      }
      cache.add(69, -0x1p1000);
      exact.add(-0x1p1000);
    }
  }
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(69, mode), exact.round<double>(mode));
}

TEST_CASE("special values go through a cache as past it") {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  ScatterSum<double> const bins("bins", 6);
  {
    ScatterCache cache(bins);
    for (double const x : {1.0, infinity}) cache.add(0, x);
    for (double const x : {1.0, infinity, -infinity}) cache.add(1, x);
    for (double const x : {nan, 1.0}) cache.add(2, x);
    for (double const x : {-0.0, 0.0, -0.0}) cache.add(3, x);
    cache.add(4, 1.0);
    cache.add_product(4, 0.0, infinity);
    cache.add_product(5, -2.0, infinity);
  }
  double const expected[] = {infinity, nan, nan, 0.0, nan, -infinity};
  for (int i = 0; i < 6; ++i) EXAKT_CHECK_BITS(bins.round(i), expected[i]);
}

TEST_CASE("a cache refuses what the bins refuse, with the same words") {
  ExponentRange const range{-60, 60};
  ScatterSum<double> const bins("bins", 3, range), direct("bins", 3, range);
  auto const same = [&](auto const& add) {
    bins.clear();
    direct.clear();
    {
      ScatterCache cache(bins);
      cache.add(2, 1.5);
      add(cache);
      cache.add(2, -0x1.8p-8);
    }
    direct.add(2, 1.5);
    add(direct);
    direct.add(2, -0x1.8p-8);
    auto const wanted = refusal_of([&] { direct.round(2); });
    CHECK(refusal_of([&] { bins.round(2); }) == wanted);
    if (wanted == "no refusal") EXAKT_CHECK_BITS(bins.round(2), direct.round(2));
    return wanted;
  };
  CHECK(same([](auto& to) { to.add(3, 1.0); }).find("was asked for 1 addition to others") != std::string::npos);
  CHECK(same([](auto& to) { to.add_product(-1, 1.0, 1.0); }) != "no refusal");
  for (double const x : {0x1p60, 0x1p-61, 1e300, 0x1p-1074, 0x1.0000000000001p-9, 0x1p-10 / 3})
    CHECK(same([=](auto& to) { to.add(2, x); }).find("did not fit its exponent range") != std::string::npos);
  for (double const x : {0x1.fffffffffffffp59, 0x1p-60, 0.0, 0x1.0000000000001p-8, -0x1p-8, 1.1})
    CHECK(same([=](auto& to) { to.add(2, x); }) == "no refusal");
  auto const two_refused = [](std::string const& text) { return text.find(": 2 additions to") != std::string::npos; };
  for (double const x : {0x1p-61, 0x1.0000000000001p-9})  // twice, it would fit
    CHECK(two_refused(same([=](auto& to) {
      to.add(2, x);
      to.add(2, x);
    })));
  CHECK(two_refused(same([](auto& to) {
    to.add_product(2, 0x1.0000001p-17, 0x1.0000001p-17);
    to.add_product(2, 0x1.0000001p-17, 0x1.0000001p-17);
  })));
  CHECK(same([](auto& to) { to.add_product(2, 0x1p30, 0x1p30); }) != "no refusal");
  CHECK(same([](auto& to) { to.add_product(2, 0x1.0000000000001p30, 0x1.0000000000001p29); }) == "no refusal");
  CHECK(same([](auto& to) { to.add_product(2, 0x1.0000000000001p0, 0x1.0000000000001p29); }) != "no refusal");

  // Sums may be larger than the largest term, and are then no less exact.
  bins.clear();
  Exact exact;
  {
    ScatterCache cache(bins);
    for (int i = 0; i < 1000; ++i) cache.add(1, 0x1.fffffffffffffp59);
    for (int i = 0; i < 3; ++i) cache.add(1, 0x1.8p-8);
  }
  for (int i = 0; i < 1000; ++i) exact.add(0x1.fffffffffffffp59);
  exact.add(0x1.2p-6);
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(1, mode), exact.round<double>(mode));
}

TEST_CASE("each thread of a team has a cache of its own; few bins, many threads") {
  constexpr int league = 64, each = 5000, n = 3;
  ScatterSum<float> const bins("bins", n);
  auto const weight = [](int j) { return std::ldexp(static_cast<float>(j % 1023 - 300), j % 60 - 30); };
  using Policy = Kokkos::TeamPolicy<Space>;
  Kokkos::parallel_for(Policy(league, Kokkos::AUTO), [=](Policy::member_type const& member) {
    ScatterCache cache(bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, each),
                         [&](int j) { cache.add((j + member.league_rank()) % n, weight(j)); });
  });
  Space().fence();
  for (int bin = 0; bin < n; ++bin) {
    Exact exact;
    for (int team = 0; team < league; ++team)
      for (int j = 0; j < each; ++j)
        if ((j + team) % n == bin) exact.add(weight(j));
    EXAKT_CHECK_BITS(bins.round(bin), exact.round<float>());
  }
}

TEST_CASE("what is in a cache is in no bin before it is flushed, and once afterwards") {
  ScatterSum<double> const bins("bins", 2);
  {
    ScatterCache cache(bins);
    cache.add(0, 2.0);
    EXAKT_CHECK_BITS(bins.round(0), 0.0);
    cache.flush();
    EXAKT_CHECK_BITS(bins.round(0), 2.0);
    cache.flush();
    cache.add(0, 3.0);
  }
  EXAKT_CHECK_BITS(bins.round(0), 5.0);
  static_assert(!std::is_copy_constructible_v<ScatterCache<ScatterSum<double>>> &&
                !std::is_constructible_v<ScatterCache<ScatterSum<double>>, ScatterSum<double>&&>);
}
