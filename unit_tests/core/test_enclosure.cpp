// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <summation/Exakt_CascadedSum.hpp>
#include <summation/Exakt_EnclosedSum.hpp>
#include <summation/Exakt_ShortSum.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Impl::AbsoluteOperations;
using Exakt::Impl::CascadedSum;
using Exakt::Impl::EnclosedSum;
using Exakt::Impl::ProductOperations;
using Exakt::Impl::SumOperations;
using Exakt::Impl::WideCascade;

constexpr std::size_t tile = Exakt::Impl::enclosure_tile_size;
// Heads of tiles are made for terms 2^guess times as large as the largest of a sample.
constexpr int guess = 2;
std::size_t const lanes = Exakt::Impl::enclosure_chains * static_cast<std::size_t>(Exakt::Impl::kernels().lanes);

/// What is known about a sum: all of it between two numbers, or nothing.
template <class Long>
struct Interval {
  Long middle, low, high;
  bool is_known = true;

  bool contains(Long const& exact) const {
    return !is_known || (exact.is_finite() && !is_below(exact, low) && !is_below(high, exact));
  }
  double width() const { return is_known ? difference(high, low) : HUGE_VAL; }
  double error(Long const& exact) const { return difference(middle, exact); }

 private:
  static double difference(Long a, Long const& b) {
    a -= b;
    return a.template round<double>();
  }
  static bool is_below(Long const& a, Long const& b) { return std::signbit(difference(a, b)); }
};

template <class Operations>
using Long = typename Operations::Long;

template <class Long>
Interval<Long> known(EnclosedSum const& sum) {
  if (!sum.is_known()) return {{}, {}, {}, false};
  Long const middle = sum.value<Long>();
  Long low = middle, high = middle;
  low -= sum.radius<Long>();
  high += sum.radius<Long>();
  return {middle, low, high};
}

template <class R>
constexpr auto to_nearest = [](auto const& sum) { return sum.template round<R>(); };
template <class R>
constexpr auto square_root = [](auto const& sum) { return sum.template round_sqrt<R>(); };
template <class R>
constexpr auto third = [](auto const& sum) { return sum.template round_quotient<R>(3); };

template <class Long, class Round>
bool rounds_rightly(EnclosedSum const& sum, Long const& exact, Round const& round) {
  decltype(round(exact)) result{};
  bool const decided = sum.is_known() && Exakt::Impl::try_round(sum.value<Long>(), sum.radius<Long>(), round, result);
  if (decided) EXAKT_CHECK_BITS(result, round(exact));
  return decided;
}

/// The promise of the enclosure; whether it could decide the sum rounded to double.
template <class Long>
bool holds(EnclosedSum const& sum, Long const& exact) {
  using Exakt::Rounding;
  EXAKT_CHECK(known<Long>(sum).contains(exact));
  rounds_rightly(sum, exact, to_nearest<float>);
  rounds_rightly(sum, exact, square_root<double>);
  rounds_rightly(sum, exact, square_root<float>);
  rounds_rightly(sum, exact, third<double>);
  for (Rounding const mode : {Rounding::toward_zero, Rounding::upward, Rounding::downward})
    rounds_rightly(sum, exact, [mode](Long const& value) { return value.template round<double>(mode); });
  return rounds_rightly(sum, exact, to_nearest<double>);
}

/// The same for two doubles and a bound: what they say holds, and all that they decide is right.
template <class Long>
bool enclosure_holds(Exakt::Impl::Enclosure const& sum, Long const& exact) {
  using Exakt::Impl::try_round;
  using Exakt::Impl::try_round_quotient;
  using Exakt::Impl::try_round_sqrt;
  Long middle, low, high;
  middle += sum.high;
  middle += sum.low;
  low = high = middle;
  low -= sum.bound;
  high += sum.bound;
  EXAKT_CHECK((Interval<Long>{middle, low, high, std::isfinite(sum.bound)}.contains(exact)));
  double value;
  float narrow;
  if (try_round(sum, narrow)) EXAKT_CHECK_BITS(narrow, exact.template round<float>());
  if (try_round_sqrt(sum, value)) EXAKT_CHECK_BITS(value, exact.template round_sqrt<double>());
  if (try_round_sqrt(sum, narrow)) EXAKT_CHECK_BITS(narrow, exact.template round_sqrt<float>());
  for (std::uint64_t const divisor : {1u, 3u, 1000u}) {
    double const d = static_cast<double>(divisor);
    if (try_round_quotient(sum, d, value)) EXAKT_CHECK_BITS(value, exact.template round_quotient<double>(divisor));
    if (try_round_quotient(sum, d, narrow)) EXAKT_CHECK_BITS(narrow, exact.template round_quotient<float>(divisor));
  }
  if (!try_round(sum, value)) return false;
  EXAKT_CHECK_BITS(value, exact.template round<double>());
  return true;
}

