// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktScatter_CrsAssembly.hpp>

#if __has_include(<Kokkos_StaticCrsGraph.hpp>)  // newer ones leave it to Kokkos Kernels
#include <Kokkos_StaticCrsGraph.hpp>
#define EXAKT_TEST_HAS_STATIC_GRAPH
#endif

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Scattered.hpp"

namespace {

using namespace ExaktTest;
using HalfFormats::Half;
// In host memory, whatever the default is: these tests look into it.
template <class T>
using CrsAssembly = Exakt::CrsAssembly<T, Kokkos::HostSpace>;
using Space = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace>;

template <class T>
Vector<T> vector_of(std::vector<T> const& entries) {
  Vector<T> const result("vector", entries.size());
  std::copy(entries.begin(), entries.end(), result.data());
  return result;
}

/// Rows of `length` entries in random columns, in ascending order or in any.
template <class Offset, class Column>
struct Graph {
  Vector<Offset> row_map;
  Vector<Column> entries;

  Graph(Random& random, int rows, std::vector<int> const& lengths, bool sorted) {
    std::vector<Offset> map{0};
    std::vector<Column> columns;
    for (int i = 0; i < rows; ++i) {
      std::vector<int> row;
      for (int k = 0; k < lengths[static_cast<std::size_t>(i) % lengths.size()]; ++k)
        row.push_back(3 * k + random.between(0, 2));
      if (!sorted) random.shuffle(row);
      columns.insert(columns.end(), row.begin(), row.end());
      map.push_back(static_cast<Offset>(columns.size()));
    }
    row_map = vector_of(map);
    entries = vector_of(columns);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("each entry is the exact sum of its terms, rounded once, for every family", "", double, float) {
  using T = TestType;
  for_each_host_space([](auto space) {
    Random random(660);
    for_each_batch_of_sums<T>(20, 601, [&](auto const& cases) {
      Scattered const scattered(cases, random);
      // Rows of nine entries, one for each case.
      Graph<std::size_t, int> const graph(random, static_cast<int>(cases.size() + 8) / 9, {9}, true);
      CrsAssembly<T> const sums(graph), differences(graph.row_map, graph.entries, "differences", 1);
      Kokkos::parallel_for(Kokkos::RangePolicy<decltype(space)>(space, 0, scattered.size()), [&](int j) {
        int const entry = scattered.bin[j];
        T const x = cases[entry].terms[scattered.position[j]];
        sums.add(entry / 9, graph.entries(entry), x);
        differences.subtract(static_cast<std::uint64_t>(entry / 9), static_cast<std::int16_t>(graph.entries(entry)), x);
      });
      space.fence();
      Vector<T> const rounded("rounded", graph.entries.extent(0)), negated("negated", graph.entries.extent(0));
      Vector<float> const narrow("narrow", graph.entries.extent(0));
      for (int mode = 0; mode < 4; ++mode) {
        sums.round_to(space, rounded, every_rounding[mode]);
        sums.round_to(narrow, every_rounding[mode]);
        differences.round_to(negated, every_rounding[mode]);
        for (std::size_t c = 0; c < cases.size(); ++c) {
          INFO(cases[c].family << ", " << cases[c].terms.size() << " terms");
          EXAKT_CHECK_BITS(rounded(c), Expected<T>{cases[c].expected.round[mode]});
          EXAKT_CHECK_BITS(narrow(c), Expected<float>{cases[c].expected.round_to_float[mode]});
          EXAKT_CHECK_BITS(negated(c), Exact(cases[c].exact).negate().template round<T>(every_rounding[mode]));
        }
      }
      sums.clear();
      sums.round_to(rounded);
      for (std::size_t c = 0; c < cases.size(); ++c) EXAKT_CHECK_BITS(rounded(c), T{0});
    });
  });
}

namespace {

/// Adds to every entry of the graph by its row and column, and looks at all.
template <class Graph>
void check_places(Graph const& graph) {
  CrsAssembly<double> const sums(graph.row_map, graph.entries);
  auto const rows = static_cast<std::int64_t>(graph.row_map.extent(0)) - 1;
  std::vector<double> expected(graph.entries.extent(0));
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> first;
  for (std::int64_t i = 0; i < rows; ++i)
    for (auto k = static_cast<std::size_t>(graph.row_map(i)); k < static_cast<std::size_t>(graph.row_map(i + 1)); ++k) {
      auto const column = static_cast<std::int64_t>(graph.entries(k));
      auto const place = first.emplace(std::make_pair(i, column), k).first->second;
      double const x = 1.0 + static_cast<double>(k);
      sums.add(i, graph.entries(k), x);
      expected[place] += x;
    }
  Vector<double> const values("values", graph.entries.extent(0));
  sums.round_to(values);
  for (std::size_t k = 0; k < expected.size(); ++k) EXAKT_CHECK_BITS(values(k), expected[k]);
  // Columns between, below and above those that there are.
  for (std::int64_t i = 0; i < rows; ++i)
    for (int column = -2; column < 3; ++column) {
      if (first.count({i, column}) != 0) continue;
      sums.clear();
      sums.add(i, column, 1.0);
      EXAKT_CHECK(refusal_of([&] { sums.round_to(values); }) != "no refusal");
    }
}

}  // namespace

TEMPLATE_TEST_CASE("entries are found in rows of any length, in any order, with any types of indices", "",
                   (Graph<std::size_t, int>), (Graph<int, int>), (Graph<std::int64_t, std::int64_t>),
                   (Graph<int, unsigned>), (Graph<unsigned, std::int16_t>), (Graph<std::size_t, std::uint64_t>)) {
  Random random(661);
  for (bool const sorted : {true, false}) {
    std::vector<int> lengths;
    for (int length = 0; length < 70; ++length) lengths.push_back(length);
    check_places(TestType(random, 70, lengths, sorted));
    check_places(TestType(random, 3, {8, 9, 300}, sorted));
    check_places(TestType(random, 2, {0}, sorted));
  }
}

TEST_CASE("columns of 2^63 and more, which are none, hide no others of their row") {
  Graph<std::size_t, std::uint64_t> const graph(*std::make_unique<Random>(672), 1, {20}, true);
  for (std::size_t k = 4; k < 20; ++k) graph.entries(k) += std::uint64_t{1} << 63;
  CrsAssembly<double> const sums(graph);
  Vector<double> const values("values", 20);
  for (std::size_t k = 0; k < 4; ++k) sums.add(0, graph.entries(k), 1.0);
  sums.round_to(values);
  for (std::size_t k = 0; k < 20; ++k) EXAKT_CHECK_BITS(values(k), k < 4 ? 1.0 : 0.0);
}

TEMPLATE_TEST_CASE("an empty row that begins at the largest number of its type has no unsorted columns", "", int,
                   unsigned) {
  Vector<TestType> const row_map("row map", 2);
  Kokkos::deep_copy(row_map, std::numeric_limits<TestType>::max());
  auto const falling = [](std::int64_t entry) { return -entry; };
  std::int64_t unsorted = 0;
  Exakt::Impl::CountUnsortedRows<Vector<TestType>, decltype(falling)>{row_map, falling}(0, unsorted);
  EXAKT_CHECK(unsorted == 0);
  row_map(0) -= 2;
  Exakt::Impl::CountUnsortedRows<Vector<TestType>, decltype(falling)>{row_map, falling}(0, unsorted);
  EXAKT_CHECK(unsorted == 1);
}

TEST_CASE("a column that comes twice in a row has its sum in the first place") {
  Graph<std::size_t, int> graph(*std::make_unique<Random>(662), 2, {20}, true);
  graph.entries(3) = graph.entries(4) = graph.entries(5);
  graph.entries(30) = graph.entries(31) = graph.entries(29);
  check_places(graph);
  std::swap(graph.entries(0), graph.entries(11));
  check_places(graph);
}

#ifdef EXAKT_TEST_HAS_STATIC_GRAPH
TEST_CASE("a StaticCrsGraph is a graph, its memory is shared, and the sums take three times that of the matrix") {
  std::vector<std::vector<int>> rows;
  for (int i = 0; i < 2000; ++i) rows.push_back({i, i + 1, i + 7});
  auto const graph = Kokkos::create_staticcrsgraph<Kokkos::StaticCrsGraph<int, Kokkos::HostSpace>>("graph", rows);
  auto const before = graph.entries.use_count();
  Exakt::CrsAssembly<double, Space> const sums(graph);
  CHECK(graph.entries.use_count() == before + 1);
  CHECK((sums.rows() == 2000 && sums.entries() == 6000 && sums.name() == "matrix"));
  std::size_t const matrix = 6000 * (sizeof(double) + sizeof(int));
  CHECK(sums.memory() < 3 * matrix);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 200'000), KOKKOS_LAMBDA(int j) { sums.add(j % 2000, j % 2000 + 7, 0.1); });
  Space().fence();
  Vector<double> const values("values", 6000);
  sums.round_to(values);
  Exact exact;
  for (int k = 0; k < 100; ++k) exact.add(0.1);
  for (std::size_t i = 0; i < 2000; ++i) {
    EXAKT_CHECK_BITS(values(3 * i + 2), exact.round<double>());
    EXAKT_CHECK_BITS(values(3 * i), 0.0);
  }
  CHECK(sums.memory() < 3 * matrix);
}
#endif

TEMPLATE_TEST_CASE("the order of terms decides which way they take, and no bit", "", double, float) {
  using T = TestType;
  Random random(663);
  Graph<std::size_t, int> const graph(random, 1, {1}, true);
  int const column = graph.entries(0);
  constexpr int precision = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent - precision;
  for (int repeat = 0; repeat < 300; ++repeat) {
    // Around the limits of the window that the first term places: those of the words too.
    int const center = random.between(lowest, std::numeric_limits<T>::max_exponent - 2);
    std::vector<T> terms;
    for (int k = 0; k < 12; ++k) {
      int const exponent = std::clamp(center + random.one_of(0, 0, 1, -1, 4, 5, 6, -4, -5, 17, 18, 19, -17, -18, -19,
                                                             56, 57, 58, 59, -58, -59, -60, -61, -62, 200, -200),
                                      lowest, std::numeric_limits<T>::max_exponent - 2);
      T const x = random.value<T>(exponent);
      terms.push_back(random.coin() ? x : std::ldexp(T{1}, std::max(exponent, lowest + 1)));
      if (random.between(0, 3) == 0) terms.push_back(-terms[random.between<std::size_t>(0, terms.size() - 1)]);
    }
    Exact const exact = exact_sum(terms);
    CrsAssembly<T> const sums(graph, "sums", 1);
    Vector<T> const value("value", 1);
    for (int order = 0; order < 6; ++order) {
      random.shuffle(terms);
      sums.clear();
      for (T const x : terms) sums.add(0, column, x);
      for (Rounding const mode : every_rounding) {
        sums.round_to(value, mode);
        EXAKT_CHECK_BITS(value(0), exact.round<T>(mode));
      }
    }
  }
}

TEMPLATE_TEST_CASE("ties and their neighbours within a window", "", double, float) {
  using T = TestType;
  Random random(669);
  Graph<std::size_t, int> const graph(random, 1, {1}, true);
  constexpr int precision = std::numeric_limits<T>::digits, min_exponent = std::numeric_limits<T>::min_exponent,
                max_exponent = std::numeric_limits<T>::max_exponent;
  CrsAssembly<T> const sums(graph, "sums", 1);
  Vector<T> const value("value", 1);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    int const exponent =
        random.one_of(0, 0, 3, 300, -300, max_exponent - 3, min_exponent, min_exponent + 40, -900) % max_exponent;
    T const large = random.value<T>(std::clamp(exponent, min_exponent - 5, max_exponent - 3));
    // A half unit in the last place of it, of the one below, or nothing; and a bit far below, or nothing.
    T const half = std::ldexp(T{1}, std::ilogb(large) - precision + random.between(-2, 0));
    T const tiny =
        std::ldexp(T{1}, std::max(std::ilogb(large) - random.between(precision, 112), min_exponent - precision));
    std::vector<T> terms{large};
    if (random.coin()) terms.push_back(random.coin() ? half : -half);
    if (random.coin()) terms.push_back(random.coin() ? tiny : -tiny);
    if (random.between(0, 3) == 0) terms.push_back(-large);
    Exact const exact = exact_sum(terms);
    sums.clear();
    for (T const x : terms) sums.add(0, graph.entries(0), x);
    for (Rounding const mode : every_rounding) {
      sums.round_to(value, mode);
      EXAKT_CHECK_BITS(value(0), exact.round<T>(mode));
    }
    Vector<double> const wide("wide", 1);
    sums.round_to(wide);
    EXAKT_CHECK_BITS(wide(0), exact.round<double>());
  }
}

TEMPLATE_TEST_CASE("digits that go round lose nothing, at one entry from all threads", "", double, float) {
  using T = TestType;
  Random random(664);
  Graph<std::size_t, int> const graph(random, 1, {3}, true);
  CrsAssembly<T> const sums(graph);
  T const all_ones = 2 - std::numeric_limits<T>::epsilon();
  // Large, middle and small terms of the window, up and down.
  std::int64_t const n = 300'000;
  int const high = std::is_same_v<T, double> ? 56 : 16;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, n), KOKKOS_LAMBDA(std::int64_t j) {
        sums.add(0, graph.entries(0), all_ones);
        sums.add(0, graph.entries(0), std::ldexp(all_ones, high));
        sums.subtract(0, graph.entries(1), std::ldexp(all_ones, j % 64));
        sums.add(0, graph.entries(2), j % 2 == 0 ? std::ldexp(all_ones, 100) : -std::ldexp(all_ones, 100));
        sums.add(0, graph.entries(2), std::ldexp(all_ones, -30));
      });
  Space().fence();
  Vector<T> const values("values", 3);
  // By doubling: n times x.
  auto const times = [](double x, std::int64_t count) {
    Exact sum;
    for (int bit = 40; bit >= 0; --bit) {
      sum.add(Exact(sum));
      if (((count >> bit) & 1) != 0) sum.add(x);
    }
    return sum;
  };
  Exact second;
  for (int shift = 0; shift < 64; ++shift)
    second.add(times(-std::ldexp(static_cast<double>(all_ones), shift), (n - shift + 63) / 64));
  for (Rounding const mode : every_rounding) {
    sums.round_to(values, mode);
    EXAKT_CHECK_BITS(values(0), times(all_ones, n).add(times(std::ldexp(all_ones, high), n)).template round<T>(mode));
    EXAKT_CHECK_BITS(values(1), second.template round<T>(mode));
    EXAKT_CHECK_BITS(values(2), times(std::ldexp(all_ones, -30), n).template round<T>(mode));
  }
}

