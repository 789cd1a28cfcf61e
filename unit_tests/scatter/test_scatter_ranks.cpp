// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktScatter_ScatterSum.hpp>

#include <string>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Scattered.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ExponentRange;
using Exakt::Terms;
// In host memory, whatever the default is: these tests look into it.
template <class DataType, int radix_bits = Exakt::ScatterSum<DataType>::radix_bits>
using ScatterSum = Exakt::ScatterSum<DataType, Kokkos::HostSpace, radix_bits>;
using Space = Kokkos::DefaultHostExecutionSpace;

template <class T>
constexpr T infinity_of = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

}  // namespace

TEMPLATE_TEST_CASE("bins of any rank are the exact sums of their terms, for every family", "", double, float) {
  using T = TestType;
  for_each_host_space([](auto space) {
    Random random(640);
    for_each_batch_of_sums<T>(20, 601, [&](auto const& cases) {
      Scattered const scattered(cases, random);
      std::size_t const n = (cases.size() + 5) / 6;
      ScatterSum<T* [3][2]> const three("three", n);
      ScatterSum<T**> const two("two", 6, n, Terms::values);
      ScatterSum<T*> const one("one", cases.size());
      CHECK((decltype(three)::rank == 3 && decltype(two)::rank == 2 && decltype(one)::rank == 1));
      Kokkos::parallel_for(Kokkos::RangePolicy<decltype(space)>(space, 0, scattered.size()), [&](int j) {
        int const bin = scattered.bin[j];
        T const x = cases[bin].terms[scattered.position[j]];
        three.add(bin / 6, bin % 6 / 2, bin % 2, x);
        two.subtract(static_cast<unsigned>(bin % 6), static_cast<std::int64_t>(bin / 6), x);
        one.add(bin, x);
      });
      space.fence();
      Kokkos::View<T* [3][2], Kokkos::LayoutLeft, Kokkos::HostSpace> const of_three("of three", n);
      Kokkos::View<float* [3][2], Kokkos::LayoutRight, Kokkos::HostSpace> const narrow("narrow", n);
      Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> const of_two("of two", 6, n);
      for (int mode = 0; mode < 4; ++mode) {
        three.round_to(space, of_three, every_rounding[mode]);
        three.round_to(narrow, every_rounding[mode]);
        two.round_to(of_two, every_rounding[mode]);
        for (std::size_t c = 0; c < cases.size(); ++c) {
          INFO(cases[c].family);
          auto const& expected = cases[c].expected;
          EXAKT_CHECK_BITS(of_three(c / 6, c % 6 / 2, c % 2), Expected<T>{expected.round[mode]});
          EXAKT_CHECK_BITS(narrow(c / 6, c % 6 / 2, c % 2), Expected<float>{expected.round_to_float[mode]});
          EXAKT_CHECK_BITS(of_two(c % 6, c / 6),
                           Exact(cases[c].exact).negate().template round<T>(every_rounding[mode]));
          EXAKT_CHECK_BITS(one.round(c, every_rounding[mode]), Expected<T>{expected.round[mode]});
        }
      }
      for (std::size_t c = 0; c < cases.size(); c += 7) {
        EXAKT_CHECK_BITS(three.round(c / 6, c % 6 / 2, c % 2), Expected<T>{cases[c].expected.round[0]});
        EXAKT_CHECK_BITS(three.template round<float>(c / 6, c % 6 / 2, c % 2, Rounding::upward),
                         Expected<float>{cases[c].expected.round_to_float[2]});
        EXAKT_CHECK(three.accumulator(c / 6, c % 6 / 2, c % 2) == one.accumulator(c));
      }
    });
  });
}

