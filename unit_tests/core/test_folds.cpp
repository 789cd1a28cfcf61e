// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Folds.hpp>

#include <algorithm>
#include <cmath>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Terms;
using Exakt::Impl::Folds;

constexpr std::size_t fold_tile = Exakt::Impl::fold_tile_size;

template <class T>
using Long = LongAccumulator<T>;

template <class T>
Long<T> one_by_one(const std::vector<T>& terms) {
  Long<T> sum;
  for (const T x : terms) sum += x;
  return sum;
}

template <class T, class A = Long<T>>
A folded(const T* terms, std::size_t n) {
  A sum;
  Folds<A, 3> folds;
  folds.add(terms, n, sum);
  folds.drain(sum);
  return sum;
}

template <class T>
void check_folded(const std::vector<T>& terms) {
  const Exact exact = exact_sum(terms);
  const auto sum = folded(terms.data(), terms.size());
  for (const Rounding mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.template round<T>(mode));
  EXAKT_CHECK(sum == one_by_one(terms));
}

/// Whether folds of this many levels, started for terms below 2^exponent, prove a tile exact. If they do they are right.
template <int Levels, class T>
bool folds(const std::vector<T>& terms, int exponent) {
  using Exakt::Impl::pack_lanes;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int packs = static_cast<int>(terms.size()) / pack_lanes;
  const auto last = Exakt::Impl::load_some(terms.data() + packs * pack_lanes, static_cast<int>(terms.size()) % pack_lanes);
  std::int64_t units[Levels];
  const bool proved = Exakt::Impl::fold_tile(terms.data(), packs, last, exponent, lowest, units);
  if (proved) {
    Long<T> sum;
    for (int k = 0; k < Levels; ++k) {
      const auto parts = Exakt::Impl::integer_parts_of_integer(units[k]);
      sum.add_scaled(parts.significand, Exakt::Impl::fold_unit(exponent, k, lowest), parts.negative);
    }
    EXAKT_CHECK(sum == one_by_one(terms));
  }
  return proved;
}

/// The smallest exponent with |x| < 2^exponent for all terms.
template <class T>
int exponent_of(const std::vector<T>& terms) {
  int exponent = std::numeric_limits<double>::min_exponent;
  for (const T x : terms)
    if (x != 0) exponent = std::max(exponent, std::ilogb(x) + 1);
  return exponent;
}

template <int Levels = 3, class T>
bool folds(const std::vector<T>& terms) {
  return folds<Levels>(terms, exponent_of(terms));
}

}  // namespace

TEMPLATE_TEST_CASE("folds agree with the oracle for every family in every order", "", double, float) {
  Random random(330);
  for (const auto& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 60 * case_factor(); ++i)
      for (const Order order : every_order) {
        INFO(family.name << ", " << name_of(order));
        check_folded(reordered(family.make(random), order, random));
      }
  for (const auto& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      const auto terms = family.make(random);
      for (const Order order : every_order) {
        INFO(family.name << ", " << terms.size() << " terms, " << name_of(order));
        check_folded(reordered(terms, order, random));
      }
    }
}

TEMPLATE_TEST_CASE("folds of 2^16 to 2^21 terms agree with the oracle", "", double, float) {
  Random random(331);
  for (const auto& family : carry_families<TestType>())
    for (std::uint64_t i = 0; i < case_factor(); ++i) {
      const auto terms = family.make(random);
      INFO(family.name << ", " << terms.size() << " terms");
      check_folded(terms);
    }
}

TEMPLATE_TEST_CASE("folds of every length read all terms and nothing else, from any alignment", "", double, float) {
  using Array = GuardedArray<TestType>;
  Random random(332);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 100; ++n) lengths.push_back(n);
  for (const std::size_t tiles : {1, 2, 3})
    for (int i = -33; i <= 33; ++i) lengths.push_back(tiles * fold_tile + static_cast<std::size_t>(i + 33) - 33);
  for (const std::size_t n : lengths) {
    INFO(n << " terms");
    std::vector<TestType> terms(n);
    for (auto& x : terms) x = random.value<TestType>(random.between(-10, 10));
    const Array at_the_end(terms), at_the_beginning(terms, Array::Against::page_before);
    const auto expected = exact_sum(terms).template round<TestType>();
    const auto sum = folded(at_the_end.data(), n);
    EXAKT_CHECK_BITS(sum.round(), expected);
    EXAKT_CHECK(folded(at_the_beginning.data(), n) == sum);
    for (std::size_t shift = 1; shift < 8 && shift < n; ++shift)
      EXAKT_CHECK(folded(at_the_beginning.data() + shift, n - shift) ==
                  one_by_one(std::vector<TestType>(terms.begin() + static_cast<std::ptrdiff_t>(shift), terms.end())));
  }
}

