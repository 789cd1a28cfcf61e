// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FamilyPieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ExaktTest_Corners.hpp"
#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {
namespace {

template <class T>
std::vector<T> of_moderate_range(Random& random) {
  std::vector<T> terms(random.between(0, 100));
  for (T& x : terms) x = random.value<T>(random.between(-3, 3));
  return terms;
}

template <class T>
std::vector<T> of_one_sign(Random& random) {
  auto terms = of_moderate_range<T>(random);
  for (T& x : terms) x = std::abs(x);
  return terms;
}

template <class T>
std::vector<T> log_uniform_over_the_full_range(Random& random) {
  std::vector<T> terms(random.between(0, 100));
  for (T& x : terms) x = any_finite<T>(random);
  return terms;
}

template <class T>
std::vector<T> exponents_near_both_ends(Random& random) {
  std::vector<T> terms(random.between(0, 40));
  for (T& x : terms)
    x = random.value<T>(random.one_of(Format<T>::normal + 20, Format<T>::top - 20) + random.between(-10, 10));
  return terms;
}

template <class T>
std::vector<T> total_cancellation(Random& random) {
  std::vector<T> terms;
  add_cancelling_pairs(terms, random, random.between(1, 40));
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> total_cancellation_with_one_tiny_survivor(Random& random) {
  auto terms = total_cancellation<T>(random);
  int const exponent = Format<T>::lowest + random.one_of(0, 1, 2, random.between(0, 200));
  terms.push_back(random.coin() ? random.value<T>(exponent) : signed_power<T>(random, exponent));
  random.shuffle(terms);
  return terms;
}

/// Each step appends the negated rounded sum, so that the condition number grows by 2^digits.
template <class T>
std::vector<T> ill_conditioned(Random& random) {
  std::vector<T> terms(random.between(2, 30));
  int const spread = random.between(0, 100);
  for (T& x : terms) x = random.value<T>(random.between(-spread, spread));
  for (int steps = random.between(1, 12); steps > 0; --steps)
    terms.push_back(-exact_sum(terms).template round<T>().value);
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> neighbours_of_ties(Random& random) {
  int const exponent = exponent_with_room_for_a_tie<T>(random);
  auto terms = a_tie_at<T>(random, exponent);
  int const distance = random.between(Format<T>::digits + 1, 59);
  terms.push_back(signed_power<T>(random, std::max(exponent - distance, Format<T>::lowest)));
  add_cancelling_pairs(terms, random, random.between(0, 4));
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> subnormal_terms(Random& random) {
  std::vector<T> terms(random.between(1, 100));
  for (T& x : terms) x = random.value<T>(random.between(Format<T>::lowest, Format<T>::normal - 1));
  return terms;
}

template <class T>
std::vector<T> normal_terms_with_a_subnormal_sum(Random& random) {
  std::vector<T> terms(random.between(2, 20));
  for (T& x : terms) x = random.value<T>(Format<T>::normal + random.between(0, 30));
  while (std::abs(exact_sum(terms).template round<T>().value) >= std::numeric_limits<T>::min())
    terms.push_back(-exact_sum(terms).template round<T>().value);
  terms.push_back(random.value<T>(random.between(Format<T>::lowest, Format<T>::normal)));
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> sums_next_to_the_smallest_normal_number(Random& random) {
  T const sign = random.coin() ? T{1} : T{-1};
  std::vector<T> terms{sign * std::numeric_limits<T>::min()};
  for (int i = random.between(0, 3); i > 0; --i) terms.push_back(signed_power<T>(random, Format<T>::lowest));
  add_cancelling_pairs(terms, random, random.between(0, 3));
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> intermediate_overflow(Random& random) {
  std::vector<T> terms;
  T const largest = random.one_of(Format<T>::max, power<T>(Format<T>::top), random.value<T>(Format<T>::top));
  for (int pairs = random.between(1, 20); pairs > 0; --pairs) {
    terms.push_back(largest);
    terms.push_back(-largest);
  }
  if (random.coin()) terms.push_back(random.coin() ? largest : any_finite<T>(random));
  if (random.coin())
    random.shuffle(terms);
  else
    std::sort(terms.begin(), terms.end());
  return terms;
}

template <class T>
std::vector<T> infinities_and_nans(Random& random) {
  std::vector<T> terms(random.between(0, 30));
  for (T& x : terms) x = any_finite<T>(random);
  switch (random.between(0, 4)) {
    case 0:
      terms.push_back(Format<T>::infinity);
      break;
    case 1:
      terms.push_back(-Format<T>::infinity);
      break;
    case 2:
      terms.push_back(some_nan<T>(random));
      break;
    case 3:
      terms.push_back(Format<T>::infinity);
      terms.push_back(-Format<T>::infinity);
      break;
    case 4:
      for (int i = random.between(1, 4); i > 0; --i)
        terms.push_back(random.one_of(Format<T>::infinity, -Format<T>::infinity, some_nan<T>(random)));
      break;
  }
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> an_infinity_and_a_finite_part_that_overflows(Random& random) {
  std::vector<T> terms(random.between(2, 20), random.coin() ? Format<T>::max : -Format<T>::max);
  terms.push_back(random.coin() ? Format<T>::infinity : -Format<T>::infinity);
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> signed_zeros(Random& random) {
  std::vector<T> terms(random.between(0, 20));
  int const kind = random.between(0, 2);
  for (T& x : terms) x = kind == 0 ? T{0} : kind == 1 ? -T{0} : random.one_of(T{0}, -T{0});
  if (random.between(0, 3) == 0) add_cancelling_pairs(terms, random, 1);
  return terms;
}

/// -(2^a - 2^b): in two's complement a run of ones or zeros of any length, from any position.
template <class T>
std::vector<T> negative_runs_of_ones(Random& random) {
  int const b = random.between(Format<T>::lowest, Format<T>::top - 1);
  int const a =
      random.one_of(random.between(b + 1, std::min(b + 140, Format<T>::top)), random.between(b + 1, Format<T>::top));
  std::vector<T> terms{-power<T>(a), power<T>(b)};
  if (random.coin()) terms.push_back(-power<T>(random.between(Format<T>::lowest, b)));
  if (random.between(0, 3) == 0)
    for (T& x : terms) x = -x;
  random.shuffle(terms);
  return terms;
}

/// 2^b + 2^b + 2^(b+1) + ... + 2^a: one carry runs through every digit. Without the first term, only ones.
template <class T>
std::vector<T> carries_through_every_digit(Random& random) {
  int const b = random.one_of(Format<T>::lowest, random.between(Format<T>::lowest, Format<T>::top - 1));
  int const a = random.one_of(Format<T>::top - 1, random.between(b, Format<T>::top));
  T const sign = random.coin() ? T{1} : T{-1};
  std::vector<T> terms;
  for (int exponent = b; exponent <= a; ++exponent) terms.push_back(sign * power<T>(exponent));
  if (random.coin()) terms.push_back(sign * power<T>(b));
  if (random.coin()) terms.push_back(-sign * power<T>(std::min(a + 1, Format<T>::top)));
  return terms;
}

template <class T>
std::vector<T> one_term_repeated(Random& random) {
  return std::vector<T>(random.between(1, 300), random.one_of(T(0.1), any_finite<T>(random), -Format<T>::max));
}

template <class T>
std::vector<T> large_and_small_alternating(Random& random) {
  T const large = random.value<T>(random.between(40, Format<T>::top - 8));
  std::vector<T> terms(random.between(1, 100));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    T const sign = i % 4 < 2 ? T{1} : T{-1};
    terms[i] = i % 2 == 0 ? sign * large : random.value<T>(random.between(-40, 0));
  }
  return terms;
}

template <class T>
std::vector<T> corners(Random& random) {
  Corners<T> const number(random);
  std::vector<T> terms(random.one_of(random.between(1, 8), random.between(1, 40), random.between(1, 140)));
  for (T& x : terms) x = number(random);
  return terms;
}

template <class T>
constexpr Family<T> all_short_families[] = {
    {"moderate range", of_moderate_range<T>},
    {"one sign", of_one_sign<T>},
    {"log-uniform over the full range", log_uniform_over_the_full_range<T>},
    {"exponents near both ends", exponents_near_both_ends<T>},
    {"total cancellation", total_cancellation<T>},
    {"total cancellation with one tiny survivor", total_cancellation_with_one_tiny_survivor<T>},
    {"ill-conditioned", ill_conditioned<T>},
    {"ties", ties<T>},
    {"neighbours of ties", neighbours_of_ties<T>},
    {"ties decided by a bit far below", ties_decided_by_a_bit_far_below<T>},
    {"subnormal terms", subnormal_terms<T>},
    {"normal terms with a subnormal sum", normal_terms_with_a_subnormal_sum<T>},
    {"sums next to the smallest normal number", sums_next_to_the_smallest_normal_number<T>},
    {"intermediate overflow", intermediate_overflow<T>},
    {"at the overflow threshold", at_the_overflow_threshold<T>},
    {"infinities and NaNs", infinities_and_nans<T>},
    {"an infinity and a finite part that overflows", an_infinity_and_a_finite_part_that_overflows<T>},
    {"signed zeros", signed_zeros<T>},
    {"negative runs of ones", negative_runs_of_ones<T>},
    {"carries through every digit", carries_through_every_digit<T>},
    {"one term repeated", one_term_repeated<T>},
    {"large and small alternating", large_and_small_alternating<T>},
    {"corners", corners<T>},
};

}  // namespace

template <class T>
std::span<Family<T> const> short_families() {
  return all_short_families<T>;
}
template std::span<Family<double> const> short_families();
template std::span<Family<float> const> short_families();

}  // namespace ExaktTest