TEST_CASE("what was added and subtracted again leaves no trace, whatever it was") {
  Random random(641);
  ScatterSum<double> const bins("bins", 2);
  Exakt::SumAccumulator<double> sum;
  Exakt::Expansion<double, 4> expansion;
  for (int i = 0; i < 500; ++i) {
    double const x = random.value<double>(random.between(-1074, 1000)), y = random.value<double>(3);
    sum += x;
    expansion += y;
    bins.add(0, x);
    bins.add(0, static_cast<float>(y));
    bins.add(0, i - 250);
    bins.add_product(0, x, y);
    bins.subtract(1, x);
    bins.subtract(1, static_cast<float>(y));
    bins.subtract(1, i - 250);
    bins.subtract_product(1, x, y);
  }
  bins.subtract(0, sum);
  bins.subtract(0, expansion);
  bins.add(1, sum);
  bins.add(1, expansion);
  // Bin 1 is the negative of bin 0: neither is zero.
  CHECK(bins.round(0) != 0);
  EXAKT_CHECK_BITS(bins.round(0, Rounding::upward), -bins.round(1, Rounding::downward));
  bins.add(0, bins.accumulator(1));
  EXAKT_CHECK_BITS(bins.round(0), 0.0);
  EXAKT_CHECK_BITS(bins.round(0, Rounding::downward), -0.0);

  // Infinities have the other sign, a subtracted NaN is one.
  ScatterSum<double* [6]> const special("special", 1);
  Exakt::SumAccumulator<double> infinite, undefined;
  infinite += infinity_of<double>;
  undefined += nan_of<double>;
  special.subtract(0, 0, infinity_of<double>);
  special.subtract(0, 1, infinite);
  special.subtract_product(0, 2, 2.0, -infinity_of<double>);
  special.subtract(0, 3, nan_of<double>);
  special.subtract(0, 4, undefined);
  special.subtract(0, 5, infinity_of<double>);
  special.add(0, 5, infinity_of<double>);
  double const expected[] = {-infinity_of<double>, -infinity_of<double>, infinity_of<double>,
                             nan_of<double>,    nan_of<double>,    nan_of<double>};
  for (int c = 0; c < 6; ++c) EXAKT_CHECK_BITS(special.round(0, c), expected[c]);
}

namespace {

/// view += bins of random terms, with `cases` bins; each in all modes.
template <class T, class R, class Make>
void check_add_to(Random& random, Make const& make, int lowest, int highest) {
  constexpr int n = 40;
  for (Rounding const mode : every_rounding) {
    auto const bins = make(n);
    Kokkos::View<R* [2], Kokkos::LayoutLeft, Kokkos::HostSpace> const result("result", n);
    std::vector<Exact> exact(2 * n);
    for (int i = 0; i < 2 * n; ++i) {
      R const before = i % 9 == 0 ? R{0}
                                  : random.value<R>(random.between(std::numeric_limits<R>::min_exponent - 20,
                                                                   std::is_same_v<R, double> ? 400 : 100));
      result(i / 2, i % 2) = before;
      exact[i].add(static_cast<double>(before));
      for (int k = 0; k < i % 5; ++k) {
        T const x = random.value<T>(random.between(lowest, highest));
        bins.add(i / 2, i % 2, x);
        exact[i].add(static_cast<double>(x));
        if (k == 1) {  // the sum is next to a tie of what was there
          R const tie = static_cast<R>(std::ldexp(before, -std::numeric_limits<R>::digits));
          if constexpr (sizeof(R) <= sizeof(T)) {
            if (std::abs(tie) > std::ldexp(1.0, lowest + 60) && std::abs(tie) < std::ldexp(1.0, highest)) {
              bins.add(i / 2, i % 2, static_cast<T>(tie));
              exact[i].add(static_cast<double>(tie));
            }
          }
        }
      }
    }
    bins.add_to(result, mode);
    for (int i = 0; i < 2 * n; ++i) EXAKT_CHECK_BITS(result(i / 2, i % 2), exact[i].template round<R>(mode));
  }
}

}  // namespace

