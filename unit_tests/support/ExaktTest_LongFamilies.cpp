// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FamilyPieces.hpp"

#include <algorithm>
#include <cmath>

namespace ExaktTest {
namespace {

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

}  // namespace

template <class T>
std::span<Family<T> const> long_families() {
  return all_long_families<T>;
}
template std::span<Family<double> const> long_families();
template std::span<Family<float> const> long_families();

template <class T>
std::span<Family<T> const> carry_families() {
  return all_carry_families<T>;
}
template std::span<Family<double> const> carry_families();
template std::span<Family<float> const> carry_families();

}  // namespace ExaktTest
