// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <parallel/Exakt_AddMoments.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Impl::Enclosure;
using Exakt::Impl::KernelsOf;

bool contains(Enclosure const& sum, Exact const& exact) {
  Exact above = exact, below = exact;
  for (double const part : {sum.high, sum.low, sum.bound}) above.subtract(part);
  for (double const part : {sum.high, sum.low, -sum.bound}) below.subtract(part);
  return above.round<double>().value <= 0 && below.round<double>().value >= 0;
}

/// The kernel; whether it knows the moments of x - shift, which then are checked.
template <class X>
bool knows(std::vector<X> const& x, double shift) {
  KernelsOf<X> const& kernel = Exakt::Impl::kernels();
  Enclosure sum, squares;
  if (!kernel.enclose_moments(x.data(), static_cast<int>(x.size()), shift, sum, squares)) return false;
  std::vector<double> differences;
  for (X const entry : x) {
    differences.push_back(static_cast<double>(entry) - shift);
    CHECK(exact_sum(std::vector<double>{static_cast<double>(entry), -shift}).round<double>().value ==
          differences.back());
    Exact rest;
    for (double const part : {static_cast<double>(entry), -shift, -differences.back()}) rest.add(part);
    CHECK(rest.round<double>().value == 0);
  }
  CHECK(contains(sum, exact_sum(differences)));
  CHECK(contains(squares, exact_dot(differences, differences)));
  return true;
}

/// Only where products are, with fused multiply-adds.
bool is_compiled() {
  KernelsOf<double> const& kernel = Exakt::Impl::kernels();
  KernelsOf<double, double> const& of_products = Exakt::Impl::kernels();
  CHECK((kernel.enclose_moments != nullptr) == (of_products.enclose != nullptr));
  return kernel.enclose_moments != nullptr;
}

}  // namespace

TEMPLATE_TEST_CASE("moments are enclosed, with and without a shift", "", double, float) {
  if (!is_compiled()) return;
  Random random(931);
  constexpr int most = Exakt::Impl::enclosure_tile_size;
  for (int const n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 128, 255, 256, 257, 300, 1000, most - 1, most})
    for (int const exponents : {0, 3, 20, 100}) {
      INFO(n << " terms within 2^" << exponents);
      std::vector<TestType> x, around;
      for (int i = 0; i < n; ++i) {
        x.push_back(random.value<TestType>(random.between(-exponents, 0)));
        around.push_back(static_cast<TestType>(1.25 + static_cast<double>(x.back()) * 0.25));
      }
      CHECK(knows(x, 0));
      CHECK(knows(around, 1.25));
      for (TestType& entry : around) entry = -entry;
      CHECK(knows(around, -1.25));
      if (n == 0) continue;
      // One that the sample does not tell of, wherever it stands.
      x[random.between<std::size_t>(0, x.size() - 1)] = random.value<TestType>(random.between(0, 60));
      CHECK(knows(x, 0));
    }
}

TEST_CASE("moments whose terms all have one sign move heads as far as terms can") {
  if (!is_compiled()) return;
  for (double const size : {1.0, 1 - 0x1p-53, std::sqrt(0.5)})
    for (int e = -1074; e <= 500; e += e > -1000 && e < 450 ? 211 : 7) {
      INFO(size << " times 2^" << e);
      // All equal; and equal but for a sample of smaller ones in front, below which the guess lies as far as it can.
      std::vector<double> x(Exakt::Impl::enclosure_tile_size, std::ldexp(size, e)), guessed = x;
      for (int i = 0; i < 128; ++i) guessed[static_cast<std::size_t>(i)] = std::ldexp(size, e - 7);
      knows(guessed, 0);
      CHECK((knows(x, 0) || e > 490));
      for (double& entry : x) entry = -entry;
      CHECK((knows(x, 0) || e > 490));
    }
}

TEST_CASE("moments are enclosed where all rests of a lane are rounded in one direction") {
  if (!is_compiled()) return;
  // With heads in units u for the first term, all others are rests; next to each sum of as many as a lane has, below 2^(53 - k) u,
  // each of them is rounded by nearly half a unit in the last place.
  for (int k = 43; k <= 48; ++k)
    for (double const unit : {0x1p-38, 0x1p-39}) {
      std::vector<double> x(Exakt::Impl::enclosure_tile_size, (0.5 - 0.51 * std::ldexp(1.0, -k)) * unit);
      x[0] = 1;
      CHECK(knows(x, 0));
      for (double& entry : x) entry = -entry;
      CHECK(knows(x, 0));
    }
}

TEST_CASE("moments of differences are known where all of these are doubles, and only there") {
  if (!is_compiled()) return;
  CHECK(knows<double>({1, 0.5, 2, 1.25}, 1));
  CHECK(knows<double>({-1, -0.5, -2, -1.25}, -1));
  double const above = 1 + 0x1p-52;
  for (std::size_t const n : {3, 300, 4096})
    for (double const bad :
         {0x1p-60, 0.5 - 0x1p-54, 2 * above, -1.0, 0.0, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()})
      for (std::size_t at = 0; at < n; at += 1 + at / 2) {
        std::vector<double> x(n, 1.5);
        x[at] = bad;
        CHECK(!knows(x, 1));
        x.assign(n, -1.5);
        x[at] = -bad;
        CHECK(!knows(x, -1));
      }
  for (double const special : {HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()})
    CHECK(!knows<double>({1, special, 1}, 0));
}