TEST_CASE("add_to rounds what was there plus the sum, once") {
  Random random(642);
  for (int repeat = 0; repeat < 10; ++repeat) {
    check_add_to<double, double>(
        random, [](int n) { return ScatterSum<double* [2]>("all", n); }, -1074, 1000);
    check_add_to<double, double>(
        random, [](int n) { return ScatterSum<double* [2]>("values", n, Terms::values); }, -60, 100);
    check_add_to<double, double>(
        random, [](int n) { return ScatterSum<double* [2], 8>("short", n); }, -60, 100);
    check_add_to<double, float>(
        random, [](int n) { return ScatterSum<double* [2]>("to float", n); }, -160, 120);
    check_add_to<float, double>(
        random, [](int n) { return ScatterSum<float* [2]>("of float", n); }, -120, 120);
    check_add_to<float, float>(
        random, [](int n) { return ScatterSum<float* [2]>("float", n); }, -120, 120);
    // The range of the bins has no place for the bits of what was there.
    check_add_to<double, double>(
        random,
        [](int n) {
          return ScatterSum<double* [2]>("range", n, ExponentRange{-40, 60});
        },
        13, 59);
  }
}

TEST_CASE("add_to of infinities, NaN, zeros and the largest numbers") {
  constexpr double inf = infinity_of<double>, nan = nan_of<double>, max = std::numeric_limits<double>::max();
  struct Case {
    double before, term, other, expected;
  };
  Case const cases[] = {{inf, 1, 0, inf},       {inf, -inf, 0, nan},   {-inf, -inf, 0, -inf}, {nan, 1, 0, nan},
                        {1, nan, 0, nan},       {1, -inf, 0, -inf},    {-0.0, 0, 0, 0},       {0, -0.0, 0, 0},
                        {max, max, 0, inf},     {-max, max, 0, 0},     {max, max, -max, max}, {1, -1, 0, 0},
                        {5e-324, 0, 0, 5e-324}, {-max, -max, 0, -inf}, {1, inf, -inf, nan}};
  constexpr int n = sizeof(cases) / sizeof(cases[0]);
  ScatterSum<double> const bins("bins", n);
  Kokkos::View<double*, Kokkos::HostSpace> const result("result", n);
  for (int i = 0; i < n; ++i) {
    result(i) = cases[i].before;
    bins.add(i, cases[i].term);
    bins.add(i, cases[i].other);
  }
  bins.add_to(Space(), result);
  for (int i = 0; i < n; ++i) {
    INFO(i);
    EXAKT_CHECK_BITS(result(i), cases[i].expected);
  }
  result(6) = -0.0;
  bins.add_to(result, Rounding::downward);
  EXAKT_CHECK_BITS(result(6), -0.0);
}

TEST_CASE("the environments of threads change no bit of add_to, subtract and bins of rank 2") {
  Random random(643);
  constexpr int n = 100;
  std::vector<double> terms, before;
  for (int j = 0; j < 20'000; ++j) terms.push_back(random.value<double>(random.between(-1074, 300)));
  for (int i = 0; i < 3 * n; ++i) before.push_back(random.value<double>(random.between(-1074, 300)));
  std::vector<Exact> exact(3 * n);
  for (int i = 0; i < 3 * n; ++i) exact[i].add(before[i]);
  for (int j = 0; j < 20'000; ++j) {
    exact[j % (3 * n)].add(terms[j]);
    exact[(j + 1) % (3 * n)].subtract(terms[j]);
  }
  for (auto const& settings : every_fp_environment()) {
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      if (Space().concurrency() == 1 && threads != ScopedFpEnvironment::Threads::this_one) continue;
      INFO(describe(settings, threads));
      ScatterSum<double* [3]> const bins("bins", n);
      Kokkos::View<double* [3], Kokkos::HostSpace> const result("result", n);
      for (int i = 0; i < 3 * n; ++i) result(i / 3, i % 3) = before[i];
      {
        ScopedFpEnvironment const scope(settings, threads);
        Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, 20'000), [&](int j) {
          bins.add(j % (3 * n) / 3, j % 3, terms[j]);
          bins.subtract((j + 1) % (3 * n) / 3, (j + 1) % 3, terms[j]);
        });
        Space().fence();
        bins.add_to(result);
      }
      for (int i = 0; i < 3 * n; ++i) EXAKT_CHECK_BITS(result(i / 3, i % 3), exact[i].round<double>());
    }
  }
}

