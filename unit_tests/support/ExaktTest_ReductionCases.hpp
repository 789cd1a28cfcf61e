// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_REDUCTIONCASES_HPP
#define EXAKTTEST_REDUCTIONCASES_HPP

/// \file
/// \brief What reductions are tested with: hard vectors by verb, of any length, and the way to call a verb.

#include <algorithm>

#include <summation/Exakt_EnclosedSum.hpp>

#include "ExaktTest_Families.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest {

inline constexpr std::size_t tile_size = Exakt::Impl::enclosure_tile_size;
inline constexpr std::size_t block_size = 8 * tile_size;  // from one block on, threads are woken

template <class T>
struct VectorCase {
  char const* family;
  ProductTerms<T> terms;
};

/// The families whose sums are hard for a verb: of values, or of products if it takes two vectors.
template <class Verb, class T>
std::vector<VectorCase<T>> cases_of(Random& random, std::uint64_t per_short_family, std::uint64_t per_long_family) {
  std::vector<VectorCase<T>> cases;
  auto const take = [&](auto const& families, std::uint64_t count) {
    for (auto const& family : families)
      for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (Verb::operands == 1)
          cases.push_back({family.name, {family.make(random), {}}});
        else
          cases.push_back({family.name, family.make(random)});
      }
  };
  if constexpr (Verb::operands == 1) {
    take(short_families<T>(), per_short_family);
    take(long_families<T>(), per_long_family);
  } else {
    take(short_product_families<T>(), per_short_family);
    take(long_product_families<T>(), per_long_family);
  }
  return cases;
}

template <class Verb, class T>
ProductTerms<T> in_order(ProductTerms<T> const& terms, Order order, Random& random) {
  if constexpr (Verb::operands == 1)
    return {reordered(terms.x, order, random), {}};
  else
    return reordered(terms, order, random);
}

template <class T>
ProductTerms<T> random_terms(Random& random, std::size_t n) {
  ProductTerms<T> terms;
  for (std::size_t i = 0; i < n; ++i)
    terms.push_back(random.value<T>(random.between(-6, 6)), random.value<T>(random.between(-6, 6)));
  return terms;
}

/// The same exact value, spread over n terms: in between zeros, and numbers that cancel where they can.
template <class Verb, class T>
ProductTerms<T> diluted(ProductTerms<T> const& terms, std::size_t n, Random& random) {
  ProductTerms<T> result = terms;
  if constexpr (Verb::operands == 1) result.y.resize(terms.size());
  T const noise = random.value<T>(random.between(-20, 20));
  while (result.size() + 2 <= n) {
    if constexpr (Verb::operands == 1) {
      T const x = Verb::signs_cancel && random.coin() ? noise : T{0};
      result.push_back(x, T{0});
      result.push_back(-x, T{0});
    } else {
      T const y = random.coin() ? noise : T{0};
      result.push_back(noise, y);
      result.push_back(-noise, y);
    }
  }
  if (result.size() < n) result.push_back(T{0}, T{0});
  return in_order<Verb>(result, Order::shuffled, random);
}

template <class Verb, class Space, class T, class MakeView>
auto result_of(Space const& space, ProductTerms<T> const& terms, MakeView const& view) {
  if constexpr (Verb::operands == 1)
    return Verb::call(space, view(terms.x));
  else
    return Verb::call(space, view(terms.x), view(terms.y));
}

template <class Verb, class Space, class T>
auto result_of(Space const& space, ProductTerms<T> const& terms) {
  return result_of<Verb>(space, terms, [](auto const& entries) { return borrowed(entries); });
}

}  // namespace ExaktTest

#endif
