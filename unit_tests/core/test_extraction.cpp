// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <summation/Exakt_Extraction.hpp>

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
using Exakt::Impl::Extraction;

constexpr std::size_t extract = Exakt::Impl::extraction_tile_size;

#ifdef EXAKT_EMULATE_DEVICE
int const lanes = Exakt::Impl::pack_lanes;
#else
int const lanes = Exakt::Impl::kernels().lanes;
#endif

template <class T>
using Long = LongAccumulator<T>;

template <class T>
Long<T> one_by_one(std::vector<T> const& terms) {
  Long<T> sum;
  for (T const x : terms) sum += x;
  return sum;
}

template <class T, class A = Long<T>>
A folded(T const* terms, std::size_t n) {
  A sum;
  Extraction<A, 3> extraction;
  extraction.add(terms, n, sum);
  extraction.drain(sum);
  return sum;
}

template <class T>
void check_extracted(std::vector<T> const& terms) {
  Exact const exact = exact_sum(terms);
  auto const sum = folded(terms.data(), terms.size());
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.template round<T>(mode));
  EXAKT_CHECK(sum == one_by_one(terms));
}

/// Whether an extraction of this many levels, started for terms below 2^exponent, proves a tile exact; then they are right.
template <int Levels, class T>
bool extraction(std::vector<T> const& terms, int exponent) {
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  std::int64_t units[Levels];
  Exakt::Impl::TermTile<T> const tile(terms.data(), static_cast<int>(terms.size()));
  bool const proved = Exakt::Impl::extract(tile, exponent, lowest, units);
  if (proved) {
    Long<T> sum;
    for (int k = 0; k < Levels; ++k) {
      auto const parts = Exakt::Impl::integer_parts_of_integer(units[k]);
      sum.add_scaled(parts.significand, Exakt::Impl::level_unit(exponent, k, lowest), parts.negative);
    }
    EXAKT_CHECK(sum == one_by_one(terms));
  }
  return proved;
}

/// The smallest exponent with |x| < 2^exponent for all terms.
template <class T>
int exponent_of(std::vector<T> const& terms) {
  int exponent = std::numeric_limits<double>::min_exponent;
  for (T const x : terms)
    if (x != 0) exponent = std::max(exponent, std::min(std::ilogb(x), 9999) + 1);
  return exponent;
}

template <int Levels = 3, class T>
bool extraction(std::vector<T> const& terms) {
  return extraction<Levels>(terms, exponent_of(terms));
}

}  // namespace

TEMPLATE_TEST_CASE("extraction agree with the oracle for every family in every order", "", double, float) {
  Random random(330);
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 60 * case_factor(); ++i)
      for (Order const order : every_order) {
        INFO(family.name << ", " << name_of(order));
        check_extracted(reordered(family.make(random), order, random));
      }
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      auto const terms = family.make(random);
      for (Order const order : every_order) {
        INFO(family.name << ", " << terms.size() << " terms, " << name_of(order));
        check_extracted(reordered(terms, order, random));
      }
    }
}

TEMPLATE_TEST_CASE("extraction of 2^16 to 2^21 terms agree with the oracle", "", double, float) {
  Random random(331);
  for (auto const& family : carry_families<TestType>())
    for (std::uint64_t i = 0; i < case_factor(); ++i) {
      auto const terms = family.make(random);
      INFO(family.name << ", " << terms.size() << " terms");
      check_extracted(terms);
    }
}

TEMPLATE_TEST_CASE("extraction of every length read all terms and nothing else, from any alignment", "", double,
                   float) {
  using Array = GuardedArray<TestType>;
  Random random(332);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 100; ++n) lengths.push_back(n);
  for (std::size_t const tiles : {1, 2, 3})
    for (int i = -33; i <= 33; ++i) lengths.push_back(tiles * extract + static_cast<std::size_t>(i + 33) - 33);
  for (std::size_t const n : lengths) {
    INFO(n << " terms");
    std::vector<TestType> terms(n);
    for (auto& x : terms) x = random.value<TestType>(random.between(-10, 10));
    Array const at_the_end(terms), at_the_beginning(terms, Array::Against::page_before);
    auto const expected = exact_sum(terms).template round<TestType>();
    auto const sum = folded(at_the_end.data(), n);
    EXAKT_CHECK_BITS(sum.round(), expected);
    EXAKT_CHECK(folded(at_the_beginning.data(), n) == sum);
    for (std::size_t shift = 1; shift < 8 && shift < n; ++shift)
      EXAKT_CHECK(folded(at_the_beginning.data() + shift, n - shift) ==
                  one_by_one(std::vector<TestType>(terms.begin() + static_cast<std::ptrdiff_t>(shift), terms.end())));
  }
}