TEST_CASE("resize keeps the bins that there are before and after") {
  ScatterSum<double* [3]> forces("forces", 4, Terms::values);
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) {
      forces.add(i, c, 10 * i + c);
      forces.add(i, c, 1e-300);
    }
  auto const check = [](auto const& bins, int rows, int kept) {
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < 3; ++c) {
        Exact exact;
        if (i < kept) exact.add(static_cast<double>(10 * i + c)).add(1e-300);
        EXAKT_CHECK_BITS(bins.round(i, c, Rounding::upward), exact.round<double>(Rounding::upward));
      }
  };
  auto const old = forces;
  auto const bytes = forces.memory();
  forces.resize(1000);
  CHECK((forces.extent(0) == 1000 && forces.extent(1) == 3 && forces.size() == 3000 && forces.name() == "forces"));
  CHECK(forces.memory() > 100 * bytes);
  check(forces, 1000, 4);
  check(old, 4, 4);
  old.add(0, 0, 1.0);
  check(forces, 4, 4);
  forces.add(999, 2, 7.0);
  EXAKT_CHECK_BITS(forces.round(999, 2), 7.0);
  auto const same = forces;
  forces.resize(1000u);
  same.add(999, 2, 1.0);
  EXAKT_CHECK_BITS(forces.round(999, 2), 8.0);
  forces.resize(2);
  forces.resize(3);
  check(forces, 3, 2);
  CHECK(forces.range() == old.range());
  forces.resize(0);
  CHECK(forces.size() == 0);
  forces.resize(5);
  check(forces, 5, 0);

  // Infinities stay, and what was refused.
  forces.add(1, 1, -infinity_of<double>);
  forces.resize(6);
  EXAKT_CHECK_BITS(forces.round(1, 1), -infinity_of<double>);
  forces.add(6, 0, 1.0);
  forces.resize(7);
  CHECK(refusal_of([&] { forces.round(1, 1); }).find("was asked for 1 addition to others") != std::string::npos);

  ScatterSum<double**> table("table", 3, 5);
  for (int i = 0; i < 15; ++i) table.add(i / 5, i % 5, i);
  table.resize(4, 2);
  for (int i = 0; i < 8; ++i) EXAKT_CHECK_BITS(table.round(i / 2, i % 2), i < 6 ? 5.0 * (i / 2) + i % 2 : 0.0);
  table.resize(2, 3);
  for (int i = 0; i < 6; ++i) EXAKT_CHECK_BITS(table.round(i / 3, i % 3), i % 3 < 2 ? 5.0 * (i / 3) + i % 3 : 0.0);

  ScatterSum<double> none;
  none.resize(2);
  none.add_product(1, 0x1p-1074, 0x1p-1074);
  CHECK(none.round(1, Rounding::upward) > 0);
  none.resize(4);
  CHECK(none.round(1, Rounding::upward) > 0);
}