TEST_CASE("a carry from below makes the highest digit go round") {
  Graph<std::size_t, int> const graph(*std::make_unique<Random>(670), 1, {2}, true);
  CrsAssembly<double> const sums(graph);
  Vector<double> const values("values", 2);
  for (double const sign : {1.0, -1.0}) {
    // 1 places the window: the highest digit counts ones, the middle one 2^-56, and goes round at 128.
    std::vector<double> terms{1, 0x1p57 - 0x1p7};
    for (int i = 0; i < 63; ++i) terms.push_back(0x1p57);
    for (int i = 0; i < 8; ++i) terms.push_back(32);
    for (int i = 0; i < 9; ++i) terms.push_back(-0x1p57);
    sums.clear();
    Exact exact;
    for (double const x : terms) {
      sums.add(0, graph.entries(0), sign * x);
      exact.add(sign * x);
      sums.round_to(values);
      EXAKT_CHECK_BITS(values(0), exact.round<double>());
    }
  }
}

TEMPLATE_TEST_CASE("an integer at the upper end of a window stays in its entry", "", double, float) {
  using T = TestType;
  Graph<std::size_t, int> const graph(*std::make_unique<Random>(668), 1, {3}, true);
  Vector<T> const values("values", 3);
  for (int exponent = -80; exponent <= 80; ++exponent)
    for (std::int64_t const integer :
         {std::int64_t{1}, std::int64_t{-2}, std::int64_t{3} << 15, std::int64_t{1} << 40}) {
      INFO("2^" << exponent << " and " << integer);
      CrsAssembly<T> const sums(graph);
      Exact expected;
      T const first = std::ldexp(T{1}, exponent);
      sums.add(0, graph.entries(1), first);
      sums.add(0, graph.entries(1), integer);
      expected.add(first);
      expected.add(static_cast<double>(integer));
      sums.round_to(values);
      EXAKT_CHECK_BITS(values(0), T{0});
      EXAKT_CHECK_BITS(values(1), expected.template round<T>());
      EXAKT_CHECK_BITS(values(2), T{0});
    }
}

