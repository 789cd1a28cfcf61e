// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_histogram.hpp>
#include <Exakt_correlation.hpp>
#include <Exakt_covariance.hpp>
#include <Exakt_exclusive_scan.hpp>
#include <Exakt_inclusive_scan.hpp>
#include <Exakt_segmented_sum.hpp>
#include <Exakt_stddev.hpp>
#include <Exakt_sum_by_key.hpp>
#include <Exakt_variance.hpp>

#include <algorithm>

#include "ExaktTest_Golden.hpp"
#include "ExaktTest_Oracle.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;

namespace {

template <class T>
Vector<T> terms_of(Case const& c) {
  return vector(numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
}

template <class Scan>
void replay_scan(char const* verb, Scan const& scan) {
  for_each_case<double, float>(verb, [&](Case const& c, auto type) {
    using T = decltype(type);
    auto const x = terms_of<T>(c);
    Vector<T> const result("result", x.extent(0));
    scan(x, result);
    check<T>(verb, c, words_of(result));
    auto const terms = numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0]));
    auto const columns =
        matrix<T>(c.sizes[0], 2, c.seed % 2 == 0, [&](std::size_t i, std::size_t) { return terms[i]; });
    scan(columns, columns);
    Words words[2];
    for (std::uint64_t const word : words_of(columns)) words[words[0].size() > words[1].size() ? 1 : 0].push_back(word);
    for (Words const& column : words) check<T>("a scan of columns, in place", c, column);
  });
}

template <class Key, class T>
void replay_keys(Case const& c, std::vector<Key> const& keys) {
  auto different = keys;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  Vector<Key> const unique_keys("unique_keys", different.size());
  Vector<T> const sums("sums", different.size());
  EXAKT_CHECK(Exakt::sum_by_key(vector(keys), terms_of<T>(c), unique_keys, sums) == different.size());
  check<T>("sum_by_key", c, words_of(sums));
  auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), unique_keys);
  for (std::size_t i = 0; i < different.size(); ++i) EXAKT_CHECK(here(i) == different[i]);
}

/// verb(arguments..., mode) in all modes, and the verb that rounds into a View.
template <class T, class Verb>
void replay_moment(char const* name, Case const& c, Verb const& verb) {
  std::size_t place = 0;
  for (Rounding const mode : every_rounding) check_scalar(name, c, verb(mode), place++);
  Kokkos::View<T, Space> const result("result");
  verb(result);
  Space().fence();
  check_scalar(name, c, Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result)());
}

}  // namespace

TEST_CASE("golden results of scans, of columns and in place too") {
  replay_scan("inclusive_scan", [](auto const& x, auto const& r) { Exakt::inclusive_scan(x, r); });
  replay_scan("exclusive_scan", [](auto const& x, auto const& r) { Exakt::exclusive_scan(x, r); });
}

TEST_CASE("golden results of segmented_sum") {
  for_each_case<double, float>("segmented_sum", [](Case const& c, auto type) {
    using T = decltype(type);
    std::vector<int> offsets;
    for (std::size_t const offset : offsets_of(c.seed, c.sizes[0], c.sizes[1]))
      offsets.push_back(static_cast<int>(offset));
    Vector<T> const result("result", c.sizes[1]);
    Exakt::segmented_sum(vector(offsets), terms_of<T>(c), result);
    check<T>("segmented_sum", c, words_of(result));
  });
}

TEST_CASE("golden results of sum_by_key: few keys, and keys of 64 bits") {
  for_each_case<double, float>("sum_by_key", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const keys = keys_of(c.seed, c.sizes[0], c.sizes[1]);
    replay_keys<std::int64_t, T>(c, keys);
    if (c.seed % 2 == 0) replay_keys<int, T>(c, std::vector<int>(keys.begin(), keys.end()));
  });
}

TEST_CASE("golden results of histogram, in all modes") {
  for_each_case<double, float>("histogram", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const places = places_of(format_of<T>, c.seed, c.sizes[0], c.sizes[1]);
    auto const x = vector(numbers_of<T>(places.x)), edges = vector(numbers_of<T>(places.edges)),
               weights = terms_of<T>(c);
    Words words;
    for (Rounding const mode : every_rounding) {
      Vector<T> const result("result", c.sizes[1]);
      Exakt::histogram(x, weights, edges, result, mode);
      for (std::uint64_t const word : words_of(result)) words.push_back(word);
    }
    check<T>("histogram", c, words);
  });
}

TEST_CASE("golden results of variance, stddev, covariance, correlation, in all modes") {
  for_each_case<double, float>("variance", [](Case const& c, auto type) {
    auto const x = terms_of<decltype(type)>(c);
    int const ddof = static_cast<int>(c.sizes[1]);
    replay_moment<decltype(type)>("variance", c, [&](auto const& how) {
      if constexpr (std::is_same_v<std::decay_t<decltype(how)>, Rounding>)
        return Exakt::variance(x, ddof, how);
      else
        Exakt::variance(how, x, ddof);
    });
  });
  for_each_case<double, float>("stddev", [](Case const& c, auto type) {
    auto const x = terms_of<decltype(type)>(c);
    int const ddof = static_cast<int>(c.sizes[1]);
    replay_moment<decltype(type)>("stddev", c, [&](auto const& how) {
      if constexpr (std::is_same_v<std::decay_t<decltype(how)>, Rounding>)
        return Exakt::stddev(Space(), x, ddof, how);
      else
        Exakt::stddev(how, x, ddof);
    });
  });
  for (bool const is_swapped : {false, true}) {
    auto const pair_here = [&](Case const& c, auto type) {
      using T = decltype(type);
      auto const [x, y] = pair_of(format_of<T>, c.family, c.seed, c.sizes[0]);
      auto const first = vector(numbers_of<T>(x)), second = vector(numbers_of<T>(y));
      return is_swapped ? std::pair(second, first) : std::pair(first, second);
    };
    for_each_case<double, float>("covariance", [&](Case const& c, auto type) {
      auto const [x, y] = pair_here(c, type);
      int const ddof = static_cast<int>(c.sizes[1]);
      replay_moment<decltype(type)>("covariance", c, [&, x = x, y = y](auto const& how) {
        if constexpr (std::is_same_v<std::decay_t<decltype(how)>, Rounding>)
          return Exakt::covariance(x, y, ddof, how);
        else
          Exakt::covariance(how, x, y, ddof);
      });
    });
    for_each_case<double, float>("correlation", [&](Case const& c, auto type) {
      auto const [x, y] = pair_here(c, type);
      replay_moment<decltype(type)>("correlation", c, [&, x = x, y = y](auto const& how) {
        if constexpr (std::is_same_v<std::decay_t<decltype(how)>, Rounding>)
          return Exakt::correlation(x, y, how);
        else
          Exakt::correlation(how, x, y);
      });
    });
  }
}
