// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Reducer.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

// Fixed-point sums in parallel loops; test_fixed_point.cpp is what they are on one thread.

namespace {

using namespace ExaktTest;
using Exakt::ExponentRange;
using Exakt::Hallberg;
using Exakt::HighPrecision;

}  // namespace

TEMPLATE_TEST_CASE("threads that merge large sums lose none of them without a word", "", (HighPrecision<2, 1>),
                   (HighPrecision<1, 1>), (Hallberg<1, 40>), (Hallberg<3, 20>)) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    for (double const sign : {1.0, -1.0}) {
      // Eight of them are 2^64 rounds of the highest word: all digits, and the count of rounds, are back at zero.
      TestType eighth(std::ldexp(sign, TestType::highest_exponent - 1));
      for (int i = TestType::highest_exponent - 1; i < TestType::sum_exponent + 62; ++i) eighth += eighth;
      REQUIRE_FALSE(std::isinf(eighth.round(Rounding::toward_zero)));
      for (int const count : {8, 1, 16, 3, 1000}) {
        Kokkos::View<TestType[2], Kokkos::HostSpace> const sums("sums");
        Kokkos::parallel_for(Kokkos::RangePolicy<Space>(space, 0, count), [=](int) {
          Exakt::atomic_add(&sums(0), eighth);
          Exakt::atomic_add<Exakt::CompareAndSwap>(&sums(1), eighth);
        });
        space.fence();
        TestType reduced;
        Kokkos::parallel_reduce(
            Kokkos::RangePolicy<Space>(space, 0, count), [=](int, TestType& partial) { partial += eighth; },
            Exakt::Reducer<TestType>(reduced));
        for (TestType const& sum : {sums(0), sums(1), reduced}) {
          INFO(count << " times");
          EXAKT_CHECK(sum.is_overflowed());
          EXAKT_CHECK_BITS(sum.round(), count < 4 ? count * eighth.round() : sign * infinity);
        }
      }
    }
  });
}

TEST_CASE("the helpers choose the smallest formats that hold the data") {
  constexpr auto size = Exakt::high_precision_size({-40, 12}, 1'000'000);
  static_assert(size.N == 2 && size.K == 1);
  CHECK(HighPrecision<size.N, size.K>::holds({-40, 12}, 1'000'000));
  CHECK(!HighPrecision<1, 0>::holds({-40, 12}, 1'000'000));

  Random random(273);
  std::vector<double> terms(1000);
  for (double& x : terms) x = random.value<double>(random.between(-90, 50));
  Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const view(terms.data(), terms.size());
  for_each_host_space([&](auto space) {
    auto const range = Exakt::exponent_range(space, view);
    int lowest = 2000, highest = -2000;
    for (double const x : terms) {
      highest = std::max(highest, std::ilogb(x) + 1);
      for (int bit = -1074; bit < lowest; ++bit)
        if (std::trunc(std::ldexp(x, -bit - 1)) != std::ldexp(x, -bit - 1)) lowest = bit;
    }
    CHECK(range.highest == highest);
    CHECK(range.lowest == lowest);
  });
  auto const range = Exakt::exponent_range(view);
  auto const chosen = Exakt::high_precision_size(range, terms.size());
  CHECK(chosen.N == 4);
  CHECK(chosen.K == 3);
  auto const hallberg = Exakt::hallberg_size(range, terms.size());
  CHECK(hallberg.M == 53);
  CHECK(hallberg.N == 6);
  CHECK(Hallberg<6, 53>::holds(range, terms.size()));
  CHECK(!Hallberg<4, 53>::holds(range, terms.size()));
  HighPrecision<4, 3> sum;
  for (double const x : terms) sum += x;
  CHECK(!sum.is_overflowed());
  CHECK(!sum.is_inexact());
  EXAKT_CHECK_BITS(sum.round(), exact_sum(terms).round<double>());

  Kokkos::View<double*, Kokkos::HostSpace> const nothing("nothing", 3);
  CHECK(Exakt::exponent_range(nothing) == ExponentRange{0, 0});
  nothing(1) = std::numeric_limits<double>::infinity();
  nothing(2) = 6;
  CHECK(Exakt::exponent_range(nothing) == ExponentRange{1, 3});
  CHECK(Exakt::exponent_range(Kokkos::View<float*, Kokkos::HostSpace>()) == ExponentRange{0, 0});
}

TEMPLATE_TEST_CASE("fixed-point sums reduce, and are added to atomically, to the same exact sum", "",
                   (HighPrecision<6, 3>), (Hallberg<10, 38>)) {
  using Exakt::CompareAndSwap;
  Random random(274);
  std::vector<double> terms(200'000);
  for (std::size_t i = 0; i < terms.size(); i += 2) {  // carries and borrows everywhere: the sum stays around zero
    terms[i] = random.value<double>(random.between(-120, 100));
    terms[i + 1] = random.between(0, 99) == 0 ? 0x1p-180 : -terms[i];
  }
  random.shuffle(terms);
  Exact const exact = exact_sum(terms);
  double const* const x = terms.data();
  for_each_host_space([&](auto space) {
    using Space = decltype(space);
    Kokkos::RangePolicy<Space> const range(space, 0, terms.size());
    TestType sum;
    Kokkos::parallel_reduce(
        range, [=](std::size_t i, TestType& partial) { partial += x[i]; }, Exakt::Reducer<TestType>(sum));
    EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
    Kokkos::View<TestType[3], Kokkos::HostSpace> const sums("sums");
    Kokkos::parallel_for(range, [=](std::size_t i) {
      Exakt::atomic_add(&sums(0), x[i]);
      Exakt::atomic_add<CompareAndSwap>(&sums(1), x[i]);
      Exakt::atomic_add<CompareAndSwap>(&sums(2), TestType(x[i]));
    });
    space.fence();
    for (int i = 0; i < 3; ++i) {
      EXAKT_CHECK(sums(i) == sum);
      EXAKT_CHECK_BITS(sums(i).round(), exact.round<double>());
      EXAKT_CHECK(!sums(i).is_overflowed() && !sums(i).is_inexact());
    }
    Kokkos::parallel_for(range, [=](std::size_t i) {
      Exakt::atomic_add(&sums(0), i == 77 ? 1e300 : i == 78 ? 0x1p-300 : 0);
    });
    space.fence();
    EXAKT_CHECK(sums(0).is_overflowed() && sums(0).is_inexact());
  });
}
