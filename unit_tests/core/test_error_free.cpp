// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numerics/Exakt_ErrorFree.hpp>

#include <algorithm>
#include <cmath>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ErrorFree;

template <class T>
Exact exact_of(ErrorFree<T> r) {
  return Exact().add(r.value).add(r.error);
}

/// value is the rounded result and value + error the exact one.
template <class T>
void check_transformation(ErrorFree<T> r, Exact const& exact) {
  EXAKT_CHECK_BITS(r.value == 0 ? T{0} : r.value, exact.template round<T>());
  EXAKT_CHECK(exact_of(r).equals(exact));
}

template <class T>
T number(Random& random, int lowest, int highest) {
  int const exponent = random.between(lowest, highest);
  switch (random.between(0, 5)) {
    case 0:
      return std::ldexp(T{1}, exponent);
    case 1:
      return -std::ldexp(2 - std::numeric_limits<T>::epsilon(), exponent);
    case 2:
      return std::ldexp(1 + std::numeric_limits<T>::epsilon(), exponent);
    default:
      return random.value<T>(exponent);
  }
}

constexpr std::uint64_t cases = 100'000;

}  // namespace

TEMPLATE_TEST_CASE("two_sum splits a + b exactly, for any order of magnitudes", "", double, float) {
  using T = TestType;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  constexpr int highest = std::numeric_limits<T>::max_exponent - 2;
  Random random(310);
  for (std::uint64_t i = 0; i < cases * case_factor(); ++i) {
    T const a = number<T>(random, lowest, highest);
    int const near = std::clamp(std::ilogb(a) + random.between(-60, 60), lowest, highest);
    T const b = random.coin() ? number<T>(random, lowest, highest) : number<T>(random, near, near);
    INFO(describe_bits(a) << " and " << describe_bits(b));
    Exact const exact = Exact().add(a).add(b);
    check_transformation(Exakt::two_sum(a, b), exact);
    check_transformation(Exakt::fast_two_sum(std::abs(a) < std::abs(b) ? b : a, std::abs(a) < std::abs(b) ? a : b),
                         exact);
  }
  check_transformation(Exakt::two_sum(T{0}, T{0}), Exact());
  check_transformation(Exakt::two_sum(T{1}, T{-1}), Exact());
  check_transformation(Exakt::fast_two_sum(T{0}, T{5}), Exact().add(T{5}));
}

TEMPLATE_TEST_CASE("the sums of error-free transformations see products as rounded, never fused", "", double, float) {
  using T = TestType;
  Random random(311);
  for (std::uint64_t i = 0; i < cases * case_factor(); ++i) {
    T const x = random.value<T>(random.between(-3, 3)), y = random.value<T>(random.between(-3, 3)),
            z = random.value<T>(random.between(-3, 3));
    // The product as an argument invites a compiler to compute fma(x, y, z) inside.
    auto const sum = Exakt::two_sum(x * y, z), swapped = Exakt::two_sum(z, x * y), two = Exakt::two_sum(x * y, z * x);
    bool const larger_first = std::abs(x * y) >= std::abs(z);
    auto const fast = larger_first ? Exakt::fast_two_sum(x * y, z) : Exakt::fast_two_sum(z, x * y);
    T const xy = Exact().add_product(x, y).template round<T>().value,
            zx = Exact().add_product(z, x).template round<T>().value;
    INFO(describe_bits(x) << ", " << describe_bits(y) << ", " << describe_bits(z));
    Exact const exact = Exact().add(xy).add(z);
    check_transformation(sum, exact);
    check_transformation(swapped, exact);
    check_transformation(fast, exact);
    check_transformation(two, Exact().add(xy).add(zx));
  }
}

TEMPLATE_TEST_CASE("two_product splits x * y exactly within its pre-conditions, with and without a fused multiply-add",
                   "", double, float) {
  using T = TestType;
  using F = Exakt::FloatFormat<T>;
  Random random(312);
  constexpr int lowest_product = F::min_exponent + 2 * F::precision, highest_product = F::max_exponent - 3;
  constexpr int highest_factor = F::max_exponent - F::precision - 1;
  for (std::uint64_t i = 0; i < cases * case_factor(); ++i) {
    int const product = random.between(lowest_product, highest_product - 1);
    int const first = random.between(std::max(F::min_exponent, product - highest_factor),
                                     std::min(highest_factor, product - F::min_exponent));
    T const x = number<T>(random, first, first), y = number<T>(random, product - first, product - first);
    INFO(describe_bits(x) << " and " << describe_bits(y));
    Exact const exact = Exact().add_product(x, y);
    check_transformation(Exakt::two_product(x, y), exact);
    check_transformation(Exakt::Impl::two_product_fma(x, y), exact);
    check_transformation(Exakt::Impl::two_product_dekker(x, y), exact);
  }
  for (T const x : {T{0}, T{1}, T{-3}}) {
    check_transformation(Exakt::two_product(x, T{0}), Exact());
    check_transformation(Exakt::Impl::two_product_dekker(T{0}, x), Exact());
  }
}
