// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_transform_sum.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::transform_sum;

struct Tagged {
  struct Tag {};
  double const* x;
  double operator()(Tag, int i) const { return x[i]; }
};

/// The same term for every index, wherever the default execution space is.
template <class T>
struct Constant {
  T value;
  template <class Index>
  KOKKOS_FUNCTION T operator()(Index) const {
    return value;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("transform_sum is the exact sum, rounded once, for every family in every order", "", double, float) {
  using T = TestType;
  for_each_host_space([](auto space) {
    Random random(420);
    auto const check = [&](std::vector<T> const& terms, Expected<T> expected) {
      T const* const x = terms.data();
      EXAKT_CHECK_BITS(transform_sum(space, terms.size(), [=](std::size_t i) { return x[i]; }), expected);
    };
    for (auto const& family : short_families<T>())
      for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        auto const expected = exact_sum(terms).template round<T>();
        for (Order const order : every_order) check(reordered(terms, order, random), expected);
      }
    for (auto const& family : long_families<T>())
      for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        check(terms, exact_sum(terms).template round<T>());
      }
    for (auto const& family : carry_families<T>()) {
      INFO(family.name);
      auto const terms = family.make(random);
      check(terms, exact_sum(terms).template round<T>());
    }
  });
}

TEST_CASE("transform_sum asks for every index once, for every length around a tile") {
  for_each_host_space([](auto space) {
    for (int n = 0; n <= 4200; n += n < 100 || (n % 1024 > 1000 || n % 1024 < 24) ? 1 : 37) {
      INFO(n << " terms");
      std::vector<int> visits(static_cast<std::size_t>(n));
      int* const visit = visits.data();
      // Each index contributes its own power of two or so: none can be exchanged for another.
      double const sum = transform_sum(space, n, [=](int i) {
        ++visit[i];
        return i + 0.5;
      });
      EXAKT_CHECK_BITS(sum, 0.5 * n * n);
      bool once = true;
      for (int const count : visits) once = once && count == 1;
      EXAKT_CHECK(once);
    }
  });
}

TEST_CASE("transform_sum takes counts of any integer type, and none if negative") {
  Constant<double> const one{1};
  CHECK(transform_sum(5, one) == 5);
  CHECK(transform_sum(5u, one) == 5);
  CHECK(transform_sum(std::size_t{5}, one) == 5);
  CHECK(transform_sum(std::int64_t{5}, one) == 5);
  CHECK(same_bits(transform_sum(0, one), 0.0));
  CHECK(same_bits(transform_sum(-3, one), 0.0));
  CHECK(same_bits(transform_sum(Kokkos::DefaultHostExecutionSpace(), -3, one), 0.0));
}

TEST_CASE("transform_sum takes a RangePolicy that begins anywhere, and an MDRangePolicy of any rank") {
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    auto const index = [](int i) { return static_cast<double>(i); };
    CHECK(transform_sum(Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>(-10, 5), index) == -45);
    CHECK(transform_sum(Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>(-3000, 3001), index) == 0);
    CHECK(transform_sum(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(std::int64_t{1} << 40,
                                                                                    (std::int64_t{1} << 40) + 3),
                        [](std::int64_t i) { return static_cast<double>(i); }) == 3 * 0x1p40 + 3);
    constexpr std::uint64_t middle = std::uint64_t{1} << 63;
    CHECK(transform_sum(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(middle - 1, middle + 2),
                        [](std::uint64_t i) { return i < middle ? 0.5 : 1.0; }) == 2.5);
    CHECK(transform_sum(space, Kokkos::RangePolicy<>(2, 5), index) == 9);
    CHECK(transform_sum(space, Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 2}, {4, 7}),
                        [](int i, int j) { return 10.0 * i + j; }) == 360);
    CHECK(same_bits(transform_sum(Kokkos::RangePolicy<Space>(7, 7), index), 0.0));
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({1, 2}, {4, 7}),
                        [](int i, int j) { return 10.0 * i + j; }) == 360);
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Kokkos::Rank<3>>({0, 0, 0}, {3, 4, 5}),
                        [](int i, int j, int k) { return i + 0.5 * j + 0.25 * k; }) == 135);
    double const terms[] = {1, 2, 3, 0x1p-60};
    CHECK(transform_sum(Kokkos::RangePolicy<Space, Tagged::Tag>(0, 3), Tagged{terms}) == 6);
    CHECK(transform_sum(space, Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Tagged::Tag>(0, 3),
                        Tagged{terms}) == 6);
    Exakt::SumAccumulator<double> total;
    total += 0.5;
    transform_sum(space, Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Tagged::Tag>(0, 4), Tagged{terms},
                  total);
    total -= 0x1p-60;
    CHECK(total.round() == 6.5);
  });
}