TEST_CASE("integers beyond all numbers of a half type are summed with such numbers") {
  Graph<std::size_t, int> const graph(*std::make_unique<Random>(671), 1, {2}, true);
  CrsAssembly<Half> const sums(graph);
  Vector<double> const values("values", 2);
  Vector<std::int64_t> const entries("entries", 2);
  Vector<CrsAssembly<Half>::accumulator_type> const exact("exact", 2);
  entries(0) = 1;
  for (int bit = 0; bit < 64; ++bit) {
    INFO("2^" << bit);
    std::uint64_t const integer = std::uint64_t{1} << bit;
    sums.clear();
    Exact expected;
    for (int k = 0; k < 100; ++k) {
      sums.add(0, graph.entries(1), integer);
      expected.add_integer(integer);
    }
    sums.add(0, graph.entries(1), std::int64_t{-3});
    sums.subtract(0, graph.entries(1), Half{0x7bff});  // the largest one
    sums.add(0, graph.entries(1), Half{0x0001});       // the smallest one
    expected.add_integer(std::int64_t{-3}).subtract(65504.0).add(0x1p-24);
    sums.accumulators_to(entries, exact);
    for (Rounding const mode : every_rounding) {
      sums.round_to(values, mode);
      EXAKT_CHECK_BITS(values(1), expected.round<double>(mode));
      EXAKT_CHECK_BITS(exact(0).round<double>(mode), expected.round<double>(mode));
    }
  }
}

