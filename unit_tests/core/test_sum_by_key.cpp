// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_sum_by_key.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;

template <class Key, class T>
struct KeyedTerms {
  std::vector<Key> keys;
  std::vector<T> terms;
};

template <class Key, class R>
struct Groups {
  std::vector<Key> keys;
  std::vector<Expected<R>> sums;
};

template <class R, class Key, class T>
Groups<Key, R> groups_of(KeyedTerms<Key, T> const& table) {
  std::map<Key, std::vector<T>> terms;
  for (std::size_t i = 0; i < table.keys.size(); ++i) terms[table.keys[i]].push_back(table.terms[i]);
  Groups<Key, R> groups;
  for (auto const& [key, of_key] : terms) {
    groups.keys.push_back(key);
    groups.sums.push_back(exact_sum(of_key).template round<R>());
  }
  return groups;
}

static_assert(Exakt::Impl::count_ones(0) == 0 && Exakt::Impl::count_ones(1) == 1);
static_assert(Exakt::Impl::count_ones(0x80000001u) == 2 && Exakt::Impl::count_ones(0xfffffffeu) == 31);
static_assert(Exakt::Impl::count_ones(~0u) == 32);
static_assert(sizeof(Exakt::Impl::LeastAndMost<signed char>) % 4 == 0, "Kokkos 3.4 reduces words of 4 bytes on CUDA");

/// Whether the way of devices took the keys, or would leave them to the host.
template <class R, class ExecutionSpace, class Keys, class X, class Key>
bool check(ExecutionSpace const& space, Keys const& keys, X const& x, Groups<Key, R> const& expected) {
  std::size_t const room = expected.keys.size() + 1;
  HostVector<Key> const unique("unique", room);
  Kokkos::deep_copy(unique, Key{77});
  auto const sums = poisoned<HostVector<R>>(room);
  std::size_t const count = Exakt::sum_by_key(space, keys, x, unique, sums);
  REQUIRE(count == expected.keys.size());
  for (std::size_t k = 0; k < count; ++k) {
    EXAKT_CHECK(unique(k) == expected.keys[k]);
    EXAKT_CHECK_BITS(sums(k), expected.sums[k]);
  }
  EXAKT_CHECK(unique(count) == Key{77} && is_nan_bits(sums(count)));

  // As devices do it.
  HostVector<Key> const of_device("unique", room);
  Kokkos::deep_copy(of_device, Key{77});
  auto const sums_of_device = poisoned<HostVector<R>>(room);
  std::size_t asked = 0;
  auto const numbered = Exakt::Impl::try_numbered_keys(space, keys, x, of_device, sums_of_device,
                                                       [&](std::size_t needed) { asked = needed; });
  if (!numbered) return false;
  REQUIRE(*numbered == count);
  EXAKT_CHECK(asked == count || keys.extent(0) == 0);
  for (std::size_t k = 0; k < count; ++k) {
    EXAKT_CHECK(of_device(k) == expected.keys[k]);
    EXAKT_CHECK_BITS(sums_of_device(k), expected.sums[k]);
  }
  EXAKT_CHECK(of_device(count) == Key{77} && is_nan_bits(sums_of_device(count)));
  return true;
}

/// `groups` different keys or so, from all over the type, in any order.
template <class Key, class T>
KeyedTerms<Key, T> make_table(Random& random, std::size_t n, std::size_t groups, bool is_dense) {
  std::vector<Key> choice(groups);
  for (std::size_t k = 0; k < groups; ++k)
    choice[k] = static_cast<Key>(is_dense ? static_cast<std::uint64_t>(k) - groups / 2 : random.bits());
  if (!is_dense && groups > 1) {
    choice[0] = std::numeric_limits<Key>::min();
    choice[1] = std::numeric_limits<Key>::max();
  }
  KeyedTerms<Key, T> table;
  for (std::size_t i = 0; i < n; ++i) {
    table.keys.push_back(choice[random.between<std::size_t>(0, groups - 1)]);
    table.terms.push_back(random.value<T>(random.between(-30, 30)));
  }
  return table;
}

