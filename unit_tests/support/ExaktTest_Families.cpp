// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {
namespace {

template <class T>
struct Format {
  using Limits = std::numeric_limits<T>;
  static constexpr int digits = Limits::digits;
  static constexpr int lowest = Limits::min_exponent - digits;  // of the smallest subnormal number, 2^lowest
  static constexpr int normal = Limits::min_exponent - 1;       // of the smallest normal number
  static constexpr int top = Limits::max_exponent - 1;          // of the largest finite number
  static constexpr T infinity = Limits::infinity();
  static constexpr T max = Limits::max();
};

template <class T>
T power(int exponent) {
  return std::ldexp(T{1}, exponent);
}

template <class T>
T signed_power(Random& random, int exponent) {
  return random.coin() ? -power<T>(exponent) : power<T>(exponent);
}

template <class T>
T any_finite(Random& random) {
  return random.value<T>(random.between(Format<T>::lowest, Format<T>::top));
}

template <class T>
T some_nan(Random& random) {
  constexpr auto exponent_field = std::bit_cast<BitsOf<T>>(Format<T>::infinity);
  constexpr int fraction_bits = Format<T>::digits - 1;
  auto const payload = static_cast<BitsOf<T>>(random.bits()) & ((BitsOf<T>{1} << fraction_bits) - 1);
  auto const sign = static_cast<BitsOf<T>>(random.coin()) << (8 * sizeof(T) - 1);
  return std::bit_cast<T>(static_cast<BitsOf<T>>(sign | exponent_field | payload | 1));
}

/// Noise that cancels: the pairs must leave no trace in the result.
template <class T>
void add_cancelling_pairs(std::vector<T>& terms, Random& random, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    T const x = any_finite<T>(random);
    terms.push_back(x);
    terms.push_back(-x);
  }
}

/// 2^exponent as a sum of pieces.
template <class T>
void add_power_in_pieces(std::vector<T>& terms, Random& random, int exponent, bool negative) {
  T const sign = negative ? T{-1} : T{1};
  while (exponent > Format<T>::lowest && random.coin()) {
    --exponent;
    terms.push_back(sign * power<T>(exponent));
  }
  terms.push_back(sign * power<T>(exponent));
}

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

/// A value of T with exponent `exponent`, and exactly half the distance to a neighbour beside it. The neighbour of a
/// power of two on the side of zero is twice as close.
template <class T>
std::vector<T> a_tie_at(Random& random, int exponent) {
  std::vector<T> terms{random.one_of(random.value<T>(exponent), signed_power<T>(random, exponent))};
  bool const is_power = std::abs(terms[0]) == power<T>(exponent);
  bool const has_closer_neighbour = is_power && exponent - Format<T>::digits - 1 >= Format<T>::lowest;
  bool const toward_zero = random.coin() && (!is_power || has_closer_neighbour);
  add_power_in_pieces(terms, random, exponent - Format<T>::digits - (toward_zero && is_power),
                      (terms[0] < 0) != toward_zero);
  return terms;
}

template <class T>
int exponent_with_room_for_a_tie(Random& random) {
  int const lowest = Format<T>::lowest + Format<T>::digits;
  return random.one_of(random.between(lowest, Format<T>::top), random.between(-2, 2), lowest);
}