TEST_CASE("integers, narrower terms, infinities and NaN") {
  Graph<std::size_t, int> const graph(*std::make_unique<Random>(665), 1, {9}, true);
  CrsAssembly<double> const sums(graph);
  auto const column = [&](int k) { return graph.entries(k); };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  sums.add(0, column(0), std::numeric_limits<std::uint64_t>::max());
  sums.add(0, column(0), 0.1f);
  sums.subtract(0, column(0), -7);
  sums.add(0, column(1), infinity);
  sums.subtract(0, column(2), infinity);
  sums.add(0, column(3), infinity);
  sums.subtract(0, column(3), infinity);
  sums.add(0, column(4), std::numeric_limits<double>::quiet_NaN());
  sums.add(0, column(5), -0.0);
  sums.add(0, column(6), std::numeric_limits<double>::max());
  sums.add(0, column(6), std::numeric_limits<double>::max());
  sums.add(0, column(7), 1.0);
  sums.add(0, column(7), -infinity);
  sums.add(0, column(7), 1e300);
  Exact const first =
      Exact().add_integer(std::numeric_limits<std::uint64_t>::max()).add(0.1f).add_integer(std::int64_t{7});
  Vector<double> const values("values", 9);
  sums.round_to(values);
  EXAKT_CHECK_BITS(values(0), first.round<double>());
  double const expected[] = {infinity, -infinity, std::nan(""), std::nan(""), 0, infinity, -infinity, 0};
  for (int k = 0; k < 8; ++k) EXAKT_CHECK_BITS(values(k + 1), expected[k]);
  sums.subtract(0, column(6), std::numeric_limits<double>::max());
  sums.round_to(values, Rounding::downward);
  EXAKT_CHECK_BITS(values(6), std::numeric_limits<double>::max());
  EXAKT_CHECK_BITS(values(5), -0.0);
}

