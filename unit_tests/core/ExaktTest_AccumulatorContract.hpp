// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_ACCUMULATORCONTRACT_HPP
#define EXAKTTEST_ACCUMULATORCONTRACT_HPP

/// \file
/// What every accumulator promises, as one function per promise, for any accumulator type.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_FpEnvironment.hpp"

namespace ExaktTest {

/// Gathers all of a sum in its long accumulator: outside of the digits that are named then, all are zero.
template <class A>
void check_digits_in_use(A const& sum) {
  A gathered = sum;
  Exakt::Impl::DigitRange digits{-1, -1};
  auto const& all = gathered.to_long_accumulator(digits);
  EXAKT_CHECK(gathered == sum);
  REQUIRE((0 <= digits.begin && digits.end <= all.digit_count));
  for (int i = 0; i < all.digit_count; ++i)
    if (i < digits.begin || i >= digits.end) EXAKT_CHECK(all.digit(i) == 0);
}

/// Whether A has add_product. (The accumulators of values refuse it by static_assert, which no concept can see.)
template <class A>
inline constexpr bool adds_products = false;

template <class A>
Answers<typename A::value_type> answers_of(A const& a, std::uint64_t count) {
  using T = typename A::value_type;
  Answers<T> result;
  for (int i = 0; i < 4; ++i) {
    Rounding const mode = every_rounding[i];
    result.round[i] = a.round(mode);
    result.round_to_float[i] = a.template round<float>(mode);
    result.mean[i] = a.round_quotient(count, mode);
    result.root[i] = a.round_sqrt(mode);
  }
  result.nan = a.is_nan();
  result.finite = a.is_finite();
  return result;
}

template <class A, class T>
void add_one_by_one(A& a, std::vector<T> const& terms) {
  for (T const x : terms) a += x;
}

template <class A, class T>
void add_one_by_one(A& a, ProductTerms<T> const& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) a.add_product(terms.x[i], terms.y[i]);
}

template <class A, class T>
void subtract_one_by_one(A& a, std::vector<T> const& terms) {
  for (T const x : terms) a -= x;
}

template <class A, class T>
void subtract_one_by_one(A& a, ProductTerms<T> const& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) a.subtract_product(terms.x[i], terms.y[i]);
}