#ifndef EXAKT_EMULATE_DEVICE  // whose loops let no exception out
TEST_CASE("what f throws leaves the call, and the next one is right") {
  for_each_host_space([](auto space) {
    for (int const n : {1, 100, 100'000})
      for (int const at : {0, n / 2, n - 1}) {
        auto const f = [at](int i) {
          if (i == at) throw std::runtime_error("f(" + std::to_string(i) + ')');
          return 1.0;
        };
        CHECK_THROWS_WITH(transform_sum(space, n, f), "f(" + std::to_string(at) + ')');
        Exakt::SumAccumulator<double> sum;
        CHECK_THROWS_WITH(transform_sum(space, n, f, sum), "f(" + std::to_string(at) + ')');
        CHECK(transform_sum(space, n, [](int) { return 0.5; }) == 0.5 * n);
      }
  });
}
#endif

TEST_CASE("cells of a signed index may be further apart than it can say") {
  Exakt::Impl::Cells<int, 2, true> cells;
  cells.set(0, 7, 9);
  cells.set(1, -2'000'000'000, 1'999'999'999);
  CHECK(cells.count() == 7'999'999'998);
  auto const last_of_line = cells.cell(3'999'999'998), next = cells.cell(3'999'999'999);
  CHECK(last_of_line.at[0] == 7);
  CHECK(last_of_line.at[1] == 1'999'999'998);
  CHECK(cells.rest_of_line(last_of_line) == 1);
  CHECK(next.at[0] == 8);
  CHECK(next.at[1] == -2'000'000'000);
  CHECK(cells.rest_of_line(next) == 3'999'999'999);
}

TEST_CASE("transform_sum asks for every cell of an MDRangePolicy once, in either direction, with a tag or without") {
  struct Tag {};
  // Each cell has its own power of two, so none can stand in for another: 5 * 3 * 2 * 1 * 1 * 1 of them.
  auto const power = [](std::int64_t number) { return std::ldexp(1.0, static_cast<int>(number)); };
  double const all = std::ldexp(1.0, 30) - 1;
  for_each_host_space([&](auto space) {
    using Space = decltype(space);
    using Kokkos::Iterate;
    using Left = Kokkos::Rank<3, Iterate::Left, Iterate::Left>;
    using Right = Kokkos::Rank<3, Iterate::Right, Iterate::Right>;
    auto const cell = [=](int i, int j, int k) { return power((i + 2) + 5 * (j - 7) + 15 * k); };
    Kokkos::Array<std::int64_t, 3> const first{{-2, 7, 0}}, last{{3, 10, 2}};
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Left>(first, last), cell) == all);
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Right>(first, last), cell) == all);
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Right, Kokkos::IndexType<int>>(first, last), cell) == all);
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Right, Tag>(first, last),
                        [=](Tag, int i, int j, int k) { return cell(i, j, k); }) == all);
    CHECK(transform_sum(Kokkos::MDRangePolicy<Space, Kokkos::Rank<6>>({0, 0, 0, 0, 0, 0}, {5, 3, 2, 1, 1, 1}),
                        [=](int i, int j, int k, int l, int m, int n) {
                          return l + m + n == 0 ? cell(i - 2, j + 7, k) : 0;
                        }) == all);
    CHECK(same_bits(
        transform_sum(Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 3}, {4, 3}), [](int, int) { return 1.0; }),
        0.0));
    // Lines around the length of a tile.
    for (int const line : {1, 2, 1000, 1023, 1024, 1025, 2500}) {
      std::vector<int> visits(static_cast<std::size_t>(7 * line));
      int* const visit = visits.data();
      double const sum =
          transform_sum(Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {7, line}), [=](int i, int j) {
            ++visit[i * line + j];
            return 1.0f;
          });
      CHECK(sum == 7 * line);
      CHECK(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
    }
  });
}

TEST_CASE("cells beyond 2^32 are found") {
  auto const check = [](auto cells, std::size_t number, std::int64_t i, std::int64_t j, std::int64_t k) {
    auto const cell = cells.cell(number);
    CHECK(cell.at[0] == i);
    CHECK(cell.at[1] == j);
    CHECK(cell.at[2] == k);
  };
  Exakt::Impl::Cells<std::int64_t, 3, true> right;
  Exakt::Impl::Cells<std::int64_t, 3, false> left;
  std::int64_t const large = (std::int64_t{1} << 32) + 1;
  for (int d = 0; d < 3; ++d) {
    std::int64_t const first = d == 1 ? -1 : 0, last = d == 1 ? large - 1 : 3 + d;
    right.set(d, first, last);
    left.set(d, first, last);
  }
  check(right, 7, 0, 0, 2);
  check(left, 7, 1, 1, 0);
  check(right, static_cast<std::size_t>(5 * large + 5 * 9 + 4), 1, 8, 4);
  check(left, static_cast<std::size_t>(3 * large + 3 * 9 + 2), 2, 8, 1);
}

