// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>

#include <cstring>
#include <type_traits>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace Exakt;

template <class A, class T>
constexpr bool is_a_value() {
  static_assert(std::is_trivially_copyable_v<A>, "accumulators travel as bytes: between threads, to devices, in Views");
  static_assert(std::is_trivially_destructible_v<A>);
  static_assert(std::is_same_v<typename A::value_type, T>);
  static_assert(sizeof(A) < 1024, "reduction values of 1 KB and more crash on devices (Kokkos issue 4461)");
  static_assert(std::is_same_v<decltype(std::declval<A const&>().round()), T>);
  static_assert(std::is_same_v<decltype(std::declval<A const&>().template round<float>(Rounding::upward)), float>);
  static_assert(std::is_same_v<decltype(std::declval<A const&>() == std::declval<A const&>()), bool>);
  return true;
}

static_assert(is_a_value<SumAccumulator<double>, double>() && is_a_value<SumAccumulator<float>, float>());
static_assert(is_a_value<DotAccumulator<double>, double>() && is_a_value<DotAccumulator<float>, float>());
static_assert(is_a_value<LongAccumulator<double>, double>() && is_a_value<LongAccumulator<float>, float>());
static_assert(is_a_value<LongAccumulator<double, 32>, double>() &&
              is_a_value<LongAccumulator<double, 56, Terms::products>, double>());
static_assert(is_a_value<Expansion<double, 2>, double>() && is_a_value<Expansion<double, 8, true>, double>());
static_assert(is_a_value<Expansion<float, 8>, float>());

static_assert(std::is_same_v<ExactSum<double>::value_type, SumAccumulator<double>>);
static_assert(std::is_same_v<ExactDot<float>::value_type, DotAccumulator<float>>);
static_assert(std::is_same_v<Reducer<Expansion<double, 4>>::value_type, Expansion<double, 4>>);

static_assert(static_cast<int>(Rounding::to_nearest) == 0, "a value-initialized mode is the usual one");

}  // namespace

TEMPLATE_TEST_CASE("an accumulator copied as bytes, from the middle of a sum, goes on as the original", "",
                   SumAccumulator<double>, DotAccumulator<double>, SumAccumulator<float>, LongAccumulator<double>,
                   (Expansion<double, 4>)) {
  TestType original;
  for (int i = 0; i < 100; ++i) original += 0.1f;
  alignas(TestType) unsigned char bytes[sizeof(TestType)];
  std::memcpy(bytes, &original, sizeof(original));
  TestType copy;
  std::memcpy(&copy, bytes, sizeof(copy));
  EXAKT_CHECK(copy == original);
  for (int i = 0; i < 100; ++i) {
    copy += 0.1f;
    original += 0.1f;
  }
  EXAKT_CHECK(copy == original);
}

TEMPLATE_TEST_CASE("clear() makes an empty sum of any bytes, as team scratch memory holds", "", SumAccumulator<double>,
                   DotAccumulator<double>, SumAccumulator<float>, LongAccumulator<double>, (Expansion<double, 4>)) {
  TestType a;
  std::memset(static_cast<void*>(&a), 0xa5, sizeof(a));
  a.clear();
  EXAKT_CHECK(a == TestType());
  a += 1;
  EXAKT_CHECK(a.round() == 1);
}

TEST_CASE("half precision numbers are terms of wider sums, and sums of their own") {
  using Kokkos::Experimental::half_t;
  SumAccumulator<float> sum;
  SumAccumulator<half_t> halves;
  DotAccumulator<half_t> products;
  for (int i = 0; i < 3000; ++i) {
    auto const x = static_cast<half_t>(0.5f), y = static_cast<half_t>(3.0f);
    sum += x;
    halves += x;
    products.add_product(x, y);
  }
  EXAKT_CHECK(sum.round() == 1500);
  EXAKT_CHECK(halves.round<float>() == 1500);
  EXAKT_CHECK(products.round<float>() == 4500);
  EXAKT_CHECK(static_cast<float>(halves.round()) == 1500);
}
