// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_segmented_sum.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_NextToTies.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Segments one after the other, and their sums.
template <class T>
struct Segments {
  std::vector<T> terms;
  std::vector<std::int64_t> offsets{0};
  std::vector<Expected<double>> wide;
  std::vector<Expected<float>> narrow;

  void push_back(std::vector<T> const& segment) {
    terms.insert(terms.end(), segment.begin(), segment.end());
    offsets.push_back(static_cast<std::int64_t>(terms.size()));
    auto const sum = exact_sum(segment);
    wide.push_back(sum.template round<double>());
    narrow.push_back(sum.template round<float>());
  }
  template <class R>
  std::vector<Expected<R>> const& expected() const {
    if constexpr (std::is_same_v<R, double>)
      return wide;
    else
      return narrow;
  }
  std::size_t size() const { return wide.size(); }
};

template <class R, class T, class ExecutionSpace, class Offsets, class X>
void check(ExecutionSpace const& space, Segments<T> const& segments, Offsets const& offsets, X const& x) {
  auto const r = poisoned<HostVector<R>>(segments.size());
  Exakt::segmented_sum(space, offsets, x, r);
  for (std::size_t s = 0; s < segments.size(); ++s) EXAKT_CHECK_BITS(r(s), segments.template expected<R>()[s]);
}

template <class T>
std::vector<T> terms_in_binades(Random& random, std::size_t n, int binades = 3) {
  std::vector<T> terms(n);
  for (T& x : terms) x = random.value<T>(random.between(-binades, binades));
  return terms;
}

/// Of one sign and one binade: each second sum of two terms is a tie.
template <class T>
std::vector<T> ties(Random& random, std::size_t n) {
  std::vector<T> terms(n);
  for (T& x : terms) x = std::fabs(random.value<T>(0));
  return terms;
}

}  // namespace

TEMPLATE_TEST_CASE("the sum of each segment is rounded once, for every family in every order", "", double, float) {
  Random random(930);
  Segments<TestType> segments;
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
      auto const terms = family.make(random);
      for (Order const order : every_order) segments.push_back(reordered(terms, order, random));
    }
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 4 * case_factor(); ++i) segments.push_back(family.make(random));
  for_each_host_space([&](auto space) {
    check<double>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
    check<float>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
    check<TestType>(space, segments, borrowed(segments.offsets), strided(segments.terms));
  });
}

TEMPLATE_TEST_CASE("segments of every length, ties among them", "", double, float) {
  Random random(931);
  Segments<TestType> segments;
  for (std::size_t n = 0; n < 80; ++n)
    for (int i = 0; i < 20; ++i) {
      segments.push_back(ties<TestType>(random, n));
      segments.push_back(terms_in_binades<TestType>(random, n, i * 4));
    }
  for (std::size_t const n : {255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 9000, 70'000, 300'000}) {
    segments.push_back(terms_in_binades<TestType>(random, n));
    segments.push_back({});
  }
  for_each_kind_of_view([&](char const* kind, auto const& view) {
    INFO(kind);
    check<TestType>(Space(), segments, view(segments.offsets), view(segments.terms));
  });
  for_each_host_space([&](auto space) {
    check<TestType>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
    std::vector<unsigned> const narrow(segments.offsets.begin(), segments.offsets.end());
    std::vector<std::size_t> const wide(segments.offsets.begin(), segments.offsets.end());
    std::vector<int> const usual(segments.offsets.begin(), segments.offsets.end());
    check<TestType>(space, segments, borrowed(narrow), borrowed(segments.terms));
    check<TestType>(space, segments, borrowed(wide), borrowed(segments.terms));
    check<TestType>(space, segments, borrowed(usual), borrowed(segments.terms));
  });
}

TEMPLATE_TEST_CASE("segments beside others of any size, with jumps that return, at the ends of the range", "", double,
                   float) {
  using T = TestType;
  Random random(936);
  Segments<T> segments;
  int const range = std::is_same_v<T, double> ? 1020 : 124;
  for (int i = 0; i < 600; ++i) {
    // Mostly a little larger or smaller than before, and sometimes from anywhere.
    int const binade = i % 5 == 0 ? random.between(-range, range) : random.between(-6, 6);
    auto const n = random.between<std::size_t>(9, i % 50 == 0 ? 4100 : 300);
    std::vector<T> terms(n);
    for (T& x : terms) x = std::ldexp(random.value<T>(random.between(-3, 3)), binade / 2);
    // Up and back, so that the last head tells nothing: of the same lane, for any number of lanes and of chains.
    T const jump = std::ldexp(random.value<T>(0), binade / 2 + random.between(1, range / 2));
    std::size_t const there = random.between<std::size_t>(0, n - 1), back = there + 32u * random.between(1u, 4u);
    if (i % 3 != 0 && back < n) {
      terms[there] = jump;
      terms[back] = i % 3 == 1 ? -jump : -jump + terms[back];
    }
    if (i % 7 == 0) terms[n - 1] = jump;
    segments.push_back(terms);
    // All of them at a power of two, and one next to it; sums that are ties, or not by the least number.
    segments.push_back(std::vector<T>(n, std::ldexp(T(i % 2 == 0 ? 1 : -1), binade)));
    terms.assign(n, std::ldexp(T(1), binade / 2));
    terms[there] = std::ldexp(T(1), binade / 2 - std::numeric_limits<T>::digits - 1);
    if (i % 2 == 0) terms[n - 1 - there] = std::numeric_limits<T>::denorm_min();
    segments.push_back(terms);
    if (i % 20 == 0)
      terms[there] = i % 40 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::quiet_NaN();
    segments.push_back(terms);
  }
  for_each_host_space([&](auto space) {
    check<double>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
    check<T>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
  });
}