/// The same for the enclosure of terms [begin, begin + n).
template <class Operations>
bool enclosure_holds(Operations const& operations, std::size_t begin, std::size_t n, Long<Operations> const& exact) {
  Exakt::Impl::Enclosure sum;
  return operations.enclose(begin, n, sum) && enclosure_holds(sum, exact);
}

/// A tile that is extracted is its exact sum, whatever is made of it. Whether it could be.
template <int Levels, class Operations>
bool short_sum_holds(Operations const& operations, std::size_t n, Long<Operations> const& exact) {
  if (n > Exakt::Impl::extraction_tile_size / 2) return false;
  constexpr int lowest = Long<Operations>::lowest_exponent;
  int const e = Exakt::Impl::exponent_above(operations.largest(0, static_cast<int>(n)));
  using Sum = Exakt::Impl::ShortSum<Levels>;
  std::int64_t units[Levels];
  if (!Sum::fits(e, lowest) || !operations.extract(0, static_cast<int>(n), e, units)) return false;
  Sum const sum(units, e, lowest);
  using Exakt::Rounding;
  for (Rounding const mode : {Rounding::to_nearest, Rounding::toward_zero, Rounding::upward, Rounding::downward}) {
    EXAKT_CHECK_BITS(sum.template round<double>(mode), exact.template round<double>(mode));
    EXAKT_CHECK_BITS(sum.template round<float>(mode), exact.template round<float>(mode));
    EXAKT_CHECK_BITS(sum.template round_sqrt<double>(mode), exact.template round_sqrt<double>(mode));
    EXAKT_CHECK_BITS(sum.template round_quotient<double>(7, mode), exact.template round_quotient<double>(7, mode));
  }
  return true;
}

// What is summed, with the same shape for values, magnitudes and products.

template <class T>
struct Values {
  using Operations = SumOperations<T>;
  std::vector<T> x;

  static Values of(ProductTerms<T> const& terms) { return {terms.x}; }
  std::size_t size() const { return x.size(); }
  Operations operations() const { return {x.data()}; }
  Long<Operations> exact(std::size_t begin, std::size_t end) const {
    Long<Operations> sum;
    for (std::size_t i = begin; i < end; ++i) sum += x[i];
    return sum;
  }
  template <class Sum>
  void add_to(Sum& sum, std::size_t i) const {
    sum += x[i];
  }
};

template <class T>
struct Magnitudes {
  using Operations = AbsoluteOperations<T>;
  std::vector<T> x;

  static Magnitudes of(ProductTerms<T> const& terms) { return {terms.x}; }
  std::size_t size() const { return x.size(); }
  Operations operations() const { return {{x.data()}}; }
  Long<Operations> exact(std::size_t begin, std::size_t end) const {
    Long<Operations> sum;
    for (std::size_t i = begin; i < end; ++i) sum += std::abs(x[i]);
    return sum;
  }
  template <class Sum>
  void add_to(Sum& sum, std::size_t i) const {
    sum += std::abs(x[i]);
  }
};

template <class T, class U = T>
struct Products {
  using Operations = ProductOperations<T, U>;
  std::vector<T> x;
  std::vector<U> y;

  static Products of(ProductTerms<T> const& terms) { return {terms.x, {terms.y.begin(), terms.y.end()}}; }
  std::size_t size() const { return x.size(); }
  Operations operations() const { return {x.data(), y.data()}; }
  Long<Operations> exact(std::size_t begin, std::size_t end) const {
    Long<Operations> sum;
    for (std::size_t i = begin; i < end; ++i) sum.add_product(x[i], y[i]);
    return sum;
  }
  template <class Sum>
  void add_to(Sum& sum, std::size_t i) const {
    sum.add_product(x[i], y[i]);
  }
};

template <class Operands>
using TermOf = typename decltype(std::declval<Operands>().x)::value_type;

template <class Operands>
auto enclosure(Operands const& operands) {
  EnclosedSum sum;
  sum.add(operands.operations(), 0, operands.size());
  return sum;
}

/// As devices do: by `threads` threads in turn, whose sums are merged.
template <class Sum = CascadedSum, class Operands>
Exakt::Impl::Enclosure cascaded(Operands const& operands, std::size_t threads) {
  Sum total;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    Sum sum;
    for (std::size_t i = thread; i < operands.size(); i += threads) operands.add_to(sum, i);
    total += sum;
  }
  return total.enclosure();
}

/// Cascades are compiled here: no set of kernels makes a difference to them, and the run of the default one sees them.
bool const is_run_of_other_set = std::getenv("EXAKT_ISA") != nullptr;