template <class Key>
void check_keys_of_type(std::uint64_t stream) {
  Random random(stream);
  for (auto const& [n, groups] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                                  {2, 2},
                                                                                  {100, 1},
                                                                                  {100, 7},
                                                                                  {9000, 256},
                                                                                  {9000, 257},
                                                                                  {40'000, 200},
                                                                                  {1000, 300},
                                                                                  {20'000, 5000},
                                                                                  {70'000, 40'000},
                                                                                  {70'000, 3},
                                                                                  {70'000, 60'000}})
    for (bool const is_dense : {true, false}) {
      INFO(n << " terms, " << groups << " keys");
      auto const table = make_table<Key, double>(random, n, groups, is_dense);
      auto const expected = groups_of<double>(table);
      check(Space(), borrowed(table.keys), borrowed(table.terms), expected);
    }
}

/// Keys that lie `distances` above the least one, several terms of each in any order.
template <class Key>
KeyedTerms<Key, double> table_above(Random& random, Key least, std::vector<std::uint64_t> const& distances) {
  KeyedTerms<Key, double> table;
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t const distance : distances) {
      table.keys.push_back(static_cast<Key>(static_cast<std::uint64_t>(least) + distance));
      table.terms.push_back(random.value<double>(random.between(-30, 30)));
    }
  for (std::size_t i = table.keys.size(); i > 1; --i)
    std::swap(table.keys[i - 1], table.keys[random.between<std::size_t>(0, i - 1)]);
  return table;
}

/// Those below `range` that are neighbours, at the edges of words of 32, and far from each other; and `range` - 1.
std::vector<std::uint64_t> distances_below(std::uint64_t range) {
  std::vector<std::uint64_t> distances{0, 1, 2, 30, 31, 32, 33, 63, 64, 1000 * 32, 1000 * 32 + 31};
  for (std::uint64_t distance = 20'011; distance < range - 40; distance += 20'011) distances.push_back(distance);
  for (std::uint64_t const below : {34, 33, 32, 31, 2, 1}) distances.push_back(range - below);
  return distances;
}

/// The range that devices number for so many distances, of which table_above makes three terms each.
std::uint64_t range_for(std::vector<std::uint64_t> const& distances) {
  return Exakt::Impl::numbered_range(3 * distances.size());
}

template <class Key>
void check_keys_far_apart(std::uint64_t stream) {
  Random random(stream);
  // The range depends on how many terms there are: those are made for the range of one, and the last is moved.
  auto distances = distances_below(Exakt::Impl::numbered_range(1));
  std::uint64_t const range = range_for(distances);
  using Limits = std::numeric_limits<Key>;
  for (bool const is_within : {true, false}) {
    distances.back() = is_within ? range - 1 : range;
    Key const last = static_cast<Key>(static_cast<std::uint64_t>(Limits::max()) - distances.back());
    Key const middle = static_cast<Key>(Limits::is_signed ? -500'000 : 500'000);
    for (Key const least : {Limits::min(), last, middle}) {
      INFO("keys from " << least << " to " << distances.back() << " above");
      auto const table = table_above(random, least, distances);
      auto const expected = groups_of<double>(table);
      for_each_host_space(
          [&](auto space) { CHECK(check(space, borrowed(table.keys), borrowed(table.terms), expected) == is_within); });
    }
  }
}

}  // namespace