TEST_CASE("short segments with infinities, NaN, zeros, overflows and subnormal sums") {
  double const max = std::numeric_limits<double>::max(), tiny = 0x1p-1074, infinity = HUGE_VAL,
               nan = std::numeric_limits<double>::quiet_NaN();
  Segments<double> segments;
  for (auto const& terms : std::vector<std::vector<double>>{{},
                                                            {-0.0},
                                                            {-0.0, -0.0},
                                                            {0.0, -0.0},
                                                            {tiny},
                                                            {tiny, -tiny},
                                                            {1, -1},
                                                            {1, tiny, -1},
                                                            {max, max, -max},
                                                            {max, 0x1p970},
                                                            {max, 0x1p969},
                                                            {max, max, -max, -max, tiny},
                                                            {infinity},
                                                            {1, infinity, max},
                                                            {infinity, -infinity},
                                                            {nan, 1},
                                                            {0x1p1000, -0x1p1000, 3},
                                                            {0x1p-1022, -tiny},
                                                            {1, 0x1p-53},
                                                            {1, 0x1p-53, tiny},
                                                            {1, 0x1p-53, -tiny},
                                                            {1 + 0x1p-52, 0x1p-53},
                                                            {0x1p600, 1, 0x1p-600, -0x1p600},
                                                            {1, 0x1p-60, 0x1p-120, 0x1p-180, -1}})
    segments.push_back(terms);
  check<double>(Space(), segments, borrowed(segments.offsets), borrowed(segments.terms));
  check<float>(Space(), segments, borrowed(segments.offsets), borrowed(segments.terms));
  Segments<float> narrow;
  float const largest = std::numeric_limits<float>::max(), least = 0x1p-149f;
  for (auto const& terms : std::vector<std::vector<float>>{{largest, largest},
                                                           {largest, 0x1p103f},
                                                           {largest, 0x1p102f},
                                                           {least, least},
                                                           {1, 0x1p-24f},
                                                           {1, 0x1p-24f, least},
                                                           {0x1p-126f, -least},
                                                           {-0.0f},
                                                           {HUGE_VALF, 1}})
    narrow.push_back(terms);
  check<float>(Space(), narrow, borrowed(narrow.offsets), borrowed(narrow.terms));
  check<double>(Space(), narrow, borrowed(narrow.offsets), borrowed(narrow.terms));
}

TEST_CASE("segments next to ties, all roundings of which go one way") {
  Segments<double> segments;
  for_each_next_to_tie(4096, 0x1p-37, [&](std::vector<double> const& terms) { segments.push_back(terms); });
  // Eight terms: while the sum is 2^23, its low part is 2^-31, in units of 2^-83, of which the next four are nearly
  // half each. The result is next to 1 + 2^-53, on the other side than the low part says.
  for (double const sign : {1.0, -1.0})
    for (double const side : {1.0, -1.0}) {
      double const first = 0x1p-31 + 0x1p-60, part = side * 0.49 * 0x1p-83;
      std::vector<double> terms{0x1p23, first, part, part, part, part, -first + 0x1p-53 - side * 0x1p-83, 1 - 0x1p23};
      for (double& x : terms) x *= sign;
      segments.push_back(terms);
    }
  check<double>(Space(), segments, borrowed(segments.offsets), borrowed(segments.terms));
}

TEST_CASE("terms outside of all segments are not read, nor any beyond the last one") {
  Random random(932);
  for (std::size_t const n : {1, 5, 9, 31, 33, 500}) {
    auto const terms = terms_in_binades<double>(random, n);
    GuardedArray<double> const last(terms), first(terms, GuardedArray<double>::Against::page_before);
    std::vector<int> const offsets{0, static_cast<int>(n)};
    auto const r = poisoned<HostVector<double>>(1);
    for (double const* const data : {last.data(), first.data()}) {
      Exakt::segmented_sum(borrowed(offsets), BorrowedVector<double>(data, n), r);
      EXAKT_CHECK_BITS(r(0), exact_sum(terms).round<double>());
    }
  }
  auto const x = contiguous(std::vector<double>{NAN, 1, 2, 4, NAN});
  auto const r = poisoned<HostVector<double>>(2);
  Exakt::segmented_sum(contiguous(std::vector<short>{1, 2, 4}), x, r);
  CHECK(r(0) == 1);
  CHECK(r(1) == 6);
  // No segments at all.
  Exakt::segmented_sum(contiguous(std::vector<short>{3}), x, HostVector<double>());
}

