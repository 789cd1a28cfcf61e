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
  const char* name;
  std::vector<T> (*make)(Random&);
};

/// At most a hundred terms or so: cheap enough for thousands of cases.
template <class T>
std::span<const Family<T>> short_families();

/// Thousands of terms: several tiles of a vectorized loop, with changes of scale and outliers at any place.
template <class T>
std::span<const Family<T>> long_families();

/// 2^16 to 2^21 terms that carry.
template <class T>
std::span<const Family<T>> carry_families();

template <class T>
struct Factors {
  std::vector<T> x, y;
  std::size_t size() const { return x.size(); }
  void push_back(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }
};

template <class T>
struct ProductFamily {
  const char* name;
  Factors<T> (*make)(Random&);
};

template <class T>
std::span<const ProductFamily<T>> short_product_families();
template <class T>
std::span<const ProductFamily<T>> long_product_families();
template <class T>
std::span<const ProductFamily<T>> carry_product_families();

enum class Order { as_made, reversed, ascending, descending, shuffled };
inline constexpr Order every_order[] = {Order::as_made, Order::reversed, Order::ascending, Order::descending,
                                        Order::shuffled};
const char* name_of(Order);

/// Ascending and descending refer to the magnitude (for factors: of the product, nearly).
template <class T>
std::vector<T> reordered(const std::vector<T>& terms, Order, Random&);
template <class T>
Factors<T> reordered(const Factors<T>& terms, Order, Random&);

}  // namespace ExaktTest

#endif