template <class Operands>
bool check(Operands const& operands) {
  auto const exact = operands.exact(0, operands.size());
  enclosure_holds(operands.operations(), 0, operands.size(), exact);
  for (std::size_t const threads : {1, 7}) {
    if (is_run_of_other_set) break;
    enclosure_holds(cascaded(operands, threads), exact);
    enclosure_holds(cascaded<WideCascade>(operands, threads), exact);
    enclosure_holds(cascaded<Exakt::Impl::Cascade<10>>(operands, threads), exact);
  }
  Exakt::Impl::Exactly<typename Operands::Operations> exactly, rest;
  exactly.add(operands.operations(), 0, operands.size() / 3);
  rest.add(operands.operations(), operands.size() / 3, operands.size() - operands.size() / 3);
  exactly += rest;
  EXAKT_CHECK(exactly.sum() == exact);
  short_sum_holds<3>(operands.operations(), operands.size(), exact);
  short_sum_holds<4>(operands.operations(), operands.size(), exact);
  return holds(enclosure(operands), exact);
}

template <class T>
ProductTerms<T> with_ones(std::vector<T> terms) {
  std::size_t const n = terms.size();
  return {std::move(terms), std::vector<T>(n, T{1})};
}

}  // namespace

#define EXAKT_TEST_EVERY_SOURCE                                                                            \
  Values<double>, Values<float>, Magnitudes<double>, Magnitudes<float>, Products<double>, Products<float>, \
      (Products<float, double>)

TEMPLATE_TEST_CASE("the exact value lies within the bound, for every family in every order", "",
                   EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  Random random(600);
  auto const check_orders = [&](char const* family, ProductTerms<T> const& terms) {
    for (Order const order : every_order) {
      INFO(family << ", " << terms.size() << " terms, " << name_of(order));
      check(TestType::of(reordered(terms, order, random)));
    }
  };
  for (auto const& family : short_families<T>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) check_orders(family.name, with_ones(family.make(random)));
  for (auto const& family : long_families<T>())
    for (std::uint64_t i = 0; i < 4 * case_factor(); ++i) check_orders(family.name, with_ones(family.make(random)));
  for (auto const& family : short_product_families<T>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) check_orders(family.name, family.make(random));
  for (auto const& family : long_product_families<T>())
    for (std::uint64_t i = 0; i < 4 * case_factor(); ++i) check_orders(family.name, family.make(random));
}

TEST_CASE("a cascade decides sums that cancel, ties, and terms of wide ranges") {
  Random random(606);
  for (std::uint64_t i = 0; i < 300 * case_factor(); ++i) {
    // Terms of which all but the last one cancel, 2^80 times as large; a tie; and terms of all sizes.
    Values<double> terms;
    int const e = random.between(-300, 300);
    for (int const below : {0, 53, 80}) terms.x.push_back(random.value<double>(e - below));
    terms.x.push_back(-terms.x[0]);
    terms.x.push_back(-terms.x[1]);
    random.shuffle(terms.x);
    CHECK(enclosure_holds(cascaded(terms, 1), terms.exact(0, terms.size())));
    Values<double> const tie{
        {std::ldexp(1.0, e), std::ldexp(1.0, e - 53), std::ldexp(random.coin() ? 1.0 : -1.0, e - 80)}};
    CHECK(enclosure_holds(cascaded(tie, 1 + i % 3), tie.exact(0, 3)));
    // The same with terms that are 2^100 times as large, in more doubles.
    for (int const above : {40, 70, 100}) {
      terms.x.push_back(random.value<double>(e + above));
      terms.x.push_back(-terms.x.back());
    }
    random.shuffle(terms.x);
    CHECK(enclosure_holds(cascaded<WideCascade>(terms, 1 + i % 3), terms.exact(0, terms.size())));
    // Products of a small integer and a number of 53 bits, with a tie for a sum; and all of them underflow.
    double const x = random.value<double>(e), half = std::ldexp(x < 0 ? -1.0 : 1.0, e - 53);
    Products<double> const product{{1, 2, -2, 1, 0}, {x, x, x, half, 1}};
    CHECK(enclosure_holds(cascaded(product, 1), product.exact(0, 5)));
    Products<double> tiny;
    while (tiny.size() < 100) {
      tiny.x.push_back(random.value<double>(random.between(-560, -500)));
      tiny.y.push_back(random.value<double>(random.between(-560, -500)));
    }
    enclosure_holds(cascaded(tiny, 1 + i % 4), tiny.exact(0, 100));
    Values<double> wide;
    while (wide.size() < 500) wide.x.push_back(random.value<double>(random.between(-900, 900)));
    CHECK(enclosure_holds(cascaded(wide, 1 + i % 40), wide.exact(0, 500)));
  }
}