TEMPLATE_TEST_CASE("a full tile of the largest terms of any exponent leaves every head in its binade", "", double, float) {
  constexpr int lowest = std::numeric_limits<TestType>::min_exponent - std::numeric_limits<TestType>::digits;
  for (int exponent = lowest; exponent < std::numeric_limits<TestType>::max_exponent; ++exponent)
    for (const TestType unit : {TestType{1}, 2 - std::numeric_limits<TestType>::epsilon()})
      for (const int signs : {0, 1, 2}) {
        std::vector<TestType> terms(fold_tile, std::ldexp(unit, exponent));
        for (std::size_t i = 0; i < terms.size(); ++i)
          if (signs == 1 || (signs == 2 && i % 64 < 32)) terms[i] = -terms[i];
        INFO(describe_bits(terms[0]));
        const auto sum = folded(terms.data(), terms.size());
        TestType expected = 0;
        if (signs != 2) expected = Exact().add_product(terms[0], fold_tile).template round<TestType>().value;
        EXAKT_CHECK_BITS(sum.round(), Expected<TestType>{expected});
      }
}

TEST_CASE("the third level takes its largest residues, of one sign, in full tiles") {
  // q of a level is a multiple of 2^(e-40); this is just below half of that multiple at each level, so that all residues are large.
  double term = 1;
  for (const int level : {1, 2}) term += std::ldexp(1 - 0x1p-10, -40 * level - 1);
  for (const double x : {term, -term, 1 + 0x1p-41, 1 + 0x1p-52}) {
    std::vector<double> terms(fold_tile, x);
    CHECK(folds(terms));
    for (std::size_t i = 0; i < terms.size(); i += 2) terms[i] = std::ldexp(x, -39);
    CHECK(folds(terms));
  }
}

TEMPLATE_TEST_CASE("a wrong guess of the exponent is found out or does no harm", "", double, float) {
  Random random(337);
  for (std::uint64_t i = 0; i < 20'000 * case_factor(); ++i) {
    const int scale = random.between(std::numeric_limits<TestType>::min_exponent, std::numeric_limits<TestType>::max_exponent - 1);
    const int spread = random.between(0, 40), signs = random.between(0, 2);
    std::vector<TestType> terms(random.one_of(random.between<std::size_t>(1, 64), random.between<std::size_t>(1, fold_tile)));
    for (std::size_t k = 0; k < terms.size(); ++k) {
      TestType& x = terms[k];
      x = random.value<TestType>(std::max(scale - random.between(0, spread), std::numeric_limits<TestType>::min_exponent - 24));
      // One sign pushes a head out of its binade; first one sign and then the other pushes it out and back in.
      if (signs == 1) x = std::abs(x);
      if (signs == 2) x = k < terms.size() / 2 ? std::abs(x) : -std::abs(x);
    }
    const int error = random.between(-24, 24);
    INFO(terms.size() << " terms below 2^" << scale + 1 << ", guessed " << error << " too high");
    folds<3>(terms, scale + 1 + error);
    folds<6>(terms, scale + 1 + error);
  }
}

TEMPLATE_TEST_CASE("units kept across tiles of changing scale, width and kind add up", "", double, float) {
  Random random(338);
  const auto families = long_families<TestType>();
  for (std::uint64_t i = 0; i < 30 * case_factor(); ++i) {
    Long<TestType> sum, expected;
    Folds<Long<TestType>, 3> folds;
    for (int arrays = random.between(1, 20); arrays > 0; --arrays) {
      const auto terms = families[random.between<std::size_t>(0, families.size() - 1)].make(random);
      folds.add(terms.data(), terms.size(), sum);
      expected += one_by_one(terms);
      if (random.between(0, 4) == 0) folds.drain(sum);
    }
    folds.drain(sum);
    EXAKT_CHECK(sum == expected);
    folds.drain(sum);
    EXAKT_CHECK(sum == expected);
  }
}