template <class T>
std::vector<T> slice(std::vector<T> const& terms, std::size_t begin, std::size_t end) {
  return {terms.begin() + static_cast<std::ptrdiff_t>(begin), terms.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class T>
ProductTerms<T> slice(ProductTerms<T> const& terms, std::size_t begin, std::size_t end) {
  return {slice(terms.x, begin, end), slice(terms.y, begin, end)};
}

/// Each case, in every order, has the oracle's answers.
template <class A, class Cases>
void check_every_order(Cases const& cases) {
  Random random(100);
  for (auto const& test : cases)
    for (Order const order : every_order) {
      INFO(test.family << ", " << test.terms.size() << " terms, " << name_of(order));
      A a;
      add_one_by_one(a, reordered(test.terms, order, random));
      check_answers(answers_of(a, test.terms.size()), test.expected);
    }
}

/// Each case has the oracle's answers whatever the control word says: throughout, and when it changes in the middle.
template <class A, class Cases>
void check_every_fp_environment(Cases const& cases) {
  Random random(101);
  for (auto const& test : cases)
    for (auto const& environment : every_fp_environment()) {
      INFO(test.family << ", " << test.terms.size() << " terms, " << environment.name);
      std::size_t const n = test.terms.size(), begin = random.between<std::size_t>(0, n),
                        end = random.between(begin, n);
      auto const first = slice(test.terms, 0, begin), second = slice(test.terms, begin, end),
                 third = slice(test.terms, end, n);
      A throughout, in_the_middle, part;
      Answers<typename A::value_type> hostile_answers;
      bool equal;
      add_one_by_one(in_the_middle, first);
      add_one_by_one(part, third);
      {
        ScopedFpEnvironment const scope(environment);
        add_one_by_one(throughout, test.terms);
        add_one_by_one(in_the_middle, second);
        in_the_middle += part;
        hostile_answers = answers_of(throughout, n);
        equal = throughout == in_the_middle;
      }
      check_answers(hostile_answers, test.expected);
      check_answers(answers_of(in_the_middle, n), test.expected);
      check_answers(answers_of(throughout, n), test.expected);
      EXAKT_CHECK(equal);
    }
}

/// Splitting and merging in any way gives the same value; what was merged is removed without a trace.
template <class A, class Cases>
void check_merge_and_removal(Cases const& cases) {
  Random random(102);
  for (auto const& test : cases) {
    INFO(test.family << ", " << test.terms.size() << " terms");
    std::size_t const n = test.terms.size();
    A whole;
    add_one_by_one(whole, test.terms);

    std::vector<A> parts;
    for (std::size_t begin = 0; begin < n || parts.empty();) {
      std::size_t const end = n == 0 ? 0 : random.between(begin + 1, n);
      add_one_by_one(parts.emplace_back(), slice(test.terms, begin, end));
      begin = end;
    }
    parts.emplace_back();
    random.shuffle(parts);
    A merged;
    for (A const& part : parts) merged += part;
    check_answers(answers_of(merged, n), test.expected);
    EXAKT_CHECK(merged == whole);
    EXAKT_CHECK(!(merged != whole));

    A negated;
    subtract_one_by_one(negated, test.terms);
    auto const expected_of_negated = answers_of<typename A::value_type>(Exact(test.exact).negate(), n);
    check_answers(answers_of(negated, n), expected_of_negated);
    A zero_minus_whole;
    zero_minus_whole -= whole;
    EXAKT_CHECK(zero_minus_whole == negated);

    if (test.exact.is_finite()) {
      using T = typename A::value_type;
      A rest = merged;
      rest -= parts.back();
      parts.pop_back();
      A other_parts;
      for (A const& part : parts) other_parts += part;
      EXAKT_CHECK(rest == other_parts);

      A different = whole;
      different += std::numeric_limits<T>::denorm_min();
      EXAKT_CHECK(different != whole);
      different -= std::numeric_limits<T>::denorm_min();
      EXAKT_CHECK(different == whole);

      A nothing = whole;
      nothing -= merged;
      EXAKT_CHECK(nothing == A());
      EXAKT_CHECK_BITS(nothing.round(), T{0});
      EXAKT_CHECK_BITS(nothing.round(Rounding::downward), -T{0});

      A itself = whole;
      A const& same = itself;  // compilers warn of the plain form
      itself -= same;
      EXAKT_CHECK(itself == A());
      itself = whole;
      itself += itself;
      A twice = whole;
      add_one_by_one(twice, test.terms);
      EXAKT_CHECK(itself == twice);
    }

    whole.clear();
    EXAKT_CHECK(whole == A());
    EXAKT_CHECK(whole.is_finite());
  }
}

/// Doubling 2^k times, and back by removing: every digit's headroom is used up many times over.
template <class A>
void check_doubling_and_removal() {
  using T = typename A::value_type;
  constexpr T max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  for (T const x : {T(0.1), T(-0.1), max, -max, tiny, -tiny, T(-1), T(3)}) {
    INFO("doubling " << describe_bits(x));
    constexpr int doublings = 60;
    std::vector<A> sums(1);
    sums[0] += x;
    Exact exact = Exact().add(x);
    for (int i = 0; i < doublings; ++i) {
      A sum = sums.back();
      sum += sum;
      sums.push_back(sum);
      exact.add(Exact(exact));
      for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.round<T>(mode));
      EXAKT_CHECK_BITS(sum.round_quotient(std::uint64_t{1} << (i + 1)), Expected<T>{x});
    }
    A rest = sums.back();
    for (int i = doublings - 1; i >= 0; --i) rest -= sums[static_cast<std::size_t>(i)];
    A once;
    once += x;
    EXAKT_CHECK(rest == once);
    EXAKT_CHECK_BITS(rest.round(), x);
  }
}

/// Far more additions of the same sign than any digit has headroom for.
template <class A>
void check_many_additions_of(typename A::value_type x, std::uint64_t count) {
  using T = typename A::value_type;
  INFO(count << " times " << describe_bits(x));
  A sum;
  for (std::uint64_t i = 0; i < count; ++i) sum += x;
  Exact exact;
  for (int bit = 63; bit >= 0; --bit) {
    exact.add(Exact(exact));
    if ((count >> bit) & 1) exact.add(x);
  }
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.round<T>(mode));
  EXAKT_CHECK_BITS(sum.round_quotient(count), Expected<T>{x});
  for (std::uint64_t i = 0; i < count; ++i) sum -= x;
  EXAKT_CHECK(sum == A());
}