TEST_CASE("merging, clearing and copies of bins of rank 2") {
  ScatterSum<float*[2]> const a("a", 3), wide("wide", 4);
  Exakt::ScatterSum<float* [2], Space> const b("b", 3);
  a.add(2, 1, 1.5f);
  b.add(2, 1, 2.0f);
  b.add(0, 0, 3.0f);
  a.merge(b);
  EXAKT_CHECK_BITS(a.round(2, 1), 3.5f);
  EXAKT_CHECK_BITS(a.round(0, 0), 3.0f);
  CHECK(refusal_of([&] { a.merge(wide); }) ==
        "Exakt::ScatterSum::merge: \"a\" has 3 x 2 bins, \"wide\" has 4 x 2 bins; they must be as many");
  a.clear();
  EXAKT_CHECK_BITS(a.round(2, 1), 0.0f);

  ScatterSum<double[3]> const fixed("fixed");
  fixed.add(2, 1.0);
  CHECK((fixed.size() == 3 && fixed.round(2) == 1));
  ScatterSum<double** [2]> const ranged("ranged", 2, 3, ExponentRange{-10, 10});
  ranged.add(1, 2, 1, 512.0);
  ranged.add(1, 2, 1, 0x1p-10);
  CHECK((ranged.size() == 12 && ranged.round(1, 2, 1) == 512 + 0x1p-10));
  ScatterSum<double*> const bins("bins", 2, {-10, 20});
  CHECK(bins.range() == ExponentRange{-10, 20});
}

TEST_CASE("wrong indices and shapes of bins of rank 2 are refused by name") {
  ScatterSum<double* [3]> forces("forces", 10);
  Kokkos::View<double* [3], Kokkos::HostSpace> const result("result", 10);
  Kokkos::deep_copy(result, 7);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 1000), KOKKOS_LAMBDA(int j) {
        forces.add(j % 10, j % 3, 0.5);
        if (j % 100 == 7) forces.add(j % 10, 3 + j / 100, 1.0);
        if (j == 50) forces.subtract(10, 0, 1.0);
        if (j == 51) forces.add_product(~std::uint64_t{0}, 2, 1.0, 1.0);
      });
  Space().fence();
  std::string const message =
      "\"forces\" has 10 x 3 bins, and was asked for 12 additions to others, the lowest wrong index was 3; every index "
      "must be below its extent and not negative";
  CHECK(refusal_of([&] { forces.round_to(result); }) == "Exakt::ScatterSum::round_to: " + message);
  CHECK(refusal_of([&] { forces.add_to(result); }) == "Exakt::ScatterSum::add_to: " + message);
  CHECK(result(0, 0) == 7);
  forces.subtract(0, -2, 1.0);
  CHECK(refusal_of([&] { forces.round(0, 0); }).find("13 additions to others, the lowest wrong index was -2;") !=
        std::string::npos);
  forces.clear();
  forces.add_to(result);
  CHECK(result(9, 2) == 7);

  CHECK(refusal_of([&] { forces.round(10, 2); }) ==
        "Exakt::ScatterSum::round: \"forces\" has 10 x 3 bins, there is no bin (10, 2)");
  CHECK(refusal_of([&] { forces.round(0, -1, Rounding::upward); }).find("there is no bin (0, -1)") !=
        std::string::npos);
  CHECK(refusal_of([&] { forces.accumulator(0, 3); }).find("Exakt::ScatterSum::accumulator") == 0);
  Kokkos::View<double**, Kokkos::HostSpace> const wrong("wrong", 10, 2);
  CHECK(refusal_of([&] { forces.add_to(wrong); }) ==
        "Exakt::ScatterSum::add_to: \"forces\" has 10 x 3 bins, the result 10 x 2 entries; they must be as many");
  CHECK(refusal_of([&] { forces.resize(-1); }) == "Exakt::ScatterSum::resize: \"forces\" cannot have -1 x 3 bins");
  CHECK(refusal_of([&] { ScatterSum<double**>("x", 2, -3); }) == "Exakt::ScatterSum: \"x\" cannot have 2 x -3 bins");
  ScatterSum<double> const ten("ten", 10);
  CHECK(refusal_of([&] { ten.add_to(Kokkos::View<double*, Kokkos::HostSpace>("y", 9)); }) ==
        "Exakt::ScatterSum::add_to: \"ten\" has 10 bins, the result 9 entries; they must be as many");
}
