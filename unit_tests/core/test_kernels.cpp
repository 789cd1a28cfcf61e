// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_describe.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_NextToTies.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Terms;
using Exakt::Impl::Enclosure;
using Exakt::Impl::kernels;
using Exakt::Impl::KernelsOf;
using Exakt::Impl::level_unit;
using Exakt::Impl::small_sum;
using Exakt::Impl::SmallSumsOf;

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

/// Whether the instruction set has a fused multiply-add: by its name, for kernels that need one may be missing.
bool set_is_fused() {
  std::string const name = kernels().name;
  return name == "avx512" || name == "avx2" || name.rfind("neon", 0) == 0;
}

template <class X>
bool is_below(std::vector<X> const& x, double limit) {
  for (X const t : x)
    if (!(std::abs(static_cast<double>(t)) < limit)) return false;
  return true;
}

/// How many of the results for x and y the kernels of few terms decide, all of them right.
template <class X>
int count_decided(std::vector<X> const& x, std::vector<X> const& y) {
  SmallSumsOf<X> const& kernel = kernels();
  Long sum, magnitudes, dot, squares;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i];
    magnitudes += std::abs(x[i]);
    dot.add_product(double{x[i]}, double{y[i]});
    squares.add_product(double{x[i]}, double{x[i]});
  }
  int const n = static_cast<int>(x.size());
  int decided = 0;
  X result;
  auto const check = [&](char const* name, bool is_decided, X expected) {
    INFO(name << " of " << n << " terms");
    if (is_decided) EXAKT_CHECK_BITS(result, expected);
    decided += is_decided;
  };
  check("sum", kernel.sum(x.data(), n, result), sum.template round<X>());
  check("nrm1", kernel.nrm1(x.data(), n, result), magnitudes.template round<X>());
  check("dot", kernel.dot(x.data(), y.data(), n, result), dot.template round<X>());
  check("nrm2", kernel.nrm2(x.data(), n, result), squares.template round_sqrt<X>());
  return decided;
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
    CHECK(kernel.largest(x.data(), count, 0) == largest);
    int const e = Exakt::Impl::exponent_above(largest);
    REQUIRE(is_below(x, std::ldexp(1.0, e)));
    Enclosure sum;
    CHECK((kernel.enclose(x.data(), x.size(), 0, sum) && contains(sum, exact)));
    CHECK((kernel.enclose_magnitudes(x.data(), x.size(), 0, sum) && contains(sum, magnitudes)));
    check_extraction(
        [&](int levels, int exponent, std::int64_t* units) {
          return kernel.extract(x.data(), count, 0, levels, exponent, lowest, units);
        },
        e, exact);

    for (double const special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      if (count == 0) continue;
      x[random.between<std::size_t>(0, x.size() - 1)] = static_cast<TestType>(special);
      std::int64_t units[6];
      CHECK_FALSE(kernel.enclose(x.data(), x.size(), 0, sum));
      CHECK_FALSE(kernel.enclose_magnitudes(x.data(), x.size(), 0, sum));
      CHECK_FALSE(kernel.extract(x.data(), count, 0, 6, e, lowest, units));
    }
  }
}

TEMPLATE_TEST_CASE("kernels of products enclose, extract and find the largest", "", (std::tuple<double, double>),
                   (std::tuple<double, float>), (std::tuple<float, double>), (std::tuple<float, float>)) {
  using X = std::tuple_element_t<0, TestType>;
  using Y = std::tuple_element_t<1, TestType>;
  KernelsOf<X, Y> const& kernel = kernels();
  CHECK((kernel.enclose != nullptr) == set_is_fused());
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
    CHECK(kernel.largest(x.data(), y.data(), count, 0) == largest);
    int const e = Exakt::Impl::exponent_above(largest);
    Enclosure sum;
    if (kernel.enclose != nullptr)
      CHECK((kernel.enclose(x.data(), y.data(), x.size(), 0, sum) && contains(sum, exact)));
    check_extraction(
        [&](int levels, int exponent, std::int64_t* units) {
          return kernel.extract(x.data(), y.data(), count, 0, levels, exponent, lowest, units);
        },
        e, exact);

    if (count == 0) continue;
    x[random.between<std::size_t>(0, x.size() - 1)] = std::numeric_limits<X>::infinity();
    std::int64_t units[6];
    if (kernel.enclose != nullptr) CHECK_FALSE(kernel.enclose(x.data(), y.data(), x.size(), 0, sum));
    CHECK_FALSE(kernel.extract(x.data(), y.data(), count, 0, 6, e, lowest, units));
  }
}

TEMPLATE_TEST_CASE("kernels of products take a zero for a zero, and know a product that underflows", "", double,
                   float) {
  KernelsOf<TestType, double> const& kernel = kernels();
  for (int const count : {1, 2, 3, 8, 33}) {
    INFO(count << " products");
    auto const size = static_cast<std::size_t>(count);
    std::vector<TestType> x(size, TestType{3});
    std::vector<double> y(size, 0.0);
    for (std::size_t i = 0; i < size; i += 2) {
      x[i] = 0;
      y[i] = -5;
    }
    std::int64_t units[4];
    CHECK(kernel.extract(x.data(), y.data(), count, 0, 4, 0, lowest, units));
    for (double const small : {0x1p-1070, -0x1p-1070}) {
      std::fill(x.begin(), x.end(), TestType{0.375});
      std::fill(y.begin(), y.end(), small);
      CHECK_FALSE(kernel.extract(x.data(), y.data(), count, 0, 4, 0, lowest, units));
    }
  }
}

