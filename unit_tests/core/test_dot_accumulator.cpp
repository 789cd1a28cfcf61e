// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_GuardedArray.hpp"

template <class T>
inline constexpr bool ExaktTest::adds_products<Exakt::DotAccumulator<T>> = true;

namespace {

using namespace ExaktTest;
using Exakt::DotAccumulator;

template <class T>
DotAccumulator<T> bulk_dot(ProductTerms<T> const& terms) {
  DotAccumulator<T> sum;
  sum.add_products(terms.x.data(), terms.y.data(), terms.size());
  return sum;
}

template <class T>
void check_rounded(DotAccumulator<T> const& sum, Exact const& exact) {
  for (Rounding const mode : every_rounding) {
    EXAKT_CHECK_BITS(sum.round(mode), exact.template round<T>(mode));
    EXAKT_CHECK_BITS(sum.template round<float>(mode), exact.template round<float>(mode));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("DotAccumulator keeps every promise of an accumulator, for products and for values", "", double,
                   float) {
  using A = DotAccumulator<TestType>;
  auto const check = [](auto const& cases) { check_contract<A>(cases); };
  for_each_batch_of_dots<TestType>(200, 240, check);
  for_each_batch_of_sums<TestType>(20, 241, check);
  check_special_values<A>();
  check_integers<A>();
  check_quotients<A>();
  check_doubling_and_removal<A>();
  for (std::uint64_t const count : {7u, 63u, 64u, 65u, 129u, 4095u, 100'000u}) {
    check_many_additions_of<A>(std::numeric_limits<TestType>::max(), count);
    check_many_additions_of<A>(-std::numeric_limits<TestType>::denorm_min(), count);
  }
}

TEMPLATE_TEST_CASE("products in bulk, one by one, and in pieces of both are the same sum", "", double, float) {
  Random random(242);
  auto const check = [&](char const* family, ProductTerms<TestType> const& terms) {
    INFO(family << ", " << terms.size() << " products");
    Exact const exact = exact_dot(terms.x, terms.y);
    auto const bulk = bulk_dot(terms);
    check_rounded(bulk, exact);
    DotAccumulator<TestType> one_by_one, mixed;
    add_one_by_one(one_by_one, terms);
    EXAKT_CHECK(one_by_one == bulk);
    for (std::size_t i = 0; i < terms.size();) {
      std::size_t const n = std::min(terms.size() - i, random.between<std::size_t>(1, random.one_of(20, 200)));
      if (random.coin())
        mixed.add_products(terms.x.data() + i, terms.y.data() + i, n);
      else
        add_one_by_one(mixed, slice(terms, i, i + n));
      i += n;
    }
    EXAKT_CHECK(mixed == bulk);
  };
  for (auto const& family : short_product_families<TestType>())
    for (std::uint64_t i = 0; i < 100 * case_factor(); ++i) check(family.name, family.make(random));
  for (auto const& family : long_product_families<TestType>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      auto const terms = family.make(random);
      for (Order const order : every_order) check(family.name, reordered(terms, order, random));
    }
}

TEMPLATE_TEST_CASE("2^16 to 2^18 products of one sign agree with the oracle", "", double, float) {
  Random random(243);
  for (auto const& family : carry_product_families<TestType>())
    for (std::uint64_t i = 0; i < case_factor(); ++i) {
      auto const terms = family.make(random);
      INFO(family.name << ", " << terms.size() << " products");
      check_rounded(bulk_dot(terms), exact_dot(terms.x, terms.y));
    }
}

TEMPLATE_TEST_CASE("a dot of length 0 to 100 reads both arrays to the last entry and no further", "", double, float) {
  using Array = GuardedArray<TestType>;
  Random random(244);
  for (std::size_t n = 0; n <= 100; ++n)
    for (std::uint64_t i = 0; i < 5 * case_factor(); ++i) {
      ProductTerms<TestType> terms;
      for (std::size_t k = 0; k < n; ++k)
        terms.push_back(random.value<TestType>(random.between(-60, 60)),
                        random.value<TestType>(random.between(-60, 60)));
      Exact const exact = exact_dot(terms.x, terms.y);
      Array const x(terms.x), y(terms.y), x_first(terms.x, Array::Against::page_before);
      DotAccumulator<TestType> sum, other;
      sum.add_products(x.data(), y.data(), n);
      other.add_products(x_first.data(), y.data(), n);
      EXAKT_CHECK_BITS(sum.round(), exact.template round<TestType>());
      EXAKT_CHECK(other == sum);
    }
}

TEMPLATE_TEST_CASE("a bulk of products is right in every floating-point environment", "", double, float) {
  Random random(245);
  auto const check = [&](char const* family, ProductTerms<TestType> const& terms) {
    Exact const exact = exact_dot(terms.x, terms.y);
    for (auto const& environment : every_fp_environment()) {
      INFO(family << ", " << environment.name);
      DotAccumulator<TestType> sum;
      TestType rounded[4];
      {
        ScopedFpEnvironment const scope(environment);
        sum.add_products(terms.x.data(), terms.y.data(), terms.size());
        for (int mode = 0; mode < 4; ++mode) rounded[mode] = sum.round(every_rounding[mode]);
      }
      for (int mode = 0; mode < 4; ++mode)
        EXAKT_CHECK_BITS(rounded[mode], exact.template round<TestType>(every_rounding[mode]));
      check_rounded(sum, exact);
    }
  };
  for (auto const& family : short_product_families<TestType>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) check(family.name, family.make(random));
  for (auto const& family : long_product_families<TestType>())
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i) check(family.name, family.make(random));
}

TEMPLATE_TEST_CASE("every exponent of a product, from underflow to overflow, is exact", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  Random random(246);
  constexpr int lowest = Limits::min_exponent - Limits::digits, top = Limits::max_exponent - 1;
  for (int exponent = 2 * lowest; exponent <= 2 * top; ++exponent)
    for (int i = 0; i < 8; ++i) {
      int const first = random.between(std::max(lowest, exponent - top), std::min(top, exponent - lowest));
      TestType const x = random.value<TestType>(first), y = random.value<TestType>(exponent - first);
      DotAccumulator<TestType> product;
      product.add_product(x, y);
      Exact const exact = Exact().add_product(x, y);
      INFO(describe_bits(x) << " * " << describe_bits(y));
      check_rounded(product, exact);
      // The product less its rounded value is what is lost everywhere else.
      TestType const rounded = exact.template round<TestType>().value;
      if (std::isfinite(rounded)) {
        product -= rounded;
        check_rounded(product, Exact(exact).subtract(rounded));
      }
      product.clear();
      product.add_product(x, y);
      product.subtract_product(y, x);
      EXAKT_CHECK(product == DotAccumulator<TestType>());
    }
}

TEMPLATE_TEST_CASE("products of every exponent are gathered in the digits that are named", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  constexpr int lowest = Limits::min_exponent - Limits::digits, top = Limits::max_exponent - 1;
  Random random(248);
  check_digits_in_use(DotAccumulator<TestType>());
  for (int e = 2 * lowest; e <= 2 * top; ++e)
    for (std::size_t const n : {1, 20, 100}) {
      int const first = random.between(std::max(lowest, e - top), std::min(top, e - lowest));
      std::vector<TestType> x(n), y(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = random.value<TestType>(std::max(first - random.between(0, 20), lowest));
        y[i] = random.value<TestType>(std::max(e - first - random.between(0, 20), lowest));
      }
      DotAccumulator<TestType> bulk, single;
      bulk.add_products(x.data(), y.data(), n);
      for (std::size_t i = 0; i < n; ++i) single.add_product(x[i], y[i]);
      INFO(n << " products below 2^" << e + 2);
      check_digits_in_use(bulk);
      check_digits_in_use(single);
    }
}

TEST_CASE("factors of different types are taken exactly, one by one and in bulk, in every environment") {
  Random random(248);
  for (std::uint64_t i = 0; i < 300 * case_factor(); ++i) {
    std::vector<float> x(random.between<std::size_t>(0, 1200));
    std::vector<double> y(x.size());
    Exact exact;
    bool const wide = random.coin();
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = random.value<float>(wide ? random.between(-149, 127) : random.between(-140, -120));
      y[k] = random.value<double>(wide ? random.between(-1074, 1023) : random.between(-960, -900));
      exact.add_product(x[k], y[k]);
    }
    for (auto const& environment : every_fp_environment()) {
      INFO(environment.name);
      DotAccumulator<double> bulk, swapped, one_by_one;
      {
        ScopedFpEnvironment const scope(environment);
        bulk.add_products(x.data(), y.data(), x.size());
        swapped.add_products(y.data(), x.data(), x.size());
        for (std::size_t k = 0; k < x.size(); ++k) one_by_one.add_product(x[k], y[k]);
      }
      check_rounded(bulk, exact);
      EXAKT_CHECK(swapped == bulk);
      EXAKT_CHECK(one_by_one == bulk);
    }
  }
}

TEMPLATE_TEST_CASE("values and products mix in one sum", "", double, float) {
  Random random(247);
  for (std::uint64_t i = 0; i < 2'000 * case_factor(); ++i) {
    DotAccumulator<TestType> sum;
    Exact exact;
    for (int k = random.between(1, 120); k > 0; --k) {
      TestType const x = random.value<TestType>(random.between(-70, 70)),
                     y = random.value<TestType>(random.between(-70, 70));
      switch (random.between(0, 4)) {
        case 0:
          sum += x;
          exact.add(x);
          break;
        case 1:
          sum -= x;
          exact.subtract(x);
          break;
        case 2:
          sum.add_product(x, y);
          exact.add_product(x, y);
          break;
        case 3:
          sum.subtract_product(x, y);
          exact.subtract_product(x, y);
          break;
        case 4:
          sum += k;
          exact.add_integer(std::int64_t{k});
          break;
      }
    }
    check_rounded(sum, exact);
    EXAKT_CHECK_BITS(sum.round_sqrt(), exact.template round_sqrt<TestType>());
    TestType const values[] = {TestType(0.1), TestType(-3)};
    sum.add(values, 2);
    exact.add(values[0]).add(values[1]);
    check_rounded(sum, exact);
  }
}
