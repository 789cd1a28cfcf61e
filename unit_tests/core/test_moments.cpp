// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <parallel/Exakt_AddMoments.hpp>
#include <summation/Exakt_PairMoments.hpp>

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
  if (!kernel.enclose_moments(x.data(), static_cast<int>(x.size()), 0, shift, sum, squares)) return false;
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

TEST_CASE("moments of terms above what a sample tells of are enclosed, however far all heads together have moved") {
  if (!is_compiled()) return;
  Random random(932);
  for (std::size_t const n : {257, 1000, 4096})
    for (std::size_t const sampled : {8, 16, 128})
      for (int const above : {0, 2, 3, 4, 5, 6, 9}) {
        INFO(n << " terms, of which " << sampled << " in front are smaller by 2^" << above);
        std::vector<double> x(n), mixed(n);
        for (std::size_t i = 0; i < n; ++i) {
          // Next to a power of two, with bits down to the last one: what heads move by is no double if it is too long.
          x[i] = std::ldexp(1 - std::ldexp(static_cast<double>(random.between(1, 1 << 20)), -53),
                            i < sampled ? -above : 0);
          mixed[i] = random.coin() ? x[i] : -x[i];
        }
        CHECK(knows(x, 0));
        CHECK(knows(mixed, 0));
      }
}

TEST_CASE("products and quotients of enclosures hold those of what these hold, however long their second parts are") {
  Random random(934);
  for (int i = 0; i < 5000; ++i) {
    auto const number = [&](int below) { return random.value<double>(-random.between(below, below + 8)); };
    auto const enclosure = [&] {
      double const high = random.between(0, 9) == 0 ? 0 : number(0);
      return Enclosure{high, number(random.between(10, 60)),
                       random.coin() ? 0 : std::abs(number(random.between(1, 90)))};
    };
    Enclosure const a = enclosure();
    Enclosure b = enclosure();
    b.high = std::abs(b.high);
    double const n = static_cast<double>(random.between<std::int64_t>(1, std::int64_t{1} << random.between(1, 52)));
    INFO(a.high << " + " << a.low << " -+ " << a.bound << " and " << b.high << " + " << b.low << " -+ " << b.bound
                << ", " << n);
    // (high + low -+ bound) times the divisor encloses the dividend.
    auto const check_quotient = [](Enclosure const& q, std::vector<double> const& dividend,
                                   std::vector<double> const& divisor) {
      if (std::isinf(q.bound)) return;
      for (double const sign : {-1.0, 1.0}) {
        Exact rest;
        for (double const d : divisor)
          for (double const part : {q.high, q.low, sign * q.bound}) rest.add_product(part, d);
        for (double const part : dividend) rest.subtract(part);
        CHECK(sign * rest.round<double>().value >= 0);
      }
    };
    for (double const x : {-a.bound, a.bound}) {
      std::vector<double> const any_a{a.high, a.low, x};
      CHECK(contains(Exakt::Impl::multiply(a, n), exact_dot(any_a, std::vector(3, n))));
      check_quotient(Exakt::Impl::quotient(a, n), any_a, {n});
      for (double const y : {-b.bound, b.bound}) {
        Exact product;
        for (double const s : any_a)
          for (double const t : {b.high, b.low, y}) product.add_product(s, t);
        CHECK(contains(Exakt::Impl::multiply(a, b), product));
        check_quotient(Exakt::Impl::quotient(a, b), any_a, {b.high, b.low, y});
      }
    }
  }
}

TEMPLATE_TEST_CASE("variances of one tile are rounded once, and decided but for rare ones", "", double, float) {
  if (!is_compiled()) return;
  KernelsOf<TestType> const& kernel = Exakt::Impl::kernels();
  Random random(933);
  int asked = 0, decided = 0;
  for (int const n : {2, 3, 5, 8, 9, 17, 100, 128, 257, 1000, Exakt::Impl::enclosure_tile_size})
    for (int const exponents : {0, 3, 40})
      for (double const mean : {0.0, 1.0, -3e3, 1e12})
        for (int i = 0; i < 8; ++i) {
          INFO(n << " terms within 2^" << exponents << " around " << mean);
          std::vector<TestType> x;
          for (int k = 0; k < n; ++k)
            x.push_back(static_cast<TestType>(
                mean + static_cast<double>(random.value<TestType>(random.between(-exponents, 0)))));
          auto const size = static_cast<std::uint64_t>(n);
          auto const scaled = Exact::scaled_variance(exact_sum(x), exact_dot(x, x), size);
          for (std::uint64_t const freedom : {size - 1, size, size + 5, size + (std::uint64_t{1} << 50)}) {
            TestType result = 0;
            asked += 2;
            if (kernel.variance(x.data(), n, freedom, result)) {
              EXAKT_CHECK_BITS(
                  result, scaled.template round_quotient_by_product<TestType>(size, freedom, Rounding::to_nearest));
              ++decided;
            }
            if (kernel.stddev(x.data(), n, freedom, result)) {
              EXAKT_CHECK_BITS(result,
                               scaled.template round_sqrt_of_quotient<TestType>(size, freedom, Rounding::to_nearest));
              ++decided;
            }
          }
        }
  // Of floats around 1e12 all are the same; doubles around it that differ by less than 2^-12 are few numbers, too.
  INFO(decided << " of " << asked);
  CHECK(decided > asked / 2);
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