TEMPLATE_TEST_CASE("kernels of few terms decide nearly all that is ordinary, and nothing wrongly", "", double, float) {
  Random random(804);
  int const widest = std::is_same_v<TestType, double> ? 1000 : 120;
  for (int count = 1; count <= small_sum; ++count) {
    int decided = 0;
    for (int run = 0; run < 5; ++run)
      decided += count_decided(numbers<TestType>(random, count, 10), numbers<TestType>(random, count, 10));
    CHECK(decided >= 18);
    for (int const exponents : {60, 120, widest}) {
      auto x = numbers<TestType>(random, count, exponents), y = numbers<TestType>(random, count, exponents);
      count_decided(x, y);
      // What is left when neighbours cancel.
      for (std::size_t i = 1; i < x.size(); i += 2) x[i] = -x[i - 1];
      y.assign(x.size(), TestType{1});
      count_decided(x, y);
    }
    for (double const special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      auto x = numbers<TestType>(random, count, 10);
      x[random.between<std::size_t>(0, x.size() - 1)] = static_cast<TestType>(special);
      SmallSumsOf<TestType> const& kernel = kernels();
      std::vector<TestType> const zeros(x.size());
      TestType result;
      CHECK_FALSE(kernel.sum(x.data(), count, result));
      CHECK_FALSE(kernel.nrm1(x.data(), count, result));
      CHECK_FALSE(kernel.dot(x.data(), x.data(), count, result));
      CHECK_FALSE(kernel.dot(x.data(), zeros.data(), count, result));
      CHECK_FALSE(kernel.nrm2(x.data(), count, result));
    }
  }
}

TEST_CASE("kernels of few terms know ties of sums, and do not take for one what lies beside it") {
  Random random(805);
  CHECK(count_decided<double>({1 + 0x1p-52, 2}, {1, 1}) >= 2);
  CHECK(count_decided<double>({-2, 0, -1 - 0x1p-52, -0.0, 0x1p-20, -0x1p-20}, {1, 1, 1, 1, 1, 1}) >= 2);
  CHECK(count_decided<float>({1 + 0x1p-23f, 2}, {1, 1}) >= 2);
  for (int k = 1; k <= 120; ++k)
    for (double const sign : {1.0, -1.0}) {
      double const beside = sign * std::ldexp(1.0, -53 - k);
      count_decided<double>({1, 0x1p-53, beside}, {1, 1, 1});
      count_decided<double>({1 + 0x1p-52, beside, 0x1p-53}, {1, 1, 1});
      count_decided<float>({1, 0x1p-24f, static_cast<float>(beside)}, {1, 1, 1});
      // The hypotenuse of a right triangle of integers is half way between two numbers (test_nrm2.cpp).
      auto const u = random.between<std::int64_t>(90'000'000, 93'000'000),
                 v = random.between<std::int64_t>(36'000'000, 38'000'000) / 2 * 2 + (u + 1) % 2;
      double const a = static_cast<double>(u * u - v * v), b = static_cast<double>(2 * u * v);
      count_decided<double>({a, std::ldexp(a, -k), b}, {a, beside, b});
    }
  SmallSumsOf<double> const& kernel = kernels();
  double const tie[] = {1, 0x1p-53, 0};
  double result;
  CHECK_FALSE(kernel.sum(tie, 3, result));
}

TEMPLATE_TEST_CASE("kernels of few terms decide sums of zeros, and products that underflow are none", "", double,
                   float) {
  Random random(807);
  for (int count = 0; count <= Exakt::Impl::small_sum; ++count) {
    INFO(count << " terms");
    std::vector<TestType> zeros(static_cast<std::size_t>(count)), x, y;
    for (TestType& zero : zeros) zero = random.one_of(TestType{0}, -TestType{0});
    auto const others = numbers<TestType>(random, count, 20);
    CHECK(count_decided(zeros, others) == 4);
    // Each product has a zero, in either vector.
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      bool const of_x = random.coin();
      x.push_back(of_x ? zeros[i] : others[i]);
      y.push_back(of_x ? others[i] : zeros[i]);
    }
    SmallSumsOf<TestType> const& kernel = kernels();
    TestType result = 1;
    CHECK(kernel.dot(x.data(), y.data(), count, result));
    EXAKT_CHECK_BITS(result, TestType{0});
    if (count == 0) continue;
    std::size_t const place = random.between<std::size_t>(0, x.size() - 1);
    auto const tiny = std::ldexp(TestType{1}, std::is_same_v<TestType, double> ? -600 : -100);
    for (TestType const sign : {1, -1}) {
      auto with_tiny = zeros, factors = zeros;
      with_tiny[place] = tiny;
      factors[place] = sign * tiny;
      count_decided(with_tiny, factors);
    }
  }
}

