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
ProductTerms<T> corners(Random& random) {
  auto const [x, y] = corners_of_products<T>(random);
  ProductTerms<T> terms;
  for (int i = random.one_of(random.between(1, 8), random.between(1, 40), random.between(1, 140)); i > 0; --i)
    terms.push_back(x(random), y(random));
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
    {"corners", corners<T>},
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

}  // namespace

template <class T>
std::span<ProductFamily<T> const> short_product_families() {
  return all_short_product_families<T>;
}
template std::span<ProductFamily<double> const> short_product_families();
template std::span<ProductFamily<float> const> short_product_families();

template <class T>
std::span<ProductFamily<T> const> long_product_families() {
  return all_long_product_families<T>;
}
template std::span<ProductFamily<double> const> long_product_families();
template std::span<ProductFamily<float> const> long_product_families();

template <class T>
std::span<ProductFamily<T> const> carry_product_families() {
  return all_carry_product_families<T>;
}
template std::span<ProductFamily<double> const> carry_product_families();
template std::span<ProductFamily<float> const> carry_product_families();

}  // namespace ExaktTest