template <class T>
std::vector<T> ties(Random& random) {
  auto terms = a_tie_at<T>(random, exponent_with_room_for_a_tie<T>(random));
  add_cancelling_pairs(terms, random, random.between(0, 4));
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
std::vector<T> ties_decided_by_a_bit_far_below(Random& random) {
  int const room = Format<T>::top - Format<T>::lowest;
  int const distance = random.one_of(random.between(60, room), random.between(60, 130));
  int const exponent = random.between(Format<T>::lowest + distance, Format<T>::top);
  auto terms = a_tie_at<T>(random, exponent);
  add_power_in_pieces(terms, random, exponent - distance, random.coin());
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

/// The largest finite number plus about half a unit in its last place: a half rounds to infinity, anything less stays.
template <class T>
std::vector<T> at_the_overflow_threshold(Random& random) {
  std::vector<T> terms{Format<T>::max};
  int const half_unit = Format<T>::top - Format<T>::digits;
  add_power_in_pieces(terms, random, half_unit, false);
  switch (random.between(0, 4)) {
    case 0:
      break;
    case 1:
      terms.push_back(signed_power<T>(random, Format<T>::lowest));
      break;
    case 2:
      terms.push_back(signed_power<T>(random, half_unit));
      break;
    case 3:
      terms.push_back(signed_power<T>(random, random.between(Format<T>::lowest, half_unit)));
      break;
    case 4:
      terms.push_back(random.coin() ? Format<T>::max : -Format<T>::max);
      break;
  }
  if (random.coin())
    for (T& x : terms) x = -x;
  add_cancelling_pairs(terms, random, random.between(0, 3));
  random.shuffle(terms);
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
std::vector<T> tiles_of_moderate_range(Random& random) {
  std::vector<T> terms(random.one_of(256, 512, 1024, 2048, 4096) * random.between(1, 3) + random.between(-1, 1));
  for (T& x : terms) x = random.value<T>(random.between(-15, 15));
  return terms;
}

template <class T>
std::vector<T> tiles_of_different_scales(Random& random) {
  std::vector<T> terms;
  for (int segments = random.between(2, 8); segments > 0; --segments) {
    int const scale = random.between(Format<T>::lowest, Format<T>::top - 12);
    int const spread = random.between(0, 12);
    for (int i = random.between(100, 1500); i > 0; --i)
      terms.push_back(random.value<T>(scale + random.between(0, spread)));
  }
  return terms;
}

template <class T>
std::vector<T> tiles_that_widen(Random& random) {
  std::vector<T> terms;
  int const center = random.between(Format<T>::normal / 2, Format<T>::top / 2);
  for (int spread = 1; spread < Format<T>::top; spread *= 2)
    for (int i = random.between(200, 900); i > 0; --i) {
      int const exponent = center + random.between(-spread, spread);
      terms.push_back(random.value<T>(std::clamp(exponent, Format<T>::lowest, Format<T>::top)));
    }
  return terms;
}

template <class T>
std::vector<T> tiles_with_outliers(Random& random) {
  std::vector<T> terms(random.between(900, 4500));
  for (T& x : terms) x = random.value<T>(random.between(-6, 6));
  for (int outliers = random.between(1, 3); outliers > 0; --outliers) {
    T& x = terms[random.between<std::size_t>(0, terms.size() - 1)];
    switch (random.between(0, 5)) {
      case 0:
        x = random.value<T>(Format<T>::top - random.between(0, 60));
        break;
      case 1:
        x = random.value<T>(Format<T>::lowest + random.between(0, 60));
        break;
      case 2:
        x = random.coin() ? Format<T>::infinity : -Format<T>::infinity;
        break;
      case 3:
        x = some_nan<T>(random);
        break;
      case 4:
        x = any_finite<T>(random);
        break;
      case 5:
        x = random.value<T>(random.between(12, 80));
        break;
    }
  }
  return terms;
}

template <class T>
std::vector<T> tiles_of_the_full_range(Random& random) {
  std::vector<T> terms(random.between(900, 4500));
  for (T& x : terms) x = any_finite<T>(random);
  return terms;
}

template <class T>
std::vector<T> tiles_that_cancel(Random& random) {
  std::vector<T> terms(random.between(500, 2000));
  int const spread = random.between(0, 60);
  for (T& x : terms) x = random.value<T>(random.between(-spread, spread));
  std::size_t const half = terms.size();
  for (std::size_t i = 0; i < half; ++i) terms.push_back(-terms[i]);
  if (random.coin()) terms[random.between<std::size_t>(0, half)] += power<T>(-spread - 8);
  random.shuffle(terms);
  return terms;
}

template <class T>
std::vector<T> tiles_of_subnormals(Random& random) {
  std::vector<T> terms(random.between(900, 4500));
  for (T& x : terms) x = random.value<T>(Format<T>::lowest + random.between(0, Format<T>::digits + 20));
  return terms;
}

template <class T>
std::vector<T> tiles_near_overflow(Random& random) {
  std::vector<T> terms(random.between(900, 3000));
  for (T& x : terms) x = random.value<T>(Format<T>::top - random.between(0, 20));
  return terms;
}

std::size_t carry_length(Random& random) {
  return (std::size_t{1} << random.between(16, 21)) + random.between<std::size_t>(0, 2);
}

template <class T>
std::vector<T> many_terms_of_one_sign(Random& random) {
  std::vector<T> terms(carry_length(random));
  int const scale = random.between(Format<T>::normal, Format<T>::top - 30);
  for (T& x : terms) x = std::abs(random.value<T>(scale + random.between(0, 3)));
  return terms;
}

template <class T>
std::vector<T> many_equal_terms_with_all_bits_set(Random& random) {
  T const all_ones = std::nextafter(power<T>(1), T{0});
  T const sign = random.coin() ? T{1} : T{-1};
  return std::vector<T>(carry_length(random), sign * std::ldexp(all_ones, random.between(-100, 100)));
}

template <class T>
std::vector<T> many_of_the_largest_number_and_their_negatives(Random& random) {
  std::size_t const n = carry_length(random) / 2;
  std::vector<T> terms(2 * n + 1, Format<T>::max);
  std::fill(terms.begin() + static_cast<std::ptrdiff_t>(n), terms.end(), -Format<T>::max);
  return terms;
}

template <class T>
std::vector<T> many_of_the_smallest_number(Random& random) {
  return std::vector<T>(carry_length(random), signed_power<T>(random, Format<T>::lowest));
}

template <class T>
std::vector<T> many_terms_of_the_full_range(Random& random) {
  std::vector<T> terms((std::size_t{1} << 16) + 1);
  for (T& x : terms) x = any_finite<T>(random);
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
};

template <class T>
constexpr Family<T> all_long_families[] = {
    {"tiles of moderate range", tiles_of_moderate_range<T>},
    {"tiles of different scales", tiles_of_different_scales<T>},
    {"tiles that widen", tiles_that_widen<T>},
    {"tiles with outliers", tiles_with_outliers<T>},
    {"tiles of the full range", tiles_of_the_full_range<T>},
    {"tiles that cancel", tiles_that_cancel<T>},
    {"tiles of subnormals", tiles_of_subnormals<T>},
    {"tiles near overflow", tiles_near_overflow<T>},
};

template <class T>
constexpr Family<T> all_carry_families[] = {
    {"many terms of one sign", many_terms_of_one_sign<T>},
    {"many equal terms with all bits set", many_equal_terms_with_all_bits_set<T>},
    {"many of the largest number and their negatives", many_of_the_largest_number_and_their_negatives<T>},
    {"many of the smallest number", many_of_the_smallest_number<T>},
    {"many terms of the full range", many_terms_of_the_full_range<T>},
};

template <class T>
ProductTerms<T> products_of_moderate_range(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(0, 100); i > 0; --i)
    terms.push_back(random.value<T>(random.between(-3, 3)), random.value<T>(random.between(-3, 3)));
  return terms;
}

template <class T>
ProductTerms<T> log_uniform_products(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(0, 100); i > 0; --i) terms.push_back(any_finite<T>(random), any_finite<T>(random));
  return terms;
}

/// Factors whose product has an exponent near `exponent`.
template <class T>
void push_product_near(ProductTerms<T>& terms, Random& random, int exponent) {
  int const low = std::max(Format<T>::lowest, exponent - Format<T>::top);
  int const high = std::min(Format<T>::top, exponent - Format<T>::lowest);
  int const first = random.between(low, high);
  terms.push_back(random.value<T>(first), random.value<T>(exponent - first));
}

template <class T>
ProductTerms<T> products_that_underflow(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 60); i > 0; --i)
    push_product_near(terms, random, random.between(2 * Format<T>::lowest, Format<T>::lowest));
  return terms;
}