TEST_CASE("the environments of threads change no bit of an assembly") {
  Random random(666);
  Graph<std::size_t, int> const graph(random, 50, {27}, true);
  std::vector<double> terms;
  for (int j = 0; j < 30'000; ++j)
    terms.push_back(random.value<double>(j % 50 == 0 ? random.between(-1074, 300) : random.between(-1074, -1000)));
  std::vector<Exact> exact(graph.entries.extent(0));
  for (std::size_t j = 0; j < terms.size(); ++j) exact[j % exact.size()].add(terms[j]);
  for (auto const& settings : every_fp_environment()) {
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      if (Space().concurrency() == 1 && threads != ScopedFpEnvironment::Threads::this_one) continue;
      INFO(describe(settings, threads));
      Vector<double> const values("values", exact.size());
      {
        ScopedFpEnvironment const scope(settings, threads);
        CrsAssembly<double> const sums(graph);
        Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, static_cast<int>(terms.size())), [&](int j) {
          auto const k = static_cast<std::size_t>(j) % exact.size();
          sums.add(k / 27, graph.entries(k), terms[static_cast<std::size_t>(j)]);
        });
        Space().fence();
        sums.round_to(values);
      }
      for (std::size_t k = 0; k < exact.size(); ++k) EXAKT_CHECK_BITS(values(k), exact[k].round<double>());
    }
  }
}