TEMPLATE_TEST_CASE("a full tile of the largest terms of any exponent leaves every head in its binade", "", double,
                   float) {
  constexpr int lowest = std::numeric_limits<TestType>::min_exponent - std::numeric_limits<TestType>::digits;
  for (int exponent = lowest; exponent < std::numeric_limits<TestType>::max_exponent; ++exponent)
    for (TestType const unit : {TestType{1}, 2 - std::numeric_limits<TestType>::epsilon()})
      for (int const signs : {0, 1, 2}) {
        std::vector<TestType> terms(extract, std::ldexp(unit, exponent));
        for (std::size_t i = 0; i < terms.size(); ++i)
          if (signs == 1 || (signs == 2 && i % 64 < 32)) terms[i] = -terms[i];
        INFO(describe_bits(terms[0]));
        auto const sum = folded(terms.data(), terms.size());
        TestType expected = 0;
        if (signs != 2) expected = Exact().add_product(terms[0], extract).template round<TestType>().value;
        EXAKT_CHECK_BITS(sum.round(), Expected<TestType>{expected});
      }
}

TEST_CASE("the third level takes its largest residues, of one sign, in full tiles") {
  // q of a level is a multiple of 2^(e-40); this is just below half of that multiple at each level, so that all
  // residues are large.
  double term = 1;
  for (int const level : {1, 2}) term += std::ldexp(1 - 0x1p-10, -40 * level - 1);
  for (double const x : {term, -term, 1 + 0x1p-41, 1 + 0x1p-52}) {
    std::vector<double> terms(extract, x);
    CHECK(extraction(terms));
    for (std::size_t i = 0; i < terms.size(); i += 2) terms[i] = std::ldexp(x, -39);
    CHECK(extraction(terms));
  }
}

TEMPLATE_TEST_CASE("a wrong guess of the exponent is found out or does no harm", "", double, float) {
  Random random(337);
  for (std::uint64_t i = 0; i < 20'000 * case_factor(); ++i) {
    int const scale =
        random.between(std::numeric_limits<TestType>::min_exponent, std::numeric_limits<TestType>::max_exponent - 1);
    int const spread = random.between(0, 40), signs = random.between(0, 2);
    std::vector<TestType> terms(
        random.one_of(random.between<std::size_t>(1, 64), random.between<std::size_t>(1, extract)));
    for (std::size_t k = 0; k < terms.size(); ++k) {
      TestType& x = terms[k];
      x = random.value<TestType>(
          std::max(scale - random.between(0, spread), std::numeric_limits<TestType>::min_exponent - 24));
      // One sign pushes a head out of its binade; first one sign and then the other pushes it out and back in.
      if (signs == 1) x = std::abs(x);
      if (signs == 2) x = k < terms.size() / 2 ? std::abs(x) : -std::abs(x);
    }
    int const error = random.between(-24, 24);
    INFO(terms.size() << " terms below 2^" << scale + 1 << ", guessed " << error << " too high");
    extraction<3>(terms, scale + 1 + error);
    extraction<6>(terms, scale + 1 + error);
  }
}

TEMPLATE_TEST_CASE("units kept across tiles of changing scale, width and kind add up", "", double, float) {
  Random random(338);
  auto const families = long_families<TestType>();
  for (std::uint64_t i = 0; i < 30 * case_factor(); ++i) {
    Long<TestType> sum, expected;
    Extraction<Long<TestType>, 3> extraction;
    for (int arrays = random.between(1, 20); arrays > 0; --arrays) {
      auto const terms = families[random.between<std::size_t>(0, families.size() - 1)].make(random);
      extraction.add(terms.data(), terms.size(), sum);
      expected += one_by_one(terms);
      if (random.between(0, 4) == 0) extraction.drain(sum);
    }
    extraction.drain(sum);
    EXAKT_CHECK(sum == expected);
    extraction.drain(sum);
    EXAKT_CHECK(sum == expected);
  }
}

TEMPLATE_TEST_CASE("units of far more tiles than fit into an integer are drained in time", "", double, float) {
  // All units of one sign and as large as they get: a full tile of terms just below 2^0, thousands of times.
  TestType const largest = 1 - std::numeric_limits<TestType>::epsilon() / 2;
  for (TestType const x : {largest, -largest}) {
    std::vector<TestType> const terms(extract, x);
    Long<TestType> sum;
    Extraction<Long<TestType>, 3> extraction;
    constexpr int tiles = 5000;
    for (int i = 0; i < tiles; ++i) extraction.add(terms.data(), terms.size(), sum);
    extraction.drain(sum);
    EXAKT_CHECK_BITS(sum.round_quotient(extract * tiles), Expected<TestType>{x});
    for (int i = 0; i < tiles; ++i) extraction.add(terms.data(), 1, sum);
    extraction.drain(sum);
    EXAKT_CHECK_BITS(sum.round_quotient((extract + 1) * tiles), Expected<TestType>{x});
  }
}