template <class T>
ProductTerms<T> products_whose_error_underflows(Random& random) {
  ProductTerms<T> terms;
  int const boundary = Format<T>::lowest + 2 * Format<T>::digits;
  for (int i = random.between(1, 60); i > 0; --i)
    push_product_near(terms, random, boundary + random.between(-Format<T>::digits - 8, 8));
  return terms;
}

template <class T>
ProductTerms<T> products_that_overflow_and_cancel(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 20); i > 0; --i) {
    push_product_near(terms, random, random.between(Format<T>::top - 2, 2 * Format<T>::top));
    terms.push_back(terms.y.back(), -terms.x.back());
  }
  if (random.coin()) terms.push_back(any_finite<T>(random), random.value<T>(0));
  if (random.coin()) push_product_near(terms, random, Format<T>::lowest - 10);
  return terms;
}

template <class T>
ProductTerms<T> products_that_overflow(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 20); i > 0; --i)
    push_product_near(terms, random, random.between(Format<T>::top - 2, 2 * Format<T>::top));
  return terms;
}

template <class T>
ProductTerms<T> products_of_subnormals(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 60); i > 0; --i)
    terms.push_back(random.value<T>(random.between(Format<T>::lowest, Format<T>::normal)),
                    random.value<T>(random.between(Format<T>::lowest, Format<T>::top)));
  return terms;
}

