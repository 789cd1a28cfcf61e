// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_exclusive_scan.hpp>
#include <Exakt_inclusive_scan.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;

/// What both scans should give.
template <class R>
struct Prefixes {
  std::vector<Expected<R>> inclusive, exclusive;
};

template <class R, class T>
Prefixes<R> prefixes_of(std::vector<T> const& terms) {
  Prefixes<R> result;
  Exact sum;
  for (T const x : terms) {
    result.exclusive.push_back(sum.template round<R>());
    sum.add(x);
    result.inclusive.push_back(sum.template round<R>());
  }
  return result;
}

template <class V, class R>
void check_entries(V const& r, std::vector<Expected<R>> const& expected) {
  REQUIRE(r.extent(0) == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (same_bits(r(i), expected[i].value)) {
      ++tally().against_oracle;
    } else {
      INFO("entry " << i << " of " << expected.size());
      EXAKT_CHECK_BITS(r(i), expected[i]);
      return;
    }
  }
}

template <class R, class ExecutionSpace, class V>
void check_scans(ExecutionSpace const& space, V const& x, Prefixes<R> const& expected) {
  auto const r = poisoned<HostVector<R>>(x.extent(0));
  Exakt::inclusive_scan(space, x, r);
  check_entries(r, expected.inclusive);
  Exakt::exclusive_scan(space, x, r);
  check_entries(r, expected.exclusive);
}

/// Hard vectors one after the other, none of which makes the sum infinite or NaN.
template <class T>
std::vector<T> hard_terms(Random& random, std::size_t least) {
  std::vector<T> terms;
  auto const families = short_families<T>();
  while (terms.size() < least) {
    auto const more = families[random.between<std::size_t>(0, families.size() - 1)].make(random);
    bool const is_finite = std::all_of(more.begin(), more.end(), [](T x) { return std::isfinite(x); });
    if (is_finite) terms.insert(terms.end(), more.begin(), more.end());
    // Back to nothing now and then: all that follow are prefixes as hard as the first ones.
    if (is_finite && random.coin())
      for (T const x : more) terms.push_back(-x);
  }
  return terms;
}

template <class T>
std::vector<T> easy_terms(Random& random, std::size_t n, int binades = 4) {
  std::vector<T> terms(n);
  for (T& x : terms) x = random.value<T>(random.between(-binades, binades));
  return terms;
}

/// \brief r := the prefixes of x as devices make them. \return How many of them enclosures leave, if these are few.
template <bool is_inclusive, class ExecutionSpace, class X, class R>
std::size_t scan_enclosures(ExecutionSpace const& space, X const& x, R const& r) {
  namespace Impl = Exakt::Impl;
  std::size_t count = 0;
  Impl::scan_enclosures<is_inclusive>("test", space, x, r, [&](auto const& terms, auto const& left) {
    space.fence();
    count = static_cast<std::size_t>(*left.count);
    Impl::scan_columns<is_inclusive>(space, terms, r, {}, 0, left);
  });
  space.fence();
  return count;
}

enum class Left { any, few, many };