TEST_CASE("every entry may need a long sum, more than there was room for, and again after clear") {
  Random random(667);
  Graph<int, int> const graph(random, 1000, {4}, false);
  CrsAssembly<double> const sums(graph.row_map, graph.entries, "wide", 1);
  Vector<double> const values("values", 4000);
  auto const small = sums.memory();
  for (int round = 0; round < 3; ++round) {
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space>(0, 12'000), KOKKOS_LAMBDA(int j) {
          int const k = j % 4000;
          double const terms[] = {1e300, -1.0 - k, 1e-300};
          sums.add(k / 4, graph.entries(k), terms[j / 4000]);
        });
    Space().fence();
    sums.round_to(values, Rounding::upward);
    for (int k = 0; k < 4000; ++k)
      EXAKT_CHECK_BITS(values(k), Exact().add(1e300).subtract(1.0 + k).add(1e-300).round<double>(Rounding::upward));
    CHECK(sums.memory() > small + 4000 * 300);
    sums.clear();
    CHECK(sums.memory() == small);
    sums.round_to(values);
    for (int k = 0; k < 4000; ++k) EXAKT_CHECK_BITS(values(k), 0.0);
  }
}

TEMPLATE_TEST_CASE("entries are read as exact sums, merged into others and cleared", "", double, float) {
  using T = TestType;
  Random random(669);
  for_each_batch_of_sums<T>(20, 670, [&](auto const& cases) {
    Scattered const scattered(cases, random);
    Graph<std::size_t, int> const graph(random, static_cast<int>(cases.size() + 8) / 9, {9}, true);
    auto const count = static_cast<std::int64_t>(graph.entries.extent(0));
    CrsAssembly<T> const sums(graph), into(graph), part(graph);
    for (int j = 0; j < scattered.size(); ++j) {
      int const entry = scattered.bin[j];
      T const x = cases[entry].terms[scattered.position[j]];
      (j % 3 == 0 ? into : sums).add(entry / 9, graph.entries(entry), x);
    }
    // All entries, from the last to the first.
    Vector<std::int64_t> const entries("entries", graph.entries.extent(0));
    for (std::int64_t k = 0; k < count; ++k) entries(static_cast<std::size_t>(k)) = count - 1 - k;
    Vector<typename CrsAssembly<T>::accumulator_type> const exact("exact", graph.entries.extent(0));
    sums.accumulators_to(entries, exact);
    into.merge(entries, exact);
    part.merge(entries, exact);
    part.merge(entries, exact);
    Vector<T> const rounded("rounded", graph.entries.extent(0));
    auto const check = [&](auto const& assembly, auto const& expected) {
      for (int mode = 0; mode < 4; ++mode) {
        assembly.round_to(rounded, every_rounding[mode]);
        for (std::size_t c = 0; c < cases.size(); ++c) {
          INFO(cases[c].family << ", " << cases[c].terms.size() << " terms");
          EXAKT_CHECK_BITS(rounded(c), Expected<T>{expected(c, mode)});
        }
      }
    };
    check(into, [&](std::size_t c, int mode) { return cases[c].expected.round[mode]; });
    check(part, [&](std::size_t c, int mode) {
      auto twice = exact(entries.extent(0) - 1 - c);
      twice += exact(entries.extent(0) - 1 - c);
      return twice.round(every_rounding[mode]);
    });
    for (int repetition = 0; repetition < 2; ++repetition) {
      into.clear(entries);
      check(into, [](std::size_t, int mode) { return Exact().template round<T>(every_rounding[mode]); });
      into.accumulators_to(entries, exact);
      sums.accumulators_to(entries, exact);
      into.merge(entries, exact);
      check(into,
            [&](std::size_t c, int mode) { return exact(entries.extent(0) - 1 - c).round(every_rounding[mode]); });
    }
    auto const words_of_one = into.memory();
    into.clear(entries);
    into.merge(entries, exact);
    EXAKT_CHECK(into.memory() == words_of_one);
  });
  {
    // What fits into a window fits into the window of an empty entry into which it is merged.
    Graph<std::size_t, int> const graph(random, 100, {3}, true);
    CrsAssembly<T> const sums(graph, "sums", 1), into(graph, "into", 1);
    Vector<std::int64_t> const entries("entries", 300);
    for (int k = 0; k < 300; ++k) {
      entries(static_cast<std::size_t>(k)) = k;
      for (int exponent = 0; exponent < 8; ++exponent)
        for (int down : {0, std::numeric_limits<T>::digits == 24 ? 39 : 111})
          sums.add(k / 3, graph.entries(static_cast<std::size_t>(k)), std::ldexp(T{1}, exponent - down));
    }
    Vector<typename CrsAssembly<T>::accumulator_type> const exact("exact", 300);
    sums.accumulators_to(entries, exact);
    auto const memory = into.memory();
    CHECK(sums.memory() == memory);
    into.merge(entries, exact);
    CHECK(into.memory() == memory);
  }
  Graph<std::size_t, int> const graph(random, 1, {3}, true);
  CrsAssembly<double> const few(graph, "few");
  Vector<std::int64_t> const entries("entries", 2);
  Vector<CrsAssembly<double>::accumulator_type> const exact("exact", 2), one("one", 1);
  CHECK(few.columns().extent(0) == 3);
  CHECK(few.columns()(2) == graph.entries(2));
  CHECK(few.row_map()(1) == 3);
  for (std::int64_t const bad : {-1, 3}) {
    entries(1) = bad;
    std::string const why = ": \"few\" has 3 entries, and was asked for entry " + std::to_string(bad) +
                            "; entries are counted in the order of the graph";
    CHECK(refusal_of([&] { few.accumulators_to(entries, exact); }) == "Exakt::CrsAssembly::accumulators_to" + why);
    CHECK(refusal_of([&] { few.merge(entries, exact); }) == "Exakt::CrsAssembly::merge" + why);
    CHECK(refusal_of([&] { few.clear(entries); }) == "Exakt::CrsAssembly::clear" + why);
  }
  entries(0) = 3;  // the lowest one that there is not is named
  entries(1) = 5;
  CHECK(refusal_of([&] { few.clear(entries); }).find("was asked for entry 3;") != std::string::npos);
  entries(0) = 0;
  CHECK(refusal_of([&] { few.merge(entries, one); }) ==
        "Exakt::CrsAssembly::merge: there are 2 entries of \"few\" to 1 sums; they must be as many");
  entries(1) = 2;
  Kokkos::View<CrsAssembly<double>::accumulator_type*, Kokkos::LayoutStride, Kokkos::HostSpace> const same(
      exact.data(), Kokkos::LayoutStride(2, 0));
  CHECK(refusal_of([&] { few.accumulators_to(entries, same); }) ==
        "Exakt::CrsAssembly::accumulators_to: the result is 2 entries, some of which are one in memory by their "
        "strides; each is written");
}