TEST_CASE("any number of terms of few keys, and one step down in their order, wherever it is") {
  Random random(946);
  for (std::size_t n : {1, 2, 3, 4, 5, 62, 63, 64, 65, 66, 67, 127, 128, 129, 130, 8191, 8193, 8194, 8195}) {
    INFO(n << " terms");
    auto const table = make_table<int, double>(random, n, 3, true);
    auto const expected = groups_of<double>(table);
    for_each_host_space([&](auto space) { check(space, borrowed(table.keys), borrowed(table.terms), expected); });
  }
  constexpr std::size_t n = 20'000;  // of which two threads look at 10'000 each
  for (std::size_t const step : {1, 2, 63, 64, 65, 66, 9'999, 10'000, 10'001, 10'064, 10'065, 19'998, 19'999}) {
    INFO("down at " << step);
    std::vector<short> keys(n, 5);
    for (std::size_t i = step; i < n; ++i) keys[i] = 3;
    Groups<short, double> const expected{{3, 5}, {{static_cast<double>(n - step)}, {static_cast<double>(step)}}};
    for_each_host_space(
        [&](auto space) { check(space, borrowed(keys), borrowed(std::vector<double>(n, 1.0)), expected); });
  }
}

TEST_CASE("the terms of each key are added exactly, whatever integers the keys are") {
  check_keys_of_type<int>(940);
  check_keys_of_type<unsigned>(941);
  check_keys_of_type<std::int64_t>(942);
  check_keys_of_type<std::uint64_t>(943);
  check_keys_of_type<short>(944);
  check_keys_of_type<unsigned char>(945);
  check_keys_of_type<signed char>(946);
}

TEST_CASE("devices number the keys that occur, as far apart as they have memory for, and leave others to the host") {
  check_keys_far_apart<int>(950);
  check_keys_far_apart<unsigned>(951);
  check_keys_far_apart<std::int64_t>(952);
  check_keys_far_apart<std::uint64_t>(953);

  // The whole range of their types: differences that signed integers do not hold.
  Random random(954);
  for (std::uint64_t const distance : {std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    auto const table = table_above(random, std::numeric_limits<std::int64_t>::min(), {0, distance});
    CHECK(!check(Space(), borrowed(table.keys), borrowed(table.terms), groups_of<double>(table)));
  }
  auto const short_table = make_table<short, double>(random, 1000, 300, false);
  CHECK(check(Space(), borrowed(short_table.keys), borrowed(short_table.terms), groups_of<double>(short_table)));
  CHECK(Exakt::Impl::numbered_range(std::size_t{1} << 40) == std::uint64_t{1} << 32);
}

TEST_CASE("devices leave more keys to the host than they have accumulators for, and say first if there is no room") {
  std::size_t const n = Exakt::Impl::most_numbered_keys + 1;
  HostVector<int> const keys("keys", n), unique("unique", n);
  HostVector<double> const x("x", n), sums("sums", n), too_short("sums", n - 1);
  for (std::size_t i = 0; i < n; ++i) keys(i) = static_cast<int>(2 * i);
  auto const numbered = [&](HostVector<int> const& some_keys, HostVector<double> const& results) {
    Exakt::Impl::KeyedSums<HostVector<int>, HostVector<double>> const result{"sum_by_key", unique, results};
    return Exakt::Impl::try_numbered_keys(Space(), some_keys, x, unique, results,
                                          [&](std::size_t count) { result.require_room(count); });
  };
  CHECK(!numbered(keys, sums));
  CHECK(refusal_of([&] { numbered(keys, too_short); }) ==
        "Exakt::sum_by_key: unique_keys is 1048577 entries, sums is 1048576 entries; there are 1048577 different keys, "
        "each needs an entry in both");
  auto const few = contiguous(std::vector<int>{900'000, 7, 900'000, 7, -5});
  HostVector<double> const two("sums", 2);
  CHECK(refusal_of([&] { numbered(few, two); }) ==
        "Exakt::sum_by_key: unique_keys is 1048577 entries, sums is 2 entries; there are 3 different keys, "
        "each needs an entry in both");
  CHECK((two(0) == 0 && two(1) == 0 && unique(0) == 0));
}

TEST_CASE("keys that differ by a little more than 32 bits hold") {
  constexpr std::int64_t beyond = (std::int64_t{1} << 32) + 5;
  for (int const times : {1, 3000}) {
    KeyedTerms<std::int64_t, double> table;
    for (int i = 0; i < times; ++i)
      for (std::int64_t const key : {beyond, std::int64_t{0}, std::int64_t{5}, beyond}) {
        table.keys.push_back(key);
        table.terms.push_back(key == 5 ? 0x1p-40 : 1.0);
      }
    check(Space(), borrowed(table.keys), borrowed(table.terms), groups_of<double>(table));
  }
}

TEST_CASE("infinities and NaN of keys far apart stay with their keys") {
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  KeyedTerms<int, double> const table{{700'000, -100'000, 3, 40'000, 3, 700'000, -100'000, 3, 40'000, 41'000, 42'000},
                                      {infinity, 1, infinity, nan, -infinity, 1, 2, 1, 1, -0.0, -infinity}};
  CHECK(check(Space(), borrowed(table.keys), borrowed(table.terms), groups_of<double>(table)));
}

TEMPLATE_TEST_CASE("hard sums by key, their terms among those of others", "", double, float) {
  Random random(947);
  bool const are_close = GENERATE(false, true);
  KeyedTerms<int, TestType> table;
  int key = -50;
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i, ++key)
      for (TestType const x : family.make(random)) {
        table.keys.push_back(are_close || key % 2 == 0 ? key : -1000 * key);
        table.terms.push_back(x);
      }
  CHECK(key + 50 > static_cast<int>(Exakt::Impl::few_keys));
  auto const sorted_or_not = [&] {
    auto const expected = groups_of<TestType>(table);
    auto const other = groups_of<float>(table);
    for_each_host_space([&](auto space) {
      check(space, borrowed(table.keys), borrowed(table.terms), expected);
      check(space, borrowed(table.keys), strided(table.terms), other);
    });
  };
  sorted_or_not();
  for (std::size_t i = table.keys.size(); i > 1; --i) {
    std::size_t const j = random.between<std::size_t>(0, i - 1);
    std::swap(table.keys[i - 1], table.keys[j]);
    std::swap(table.terms[i - 1], table.terms[j]);
  }
  sorted_or_not();
}

TEST_CASE("keys in order, views of every kind, and a key that all threads work for") {
  Random random(948);
  auto table = make_table<int, double>(random, 30'000, GENERATE(100, 700), true);
  auto const check_views = [&] {
    auto const expected = groups_of<double>(table);
    for_each_kind_of_view([&](char const* kind, auto const& view) {
      INFO(kind);
      check(Space(), view(table.keys), view(table.terms), expected);
    });
  };
  check_views();
  std::sort(table.keys.begin(), table.keys.end());
  check_views();
  // In order but for the last one.
  table.keys.back() = table.keys.front() - 1;
  check_views();

  auto heavy = make_table<int, double>(random, 400'000, 2, true);
  for (std::size_t i = 0; i < heavy.keys.size(); i += 1000) heavy.keys[i] = static_cast<int>(i);
  check(Space(), borrowed(heavy.keys), borrowed(heavy.terms), groups_of<double>(heavy));
}

TEST_CASE("sums by key are right in every floating-point environment, on whichever threads") {
  Random random(949);
  auto const [groups, is_dense] = GENERATE(std::pair(500, false), std::pair(500, true), std::pair(17'000, true));
  auto table = make_table<int, double>(random, 60'000, static_cast<std::size_t>(groups), is_dense);
  for (std::size_t i = 0; i < 10; ++i) table.terms[i] *= 0x1p300;  // more than an enclosure decides
  for (std::size_t i = 10; i < 20; ++i) table.keys[i] = table.keys[i - 10], table.terms[i] = -table.terms[i - 10];
  // What is left of a key where zeros take the place of subnormal numbers.
  int const key = table.keys[20],
            other = *std::find_if(table.keys.begin(), table.keys.end(), [=](int k) { return k != key; });
  std::replace(table.keys.begin(), table.keys.end(), key, other);
  for (auto const& [i, term] : {std::pair(20, 0x1.8p-1022), {100, -0x1p-1022}, {40'000, 0x1p-1074}}) {
    table.keys[static_cast<std::size_t>(i)] = key;
    table.terms[static_cast<std::size_t>(i)] = term;
  }
  KeyedTerms<int, float> narrow{table.keys, std::vector<float>(table.terms.begin(), table.terms.end())};
  for (float& x : narrow.terms) x *= 0x1p-130f;
  auto const expected = groups_of<double>(table);
  auto const of_narrow = groups_of<float>(narrow);
  for (FpSettings const& settings : every_fp_environment())
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      INFO(describe(settings, threads));
      HostVector<int> const unique("unique", expected.keys.size());
      HostVector<double> const sums("sums", expected.keys.size());
      HostVector<float> const narrow_sums("sums", expected.keys.size());
      bool is_left_alone = false;
      {
        ScopedFpEnvironment const scope(settings, threads);
        auto const before = fp_control_word();
        Exakt::sum_by_key(Space(), borrowed(table.keys), borrowed(table.terms), unique, sums);
        Exakt::sum_by_key(Space(), borrowed(narrow.keys), borrowed(narrow.terms), unique, narrow_sums);
        is_left_alone = fp_control_word() == before;
      }
      CHECK(is_left_alone);
      for (std::size_t k = 0; k < expected.keys.size(); ++k) {
        EXAKT_CHECK_BITS(sums(k), expected.sums[k]);
        EXAKT_CHECK_BITS(narrow_sums(k), of_narrow.sums[k]);
      }
    }
}

TEST_CASE("close keys: those whose sums enclosures leave are found among the others, wherever they are") {
  Random random(955);
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const n : {1000, 20'000, 70'000}) {
    INFO(n << " terms");
    auto table = make_table<short, double>(random, n, 300, true);
    auto const set = [&](std::size_t i, int key, double term) {
      table.keys[i] = static_cast<short>(key);
      table.terms[i] = term;
    };
    // The first and the last key, neighbours, and one that has zeros only; from the first to the last term.
    for (std::size_t i = 0; i < n; ++i)
      if (table.keys[i] == 50 || table.keys[i] == 60) table.keys[i] = 61;
    std::size_t const last = n - 1;
    set(0, -150, 0x1p1000), set(last, -150, -0x1p1000), set(n / 2, -150, 0x1p-1000);
    set(1, 149, 1), set(last - 1, 149, 0x1p-300), set(n / 2 + 1, 149, -1);
    set(2, 0, infinity), set(3, 1, nan), set(last - 2, 2, infinity), set(last - 3, 2, -infinity);
    set(4, 3, 0x1.8p1023), set(last - 4, 3, 0x1.8p1023);
    set(5, 50, -0.0), set(last - 5, 50, -0.0), set(6, 60, 0x1p-1074);
    auto const expected = groups_of<double>(table);
    for_each_host_space([&](auto space) {
      check(space, borrowed(table.keys), borrowed(table.terms), expected);
      check(space, borrowed(table.keys), borrowed(table.terms), groups_of<float>(table));
    });
  }
}

TEST_CASE("close keys: ties that the smallest part of a sum decides, which larger ones on the way push out") {
  // Of each key 1.5 + 2^-53, and some 2^-75, between terms that cancel.
  constexpr std::int64_t count = 600;
  KeyedTerms<std::int64_t, double> table;
  std::vector<double> terms[count];
  for (int k = 0; k < count; ++k) {
    double const large = std::ldexp(1.0, 90 + k % 100), middle = std::ldexp(1.0, 30 + k % 60),
                 small = std::ldexp(k % 2 == 0 ? 1.8 : -1.8, -75 - k % 30), tiny = std::ldexp(1.0, -107 - k % 90);
    terms[k] = {large, middle, 1.5, 0x1p-53, small, tiny, -tiny, -large, -middle};
  }
  for (std::size_t i = 0; i < terms[0].size(); ++i)
    for (std::int64_t k = 0; k < count; ++k) {
      table.keys.push_back(k * 7 % count);
      table.terms.push_back(terms[k * 7 % count][i]);
    }
  for_each_host_space(
      [&](auto space) { check(space, borrowed(table.keys), borrowed(table.terms), groups_of<double>(table)); });
}

TEST_CASE("no terms have no keys; too little room, other lengths and shared memory are refused") {
  HostVector<int> const no_keys;
  HostVector<double> const no_terms;
  CHECK(Exakt::sum_by_key(no_keys, no_terms, no_keys, no_terms) == 0);

  auto const keys = contiguous(std::vector<int>{3, 1, 3, 2});
  auto const x = contiguous(std::vector<double>{1, 2, 4, 8});
  auto const refusal = [&](std::size_t key_room, std::size_t sum_room) {
    HostVector<long> const unique("unique", key_room);
    HostVector<double> const sums("sums", sum_room);
    return refusal_of([&] { Exakt::sum_by_key(keys, x, unique, sums); });
  };
  CHECK(refusal(3, 3) == "no refusal");
  CHECK(refusal(2, 3) ==
        "Exakt::sum_by_key: unique_keys is 2 entries, sums is 3 entries; there are 3 different keys, "
        "each needs an entry in both");
  CHECK(refusal(4, 1) ==
        "Exakt::sum_by_key: unique_keys is 4 entries, sums is 1 entry; there are 3 different keys, "
        "each needs an entry in both");
  HostVector<int> const unique("unique", 4);
  HostVector<double> const sums("sums", 4);
  CHECK(refusal_of([&] { Exakt::sum_by_key(keys, no_terms, unique, sums); }) ==
        "Exakt::sum_by_key: keys is 4 entries, x is 0 entries; they must be the same");
  CHECK(refusal_of([&] { Exakt::sum_by_key(keys, x, keys, sums); }) ==
        "Exakt::sum_by_key: unique_keys is 4 entries, keys is 4 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::sum_by_key(Space(), keys, x, unique, x); }) ==
        "Exakt::sum_by_key: sums is 4 entries, x is 4 entries; they must not share memory");
  HostVector<int> const among_x(reinterpret_cast<int*>(x.data()), 4);
  CHECK(refusal_of([&] { Exakt::sum_by_key(keys, x, among_x, sums); }) ==
        "Exakt::sum_by_key: unique_keys is 4 entries, x is 4 entries; they must not share memory");
  HostVector<double> const among_keys(reinterpret_cast<double*>(keys.data()), 2),
      among_unique_keys(reinterpret_cast<double*>(unique.data()), 2);
  CHECK(refusal_of([&] { Exakt::sum_by_key(keys, x, unique, among_keys); }) ==
        "Exakt::sum_by_key: sums is 2 entries, keys is 4 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::sum_by_key(keys, x, unique, among_unique_keys); }) ==
        "Exakt::sum_by_key: sums is 2 entries, unique_keys is 4 entries; they must not share memory");
}