/// Both scans of terms by enclosures, in place and not, on all spaces.
template <class R, class T>
void check_enclosures(std::vector<T> const& terms, Left wanted = Left::any) {
  auto const expected = prefixes_of<R>(terms);
  auto const check_left = [&](std::size_t count) {
    bool const are_many = count > Exakt::Impl::UndecidedPrefixes::few;
    if (wanted != Left::any) CHECK((count > 0 && are_many == (wanted == Left::many)));
  };
  for_each_host_space([&](auto space) {
    auto const r = poisoned<HostVector<R>>(terms.size());
    check_left(scan_enclosures<true>(space, borrowed(terms), r));
    check_entries(r, expected.inclusive);
    auto const s = poisoned<HostVector<R>>(terms.size());
    check_left(scan_enclosures<false>(space, borrowed(terms), s));
    check_entries(s, expected.exclusive);
    if constexpr (std::is_same_v<R, T>) {
      auto const x = contiguous(terms);
      check_left(scan_enclosures<true>(space, x, x));
      check_entries(x, expected.inclusive);
      auto const y = strided(terms);
      check_left(scan_enclosures<false>(space, y, y));
      check_entries(y, expected.exclusive);
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("every prefix is the exact sum, rounded once, for every family in every order", "", double, float) {
  Random random(900);
  auto const check = [&](std::vector<TestType> const& terms) {
    auto const expected = prefixes_of<TestType>(terms);
    for_each_host_space([&](auto space) { check_scans(space, borrowed(terms), expected); });
  };
  for (auto const& family : short_families<TestType>())
    for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      for (Order const order : every_order) check(reordered(terms, order, random));
    }
  for (auto const& family : long_families<TestType>())
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i) {
      INFO(family.name);
      check(family.make(random));
    }
}

TEMPLATE_TEST_CASE("prefixes of many terms are right on every thread", "", double, float) {
  Random random(901);
  for (std::size_t const n : {std::size_t{16'385}, std::size_t{70'000}, std::size_t{140'001}}) {
    INFO(n << " terms");
    for (int const kind : {0, 1, 2}) {
      auto const terms = kind == 0   ? hard_terms<TestType>(random, n / 3)
                         : kind == 1 ? easy_terms<TestType>(random, n)
                                     : easy_terms<TestType>(random, n, 60);
      auto const expected = prefixes_of<TestType>(terms);
      for_each_host_space([&](auto space) { check_scans(space, borrowed(terms), expected); });
    }
  }
}

TEST_CASE("prefixes in so many chunks that their sums are added block by block") {
  Random random(2210);
  using Layout = Kokkos::LayoutLeft;
  using Matrix = Kokkos::View<double**, Layout, Kokkos::HostSpace>;
  using Kernel = Exakt::Impl::ScanOn<false, Space, Matrix, Matrix>;
  constexpr std::size_t chunks = 2 * Kernel::block_size + 30,
                        rows = chunks * static_cast<std::size_t>(Kernel::tile_size) - 5;
  Matrix const x("x", rows, 2), expected("expected", rows, 2), r("r", rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    x(i, 0) = random.value<double>(random.between(-40, 40));
    x(i, 1) = i % 2 == 0 ? random.value<double>(random.between(-900, 900)) : -x(i - 1, 1);
  }
  Kernel::Starts const before("before", 1);
  before(0) += 0x1p-60;
  Exakt::Impl::scan_columns<false>(Space(), x, expected, before, 1);
  Exakt::Impl::scan_columns<false>(Space(), x, r, before, chunks);
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < rows; ++i) EXAKT_CHECK_BITS(r(i, j), expected(i, j));
  EXAKT_CHECK_BITS(r(0, 0), 0x1p-60);
}

TEST_CASE("ties of prefixes go to even, and what lies beside them does not") {
  // 2^53 and many terms of 1, 1 + 2^-40, ...: every other prefix lies half way between two numbers, or beside.
  for (double const beside : {0.0, 0x1p-40, -0x1p-40, 0x1p-200, -0x1p-1074}) {
    std::vector<double> terms{0x1p53};
    for (int i = 0; i < 5000; ++i) terms.push_back(i == 100 ? 1 + beside : 1.0);
    terms.push_back(beside);
    check_scans(Space(), borrowed(terms), prefixes_of<double>(terms));
    for (double& x : terms) x = -x;
    check_scans(Space(), borrowed(terms), prefixes_of<double>(terms));
  }
  std::vector<float> narrow{0x1p24f};
  for (int i = 0; i < 5000; ++i) narrow.push_back(i % 700 == 100 ? 0x1p-126f : 1.0f);
  check_scans(Space(), borrowed(narrow), prefixes_of<float>(narrow));
  check_scans(Space(), borrowed(narrow), prefixes_of<double>(narrow));
}

TEST_CASE("what two doubles leave of a sum comes out when the next terms cancel them") {
  // 1, a number below half of its last bit, and a third one below half of the last bit of that.
  constexpr double second = 0x1p-55 + 0x1p-107, third = 0x1p-111;
  for (std::size_t const before : {16, 2048, 4096}) {
    std::vector<double> terms(before, 0.0);
    terms[0] = 1;
    terms[1] = second;
    terms[2] = third;
    for (double const x : {-second, -1 + 0x1p-53, -0x1p-53 + 0x1p-80, -0x1p-80}) terms.push_back(x);
    auto const expected = prefixes_of<double>(terms);
    for_each_host_space([&](auto space) { check_scans(space, borrowed(terms), expected); });
  }
}

TEST_CASE("subnormal prefixes, overflows that come back, infinities and NaN") {
  double const max = std::numeric_limits<double>::max(), tiny = 0x1p-1074, infinity = HUGE_VAL,
               nan = std::numeric_limits<double>::quiet_NaN();
  auto const check = [](std::vector<double> const& terms) {
    std::vector<double> many = terms;
    for (int i = 0; i < 300; ++i) many.push_back(terms[static_cast<std::size_t>(i) % terms.size()]);
    check_scans(Space(), borrowed(many), prefixes_of<double>(many));
  };
  check({max, max, -max, -max, 1, -1});
  check({max, 0x1p970, -0x1p970, 0x1p969, tiny, -max, -max});
  check({tiny, tiny, -tiny, 0x1p-1022, -0x1p-1022, 3 * tiny});
  check({-0.0, -0.0, 0.0, tiny, -tiny, -0.0});
  check({1, infinity, 2, -1});
  check({1, -infinity, max, max, infinity, 3});
  check({1, nan, infinity});
  check({0x1p1000, 1, -0x1p1000, 0x1p-1000, -1, tiny});
  float const largest = std::numeric_limits<float>::max(), least = 0x1p-149f;
  std::vector<float> const narrow{largest, largest, -largest, -largest, least, 0x1p-126f, -least, 0x1p-140f, 1, -1};
  check_scans(Space(), borrowed(narrow), prefixes_of<float>(narrow));
  // Doubles to floats: overflow, subnormal results, ties that a double rounding would lose.
  std::vector<double> wide{0x1p128, -0x1p127, -0x1p127, 1 + 0x1p-24, 0x1p-60, -1, 0x1p-149, 0x1p-150, 0x1p-1074};
  check_scans(Space(), borrowed(wide), prefixes_of<float>(wide));
}

TEMPLATE_TEST_CASE("scans of any length read and write to the last entry and no further", "", double, float) {
  Random random(902);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n < 70; ++n) lengths.push_back(n);
  for (std::size_t const edge : {128, 256, 2048, 4096, 16384, 32768, 34816})
    for (std::size_t const beyond : {0, 1, 9}) {
      lengths.push_back(edge - beyond);
      lengths.push_back(edge + beyond);
    }
  for (std::size_t const n : lengths) {
    INFO(n << " entries");
    auto const terms = easy_terms<TestType>(random, n);
    auto const expected = prefixes_of<TestType>(terms);
    GuardedArray<TestType> const last(terms), first(terms, GuardedArray<TestType>::Against::page_before);
    check_scans(Space(), BorrowedVector<TestType>(last.data(), n), expected);
    check_scans(Space(), BorrowedVector<TestType>(first.data(), n), expected);
    // In the middle of three columns: the others stay as they are.
    auto const r = poisoned<HostMatrix<TestType, Kokkos::LayoutRight>>(n + 1, 3);
    Exakt::inclusive_scan(borrowed(terms), Kokkos::subview(r, std::pair<std::size_t, std::size_t>(0, n), 1));
    for (std::size_t i = 0; i < n; ++i) {
      EXAKT_CHECK_BITS(r(i, 1), expected.inclusive[i]);
      EXAKT_CHECK(is_nan_bits(r(i, 0)) && is_nan_bits(r(i, 2)));
    }
    EXAKT_CHECK(is_nan_bits(r(n, 1)));
  }
}

TEST_CASE("scans of views of every kind, of other types, and in place") {
  Random random(903);
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{40'000}}) {
    auto const terms = n == 300 ? hard_terms<double>(random, n) : easy_terms<double>(random, n, 40);
    auto const expected = prefixes_of<double>(terms);
    auto const narrow = prefixes_of<float>(terms);
    std::vector<float> floats(terms.begin(), terms.end());
    auto const widened = prefixes_of<double>(floats);
    for_each_kind_of_view([&](char const* kind, auto const& view) {
      INFO(terms.size() << " entries, " << kind);
      check_scans(Space(), view(terms), expected);
      check_scans(Space(), view(terms), narrow);
      check_scans(Space(), view(floats), widened);
    });
    for_each_host_space([&](auto space) {
      auto const x = contiguous(terms);
      Exakt::inclusive_scan(space, x, x);
      check_entries(x, expected.inclusive);
      auto const y = strided(terms);
      Exakt::exclusive_scan(space, y, y);
      check_entries(y, expected.exclusive);
      auto const z = contiguous(terms);
      Exakt::exclusive_scan(space, ConstantView<HostVector<double>>(z), z);
      check_entries(z, expected.exclusive);
    });
  }
}

TEMPLATE_TEST_CASE("the columns of a multivector are scanned one by one", "", double, float) {
  using Kokkos::LayoutLeft;
  using Kokkos::LayoutRight;
  Random random(904);
  const std::pair<std::size_t, std::size_t> shapes[] = {{0, 0}, {0, 3},    {3, 0},     {1, 5},      {5, 1},
                                                        {7, 4}, {300, 13}, {2049, 19}, {40'000, 3}, {20'000, 9}};
  for (auto const& [n, m] : shapes) {
    INFO(n << " x " << m);
    std::vector<std::vector<TestType>> columns;
    std::vector<Prefixes<TestType>> expected;
    for (std::size_t j = 0; j < m; ++j) {
      auto column = j % 3 == 0 && n > 0 ? hard_terms<TestType>(random, n) : easy_terms<TestType>(random, n);
      column.resize(n);
      expected.push_back(prefixes_of<TestType>(column));
      columns.push_back(column);
    }
    auto const check = [&, m = m](auto const& x, auto const& r) {
      for (bool const inclusive : {true, false}) {
        if (inclusive)
          Exakt::inclusive_scan(Space(), x, r);
        else
          Exakt::exclusive_scan(x, r);
        for (std::size_t j = 0; j < m; ++j)
          check_entries(Kokkos::subview(r, Kokkos::ALL, j), inclusive ? expected[j].inclusive : expected[j].exclusive);
      }
    };
    auto const left = whole_matrix<LayoutLeft>(columns, n);
    auto const right = whole_matrix<LayoutRight>(columns, n);
    check(left, poisoned<HostMatrix<TestType, LayoutLeft>>(n, m));
    check(right, poisoned<HostMatrix<TestType, LayoutRight>>(n, m));
    check(right, poisoned<HostMatrix<TestType, LayoutLeft>>(n, m));
    check(corner_of_poison<LayoutLeft>(columns, n), corner_of_poison<LayoutRight>(columns, n));
    auto const same = corner_of_poison<LayoutRight>(columns, n);
    Exakt::inclusive_scan(same, same);
    for (std::size_t j = 0; j < m; ++j) check_entries(Kokkos::subview(same, Kokkos::ALL, j), expected[j].inclusive);
  }
}

TEST_CASE("scans are right in every floating-point environment, on whichever threads") {
  Random random(905);
  auto const hard = hard_terms<double>(random, 40'000), easy = easy_terms<double>(random, 100'000);
  std::vector<float> narrow(easy.begin(), easy.end());
  for (std::size_t i = 0; i < narrow.size(); i += 3) narrow[i] *= 0x1p-140f;
  auto const of_hard = prefixes_of<double>(hard), of_easy = prefixes_of<double>(easy);
  auto const of_narrow = prefixes_of<float>(narrow);
  for (FpSettings const& settings : every_fp_environment())
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      INFO(describe(settings, threads));
      HostVector<double> const r("r", hard.size()), s("s", easy.size());
      HostVector<float> const t("t", narrow.size());
      bool is_left_alone = false;
      {
        ScopedFpEnvironment const scope(settings, threads);
        auto const before = fp_control_word();
        Exakt::inclusive_scan(Space(), borrowed(hard), r);
        Exakt::exclusive_scan(Space(), borrowed(easy), s);
        Exakt::inclusive_scan(Space(), borrowed(narrow), t);
        is_left_alone = fp_control_word() == before;
      }
      CHECK(is_left_alone);
      check_entries(r, of_hard.inclusive);
      check_entries(s, of_easy.exclusive);
      check_entries(t, of_narrow.inclusive);
    }
}

TEST_CASE("prefixes by enclosures: what these leave is added by teams, or term by term where it is much", "[devices]") {
  Random random(906);
  for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{1000}, std::size_t{70'000}}) {
    INFO(n << " terms");
    check_enclosures<double>(easy_terms<double>(random, n));
    check_enclosures<float>(easy_terms<float>(random, n));
    auto hard = hard_terms<double>(random, n);
    hard.resize(n);
    check_enclosures<double>(hard);
  }
  for (std::size_t const n : {std::size_t{1000}, std::size_t{70'000}}) {
    INFO(n << " terms");
    // Three ranges of bits, one more than a cascade has doubles for: what is left when two have cancelled is undecided.
    auto terms = easy_terms<double>(random, n);
    auto const put = [&](std::size_t at, double large, double small) {
      terms[at] = large;
      terms[at + 1] = small;
    };
    put(0, 0x1p1000, 0x1p600);
    put(n / 2, -0x1p1000, -0x1p600);
    check_enclosures<double>(terms, Left::many);
    check_enclosures<float>(terms);
    put(n / 2, 0, 0);
    put(n - 20, -0x1p1000, -0x1p600);
    check_enclosures<double>(terms, Left::few);
    // From an infinity or a NaN on no enclosure is left.
    for (double const special : {HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
      terms = easy_terms<double>(random, n);
      terms[n / 3] = special;
      check_enclosures<double>(terms);
    }
    terms.assign(n, -0.0);
    check_enclosures<double>(terms);
    check_enclosures<float>(terms);
  }
}

TEST_CASE("prefixes by enclosures: ties, as many as are added by teams, and more", "[devices]") {
  // 1 + 2^-53 is one, and 1 + 2^-53 + 2^-200 lies beside; then back to 1, which a small bound leaves decided.
  for (std::size_t const ties : {1, 84, 86, 200}) {
    INFO(ties << " ties");
    std::vector<double> terms{1};
    for (std::size_t i = 0; i < ties; ++i) {
      terms.insert(terms.end(),
                   {0x1p-53, i % 2 == 0 ? 0x1p-200 : -0x1p-200, i % 2 == 0 ? -0x1p-200 : 0x1p-200, -0x1p-53});
      terms.insert(terms.end(), 7 * i % 50, 0.0);
    }
    check_enclosures<double>(terms, ties == 1 ? Left::few : ties == 200 ? Left::many : Left::any);
  }
}

TEST_CASE("prefixes by enclosures: each column of a matrix, by rows and by columns, in place") {
  Random random(907);
  std::size_t const n = 3000;
  std::vector<std::vector<double>> columns(4, easy_terms<double>(random, n));
  columns[1] = hard_terms<double>(random, n);
  columns[1].resize(n);
  columns[2] = {1};
  while (columns[2].size() + 50 < n) {
    columns[2].insert(columns[2].end(), {0x1p-53, 0x1p-200, -0x1p-200, -0x1p-53});
    columns[2].resize(columns[2].size() + 250, 0.0);
  }
  columns[2].resize(n);
  // With the hard column and without.
  for (std::size_t const count : {4, 3}) {
    if (count == 3) columns.erase(columns.begin() + 1);
    auto const check = [&](auto const& r, std::size_t left, bool is_inclusive) {
      CHECK((left > Exakt::Impl::UndecidedPrefixes::few) == (count == 4));
      for (std::size_t j = 0; j < count; ++j) {
        auto const expected = prefixes_of<double>(columns[j]);
        check_entries(Kokkos::subview(r, Kokkos::ALL, j), is_inclusive ? expected.inclusive : expected.exclusive);
      }
    };
    auto const x = whole_matrix<Kokkos::LayoutLeft>(columns, n);
    auto const r = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(n, count);
    check(r, scan_enclosures<true>(Space(), x, r), true);
    check(r, scan_enclosures<false>(Space(), x, r), false);
    auto const left = corner_of_poison<Kokkos::LayoutLeft>(columns, n);
    check(left, scan_enclosures<false>(Space(), left, left), false);
    auto const right = corner_of_poison<Kokkos::LayoutRight>(columns, n);
    check(right, scan_enclosures<true>(Space(), right, right), true);
  }
}

TEST_CASE("scans refuse results of another shape, and results that are other entries of x") {
  auto const x = poisoned<HostVector<double>>(5), longer = poisoned<HostVector<double>>(6);
  auto const A = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 2);
  auto const B = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(5, 3);
  CHECK(refusal_of([&] { Exakt::inclusive_scan(x, longer); }) ==
        "Exakt::inclusive_scan: x is 5 entries, r is 6 entries; they must be the same");
  CHECK(refusal_of([&] { Exakt::exclusive_scan(Space(), A, B); }) ==
        "Exakt::exclusive_scan: x is 5 x 2, r is 5 x 3; they must be the same");
  auto const part = [&](int begin) { return Kokkos::subview(longer, std::pair<int, int>(begin, begin + 5)); };
  CHECK(refusal_of([&] { Exakt::inclusive_scan(part(0), part(1)); }) ==
        "Exakt::inclusive_scan: r is 5 entries, x is 5 entries; they must be the same entries, or share no memory");
  CHECK(refusal_of([&] { Exakt::exclusive_scan(part(1), part(0)); }) ==
        "Exakt::exclusive_scan: r is 5 entries, x is 5 entries; they must be the same entries, or share no memory");
  HostVector<float> const narrow(reinterpret_cast<float*>(x.data()), 5);
  CHECK(refusal_of([&] { Exakt::inclusive_scan(x, narrow); }) ==
        "Exakt::inclusive_scan: r is 5 entries, x is 5 entries; they must not share memory");
  Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace> const one(longer.data(), Kokkos::LayoutStride(5, 0));
  CHECK(refusal_of([&] { Exakt::inclusive_scan(x, one); }) ==
        "Exakt::inclusive_scan: r is 5 entries, some of which are one in memory by their strides; each is written");
}