TEMPLATE_TEST_CASE("units add up when every head of every tile moves almost out of its binade", "", double, float) {
  // The first tile sets the exponent to 0, so that a head may move by 2^11; these terms, all equal, move each by nearly
  // that.
  int const per_head = static_cast<int>(extract) / (Exakt::Impl::extraction_chains * lanes) + 1;
  TestType const x = static_cast<TestType>(std::floor(16 * 2047.0 / per_head) / 16);
  for (TestType const sign : {TestType{1}, TestType{-1}}) {
    std::vector<TestType> const first(extract, TestType{0.75}), terms(extract, sign * x);
    CHECK(extraction<3>(terms, 0));
    Long<TestType> sum;
    Extraction<Long<TestType>, 3> extraction;
    extraction.add(first.data(), first.size(), sum);
    constexpr int tiles = 10'000;
    for (int i = 0; i < tiles; ++i) extraction.add(terms.data(), terms.size(), sum);
    extraction.drain(sum);
    Exact exact;
    exact.add_product(0.75, extract).add_product(sign * x, static_cast<double>(extract) * tiles);
    EXAKT_CHECK_BITS(sum.round(), exact.round<TestType>());
  }
}

TEST_CASE("a head that leaves its binade by one unit, for one term only, is found out") {
  // Below 2^e one term moves a head that starts at 1.5 * 2^(e + 12) by less than 2^e, so 2^11 of them reach the end of
  // the binade.
  for (int const e : {0, 500, -500})
    for (double const sign : {1.0, -1.0})
      for (int const distance : {-2, -1, 0, 1, 2}) {
        double const half_binade = std::ldexp(1.0, e + 11), unit = std::ldexp(1.0, e - 40);
        std::vector<double> terms(8 * static_cast<std::size_t>(lanes));
        terms[0] = sign * (half_binade + distance * unit);
        terms[4 * static_cast<std::size_t>(lanes)] = -terms[0];
        if (distance < 0) {
          CHECK(extraction<3>(terms, e));
          CHECK(extraction<6>(terms, e));
        }
        if (distance > 0) {
          CHECK_FALSE(extraction<3>(terms, e));
          CHECK_FALSE(extraction<6>(terms, e));
        }
      }
}

TEMPLATE_TEST_CASE("tiles of a moderate range are done by extraction, and tiles that extraction cannot hold are not",
                   "", double, float) {
  Random random(333);
  using Limits = std::numeric_limits<TestType>;
  for (int i = 0; i < 200; ++i) {
    std::vector<TestType> terms(random.between<std::size_t>(1, extract));
    for (auto& x : terms) x = random.value<TestType>(random.between(-20, 20));
    CHECK(extraction(terms));
    auto with_nan = terms;
    with_nan[random.between<std::size_t>(0, terms.size() - 1)] = Limits::quiet_NaN();
    CHECK_FALSE(extraction(with_nan));
    auto with_infinity = terms;
    with_infinity[random.between<std::size_t>(0, terms.size() - 1)] =
        random.coin() ? Limits::infinity() : -Limits::infinity();
    CHECK_FALSE(extraction(with_infinity));
    if constexpr (std::is_same_v<TestType, double>) {
      auto too_wide = terms;
      too_wide.push_back(1);
      too_wide[random.between<std::size_t>(0, terms.size() - 1)] = 0x1p-200;
      if (too_wide.size() <= extract) CHECK_FALSE(extraction(too_wide));
    }
  }
}

TEST_CASE("all subnormal numbers of double share the lowest unit and are extracted exactly") {
  Random random(334);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> terms(random.between<std::size_t>(1, extract));
    for (double& x : terms) x = random.value<double>(random.between(-1074, -980));
    CHECK(extraction(terms));
    check_extracted(terms);
  }
}

#ifdef EXAKT_EMULATE_DEVICE
static_assert(Exakt::Impl::pack_lanes == 1);  // and devices have one environment only
#else
TEMPLATE_TEST_CASE("extraction are right in every floating-point environment", "", double, float) {
  Random random(335);
  for (auto const& family : short_families<TestType>())
    for (int i = 0; i < 10; ++i)
      for (auto const& environment : every_fp_environment()) {
        INFO(family.name << ", " << environment.name);
        auto const terms = family.make(random);
        auto const expected = exact_sum(terms).template round<TestType>();
        TestType result;
        {
          ScopedFpEnvironment const scope(environment);
          result = folded(terms.data(), terms.size()).round();
        }
        EXAKT_CHECK_BITS(result, expected);
      }
}
#endif

TEST_CASE("exact products of floats are extracted in double into an accumulator of products") {
  Random random(336);
  for (int i = 0; i < 300; ++i) {
    LongAccumulator<float, 56, Terms::products> expected, sum;
    std::vector<double> products;
    for (int k = random.between(1, 3000); k > 0; --k) {
      float const x = random.value<float>(random.between(-149, 127)),
                  y = random.value<float>(random.between(-149, 127));
      products.push_back(static_cast<double>(x) * static_cast<double>(y));
      expected.add_product(x, y);
    }
    Extraction<decltype(sum), 4> extraction;
    extraction.add(products.data(), products.size(), sum);
    extraction.drain(sum);
    EXAKT_CHECK(sum == expected);
  }
}