TEST_CASE("very long segments among others, on all threads") {
  Random random(933);
  Segments<double> segments;
  for (std::size_t const n : {10, 600'000, 3, 0, 262'144, 262'145, 1})
    segments.push_back(terms_in_binades<double>(random, n, n % 2 == 0 ? 3 : 100));
  for_each_host_space([&](auto space) {
    check<double>(space, segments, borrowed(segments.offsets), borrowed(segments.terms));
    check<float>(space, segments, borrowed(segments.offsets), strided(segments.terms));
  });
}

TEST_CASE("segmented sums are right in every floating-point environment, on whichever threads") {
  Random random(934);
  Segments<double> segments;
  Segments<float> narrow;
  for (int i = 0; i < 1000; ++i) {
    auto const n = random.between<std::size_t>(0, i % 100 == 0 ? 3000 : 60);
    segments.push_back(i % 2 == 0 ? ties<double>(random, n) : terms_in_binades<double>(random, n, 40));
    auto terms = terms_in_binades<float>(random, n);
    if (i % 3 == 0)
      for (float& x : terms) x *= 0x1p-142f;
    narrow.push_back(terms);
  }
  for (FpSettings const& settings : every_fp_environment())
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      INFO(describe(settings, threads));
      HostVector<double> const r("r", segments.size());
      HostVector<float> const s("s", narrow.size());
      bool is_left_alone = false;
      {
        ScopedFpEnvironment const scope(settings, threads);
        auto const before = fp_control_word();
        Exakt::segmented_sum(Space(), borrowed(segments.offsets), borrowed(segments.terms), r);
        Exakt::segmented_sum(Space(), borrowed(narrow.offsets), borrowed(narrow.terms), s);
        is_left_alone = fp_control_word() == before;
      }
      CHECK(is_left_alone);
      for (std::size_t i = 0; i < r.extent(0); ++i) EXAKT_CHECK_BITS(r(i), segments.wide[i]);
      for (std::size_t i = 0; i < s.extent(0); ++i) EXAKT_CHECK_BITS(s(i), narrow.narrow[i]);
    }
}

TEST_CASE("offsets that decrease or lie outside of x are refused, and results of a wrong length") {
  auto const x = poisoned<HostVector<double>>(10);
  auto const refusal = [&](std::vector<int> const& offsets, std::size_t results) {
    auto const r = poisoned<HostVector<double>>(results);
    return refusal_of([&] { Exakt::segmented_sum(borrowed(offsets), x, r); });
  };
  std::string const rule = ", x is 10 entries; offsets must not decrease, and lie between 0 and x.extent(0)";
  CHECK(refusal({0, 3, 7, 5}, 3) == "Exakt::segmented_sum: offsets(3) is 5" + rule);
  CHECK(refusal({-1, 3}, 1) == "Exakt::segmented_sum: offsets(0) is -1" + rule);
  CHECK(refusal({0, 3, 11}, 2) == "Exakt::segmented_sum: offsets(2) is 11" + rule);
  CHECK(refusal({11}, 0) == "Exakt::segmented_sum: offsets(0) is 11" + rule);
  CHECK(refusal({0, 10}, 1) == "no refusal");
  CHECK(refusal({0, 10}, 2) ==
        "Exakt::segmented_sum: offsets is 2 entries, r is 2 entries; offsets.extent(0) must equal r.extent(0) + 1");
  CHECK(refusal({}, 0) ==
        "Exakt::segmented_sum: offsets is 0 entries, r is 0 entries; offsets.extent(0) must equal r.extent(0) + 1");
  std::vector<int> many(50'001, 4);
  many[40'000] = 3;
  many[40'001] = 2;  // wrong, too; the first one is named
  CHECK(refusal(many, 50'000) == "Exakt::segmented_sum: offsets(40000) is 3" + rule);
  std::vector<std::uint64_t> const huge{0, ~std::uint64_t{0}};
  CHECK(refusal_of([&] { Exakt::segmented_sum(borrowed(huge), x, poisoned<HostVector<double>>(1)); }) ==
        "Exakt::segmented_sum: offsets(1) is 18446744073709551615" + rule);
  auto const part = Kokkos::subview(x, std::pair<int, int>(2, 3));
  CHECK(refusal_of([&] {
          Exakt::segmented_sum(contiguous(std::vector<int>{0, 5}), x, part);
        }) == "Exakt::segmented_sum: r is 1 entry, x is 10 entries; they must not share memory");
  auto const offsets = contiguous(std::vector<int>{0, 5});
  HostVector<double> const among_offsets(reinterpret_cast<double*>(offsets.data()), 1);
  CHECK(refusal_of([&] { Exakt::segmented_sum(offsets, x, among_offsets); }) ==
        "Exakt::segmented_sum: r is 1 entry, offsets is 2 entries; they must not share memory");
}