TEST_CASE("kernels of few terms decide nothing wrongly next to ties, all rests of which are rounded one way") {
  constexpr double unit = 0x1p-39;
  for_each_next_to_tie(small_sum, unit,
                       [](std::vector<double> const& terms) { count_decided(terms, std::vector(terms.size(), 1.0)); });
  // The same for squares, whose root lies next to a tie: the sum of the last three is what others lack of its square.
  for (int k = 45; k <= 52; ++k)
    for (int part = 1; part <= 6; ++part)
      for (double const sign : {-1.0, 1.0}) {
        std::vector<double> x(small_sum - 3, std::sqrt((0.5 - 0.51 * std::ldexp(1.0, -k)) * unit));
        x[0] = 1;
        double const root = std::nextafter(exact_dot(x, x).round_sqrt<double>().value, 2.0);
        Exact rest;
        rest.add_product(root, root).add_product(root, 0x1p-52).add(0x1p-106);
        rest.add(sign * std::ldexp(small_sum * unit, -k - part));
        for (double const t : x) rest.subtract_product(t, t);
        for (int i = 0; i < 3; ++i) {
          x.push_back(std::nextafter(std::sqrt(rest.round<double>().value), 0.0));
          rest.subtract_product(x.back(), x.back());
        }
        count_decided(x, x);
      }
}

TEST_CASE("kernels of few products do not decide a tie that a product below all numbers decides") {
  for (int e = -1040; e <= -860; ++e)
    for (int const below : {70, 80, 90, 100})
      for (double const sign : {-1.0, 1.0}) {
        // 2^e, half of its last bit, and something that is lost beside them where it underflows.
        int const half = e / 2;
        std::vector<double> const x{std::ldexp(1.0, half), std::ldexp(1.0, half - 53),
                                    std::ldexp(sign, half - below / 2)};
        std::vector<double> const y{std::ldexp(1.0, e - half), std::ldexp(1.0, e - half),
                                    std::ldexp(1.0, e - half - below / 2)};
        count_decided(x, y);
      }
}

TEMPLATE_TEST_CASE("kernels of integers add nothing of a block in which something is infinite or NaN", "", double,
                   float) {
  KernelsOf<TestType> const& values = kernels();
  KernelsOf<TestType, TestType> const& products = kernels();
  Random random(806);
  for (int count = 1; count <= Exakt::Impl::product_block; ++count)
    for (double const special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      auto x = numbers<TestType>(random, count, 20), y = numbers<TestType>(random, count, 20);
      x[random.between<std::size_t>(0, x.size() - 1)] = static_cast<TestType>(special);
      std::vector<std::int64_t> digits(Long::digit_count);
      std::vector<std::uint64_t> bins(Exakt::Impl::high_words_of_bins + Exakt::Impl::product_bins);
      CHECK_FALSE(values.add_to_digits(x.data(), count, Long::lowest_exponent, digits.data()));
      for (int swaps = 0; swaps < 2; ++swaps, std::swap(x, y)) {
        CHECK_FALSE(products.add_to_digits(x.data(), y.data(), count, Long::lowest_exponent, digits.data()));
        CHECK_FALSE(products.add_by_exponent(x.data(), y.data(), count, 0, bins.data()));
      }
      CHECK(std::all_of(digits.begin(), digits.end(), [](auto digit) { return digit == 0; }));
      CHECK(std::all_of(bins.begin(), bins.end(), [](auto word) { return word == 0; }));
    }
}

TEMPLATE_TEST_CASE("the kernel of digits adds terms of few digits and of many, each to two neighbours", "", double,
                   float) {
  KernelsOf<TestType> const& kernel = kernels();
  using F = Exakt::FloatFormat<TestType>;
  Random random(808);
  for (int count = 0; count <= Exakt::Impl::digit_block; ++count)
    for (int const span : {0, 60, 300, 840, 1000, 2200}) {
      INFO(count << " terms within " << span << " binades");
      int const least = random.between(F::lsb_exponent - 2, std::max(F::lsb_exponent, F::max_exponent - span));
      std::vector<TestType> x;
      Long expected;
      for (int i = 0; i < count; ++i) {
        int const exponent = std::min(F::max_exponent, least + random.between(0, span));
        x.push_back(random.between(0, 19) == 0 ? random.one_of(TestType{0}, -TestType{0})
                                               : random.value<TestType>(exponent));
        expected += x.back();
      }
      std::vector<std::int64_t> digits(Long::digit_count, 5);
      REQUIRE(kernel.add_to_digits(x.data(), count, Long::lowest_exponent, digits.data()));
      for (auto& digit : digits) digit -= 5;
      CHECK(Long::from_digits(digits.data(), 0, Long::digit_count).normalized().same_digits(expected.normalized()));
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
  if (name == "sse4" || name == "neon") CHECK(kernels().lanes == 2);
  CHECK(Exakt::Impl::has_fused_kernels == set_is_fused());
}