template <class A, class Integer>
void check_integers_of_type(Random& random) {
  using T = typename A::value_type;
  using Limits = std::numeric_limits<Integer>;
  for (int i = 0; i < 40; ++i) {
    A sum;
    Exact exact;
    for (int k = random.between(1, 12); k > 0; --k) {
      auto const any = static_cast<Integer>(random.bits() >> random.between(0, 63));
      Integer const x = random.one_of(any, Limits::max(), Limits::lowest(), Integer{0}, Integer{1});
      Exact number;
      if constexpr (std::is_signed_v<Integer>)
        number.add_integer(static_cast<std::int64_t>(x));
      else
        number.add_integer(static_cast<std::uint64_t>(x));
      if (random.coin()) {
        sum += x;
      } else {
        sum -= x;
        number.negate();
      }
      exact.add(number);
    }
    sum += T(0.5);
    exact.add(0.5);
    check_answers(answers_of(sum, 7), answers_of<T>(exact, 7));
  }
}

/// Integers of every width are taken exactly, even where they have more bits than T.
template <class A>
void check_integers() {
  Random random(103);
  check_integers_of_type<A, std::int8_t>(random);
  check_integers_of_type<A, std::uint8_t>(random);
  check_integers_of_type<A, std::int16_t>(random);
  check_integers_of_type<A, std::uint16_t>(random);
  check_integers_of_type<A, std::int32_t>(random);
  check_integers_of_type<A, std::uint32_t>(random);
  check_integers_of_type<A, std::int64_t>(random);
  check_integers_of_type<A, std::uint64_t>(random);
}

/// Quotients by floating-point numbers and integers of either sign, zeros and infinities included.
template <class A>
void check_quotients() {
  using T = typename A::value_type;
  Random random(104);
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  auto const number = [&] {
    return random.value<T>(
        random.between(std::numeric_limits<T>::min_exponent - 20, std::numeric_limits<T>::max_exponent - 1));
  };
  for (int i = 0; i < 600; ++i) {
    A sum;
    Exact exact;
    for (int k = random.between(0, 3); k > 0; --k) {
      T const x = random.between(0, 40) == 0 ? random.one_of(infinity, -infinity, nan) : number();
      sum += x;
      exact.add(x);
    }
    T const divisor = random.coin()
                          ? number()
                          : random.one_of(T{0}, -T{0}, infinity, -infinity, nan, max, -max, tiny, -tiny, T{3}, T{-7});
    auto const integer = static_cast<std::int64_t>(random.bits()) >> random.between(0, 63);
    auto const natural = random.bits() >> random.between(0, 63);
    for (Rounding const mode : every_rounding) {
      INFO("divisors " << describe_bits(divisor) << ", " << integer << ", " << natural << ", " << name_of(mode));
      EXAKT_CHECK_BITS(sum.round_quotient(divisor, mode), exact.round_quotient<T>(static_cast<double>(divisor), mode));
      EXAKT_CHECK_BITS(sum.round_quotient(integer, mode), exact.round_quotient<T>(integer, mode));
      EXAKT_CHECK_BITS(sum.round_quotient(natural, mode), exact.round_quotient<T>(natural, mode));
      EXAKT_CHECK_BITS(sum.template round_quotient<float>(natural, mode), exact.round_quotient<float>(natural, mode));
      EXAKT_CHECK_BITS(sum.template round_sqrt<float>(mode), exact.round_sqrt<float>(mode));
    }
  }
}

