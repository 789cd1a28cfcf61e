// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_describe.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Terms;
using Exakt::Impl::Enclosure;
using Exakt::Impl::kernels;
using Exakt::Impl::KernelsOf;
using Exakt::Impl::level_unit;

using Long = Exakt::LongAccumulator<double, 56, Terms::products>;

constexpr int lowest = Exakt::FloatFormat<double>::lsb_exponent;
constexpr int lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 100, 1000};

template <class X>
std::vector<X> numbers(Random& random, int count, int exponents) {
  std::vector<X> x;
  for (int i = 0; i < count; ++i) x.push_back(random.value<X>(random.between(-exponents, exponents)));
  return x;
}

Long in_units(std::int64_t units, int exponent) {
  Long sum;
  auto const parts = Exakt::Impl::integer_parts_of_integer(units);
  sum.add_scaled(parts.significand, exponent, parts.negative);
  return sum;
}

bool contains(Enclosure const& sum, Long const& exact) {
  Long above;
  above += sum.high;
  above += sum.low;
  Long below = above;
  above += sum.bound;
  below -= sum.bound;
  above -= exact;
  below -= exact;
  return !std::signbit(above.round<double>()) && (below.round<double>() <= 0);
}

/// `extract` with every number of levels: all that it proves is exact, and it proves enough.
template <class Extract>
void check_extraction(Extract const& extract, int e, Long const& exact) {
  for (int const levels : {2, 3, 4, 6}) {
    INFO(levels << " levels");
    std::int64_t units[6];
    bool const proved = extract(levels, e, units);
    if (levels >= 4) CHECK(proved);
    if (!proved) continue;
    Long sum;
    for (int k = 0; k < levels; ++k) sum += in_units(units[k], level_unit(e, k, lowest));
    EXAKT_CHECK(sum == exact);
  }
}

template <class X>
bool is_below(std::vector<X> const& x, double limit) {
  for (X const t : x)
    if (!(std::abs(static_cast<double>(t)) < limit)) return false;
  return true;
}

}  // namespace

TEMPLATE_TEST_CASE("kernels of values enclose, extract and find the largest", "", double, float) {
  KernelsOf<TestType> const& kernel = kernels();
  Random random(801);
  for (int const count : lengths) {
    INFO(count << " terms");
    auto x = numbers<TestType>(random, count, 20);
    Long exact, magnitudes;
    double largest = 0;
    for (double const t : x) {
      exact += t;
      magnitudes += std::abs(t);
      largest = std::max(largest, std::abs(t));
    }
    CHECK(kernel.largest(x.data(), count) == largest);
    int const e = Exakt::Impl::exponent_above(largest);
    REQUIRE(is_below(x, std::ldexp(1.0, e)));
    Enclosure sum;
    CHECK((kernel.enclose(x.data(), x.size(), sum) && contains(sum, exact)));
    CHECK((kernel.enclose_magnitudes(x.data(), x.size(), sum) && contains(sum, magnitudes)));
    check_extraction(
        [&](int levels, int exponent, std::int64_t* units) {
          return kernel.extract(x.data(), count, 0, levels, exponent, lowest, units);
        },
        e, exact);

    for (double const special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      if (count == 0) continue;
      x[random.between<std::size_t>(0, x.size() - 1)] = static_cast<TestType>(special);
      std::int64_t units[6];
      CHECK_FALSE(kernel.enclose(x.data(), x.size(), sum));
      CHECK_FALSE(kernel.enclose_magnitudes(x.data(), x.size(), sum));
      CHECK_FALSE(kernel.extract(x.data(), count, 0, 6, e, lowest, units));
    }
  }
}

