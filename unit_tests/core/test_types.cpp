// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"

static_assert(!std::is_convertible_v<Exakt::SumAccumulator<double> const&, long long>,
              "test frameworks print as an integer what says that it is one");

namespace {

/// Numbers of 16 bits that no processor or library has to know: half_t and bhalf_t as they are on devices.
template <int precision, int max_exponent>
struct Short {
  std::uint16_t bits;

  explicit operator float() const {  // finite ones
    auto const parts = Exakt::Impl::integer_parts(*this);
    float const magnitude = std::ldexp(static_cast<float>(parts.significand), parts.exponent);
    return parts.negative ? -magnitude : magnitude;
  }
};

}  // namespace

template <int precision, int max_exponent>
struct Exakt::FloatFormat<Short<precision, max_exponent>>
    : Exakt::BinaryFormat<std::uint16_t, precision, max_exponent> {};
template <int precision, int max_exponent>
inline constexpr bool Exakt::Impl::has_float_format_v<Short<precision, max_exponent>> = true;

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

TEST_CASE("Kokkos' half_t, another name of float on most hosts, is a term of wider sums and has a sum of its own") {
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

TEMPLATE_TEST_CASE("numbers of 16 bits have sums and dot products that are rounded once: ties, subnormal numbers", "",
                   (Short<11, 15>), (Short<8, 127>)) {
  using F = FloatFormat<TestType>;
  using Bits = std::uint16_t;
  // Consecutive numbers have consecutive bits. `last` is half of the last bit of 1.
  constexpr Bits one = F::max_exponent * F::hidden_bit, half = one - F::hidden_bit, minus = F::sign_mask,
                 last = one - F::precision * F::hidden_bit;
  auto const sum = [](std::initializer_list<unsigned> terms) {
    SumAccumulator<TestType> total;
    for (unsigned const bits : terms) total += TestType{static_cast<Bits>(bits)};
    return total.round().bits;
  };
  CHECK(sum({one, last}) == one);
  CHECK(sum({one + 1, last}) == one + 2);
  CHECK(sum({one, last, 1}) == one + 1);
  CHECK(sum({one + 1, last, minus | 1}) == one + 1);
  CHECK(sum({one, 3, minus | one, 4}) == 7);
  CHECK(sum({F::hidden_bit - 1u, 1}) == F::hidden_bit);
  CHECK(sum({F::largest, F::largest, minus | F::largest}) == F::largest);
  CHECK(sum({F::largest, F::largest}) == F::infinity);
  auto const dot = [](std::initializer_list<std::pair<Bits, Bits>> factors) {
    DotAccumulator<TestType> total;
    for (auto const& [x, y] : factors) total.add_product(TestType{x}, TestType{y});
    return total.round().bits;
  };
  CHECK(dot({{1, half}}) == 0);
  CHECK(dot({{1, half}, {1, 1}}) == 1);
  CHECK(dot({{1, half}, {one, 1}}) == 2);
  CHECK(dot({{one, one}, {last, one}, {1, 1}}) == one + 1);
  CHECK(dot({{F::largest, F::largest}, {minus | F::largest, F::largest}, {1, one}}) == 1);
}