template <class T>
ProductTerms<T> cancelling_products(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 30); i > 0; --i) {
    T const x = any_finite<T>(random), y = any_finite<T>(random);
    terms.push_back(x, y);
    terms.push_back(-y, x);
  }
  if (random.coin()) push_product_near(terms, random, random.between(2 * Format<T>::lowest, 0));
  return terms;
}

/// x*y - RN(x*y): what two_product calls the error is the whole sum.
template <class T>
ProductTerms<T> rounding_errors_of_products(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(1, 3); i > 0; --i) {
    T const x = any_finite<T>(random), y = random.value<T>(random.between(-30, 30));
    terms.push_back(x, y);
    T const product = x * y;
    if (std::isfinite(product)) terms.push_back(product, T{-1});
  }
  return terms;
}

template <class T>
ProductTerms<T> ill_conditioned_dots(Random& random) {
  ProductTerms<T> terms;
  int const spread = random.between(0, Format<T>::top / 4);
  for (int i = random.between(2, 30); i > 0; --i)
    terms.push_back(random.value<T>(random.between(-spread, spread)), random.value<T>(random.between(-spread, spread)));
  for (int steps = random.between(1, 12); steps > 0; --steps) {
    T const sum = exact_dot(terms.x, terms.y).template round<T>().value;
    int const shift = random.between(-20, 20);
    T const factor = std::ldexp(sum, shift);
    if (std::isfinite(factor)) terms.push_back(-factor, power<T>(-shift));
  }
  return terms;
}

template <class T>
ProductTerms<T> ties_of_products(Random& random) {
  ProductTerms<T> terms;
  auto const push_scaled = [&](T x) {
    int const shift = random.between(-10, 10);
    T const scaled = std::ldexp(x, shift);
    if (std::isfinite(scaled) && std::ldexp(scaled, -shift) == x)
      terms.push_back(scaled, power<T>(-shift));
    else
      terms.push_back(x, T{1});
  };
  for (T const x : random.coin() ? ties<T>(random) : ties_decided_by_a_bit_far_below<T>(random)) push_scaled(x);
  if (random.coin()) push_product_near(terms, random, 2 * Format<T>::lowest + random.between(0, 100));
  return terms;
}

template <class T>
ProductTerms<T> squares(Random& random) {
  ProductTerms<T> terms;
  int const spread = random.between(0, Format<T>::top);
  for (int i = random.between(0, 60); i > 0; --i) {
    T const x = random.value<T>(random.between(-spread, spread));
    terms.push_back(x, x);
  }
  return terms;
}

template <class T>
ProductTerms<T> products_with_infinities_nans_and_zeros(Random& random) {
  auto terms = log_uniform_products<T>(random);
  for (int i = random.between(1, 3); i > 0; --i) {
    T const special = random.one_of(Format<T>::infinity, -Format<T>::infinity, some_nan<T>(random));
    T const other = random.one_of(T{0}, -T{0}, any_finite<T>(random), Format<T>::infinity, any_finite<T>(random));
    if (random.coin())
      terms.push_back(special, other);
    else
      terms.push_back(other, special);
  }
  return terms;
}

template <class T>
ProductTerms<T> products_with_zero_factors(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.between(0, 30); i > 0; --i) {
    T const zero = random.one_of(T{0}, -T{0}), other = any_finite<T>(random);
    if (random.coin())
      terms.push_back(zero, other);
    else
      terms.push_back(other, zero);
  }
  if (random.between(0, 2) == 0)
    push_product_near(terms, random, random.between(2 * Format<T>::lowest, 2 * Format<T>::top));
  return terms;
}