TEST_CASE("entries that there are not are reported, and change nothing") {
  Graph<std::size_t, int> const graph(*std::make_unique<Random>(668), 10, {3}, true);
  CrsAssembly<double> const sums(graph, "stiffness");
  Vector<double> const values("values", 30);
  Kokkos::deep_copy(values, 7);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 1000), KOKKOS_LAMBDA(int j) {
        sums.add(j % 10, graph.entries(3 * (j % 10)), 0.5);
        if (j % 100 == 5) sums.add(j % 10 + 1, 1000 + j, 1.0);
      });
  Space().fence();
  CHECK(
      refusal_of([&] { sums.round_to(values); }) ==
      "Exakt::CrsAssembly::round_to: \"stiffness\" was asked for 10 additions to columns that their rows do not have, "
      "the lowest row was 6; every column must be in the graph of the matrix");
  CHECK(values(0) == 7);  // nothing is written
  Vector<std::int64_t> const entries("entries", 1);
  Vector<CrsAssembly<double>::accumulator_type> const exact("exact", 1);
  exact(0) += 7.0;
  CHECK(refusal_of([&] {
          sums.accumulators_to(entries, exact);
        }).starts_with("Exakt::CrsAssembly::accumulators_to: \"stiffness\" was asked for 10 additions to columns"));
  CHECK(exact(0).round() == 7);
  CHECK(refusal_of([&] {
          sums.merge(entries, exact);
        }).starts_with("Exakt::CrsAssembly::merge: \"stiffness\" was asked for 10 additions to columns"));
  sums.add(10, 0, 1.0);
  sums.subtract(~std::uint64_t{0}, 0, 1.0);
  CHECK(
      refusal_of([&] { sums.round_to(values); }) ==
      "Exakt::CrsAssembly::round_to: \"stiffness\" has 10 rows, and was asked for 2 additions to others, the lowest of "
      "them 10; every row must be below the number of rows and not negative");
  sums.clear();
  sums.add(0, graph.entries(0), 2.0);
  sums.round_to(values);
  CHECK((values(0) == 2 && values(3) == 0));
  sums.add(0, std::int64_t{graph.entries(0)} + (std::int64_t{1} << 32), 2.0);  // the same 32 bits
  CHECK(refusal_of([&] { sums.round_to(values); }) != "no refusal");
  sums.clear();
  sums.add(0, ~std::uint64_t{0}, 2.0);
  CHECK(refusal_of([&] { sums.round_to(values); }) != "no refusal");
  CHECK(refusal_of([&] { sums.round_to(Vector<double>("short", 29)); }) ==
        "Exakt::CrsAssembly::round_to: \"stiffness\" has 30 entries, the result 29 entries; they must be as many");
  Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace> const one(values.data(), Kokkos::LayoutStride(30, 0));
  CHECK(refusal_of([&] { sums.round_to(one); }) ==
        "Exakt::CrsAssembly::round_to: the result is 30 entries, some of which are one in memory by their strides; "
        "each is "
        "written");
}

