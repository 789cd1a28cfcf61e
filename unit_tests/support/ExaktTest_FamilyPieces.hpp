// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_FAMILYPIECES_HPP
#define EXAKTTEST_FAMILYPIECES_HPP

/// \file
/// \brief What families of hard cases are made of: powers of two at the ends of the range, NaN, noise that cancels;
/// ties, which are hard as terms and as products by one.

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ExaktTest {

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

}  // namespace ExaktTest

#endif