TEMPLATE_TEST_CASE("the exact value of 2^16 to 2^21 terms lies within the bound", "", EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  Random random(601);
  for (std::uint64_t i = 0; i < case_factor(); ++i) {
    for (auto const& family : carry_families<T>()) {
      INFO(family.name);
      check(TestType::of(with_ones(family.make(random))));
    }
    for (auto const& family : carry_product_families<T>()) {
      INFO(family.name);
      check(TestType::of(family.make(random)));
    }
  }
}

TEMPLATE_TEST_CASE("the exact value lies within the bound at any scale, with any spread of exponents", "",
                   EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  using Limits = std::numeric_limits<T>;
  constexpr int lowest = Limits::min_exponent - Limits::digits, top = Limits::max_exponent - 1;
  Random random(602);
  for (std::uint64_t i = 0; i < 1500 * case_factor(); ++i) {
    ProductTerms<T> terms;
    int const x_scale = random.between(lowest, top), y_scale = random.between(lowest, top);
    int const spread = random.one_of(0, random.between(0, 20), random.between(0, 100), random.between(0, top - lowest));
    int const signs = random.between(0, 2);
    auto const factor = [&](int scale) {
      T const x = random.value<T>(std::clamp(scale - random.between(0, spread), lowest, top));
      return signs == 0 ? std::abs(x) : signs == 1 ? -std::abs(x) : x;
    };
    auto const n = random.one_of(random.between<std::size_t>(1, 100), random.between<std::size_t>(1, tile + 200));
    while (terms.size() < n) terms.push_back(factor(x_scale), factor(y_scale));
    INFO(n << " terms, factors below 2^" << x_scale + 1 << " and 2^" << y_scale + 1 << ", over " << spread
           << " binades");
    check(TestType::of(terms));
  }
}

TEMPLATE_TEST_CASE("tiles of every length are read to the last term and no further, from any alignment", "",
                   EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  Random random(603);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 200; ++n) lengths.push_back(n);
  for (std::size_t tiles : {1, 2})
    for (std::size_t i = 0; i <= 2 * lanes; ++i) lengths.push_back(tiles * tile - lanes + i);
  for (std::size_t const n : lengths) {
    INFO(n << " terms");
    ProductTerms<T> terms;
    while (terms.size() < n)
      terms.push_back(random.value<T>(random.between(-3, 3)), random.value<T>(random.between(-3, 3)));
    auto const operands = TestType::of(terms);
    auto exact = operands.exact(0, n);
    GuardedArray<T> const x(operands.x), x_first(operands.x, GuardedArray<T>::Against::page_before);
    auto const check_arrays = [&](auto... pointers) {
      EnclosedSum sum;
      typename TestType::Operations operations{};
      if constexpr (requires { operations.y; })
        operations = {pointers...};
      else
        (..., void(operations.x = pointers));
      sum.add(operations, 0, n);
      holds(sum, exact);
      enclosure_holds(operations, 0, n, exact);
      // Terms that lie before the first one asked for are not added.
      for (std::size_t begin = 1; begin < std::min<std::size_t>(n, 10); begin += 3) {
        EnclosedSum rest;
        rest.add(operations, begin, n - begin);
        holds(rest, operands.exact(begin, n));
        enclosure_holds(operations, begin, n - begin, operands.exact(begin, n));
      }
    };
    if constexpr (requires { operands.y; }) {
      using Y = typename decltype(operands.y)::value_type;
      GuardedArray<Y> const y(operands.y);
      check_arrays(x.data(), y.data());
      check_arrays(x_first.data(), y.data());
    } else {
      check_arrays(x.data());
      check_arrays(x_first.data());
    }
  }
}

TEST_CASE("the bound holds, and is not far off, when all roundings of the plain sums go the same way") {
  for (int const e : {0, 30, -500, 900, -980})
    for (double const sign : {1.0, -1.0}) {
      INFO("terms below 2^" << e);
      double const unit = std::ldexp(1.0, e + guess - Exakt::Impl::level_step);
      std::vector<double> terms;
      for (int tiles = 0; tiles < 3; ++tiles) {
        std::vector<double> rest(lanes);
        for (std::size_t i = 0; i < tile; ++i) {
          // Just below half a unit: the heads leave all of it to the plain sum, which it puts half way below an even
          // number.
          double& sum = rest[i % lanes];
          double even = sum + unit * (0.5 - 0x1p-8);
          double const ulp = std::nextafter(even, 2 * even) - even;
          if (bits_of(even) % 2 != 0) even -= ulp;
          terms.push_back(sign * (even - sum - ulp / 2));
          sum = even;
        }
      }
      // This one sets the unit, and is a multiple of it.
      for (std::size_t i = 0; i < terms.size(); i += tile) terms[i] = std::ldexp(1.0, e) - unit;
      auto const check_tight = [&](auto const& operands) {
        using Operations = typename std::decay_t<decltype(operands)>::Operations;
        auto const sum = enclosure(operands);
        auto const exact = operands.exact(0, operands.size());
        holds(sum, exact);
        auto const interval = known<Long<Operations>>(sum);
        if (Operations::has_enclosure() && e > -900) CHECK(std::abs(interval.error(exact)) > interval.width() / 10);
      };
      check_tight(Values<double>{terms});
      check_tight(Products<double>{terms, std::vector<double>(terms.size(), 1.0)});
      check_tight(Products<double>{std::vector<double>(terms.size(), 0.25), [&] {
                                     auto scaled = terms;
                                     for (double& x : scaled) x *= 4;
                                     return scaled;
                                   }()});
    }
}