TEST_CASE("row maps that are none are refused by name, and no rows are no error") {
  auto const columns = vector_of<int>({1, 2, 3, 4});
  auto const refusal = [&](std::vector<int> const& row_map) {
    return refusal_of([&] { CrsAssembly<double>(vector_of(row_map), columns, "K"); });
  };
  CHECK(refusal({0, 2, 1, 4}) ==
        "Exakt::CrsAssembly: row 1 of \"K\" begins at entry 2 and ends before entry 1, of 4 entries; a row map is not "
        "negative, does not decrease, and stays within the entries");
  CHECK(refusal({0, 2, 5}).find("row 1 of \"K\" begins at entry 2 and ends before entry 5") != std::string::npos);
  CHECK(refusal({-1, 2, 4}).find("row 0") != std::string::npos);
  CHECK(refusal({0, 2, 1, 4, 0}).find("row 1") != std::string::npos);  // the first of them
  CHECK(refusal({0, 2, 4}) == "no refusal");
  CHECK(refusal({1, 3}) == "no refusal");  // a part of the entries
  CHECK(refusal_of([&] {
          CrsAssembly<double>(vector_of<int>({0, 4}), columns, "K", -1);
        }) == "Exakt::CrsAssembly: \"K\" cannot have -1 long sums");

  for (std::vector<int> const& row_map : {std::vector<int>{}, std::vector<int>{0}}) {
    CrsAssembly<double> const none(vector_of(row_map), Vector<int>("none", 0));
    none.round_to(Vector<double>("none", 0));
    CHECK((none.rows() == 0 && none.entries() == 0));
    none.add(0, 0, 1.0);
    CHECK(refusal_of([&] { none.round_to(Vector<double>("none", 0)); }).find("has 0 rows") != std::string::npos);
    none.clear();
  }
  CrsAssembly<float> empty;
  empty.clear();
  CHECK(empty.entries() == 0);
  empty.add(0, 0, 1.0f);
  empty.subtract(-1, 7, 1);
  empty.round_to(Vector<float>("none", 0));
  empty = CrsAssembly<float>(vector_of<int>({0, 4}), columns);
  auto const copy = empty;
  copy.add(0, 3, 1.5f);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix("matrix", 4, 2);
  empty.round_to(Kokkos::subview(matrix, Kokkos::ALL, 1));
  CHECK((matrix(2, 1) == 1.5 && matrix(2, 0) == 0 && matrix(1, 1) == 0));
}