TEMPLATE_TEST_CASE("kernels of products enclose, extract, split and find the largest", "", (std::tuple<double, double>),
                   (std::tuple<double, float>), (std::tuple<float, double>), (std::tuple<float, float>)) {
  using X = std::tuple_element_t<0, TestType>;
  using Y = std::tuple_element_t<1, TestType>;
  KernelsOf<X, Y> const& kernel = kernels();
  Random random(802);
  for (int const count : lengths) {
    INFO(count << " products");
    auto x = numbers<X>(random, count, 10);
    auto const y = numbers<Y>(random, count, 10);
    Long exact;
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      exact.add_product(double{x[i]}, double{y[i]});
      largest = std::max(largest, std::abs(double{x[i]} * double{y[i]}));
    }
    CHECK(kernel.largest(x.data(), y.data(), count) == largest);
    int const e = Exakt::Impl::exponent_above(largest);
    Enclosure sum;
    if (kernel.enclose != nullptr) CHECK((kernel.enclose(x.data(), y.data(), x.size(), sum) && contains(sum, exact)));
    check_extraction(
        [&](int levels, int exponent, std::int64_t* units) {
          return kernel.extract(x.data(), y.data(), count, 0, levels, exponent, lowest, units);
        },
        e, exact);

    std::vector<double> products(x.size()), errors(x.size());
    CHECK(kernel.split(x.data(), y.data(), count, products.data(), errors.data()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      Long product;
      product.add_product(double{x[i]}, double{y[i]});
      EXAKT_CHECK_BITS(products[i], product.round<double>());
      product -= products[i];
      product -= errors[i];
      EXAKT_CHECK(product == Long());
    }

    if (count == 0) continue;
    x[random.between<std::size_t>(0, x.size() - 1)] = std::numeric_limits<X>::infinity();
    std::int64_t units[6];
    if (kernel.enclose != nullptr) CHECK_FALSE(kernel.enclose(x.data(), y.data(), x.size(), sum));
    CHECK_FALSE(kernel.extract(x.data(), y.data(), count, 0, 6, e, lowest, units));
    CHECK_FALSE(kernel.split(x.data(), y.data(), count, products.data(), errors.data()));
  }
}

TEMPLATE_TEST_CASE("kernels of products take a zero for a zero, and know a product that underflows", "", double,
                   float) {
  KernelsOf<TestType, double> const& kernel = kernels();
  for (int const count : {1, 2, 3, 8, 33}) {
    INFO(count << " products");
    auto const size = static_cast<std::size_t>(count);
    std::vector<TestType> x(size, TestType{3});
    std::vector<double> y(size, 0.0), products(size), errors(size);
    for (std::size_t i = 0; i < size; i += 2) {
      x[i] = 0;
      y[i] = -5;
    }
    std::int64_t units[4];
    CHECK(kernel.split(x.data(), y.data(), count, products.data(), errors.data()));
    CHECK(kernel.extract(x.data(), y.data(), count, 0, 4, 0, lowest, units));
    for (double const small : {0x1p-1070, -0x1p-1070}) {
      std::fill(x.begin(), x.end(), TestType{0.375});
      std::fill(y.begin(), y.end(), small);
      CHECK_FALSE(kernel.split(x.data(), y.data(), count, products.data(), errors.data()));
      CHECK_FALSE(kernel.extract(x.data(), y.data(), count, 0, 4, 0, lowest, units));
    }
  }
}

TEST_CASE("the kernel of merges adds and subtracts as many digits as it is told, and leaves the others alone") {
  Random random(803);
  for (int count = 0; count <= 100; ++count) {
    INFO(count << " digits");
    std::size_t const n = static_cast<std::size_t>(count), beyond = 8;
    std::vector<std::int64_t> sum(n + beyond), other(n + beyond);
    for (auto* const digits : {&sum, &other})
      for (auto& digit : *digits) digit = static_cast<std::int64_t>(random.bits()) >> random.between(1, 63);
    for (bool const subtracts : {false, true}) {
      auto merged = sum, itself = sum, expected = sum, twice = sum;
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] += subtracts ? -other[i] : other[i];
        twice[i] = subtracts ? 0 : 2 * sum[i];
      }
      kernels().merge_digits(merged.data(), other.data(), count, subtracts);
      kernels().merge_digits(itself.data(), itself.data(), count, subtracts);
      EXAKT_CHECK(merged == expected);
      EXAKT_CHECK(itself == twice);
    }
  }
}

TEST_CASE("the instruction set in use is one of those that are named, and has as many lanes as it should") {
  std::string const names = std::string(" ") + kernels().names + ' ', name = kernels().name;
  CHECK(names.find(' ' + name + ' ') != std::string::npos);
  CHECK(Exakt::describe().find("; instruction set " + name + " (of " + kernels().names + ");") != std::string::npos);
  if (name == "avx512") CHECK(kernels().lanes == 8);
  if (name == "avx2") CHECK(kernels().lanes == 4);
  if (name == "sse4" || name == "ssse3" || name == "neon") CHECK(kernels().lanes == 2);
}