template <class T>
ProductTerms<T> products_at_the_overflow_threshold(Random& random) {
  ProductTerms<T> terms;
  for (T const x : at_the_overflow_threshold<T>(random)) terms.push_back(x, T{1});
  if (random.coin()) terms.push_back(signed_power<T>(random, Format<T>::lowest), power<T>(Format<T>::lowest));
  return terms;
}

template <class T>
ProductTerms<T> tiles_of_moderate_products(Random& random) {
  ProductTerms<T> terms;
  for (int i = random.one_of(256, 512, 1024, 2048, 4096) + random.between(-1, 1); i > 0; --i)
    terms.push_back(random.value<T>(random.between(-8, 8)), random.value<T>(random.between(-8, 8)));
  return terms;
}

template <class T>
ProductTerms<T> tiles_of_products_with_outliers(Random& random) {
  auto terms = tiles_of_moderate_products<T>(random);
  for (int outliers = random.between(1, 3); outliers > 0; --outliers) {
    auto const i = random.between<std::size_t>(0, terms.size() - 1);
    switch (random.between(0, 4)) {
      case 0:
        terms.x[i] = any_finite<T>(random);
        break;
      case 1:
        terms.y[i] = any_finite<T>(random);
        break;
      case 2:
        terms.x[i] = terms.y[i] = random.value<T>(Format<T>::lowest / 2 - 5);
        break;
      case 3:
        terms.x[i] = terms.y[i] = random.value<T>(Format<T>::top / 2 + 5);
        break;
      case 4:
        terms.x[i] = random.one_of(Format<T>::infinity, some_nan<T>(random), T{0});
        terms.y[i] = random.one_of(Format<T>::infinity, T{0}, any_finite<T>(random));
        break;
    }
  }
  return terms;
}

template <class T>
ProductTerms<T> tiles_of_products_of_different_scales(Random& random) {
  ProductTerms<T> terms;
  for (int segments = random.between(2, 6); segments > 0; --segments) {
    int const scale = random.between(2 * Format<T>::lowest + 20, 2 * Format<T>::top - 20);
    for (int i = random.between(100, 1000); i > 0; --i) push_product_near(terms, random, scale + random.between(-8, 8));
  }
  return terms;
}

template <class T>
ProductTerms<T> tiles_of_cancelling_products(Random& random) {
  auto terms = tiles_of_moderate_products<T>(random);
  for (std::size_t i = 0, n = terms.size(); i < n; ++i) terms.push_back(-terms.y[i], terms.x[i]);
  if (random.coin()) push_product_near(terms, random, random.between(-200, -60));
  return terms;
}

template <class T>
ProductTerms<T> many_products_of_one_sign(Random& random) {
  ProductTerms<T> terms;
  int const scale = random.between(Format<T>::normal / 2, Format<T>::top / 2 - 20);
  for (std::size_t i = std::size_t{1} << random.between(16, 18); i > 0; --i) {
    T const x = random.value<T>(scale);
    terms.push_back(x, std::copysign(random.value<T>(scale), x));
  }
  return terms;
}

template <class T>
ProductTerms<T> many_of_the_largest_product(Random& random) {
  T const sign = random.coin() ? T{1} : T{-1};
  std::size_t const n = std::size_t{1} << random.between(16, 18);
  return {std::vector<T>(n, sign * Format<T>::max), std::vector<T>(n, Format<T>::max)};
}

template <class T>
constexpr ProductFamily<T> all_short_product_families[] = {
    {"moderate range", products_of_moderate_range<T>},
    {"log-uniform factors", log_uniform_products<T>},
    {"products that underflow", products_that_underflow<T>},
    {"products whose error underflows", products_whose_error_underflows<T>},
    {"products that overflow and cancel", products_that_overflow_and_cancel<T>},
    {"products that overflow", products_that_overflow<T>},
    {"products of subnormals", products_of_subnormals<T>},
    {"cancelling products", cancelling_products<T>},
    {"rounding errors of products", rounding_errors_of_products<T>},
    {"ill-conditioned", ill_conditioned_dots<T>},
    {"ties", ties_of_products<T>},
    {"squares", squares<T>},
    {"infinities, NaNs and zeros", products_with_infinities_nans_and_zeros<T>},
    {"zero factors", products_with_zero_factors<T>},
    {"at the overflow threshold", products_at_the_overflow_threshold<T>},
};

