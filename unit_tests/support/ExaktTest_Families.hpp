// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_FAMILIES_HPP
#define EXAKTTEST_FAMILIES_HPP

#include <cstddef>
#include <span>
#include <vector>

#include "ExaktTest_Random.hpp"

namespace ExaktTest {

/// A named way of making one vector of terms whose sum is hard in one respect.
template <class T>
struct Family {
  char const* name;
  std::vector<T> (*make)(Random&);
};

/// At most a hundred terms or so: cheap enough for thousands of cases.
template <class T>
std::span<Family<T> const> short_families();

/// Thousands of terms: several tiles of a vectorized loop, with changes of scale and outliers at any place.
template <class T>
std::span<Family<T> const> long_families();

/// 2^16 to 2^21 terms that carry.
template <class T>
std::span<Family<T> const> carry_families();

template <class T>
struct ProductTerms {
  std::vector<T> x, y;
  std::size_t size() const { return x.size(); }
  void push_back(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }
};

template <class T>
struct ProductFamily {
  char const* name;
  ProductTerms<T> (*make)(Random&);
};

template <class T>
std::span<ProductFamily<T> const> short_product_families();
template <class T>
std::span<ProductFamily<T> const> long_product_families();
template <class T>
std::span<ProductFamily<T> const> carry_product_families();

enum class Order { as_made, reversed, ascending, descending, shuffled };
inline constexpr Order every_order[] = {Order::as_made, Order::reversed, Order::ascending, Order::descending,
                                        Order::shuffled};
char const* name_of(Order);

/// Ascending and descending refer to the magnitude (for factors: of the product, nearly).
template <class T>
std::vector<T> reordered(std::vector<T> const& terms, Order, Random&);
template <class T>
ProductTerms<T> reordered(ProductTerms<T> const& terms, Order, Random&);

}  // namespace ExaktTest

#endif