TEMPLATE_TEST_CASE("units of far more tiles than fit into an integer are drained in time", "", double, float) {
  // All units of one sign and as large as they get: a full tile of terms just below 2^0, thousands of times.
  const TestType largest = 1 - std::numeric_limits<TestType>::epsilon() / 2;
  for (const TestType x : {largest, -largest}) {
    const std::vector<TestType> terms(fold_tile, x);
    Long<TestType> sum;
    Folds<Long<TestType>, 3> folds;
    constexpr int tiles = 5000;
    for (int i = 0; i < tiles; ++i) folds.add(terms.data(), terms.size(), sum);
    folds.drain(sum);
    EXAKT_CHECK_BITS(sum.round_quotient(fold_tile * tiles), Expected<TestType>{x});
    for (int i = 0; i < tiles; ++i) folds.add(terms.data(), 1, sum);
    folds.drain(sum);
    EXAKT_CHECK_BITS(sum.round_quotient((fold_tile + 1) * tiles), Expected<TestType>{x});
  }
}

TEST_CASE("a head that leaves its binade by one unit, for one term only, is found out") {
  // Below 2^e one term moves a head that starts at 1.5 * 2^(e + 12) by less than 2^e, so 2^11 of them reach the end of the binade.
  for (const int e : {0, 500, -500})
    for (const double sign : {1.0, -1.0})
      for (const int distance : {-2, -1, 0, 1, 2}) {
        const double half_binade = std::ldexp(1.0, e + 11), unit = std::ldexp(1.0, e - 40);
        std::vector<double> terms(8 * static_cast<std::size_t>(Exakt::Impl::pack_lanes));
        terms[0] = sign * (half_binade + distance * unit);
        terms[4 * static_cast<std::size_t>(Exakt::Impl::pack_lanes)] = -terms[0];
        if (distance < 0) {
          CHECK(folds<3>(terms, e));
          CHECK(folds<6>(terms, e));
        }
        if (distance > 0) {
          CHECK_FALSE(folds<3>(terms, e));
          CHECK_FALSE(folds<6>(terms, e));
        }
      }
}

TEMPLATE_TEST_CASE("tiles of a moderate range are done by folds, and tiles that folds cannot hold are not", "", double, float) {
  Random random(333);
  using Limits = std::numeric_limits<TestType>;
  for (int i = 0; i < 200; ++i) {
    std::vector<TestType> terms(random.between<std::size_t>(1, fold_tile));
    for (auto& x : terms) x = random.value<TestType>(random.between(-20, 20));
    CHECK(folds(terms));
    auto with_nan = terms;
    with_nan[random.between<std::size_t>(0, terms.size() - 1)] = Limits::quiet_NaN();
    CHECK_FALSE(folds(with_nan));
    auto with_infinity = terms;
    with_infinity[random.between<std::size_t>(0, terms.size() - 1)] = random.coin() ? Limits::infinity() : -Limits::infinity();
    CHECK_FALSE(folds(with_infinity));
    if (std::is_same_v<TestType, double>) {
      auto too_wide = terms;
      too_wide.push_back(1);
      too_wide[random.between<std::size_t>(0, terms.size() - 1)] = static_cast<TestType>(0x1p-200);
      if (too_wide.size() <= fold_tile) CHECK_FALSE(folds(too_wide));
    }
  }
}

TEST_CASE("all subnormal numbers of double share the lowest unit and are folded exactly") {
  Random random(334);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> terms(random.between<std::size_t>(1, fold_tile));
    for (double& x : terms) x = random.value<double>(random.between(-1074, -980));
    CHECK(folds(terms));
    check_folded(terms);
  }
}

TEMPLATE_TEST_CASE("folds are right in every floating-point environment", "", double, float) {
  Random random(335);
  for (const auto& family : short_families<TestType>())
    for (int i = 0; i < 10; ++i)
      for (const auto& environment : every_fp_environment()) {
        INFO(family.name << ", " << environment.name);
        const auto terms = family.make(random);
        const auto expected = exact_sum(terms).template round<TestType>();
        TestType result;
        {
          const ScopedFpEnvironment scope(environment);
          result = folded(terms.data(), terms.size()).round();
        }
        EXAKT_CHECK_BITS(result, expected);
      }
}

TEST_CASE("exact products of floats are folded in double into an accumulator of products") {
  Random random(336);
  for (int i = 0; i < 300; ++i) {
    LongAccumulator<float, 56, Terms::products> expected, sum;
    std::vector<double> products;
    for (int k = random.between(1, 3000); k > 0; --k) {
      const float x = random.value<float>(random.between(-149, 127)), y = random.value<float>(random.between(-149, 127));
      products.push_back(static_cast<double>(x) * static_cast<double>(y));
      expected.add_product(x, y);
    }
    Folds<decltype(sum), 4> folds;
    folds.add(products.data(), products.size(), sum);
    folds.drain(sum);
    EXAKT_CHECK(sum == expected);
  }
}