TEST_CASE("the bound covers products of which nothing is left above the smallest number") {
  for (double const share : {0.25, 0.5 - 0x1p-40, 0.5, 0.5 + 0x1p-40, 0.75, 1 - 0x1p-40, 1.25})
    for (double const sign : {1.0, -1.0})
      for (std::size_t const n : {std::size_t{1}, lanes, tile, 3 * tile}) {
        INFO(n << " products of " << share << " * 2^-1074");
        check(Products<double>{std::vector<double>(n, sign * share * 0x1p-537), std::vector<double>(n, 0x1p-537)});
        // Beside them a product that is read well.
        std::vector<double> x(n, sign * share * 0x1p-537), y(n, 0x1p-537);
        x[0] = 1.5;
        y[0] = 0x1p-1000;
        check(Products<double>{x, y});
      }
}

TEMPLATE_TEST_CASE("every exponent, from the smallest number to the largest", "", EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  using Limits = std::numeric_limits<T>;
  constexpr int lowest = Limits::min_exponent - Limits::digits, top = Limits::max_exponent - 1;
  Random random(605);
  for (int exponent = 2 * lowest; exponent <= 2 * top; ++exponent) {
    INFO("products near 2^" << exponent);
    int const first = random.between(std::max(lowest, exponent - top), std::min(top, exponent - lowest));
    ProductTerms<T> largest, mixed;
    T const x = random.coin() ? std::ldexp(T{1}, first) : std::ldexp(2 - Limits::epsilon(), first);
    T const y = std::ldexp(2 - Limits::epsilon(), exponent - first);
    while (largest.size() < tile + 5) largest.push_back(x, y);
    while (mixed.size() < 100) mixed.push_back(random.value<T>(first), random.value<T>(exponent - first));
    check(TestType::of(largest));
    check(TestType::of(mixed));
  }
}

