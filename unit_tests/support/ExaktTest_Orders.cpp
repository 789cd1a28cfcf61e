// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Families.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ExaktTest {
namespace {

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

template std::vector<double> reordered(std::vector<double> const&, Order, Random&);
template std::vector<float> reordered(std::vector<float> const&, Order, Random&);
template ProductTerms<double> reordered(ProductTerms<double> const&, Order, Random&);
template ProductTerms<float> reordered(ProductTerms<float> const&, Order, Random&);

}  // namespace ExaktTest