template <class T>
constexpr ProductFamily<T> all_long_product_families[] = {
    {"tiles of moderate products", tiles_of_moderate_products<T>},
    {"tiles of products with outliers", tiles_of_products_with_outliers<T>},
    {"tiles of products of different scales", tiles_of_products_of_different_scales<T>},
    {"tiles of cancelling products", tiles_of_cancelling_products<T>},
};

template <class T>
constexpr ProductFamily<T> all_carry_product_families[] = {
    {"many products of one sign", many_products_of_one_sign<T>},
    {"many of the largest product", many_of_the_largest_product<T>},
};

/// Compares stored bits, so that NaNs have a place in the order too.
template <class T>
BitsOf<T> magnitude_bits(T x) {
  return bits_of(x) & static_cast<BitsOf<T>>(~(BitsOf<T>{1} << (8 * sizeof(T) - 1)));
}

template <class Key>
std::vector<std::size_t> permutation(std::size_t n, Order order, Random& random, Key const& key) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  switch (order) {
    case Order::as_made:
      break;
    case Order::reversed:
      std::reverse(indices.begin(), indices.end());
      break;
    case Order::ascending:
      std::stable_sort(indices.begin(), indices.end(), [&](auto i, auto j) { return key(i) < key(j); });
      break;
    case Order::descending:
      std::stable_sort(indices.begin(), indices.end(), [&](auto i, auto j) { return key(i) > key(j); });
      break;
    case Order::shuffled:
      random.shuffle(indices);
      break;
  }
  return indices;
}

template <class T>
std::vector<T> gather(std::vector<T> const& terms, std::vector<std::size_t> const& indices) {
  std::vector<T> result;
  result.reserve(terms.size());
  for (auto const i : indices) result.push_back(terms[i]);
  return result;
}

}  // namespace

template <class T>
std::span<Family<T> const> short_families() {
  return all_short_families<T>;
}
template <class T>
std::span<Family<T> const> long_families() {
  return all_long_families<T>;
}
template <class T>
std::span<Family<T> const> carry_families() {
  return all_carry_families<T>;
}
template <class T>
std::span<ProductFamily<T> const> short_product_families() {
  return all_short_product_families<T>;
}
template <class T>
std::span<ProductFamily<T> const> long_product_families() {
  return all_long_product_families<T>;
}
template <class T>
std::span<ProductFamily<T> const> carry_product_families() {
  return all_carry_product_families<T>;
}

char const* name_of(Order order) {
  switch (order) {
    case Order::as_made:
      return "as made";
    case Order::reversed:
      return "reversed";
    case Order::ascending:
      return "ascending";
    case Order::descending:
      return "descending";
    case Order::shuffled:
      return "shuffled";
  }
  return "?";
}

template <class T>
std::vector<T> reordered(std::vector<T> const& terms, Order order, Random& random) {
  return gather(terms, permutation(terms.size(), order, random, [&](auto i) { return magnitude_bits(terms[i]); }));
}

template <class T>
ProductTerms<T> reordered(ProductTerms<T> const& terms, Order order, Random& random) {
  auto const key = [&](auto i) {
    return std::uint64_t{magnitude_bits(terms.x[i])} + std::uint64_t{magnitude_bits(terms.y[i])};
  };
  auto const indices = permutation(terms.size(), order, random, key);
  return {gather(terms.x, indices), gather(terms.y, indices)};
}

#define EXAKT_TEST_INSTANTIATE(T)                                              \
  template std::span<Family<T> const> short_families<T>();                     \
  template std::span<Family<T> const> long_families<T>();                      \
  template std::span<Family<T> const> carry_families<T>();                     \
  template std::span<ProductFamily<T> const> short_product_families<T>();      \
  template std::span<ProductFamily<T> const> long_product_families<T>();       \
  template std::span<ProductFamily<T> const> carry_product_families<T>();      \
  template std::vector<T> reordered<T>(std::vector<T> const&, Order, Random&); \
  template ProductTerms<T> reordered<T>(ProductTerms<T> const&, Order, Random&)
EXAKT_TEST_INSTANTIATE(double);
EXAKT_TEST_INSTANTIATE(float);
#undef EXAKT_TEST_INSTANTIATE

}  // namespace ExaktTest