TEMPLATE_TEST_CASE("ordinary terms are decided by the enclosure", "", EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  Random random(606);
  int undecided = 0, undecided_enclosures = 0;
  for (int i = 0; i < 200; ++i) {
    ProductTerms<T> terms;
    auto const n = random.between<std::size_t>(1, 40'000);
    while (terms.size() < n)
      terms.push_back(random.value<T>(random.between(-3, 3)), random.value<T>(random.between(-3, 3)));
    auto const operands = TestType::of(terms);
    auto const exact = operands.exact(0, n);
    undecided += !holds(enclosure(operands), exact);
    undecided_enclosures += !enclosure_holds(operands.operations(), 0, n, exact);
  }
  // One in thousands comes close enough to a tie.
  if (TestType::Operations::has_enclosure()) {
    CHECK(undecided <= 1);
    CHECK(undecided_enclosures <= 1);
  }
}

TEST_CASE("enclosures decide roots and quotients of ordinary sums of any length and scale") {
  Random random(614);
  int undecided = 0;
  for (int i = 0; i < 2000; ++i) {
    auto const n = random.one_of(random.between<std::size_t>(2, 100), random.between<std::size_t>(100, 10'000));
    int const scale = random.between(-800, 800);
    std::vector<double> x(n);
    for (double& t : x) t = std::ldexp(random.value<double>(random.between(-3, 3)), scale);
    Values<double> const values{x};
    Magnitudes<double> const magnitudes{x};
    Exakt::Impl::Enclosure sum;
    double result;
    REQUIRE(values.operations().enclose(0, n, sum));
    if (Exakt::Impl::try_round_quotient(sum, static_cast<double>(n), result))
      EXAKT_CHECK_BITS(result, values.exact(0, n).round_quotient<double>(n));
    else
      ++undecided;
    REQUIRE(magnitudes.operations().enclose(0, n, sum));
    if (Exakt::Impl::try_round_sqrt(sum, result))
      EXAKT_CHECK_BITS(result, magnitudes.exact(0, n).round_sqrt<double>());
    else
      ++undecided;
  }
  // Quotients by powers of two can be ties, others come close to one.
  CHECK(undecided <= 40);
}

TEMPLATE_TEST_CASE("of an enclosure with a tie in it neither the sum, nor a quotient, nor the root is decided", "",
                   double, float) {
  using Exakt::Impl::Enclosure;
  Random random(617);
  for (std::uint64_t i = 0; i < 2000 * case_factor(); ++i) {
    TestType const number = std::abs(random.value<TestType>(random.between(-30, 30)));
    double const below = number, half = (double{std::nextafter(number, 2 * number)} - below) / 2,
                 n = random.between(2, 1000), sign = random.coin() ? 1 : -1;
    int const digits = random.between(60, 95);
    double const share = random.one_of(0.0, 0.5, -0.5, 0.99, -0.99);
    auto const around = [&](Exact tie) {
      double const high = tie.round<double>().value;
      double const low = tie.subtract(high).round<double>().value, bound = std::ldexp(std::abs(high), -digits);
      return Enclosure{high, low + share * bound, bound};
    };
    INFO(below << ", bound 2^-" << digits << ", of which the tie is " << share << " aside; divisor " << n);
    TestType result;
    CHECK_FALSE(Exakt::Impl::try_round(around(Exact().add(sign * below).add(sign * half)), result));
    CHECK_FALSE(Exakt::Impl::try_round_quotient(
        around(Exact().add_product(below, sign * n).add_product(half, sign * n)), n, result));
    CHECK_FALSE(Exakt::Impl::try_round_sqrt(
        around(Exact().add_product(below, below).add_product(2 * below, half).add_product(half, half)), result));
    // Beside the tie by less than a double can tell.
    for (double const aside : {half * 0x1p-40, half * -0x1p-40}) {
      Enclosure const beside{sign * (below + half), sign * (below - (below + half) + half + aside), 0x1p-60 * half};
      if (Exakt::Impl::try_round(beside, result))
        EXAKT_CHECK_BITS(result, Exact().add(beside.high).add(beside.low).round<TestType>());
    }
  }
}

TEMPLATE_TEST_CASE("short sums decide ties, and what cancels", "", Values<double>, Products<double>) {
  Random random(615);
  int undecided = 0;
  for (int i = 0; i < 1000; ++i) {
    // Small integers times multiples of 2^-53.
    ProductTerms<double> terms;
    for (auto n = random.between<std::size_t>(2, 200); terms.size() < n;)
      terms.push_back(std::ldexp(static_cast<double>(random.between<std::int64_t>(-(1 << 30), 1 << 30)), -53),
                      random.between(-3, 3));
    if (random.coin()) {
      for (std::size_t n = terms.size(), k = 0; k < n; ++k) terms.push_back(-terms.x[k], terms.y[k]);
    }
    auto const operands = TestType::of(terms);
    undecided += !short_sum_holds<4>(operands.operations(), operands.size(), operands.exact(0, operands.size()));
  }
  CHECK(undecided == 0);
}

TEMPLATE_TEST_CASE("next to a tie the enclosure decides from a distance, and not at the tie", "", Values<double>,
                   Magnitudes<double>, Products<double>) {
  for (double const sign : {1.0, -1.0})
    for (std::size_t const n : {std::size_t{3}, std::size_t{100}, tile, 2 * tile})
      for (int const distance : {0, 60, 65, 90, 200, 1000}) {
        INFO("2^-" << distance << " beside a tie, " << n << " terms");
        std::vector<double> terms(n);
        terms.front() = 1;
        terms[n / 2] = 0x1p-53;
        if (distance > 0) terms.back() = sign * std::ldexp(1.0, -distance);
        bool const decided = check(TestType::of(with_ones(terms)));
        if (TestType::Operations::has_enclosure()) {
          if (distance == 0 || distance >= 90)
            CHECK_FALSE(decided);
          else
            CHECK(decided);
        }
      }
}

TEMPLATE_TEST_CASE("a sum that cancels is not decided", "", Values<double>, Products<double>) {
  Random random(607);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> terms;
    for (std::size_t n = random.between<std::size_t>(1, tile); terms.size() < n;) {
      terms.push_back(random.value<double>(random.between(-30, 30)));
      terms.push_back(-terms.back());
    }
    random.shuffle(terms);
    auto sum = enclosure(TestType::of(with_ones(terms)));
    CHECK_FALSE(holds(sum, Long<typename TestType::Operations>()));
  }
}

TEST_CASE("one outlier widens the bound of its own tile and the next, not of all that follow") {
  using Sum = Long<SumOperations<double>>;
  Random random(608);
  for (double const outlier : {0x1p30, -0x1p40, 0x1p100, -0x1p500}) {
    INFO(describe_bits(outlier));
    std::vector<double> terms(50 * tile);
    for (double& x : terms) x = random.value<double>(random.between(-3, 3));
    terms[random.between<std::size_t>(0, tile - 1)] = outlier;
    auto const all = enclosure(Values<double>{terms});
    holds(all, Values<double>{terms}.exact(0, terms.size()));
    terms.resize(tile);
    CHECK(known<Sum>(all).width() < 5 * known<Sum>(enclosure(Values<double>{terms})).width());
  }
}

TEST_CASE("growing terms move the unit, and each tile stays within its own bound") {
  Random random(609);
  for (int const step : {1, 5, 13, 40, 100}) {
    std::vector<double> terms;
    for (int exponent = -500; exponent <= 1000; exponent += step)
      for (std::size_t n = random.between<std::size_t>(1, 2 * lanes); n > 0; --n)
        terms.push_back(random.value<double>(exponent));
    for (std::size_t n : {std::size_t{64}, terms.size()}) {
      // In tiles of 64 terms, each of which needs another unit than the one before it.
      EnclosedSum sum;
      for (std::size_t begin = 0; begin < terms.size(); begin += n)
        sum.add(SumOperations<double>{terms.data()}, begin, std::min(n, terms.size() - begin));
      holds(sum, Values<double>{terms}.exact(0, terms.size()));
    }
    std::reverse(terms.begin(), terms.end());
    check(Values<double>{terms});
    check(Products<double>{terms, std::vector<double>(terms.size(), 0x1p-30)});
  }
}

TEST_CASE(
    "a head that leaves its binade, by one unit or for its mirror image, for good or for one term only, is found out") {
  // The unit is set by a first tile of terms below 2^(e - guess). From 1.5 * 2^(e + 12) it is 2^(e + 11) to either end of
  // the binade, and -3 * 2^(e + 12) to the same place with the other sign.
  for (int const e : {0, 500, -500})
    for (double const target : {1.0, -1.0, -6.0, 6.0})
      for (int const distance : {-2, -1, 0, 1, 2})
        for (bool const for_good : {true, false})
          for (std::size_t const lane : {std::size_t{0}, lanes / 2 + 1, lanes - 1}) {
            double const step = target * std::ldexp(1.0, e + 11) + std::copysign(std::ldexp(distance, e - 40), target);
            INFO("heads for terms below 2^" << e << ", then one of " << step << " in lane " << lane);
            std::vector<double> terms(2 * tile, std::ldexp(0.75, e - guess));
            std::fill(terms.begin() + tile, terms.end(), 0.0);
            terms[tile + lane] = step;
            terms[tile + lane + lanes] = std::ldexp(1.0, e - 41);
            if (!for_good) terms[tile + lane + 2 * lanes] = -step;
            check(Values<double>{terms});
            check(Products<double>{terms, std::vector<double>(terms.size(), 0.5)});
          }
}

TEST_CASE("heads of all lanes that move as far as they can, in thousands of tiles") {
  for (double const x : {1 - 0x1p-53, -(1 - 0x1p-53)}) {
    std::vector<double> const terms(tile, x);
    EnclosedSum sum, products;
    constexpr int tiles = 5000;
    Exakt::LongAccumulator<double> exact;
    Exakt::LongAccumulator<double, 56, Exakt::Terms::products> squares;
    for (int i = 0; i < tiles; ++i) {
      sum.add(SumOperations<double>{terms.data()}, 0, tile);
      products.add(ProductOperations<double, double>{terms.data(), terms.data()}, 0, tile);
      exact += x * tile;
      squares.add_product(x, x * tile);
    }
    holds(sum, exact);
    holds(products, squares);
  }
  // A sample far smaller than the rest: the guess is kept for it, and every head then moves by half a binade.
  std::vector<double> terms(tile, 0.0);
  std::fill_n(terms.begin(), 128, 0.75);
  for (std::size_t lane = 0; lane < lanes; ++lane) terms[tile - 1 - lane] = std::ldexp(1.0, 11 + guess) - 32;
  Values<double> const one{terms};
  CHECK(holds(enclosure(one), one.exact(0, tile)));
}

TEMPLATE_TEST_CASE("infinities, NaN and sums that overflow on the way are what they are, wherever they stand", "",
                   EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  using Limits = std::numeric_limits<T>;
  constexpr T infinity = Limits::infinity(), nan = Limits::quiet_NaN(), max = Limits::max();
  Random random(610);
  std::vector<std::vector<T>> const specials = {{infinity},
                                                {-infinity},
                                                {nan},
                                                {infinity, -infinity},
                                                {infinity, nan},
                                                {max, max},
                                                {max, max, -max, -max},
                                                {max, infinity},
                                                {-max, -max, infinity}};
  for (auto const& special : specials)
    for (int i = 0; i < 30; ++i) {
      ProductTerms<T> terms;
      for (std::size_t n = random.one_of(random.between<std::size_t>(1, 100), 3 * tile); terms.size() < n;)
        terms.push_back(random.value<T>(random.between(-3, 3)), random.value<T>(random.between(-3, 3)));
      for (T const x : special) {
        auto const at = random.between<std::size_t>(0, terms.size() - 1);
        terms.x[at] = x;
        if (random.between(0, 3) == 0) terms.y[at] = random.one_of(T{0}, infinity, T{-2}, nan);
      }
      INFO(terms.size() << " terms with " << describe_bits(special.front()) << " among them");
      auto const operands = TestType::of(terms);
      auto const exact = operands.exact(0, operands.size());
      bool const decided = check(operands);
      if (!exact.is_finite()) CHECK_FALSE(decided);
      Exakt::Impl::Enclosure sum;
      if (!std::isfinite(special.front())) CHECK_FALSE(operands.operations().enclose(0, operands.size(), sum));
    }
}

TEMPLATE_TEST_CASE("enclosures merge in any order, and their bounds with them", "", EXAKT_TEST_EVERY_SOURCE) {
  using T = TermOf<TestType>;
  using Sum = EnclosedSum;
  using Exact = Long<typename TestType::Operations>;
  Random random(611);
  for (auto const& family : long_product_families<T>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
      INFO(family.name);
      auto const operands = TestType::of(family.make(random));
      std::vector<Sum> parts;
      for (std::size_t begin = 0; begin < operands.size();) {
        std::size_t const n = std::min(operands.size() - begin, random.between<std::size_t>(0, 2000));
        if (parts.empty() || random.coin()) parts.emplace_back();
        parts[random.between<std::size_t>(0, parts.size() - 1)].add(operands.operations(), begin, n);
        begin += n;
      }
      random.shuffle(parts);
      Sum all;
      double widest = 0;
      for (Sum const& part : parts) {
        all += part;
        widest = std::max(widest, known<Exact>(part).width());
      }
      auto const exact = operands.exact(0, operands.size());
      holds(all, exact);
      CHECK(!(known<Exact>(all).width() < widest));
      all.clear();
      CHECK(known<Exact>(all).width() == 0);
      holds(all, Exact());
    }
}

TEMPLATE_TEST_CASE("what additions of enclosures round is in their bound", "", Exakt::Impl::Enclosure,
                   Exakt::Impl::EnclosurePack) {
  Random random(614);
  for (std::uint64_t i = 0; i < 1000 * case_factor(); ++i) {
    auto const any = [&](int distance) { return random.value<double>(random.between(-3, 3) - distance); };
    double const bound = random.one_of(0.0, 0x1p-120);
    TestType const term{any(0), any(53), bound};
    TestType sum{random.one_of(any(0), -term.high), any(random.one_of(53, 70)), bound};
    Exact rest;
    rest.add(sum.high).add(sum.low).add(term.high).add(term.low);
    add_enclosure(sum, term);
    rest.subtract(sum.high).subtract(sum.low);
    if (rest.is_negative()) rest.negate();
    rest.add(2 * bound).subtract(sum.bound);
    EXAKT_CHECK(rest.is_negative() || rest.is_zero());
  }
}

TEMPLATE_TEST_CASE("a hostile thread that merges says nothing false", "", Values<double>, Products<double>) {
  Random random(613);
  auto const check_environments = [&](char const* family, TestType const& operands) {
    auto const exact = operands.exact(0, operands.size());
    std::size_t const half = operands.size() / 2;
    for (auto const& environment : every_fp_environment()) {
      INFO(family << ", " << environment.name);
      EnclosedSum first, second;
      first.add(operands.operations(), 0, half);
      second.add(operands.operations(), half, operands.size() - half);
      EnclosedSum const here = first;
      {
        ScopedFpEnvironment const scope(environment);
        first += second;
      }
      holds(first, exact);
      // The same as a thread would say that has the default environment.
      EnclosedSum there = here;
      there += second;
      EXAKT_CHECK_BITS(first.sum.high, there.sum.high);
      EXAKT_CHECK_BITS(first.sum.low, there.sum.low);
      EXAKT_CHECK_BITS(first.sum.bound, there.sum.bound);
    }
  };
  for (auto const& family : short_families<double>())
    for (int i = 0; i < 10; ++i) check_environments(family.name, TestType::of(with_ones(family.make(random))));
  for (auto const& family : long_product_families<double>())
    check_environments(family.name, TestType::of(family.make(random)));
  // Subnormal sums with subnormal bounds, which denormals-are-zero would take for no bound at all.
  for (int i = 0; i < 200; ++i) {
    ProductTerms<double> terms;
    while (terms.size() < 60)
      terms.push_back(random.value<double>(-540), random.value<double>(-540 + random.between(-5, 5)));
    terms.push_back(0x1p-1074, 0.5);
    check_environments("subnormal", TestType::of(terms));
  }
}