TEST_CASE("the terms of transform_sum are what the lambda rounds, never fused with the sum") {
  for_each_host_space([](auto space) {
    Random random(421);
    for (int repetition = 0; repetition < 50; ++repetition) {
      auto const n = random.between<std::size_t>(1, 3000);
      std::vector<double> values(n), factors(n);
      Exact exact;
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = random.value<double>(random.between(-3, 3));
        factors[i] = random.value<double>(random.between(-3, 3));
        exact.add(Exact().add_product(values[i], factors[i]).round<double>().value);
      }
      double const *const x = values.data(), *const y = factors.data();
      EXAKT_CHECK_BITS(transform_sum(space, n, [=](std::size_t i) { return x[i] * y[i]; }), exact.round<double>());
    }
  });
}

TEMPLATE_TEST_CASE("transform_sum adds the exact sum to any exact accumulator, beside what it holds", "",
                   Exakt::SumAccumulator<double>, Exakt::DotAccumulator<double>, Exakt::LongAccumulator<double>,
                   (Exakt::LongAccumulator<double, 32, Exakt::Terms::products>), (Exakt::Expansion<double, 4>),
                   (Exakt::HighPrecision<34, 17>)) {
  Random random(422);
  for (std::size_t const n : {0, 1, 100, 1023, 1024, 1025, 5000, 40'000}) {
    std::vector<double> terms(n);
    for (double& x : terms) x = random.value<double>(random.between(-40, 40));
    if (n > 2) terms[n / 2] = 0x1p-1074;
    double const* const x = terms.data();
    auto const f = [=](std::size_t i) { return x[i]; };
    auto exact = exact_sum(terms);
    for_each_host_space([&](auto space) {
      using Range = Kokkos::RangePolicy<decltype(space), Kokkos::IndexType<std::size_t>>;
      TestType sum;
      transform_sum(space, n, f, sum);
      EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
      transform_sum(Range(0, n), f, sum);  // twice
      EXAKT_CHECK_BITS(sum.round(), Exact(exact).add(exact).round<double>());
      sum.clear();
      sum += 1.5f;
      transform_sum(
          space, Range(0, n), [=](std::size_t i) { return static_cast<float>(x[i]); }, sum);
      Exact narrow;
      narrow.add(1.5);
      for (double const term : terms) narrow.add(static_cast<float>(term));
      EXAKT_CHECK_BITS(sum.round(), narrow.round<double>());
    });
  }
  TestType sum;
  transform_sum(3, Constant<double>{2.5}, sum);
  transform_sum(-3, Constant<double>{2.5}, sum);
  CHECK(same_bits(sum.round(), 7.5));
  transform_sum(
      Kokkos::MDRangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Rank<2>>({0, 0}, {50, 40}),
      [](int i, int j) { return i + 0.5 * j; }, sum);
  CHECK(same_bits(sum.round(), 7.5 + 49'000 + 0.5 * 39'000));
}

TEST_CASE("transform_sum into an accumulator asks for every index once, in every floating-point environment") {
  std::vector<int> visits(50'000);
  int* const visit = visits.data();
  for (FpSettings const& settings : every_fp_environment())
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      std::fill(visits.begin(), visits.end(), 0);
      Exakt::SumAccumulator<double> sum;
      Exakt::LongAccumulator<double> other;
      {
        ScopedFpEnvironment const scope(settings, threads);
        transform_sum(
            visits.size(),
            [=](std::size_t i) {
              ++visit[i];
              return i % 2 == 0 ? 0x1p-1074 : 0x1p60;
            },
            sum);
        transform_sum(
            visits.size(), [](std::size_t i) { return i % 2 == 0 ? 0x1p-1074 : 0x1p60; }, other);
      }
      INFO(describe(settings, threads));
      CHECK(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
      for (int i = 0; i < 25'000; ++i) other -= 0x1p60;
      sum -= 0x1p60 * 25'000;
      CHECK(same_bits(sum.round(), 25'000 * 0x1p-1074));
      CHECK(same_bits(other.round(), 25'000 * 0x1p-1074));
    }
}

TEST_CASE("the result of transform_sum has the type of the terms") {
  CHECK(std::is_same_v<decltype(transform_sum(3, Constant<float>{0.1f})), float>);
  CHECK(std::is_same_v<decltype(transform_sum(3, Constant<double>{0.1})), double>);
  // Rounded once to float: three times 0.1f is not what float additions make of it.
  CHECK(same_bits(transform_sum(3, Constant<float>{0.1f}), Exact().add(0.1f).add(0.1f).add(0.1f).round<float>().value));
  CHECK(same_bits(transform_sum(10, Constant<double>{-0.0}), 0.0));
}