/// The rules for special values that no random family can be trusted to reach.
template <class A>
void check_special_values() {
  using T = typename A::value_type;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T max = std::numeric_limits<T>::max();
  auto const sum_of = [](std::initializer_list<T> terms) {
    A a;
    for (T const x : terms) a += x;
    return a;
  };
  EXAKT_CHECK_BITS(A().round(), T{0});
  EXAKT_CHECK_BITS(A().round(Rounding::downward), -T{0});
  EXAKT_CHECK_BITS(A().round_quotient(0u), nan);
  EXAKT_CHECK_BITS(A().round_sqrt(), T{0});
  EXAKT_CHECK_BITS(sum_of({-T{0}}).round(), T{0});
  EXAKT_CHECK_BITS(sum_of({-T{0}, -T{0}}).round(Rounding::upward), T{0});
  EXAKT_CHECK_BITS(sum_of({max, max, -max}).round(), max);
  EXAKT_CHECK_BITS(sum_of({max, max}).round(), infinity);
  EXAKT_CHECK_BITS(sum_of({max, max}).round(Rounding::toward_zero), max);
  EXAKT_CHECK_BITS(sum_of({max, max, -infinity}).round(), -infinity);
  EXAKT_CHECK_BITS(sum_of({infinity, infinity}).round(Rounding::downward), infinity);
  EXAKT_CHECK_BITS(sum_of({infinity, -infinity}).round(), nan);
  EXAKT_CHECK_BITS(sum_of({nan, infinity}).round(), nan);
  EXAKT_CHECK_BITS(sum_of({infinity}).round_sqrt(), infinity);
  EXAKT_CHECK_BITS(sum_of({-infinity}).round_sqrt(), nan);
  EXAKT_CHECK_BITS(sum_of({T{-1}}).round_sqrt(), nan);

  A removed = sum_of({T{1}});
  removed -= infinity;
  EXAKT_CHECK_BITS(removed.round(), -infinity);
  A from_minus_infinity;
  from_minus_infinity -= sum_of({-infinity});
  EXAKT_CHECK_BITS(from_minus_infinity.round(), infinity);
  A from_infinity;
  from_infinity -= sum_of({infinity});
  EXAKT_CHECK_BITS(from_infinity.round(), -infinity);
  A both = sum_of({infinity});
  both -= sum_of({infinity});
  EXAKT_CHECK_BITS(both.round(), nan);
  A from_nan;
  from_nan -= sum_of({nan});
  EXAKT_CHECK(from_nan.is_nan());

  EXAKT_CHECK(sum_of({nan}) == sum_of({infinity, -infinity}));
  EXAKT_CHECK(sum_of({nan}) != sum_of({infinity}));
  EXAKT_CHECK(sum_of({infinity}) != sum_of({-infinity}));
  EXAKT_CHECK(sum_of({infinity, T{1}}) == sum_of({infinity}));
  EXAKT_CHECK(sum_of({infinity}) != sum_of({T{1}}));
  EXAKT_CHECK(sum_of({max, T{1}}) != sum_of({max}));

  A cleared = sum_of({nan});
  cleared.clear();
  EXAKT_CHECK(cleared == A());

  if constexpr (adds_products<A>) {
    auto const product = [](T x, T y) {
      A a;
      a.add_product(x, y);
      return a;
    };
    EXAKT_CHECK(product(T{0}, infinity).is_nan());
    EXAKT_CHECK(product(-infinity, -T{0}).is_nan());
    EXAKT_CHECK(product(nan, T{0}).is_nan());
    EXAKT_CHECK(product(T{1}, nan).is_nan());
    EXAKT_CHECK(product(nan, infinity).is_nan());
    EXAKT_CHECK_BITS(product(-T{1}, infinity).round(), -infinity);
    EXAKT_CHECK_BITS(product(-infinity, -infinity).round(), infinity);
    EXAKT_CHECK_BITS(product(-T{0}, T{1}).round(), T{0});
    EXAKT_CHECK_BITS(product(max, max).round(), infinity);
    EXAKT_CHECK_BITS(product(max, max).round_sqrt(), max);
    EXAKT_CHECK_BITS(product(max, -max).round(Rounding::toward_zero), -max);
    constexpr T tiny = std::numeric_limits<T>::denorm_min();
    EXAKT_CHECK_BITS(product(tiny, tiny).round(), T{0});
    EXAKT_CHECK_BITS(product(tiny, tiny).round(Rounding::upward), tiny);
    EXAKT_CHECK_BITS(product(tiny, -tiny).round(), -T{0});
    EXAKT_CHECK_BITS(product(tiny, -tiny).round(Rounding::downward), -tiny);
    EXAKT_CHECK_BITS(product(tiny, tiny).round_sqrt(), tiny);
    EXAKT_CHECK(product(tiny, tiny) != A());
    A back = product(max, max);
    back.add_product(tiny, tiny);
    back.subtract_product(max, max);
    EXAKT_CHECK(back == product(tiny, tiny));
    A infinite;
    infinite.subtract_product(T{2}, infinity);
    EXAKT_CHECK_BITS(infinite.round(), -infinity);
  }
}

/// Everything above. \pre the cases were made for A's value_type.
template <class A, class Cases>
void check_contract(Cases const& cases) {
  check_every_order<A>(cases);
  check_every_fp_environment<A>(cases);
  check_merge_and_removal<A>(cases);
}

}  // namespace ExaktTest

#endif
