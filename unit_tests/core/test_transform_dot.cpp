// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_transform_dot.hpp>

#include <utility>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::transform_dot;

}  // namespace

TEMPLATE_TEST_CASE("transform_dot is the exact sum of products, rounded once, for every family in every order", "",
                   double, float) {
  using T = TestType;
  for_each_host_space([](auto space) {
    Random random(430);
    auto const check = [&](ProductTerms<T> const& terms, Expected<T> expected) {
      T const *const x = terms.x.data(), *const y = terms.y.data();
      EXAKT_CHECK_BITS(
          transform_dot(space, terms.size(), [=](std::size_t i) { return Kokkos::pair<T, T>(x[i], y[i]); }), expected);
    };
    for (auto const& family : short_product_families<T>())
      for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        auto const expected = exact_dot(terms.x, terms.y).template round<T>();
        for (Order const order : every_order) check(reordered(terms, order, random), expected);
      }
    for (auto const& family : long_product_families<T>())
      for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        check(terms, exact_dot(terms.x, terms.y).template round<T>());
      }
    for (auto const& family : carry_product_families<T>()) {
      INFO(family.name);
      auto const terms = family.make(random);
      check(terms, exact_dot(terms.x, terms.y).template round<T>());
    }
  });
}

TEST_CASE("transform_dot asks for every index once, for every length around a tile") {
  for_each_host_space([](auto space) {
    for (int n = 0; n <= 2100; n += n < 100 || (n % 1024 > 1000 || n % 1024 < 24) ? 1 : 37) {
      INFO(n << " terms");
      double const sum = transform_dot(space, n, [](int i) { return std::pair(i + 0.5, 2.0); });
      EXAKT_CHECK_BITS(sum, 1.0 * n * n);
    }
  });
}

TEMPLATE_TEST_CASE("transform_dot adds the exact sum of products to any accumulator of products", "",
                   Exakt::DotAccumulator<double>, (Exakt::LongAccumulator<double, 56, Exakt::Terms::products>),
                   (Exakt::LongAccumulator<double, 40, Exakt::Terms::scaled_products>)) {
  Random random(431);
  for (std::size_t const n : {0, 1, 100, 1023, 1024, 1025, 5000, 40'000}) {
    ProductTerms<double> terms;
    for (std::size_t i = 0; i < n; ++i)
      terms.push_back(random.value<double>(random.between(-300, 300)), random.value<double>(random.between(-300, 300)));
    if (n > 2) terms.x[n / 2] = terms.y[n / 2] = 0x1p-1074;
    double const *const x = terms.x.data(), *const y = terms.y.data();
    auto const f = [=](std::size_t i) { return Kokkos::pair<double, double>(x[i], y[i]); };
    auto exact = exact_dot(terms.x, terms.y);
    for_each_host_space([&](auto space) {
      TestType sum;
      transform_dot(space, n, f, sum);
      EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
      transform_dot(Kokkos::RangePolicy<decltype(space), Kokkos::IndexType<std::size_t>>(0, n), f, sum);
      EXAKT_CHECK_BITS(sum.round(), Exact(exact).add(exact).round<double>());
      sum.clear();
      transform_dot(
          space, n, [=](std::size_t) { return std::pair<float, short>(0.1f, short{3}); }, sum);
      Exact narrow;
      for (std::size_t i = 0; i < n; ++i) narrow.add_product(0.1f, 3);
      EXAKT_CHECK_BITS(sum.round(), narrow.round<double>());
    });
  }
}

TEST_CASE("transform_dot takes pairs of std and Kokkos, of mixed types, and any policy") {
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    CHECK(transform_dot(space, 3, [](int i) { return std::pair(i + 1.0, 2.0); }) == 12);
    CHECK(transform_dot(space, 3, [](int i) { return Kokkos::pair<float, float>(i + 1.0f, 2.0f); }) == 12);
    auto const mixed = transform_dot(space, 1, [](int) { return std::pair(0.1f, 0.1); });
    CHECK(std::is_same_v<decltype(mixed), const double>);
    CHECK(same_bits(transform_dot(space, 1, [](int) { return std::pair(std::numeric_limits<int>::min(), 0.1); }),
                    -0x1p31 * 0.1));
    CHECK(same_bits(mixed, Exact().add_product(0.1f, 0.1).round<double>().value));
    CHECK(transform_dot(Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {3, 4}),
                        [](int i, int j) { return std::pair(1.0 * i, 1.0 * j); }) == 18);
    CHECK(transform_dot(Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>(-2, 3),
                        [](int i) { return std::pair(1.0 * i, 1.0 * i); }) == 10);
    CHECK(same_bits(transform_dot(space, 0, [](int) { return std::pair(1.0, 1.0); }), 0.0));
    CHECK(
        same_bits(transform_dot(space, 1, [](int) { return std::pair(0.0, std::numeric_limits<double>::infinity()); }),
                  std::numeric_limits<double>::quiet_NaN()));
  });
}

TEST_CASE("transform_dot of half precision and another type is rounded once, to the wider one") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    HalfFormats::MixedFactors<X, Y> const factors(3000);
    auto const expected = exact_dot(factors.wide_x, factors.wide_y).template round<R>();
    auto const f = [&](std::size_t i) { return std::pair(factors.x[i], factors.y[i]); };
    for_each_host_space([&](auto space) {
      for (auto const& settings : every_fp_environment())
        for (auto const threads : ScopedFpEnvironment::every_choice) {
          INFO(describe(settings, threads));
          ScopedFpEnvironment const scope(settings, threads);
          auto const dot = transform_dot(space, factors.x.size(), f);
          CHECK(std::is_same_v<decltype(dot), R const>);
          EXAKT_CHECK_BITS(dot, expected);
        }
      Exakt::DotAccumulator<double> sum;
      transform_dot(space, factors.x.size(), f, sum);
      EXAKT_CHECK_BITS(sum.template round<R>(), expected);
    });
  });
}
