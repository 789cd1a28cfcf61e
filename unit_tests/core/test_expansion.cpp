// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Expansion;

template <class A>
void check_long_families() {
  using T = typename A::value_type;
  Random random(221);
  for (auto const& family : long_families<T>())
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      A a, at_once;
      add_one_by_one(a, terms);
      at_once.add(terms.data(), terms.size());
      Exact const exact = exact_sum(terms);
      for (Rounding const mode : every_rounding) {
        EXAKT_CHECK_BITS(a.round(mode), exact.round<T>(mode));
        EXAKT_CHECK_BITS(at_once.round(mode), exact.round<T>(mode));
      }
    }
}

/// Every family in every order, rounded in every mode.
template <class A>
void check_sums() {
  using T = typename A::value_type;
  Random random(222);
  for_each_batch_of_sums<T>(40, 220, [&](auto const& cases) {
    for (auto const& test : cases)
      for (Order const order : every_order) {
        INFO(test.family << ", " << name_of(order));
        auto const terms = reordered(test.terms, order, random);
        A a, at_once;
        add_one_by_one(a, terms);
        at_once.add(terms.data(), terms.size());
        for (int mode = 0; mode < 4; ++mode) {
          EXAKT_CHECK_BITS(a.round(every_rounding[mode]), Expected<T>{test.expected.round[mode]});
          EXAKT_CHECK_BITS(at_once.round(every_rounding[mode]), Expected<T>{test.expected.round[mode]});
        }
      }
  });
  check_long_families<A>();
}

template <class T, int P>
void check_size() {
  INFO("P = " << P);
  check_sums<Expansion<T, P, false>>();
  check_sums<Expansion<T, P, true>>();
}

}  // namespace

TEST_CASE("an expansion of doubles of any size, with or without early exit, holds the exact sum") {
  check_size<double, 2>();
  check_size<double, 3>();
  check_size<double, 4>();
  check_size<double, 5>();
  check_size<double, 6>();
  check_size<double, 7>();
  check_size<double, 8>();
}

TEST_CASE("an expansion of floats, with or without early exit, holds the exact sum") {
  check_size<float, 2>();
  check_size<float, 5>();
  check_size<float, 8>();
}

TEMPLATE_TEST_CASE("an expansion keeps every promise of an accumulator", "", (Expansion<double, 4>),
                   (Expansion<float, 3, true>)) {
  for_each_batch_of_sums<typename TestType::value_type>(40, 220,
                                                        [](auto const& cases) { check_contract<TestType>(cases); });
  check_special_values<TestType>();
  check_integers<TestType>();
  check_quotients<TestType>();
  check_doubling_and_removal<TestType>();
  for (std::uint64_t const count : {3u, 129u, 100'000u}) {
    check_many_additions_of<TestType>(std::numeric_limits<typename TestType::value_type>::max(), count);
    check_many_additions_of<TestType>(std::numeric_limits<typename TestType::value_type>::denorm_min(), count);
  }
}

TEST_CASE("a float is a term of an expansion of doubles, a subnormal one also while denormals are zeros") {
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    Expansion<double, 4> sum;
    {
      ScopedFpEnvironment const scope(environment);
      for (float const x : {0x1p-100f, tiny, 0x1p-140f}) sum += x;
      sum -= tiny;
      sum -= tiny;
    }
    EXAKT_CHECK_BITS(sum.round(), Exact().add(0x1p-100f).subtract(tiny).add(0x1p-140f).round<double>());
  }
}

TEMPLATE_TEST_CASE("an expansion is gathered in its long accumulator, and takes another one as it is", "",
                   (Expansion<double, 4>), (Expansion<float, 3>)) {
  using T = typename TestType::value_type;
  for (std::size_t const n : {0, 1, 30, 1000}) {
    std::vector<T> const terms(n, T(0.1));
    TestType sum, assigned;
    sum.add(terms.data(), n);
    for (T const x : terms) sum += x;
    auto const before = sum;
    EXAKT_CHECK(sum.to_long_accumulator() == before.normalized());
    EXAKT_CHECK(sum == before);
    assigned.add(terms.data(), n);
    assigned += T(3);
    assigned.assign(before.normalized());
    EXAKT_CHECK(assigned == before);
  }
}

namespace {

/// Terms of one size, of which the two at `place` and after it are replaced.
std::vector<double> with_two(std::size_t n, std::size_t place, double first, double second) {
  std::vector<double> terms(n);
  Random random(223);
  for (double& x : terms) x = static_cast<double>(random.between(-1'000'000, 1'000'000));
  terms[place] = first;
  terms[place + 1] = second;
  return terms;
}

}  // namespace

TEST_CASE("an array in which single terms leave the range of an expansion is added exactly") {
  constexpr double largest = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
  double const pairs[][2] = {{largest, largest},   {largest, -largest},     {0x1p1022, 0x1p1022},
                             {0x1p1021, 0x1p1021}, {infinity, 1},           {infinity, -infinity},
                             {0x1p900, 0x1p-1000}, {0x1p-1074, -0x1p-1074}, {-0x1p1022, -0x1p1021}};
  for (std::size_t const n : {64u, 1024u, 1025u, 3000u})
    for (std::size_t const place : {std::size_t{0}, std::size_t{8}, n - 2})
      for (auto const& [first, second] : pairs) {
        INFO(n << " terms, " << first << " and " << second << " at " << place);
        auto const terms = with_two(n, place, first, second);
        Expansion<double, 4> exact, at_once;
        add_one_by_one(exact, terms);
        at_once += 0.5;
        at_once.add(terms.data(), n);
        at_once -= 0.5;
        for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(at_once.round(mode), exact.round(mode));
      }
}

TEMPLATE_TEST_CASE(
    "an addition to an expansion may overflow though its sum does not, and another one take that sum back", "", double,
    float) {
  // a + b is a number here, and b as (a + b) - a is none.
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  T const largest = Limits::max(), a = std::ldexp(T(1.5), Limits::max_exponent - Limits::digits);
  constexpr std::size_t same_lane = 8;
  for (std::size_t const place : {0u, 3u, 1000u, 2000u})
    for (T const sign : {T(1), T(-1)}) {
      INFO("at " << place << ", " << sign);
      std::vector<T> terms(2048);
      terms[place] = sign * a;
      terms[place + same_lane] = -sign * largest;
      terms[place + 2 * same_lane] = sign * largest;
      Expansion<T, 3> sum;
      sum.add(terms.data(), terms.size());
      EXAKT_CHECK_BITS(sum.round(), sign * a);
    }
}

TEST_CASE("an array of integers or floats is added to an expansion term by term") {
  std::vector<float> const floats(1000, 0.1f);
  std::vector<std::int64_t> const integers(1000, (std::int64_t{1} << 52) + 1);
  Expansion<double, 3> sum;
  sum.add(floats.data(), floats.size());
  sum.add(integers.data(), integers.size());
  Exact exact;
  for (int i = 0; i < 1000; ++i) exact.add(0.1f).add(static_cast<double>(integers[0]));
  EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
}
