// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_REDUCTIONCONTRACT_HPP
#define EXAKTTEST_REDUCTIONCONTRACT_HPP

/// \file
/// What sum, nrm1, nrm2, nrm2_squared, mean and dot have in common, checked once for all of them. A test names a Verb:
///
///     static constexpr int operands;          how many vectors it takes
///     static constexpr bool signs_cancel;     whether x and -x add up to nothing; if it takes one
///     static auto call(arguments...);         the function under test
///     static Expected<R> expected<R>(x, y, mode = to_nearest);   the oracle (exact_sum, exact_dot), from std::vectors;
///                                         y is empty or unused if it takes one

#include <ExaktBlas.hpp>

#include <string>
#include <type_traits>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_ReductionCases.hpp"

namespace ExaktTest {

template <class Verb, class T>
void check_families() {
  Random random(700);
  for (auto const& [family, terms] : cases_of<Verb, T>(random, 15 * case_factor(), 8 * case_factor())) {
    auto const expected = Verb::template expected<T>(terms.x, terms.y);
    for (Order const order : every_order) {
      INFO(family << ", " << name_of(order));
      auto const ordered = in_order<Verb>(terms, order, random);
      for_each_host_space([&](auto space) { EXAKT_CHECK_BITS(result_of<Verb>(space, ordered), expected); });
    }
  }
}

/// The direction of the one rounding as the last argument, with an execution space and without.
template <class Verb, class T>
void check_rounding_modes() {
  Random random(707);
  Kokkos::DefaultHostExecutionSpace const space;
  for (auto const& [family, terms] : cases_of<Verb, T>(random, 2 * case_factor(), case_factor())) {
    auto const check = [&, &family = family, &terms = terms](auto const&... x) {
      for (Rounding const mode : every_rounding) {
        INFO(family << ", " << name_of(mode));
        auto const expected = Verb::template expected<T>(terms.x, terms.y, mode);
        EXAKT_CHECK_BITS(Verb::call(x..., mode), expected);
        EXAKT_CHECK_BITS(Verb::call(space, x..., mode), expected);
      }
    };
    if constexpr (Verb::operands == 1)
      check(contiguous(terms.x));
    else
      check(contiguous(terms.x), contiguous(terms.y));
  }
}

/// Sums that the enclosure leaves undecided among others, on the path of many threads.
template <class Verb, class T>
void check_many_terms() {
  Random random(701);
  for (auto const& [family, terms] : cases_of<Verb, T>(random, case_factor(), case_factor())) {
    auto const many = diluted<Verb>(terms, random.between<std::size_t>(block_size + 1, 3 * block_size + 2), random);
    INFO(family << ", among " << many.size() << " terms");
    auto const expected = Verb::template expected<T>(many.x, many.y);
    for_each_host_space([&](auto space) { EXAKT_CHECK_BITS(result_of<Verb>(space, many), expected); });
  }
  auto const check = [&](char const* family, ProductTerms<T> const& many) {
    INFO(family << ", " << many.size() << " terms");
    auto const expected = Verb::template expected<T>(many.x, many.y);
    for_each_host_space([&](auto space) { EXAKT_CHECK_BITS(result_of<Verb>(space, many), expected); });
  };
  if constexpr (Verb::operands == 1) {
    for (auto const& family : carry_families<T>()) check(family.name, {family.make(random), {}});
  } else {
    for (auto const& family : carry_product_families<T>()) check(family.name, family.make(random));
  }
}

/// Around the packs, the tile, the block; entries that end at a page that must not be touched, and entries that begin
/// at one.
template <class Verb, class T>
void check_lengths() {
  Random random(702);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 100; ++n) lengths.push_back(n);
  for (std::size_t const edge : {tile_size, 2 * tile_size, block_size, block_size + tile_size, 2 * block_size})
    for (std::size_t const beyond : {0, 1, 9}) {
      lengths.push_back(edge - beyond);
      lengths.push_back(edge + beyond);
    }
  Kokkos::DefaultHostExecutionSpace const space;
  for (std::size_t const n : lengths) {
    INFO(n << " entries");
    auto const terms = random_terms<T>(random, n);
    auto const expected = Verb::template expected<T>(terms.x, terms.y);
    GuardedArray<T> const x(terms.x), y(terms.y), x_first(terms.x, GuardedArray<T>::Against::page_before);
    BorrowedVector<T> const last(x.data(), n), other(y.data(), n), first(x_first.data(), n);
    if constexpr (Verb::operands == 1) {
      EXAKT_CHECK_BITS(Verb::call(space, last), expected);
      EXAKT_CHECK_BITS(Verb::call(space, first), expected);
    } else {
      EXAKT_CHECK_BITS(Verb::call(space, last, other), expected);
      EXAKT_CHECK_BITS(Verb::call(space, first, other), expected);
      EXAKT_CHECK_BITS(Verb::call(space, other, first), Verb::template expected<T>(terms.y, terms.x));
    }
    EXAKT_CHECK_BITS(result_of<Verb>(space, terms, [](auto const& entries) { return strided(entries, 2); }), expected);
  }
}

/// The same bits whatever the view looks like, with a space in front and without.
template <class Verb, class T>
void check_layouts() {
  Random random(703);
  Kokkos::DefaultHostExecutionSpace const space;
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{17}, tile_size + 3, block_size + tile_size + 5}) {
    auto const terms = random_terms<T>(random, n);
    auto const expected = Verb::template expected<T>(terms.x, terms.y);
    for_each_kind_of_view([&](char const* kind, auto const& view) {
      INFO(n << " entries, " << kind);
      EXAKT_CHECK_BITS(result_of<Verb>(space, terms, view), expected);
      if constexpr (Verb::operands == 1) {
        EXAKT_CHECK_BITS(Verb::call(view(terms.x)), expected);
      } else {
        EXAKT_CHECK_BITS(Verb::call(borrowed(terms.x), view(terms.y)), expected);
      }
    });
  }
}

/// A rank-0 View takes the result, rounded once to its own type.
template <class Verb, class T>
void check_scalar_results() {
  Random random(704);
  Kokkos::DefaultHostExecutionSpace const space;
  auto const narrow = poisoned<HostScalar<float>>();
  auto const wide = poisoned<HostScalar<double>>();
  for (auto const& [family, terms] : cases_of<Verb, T>(random, 10 * case_factor(), 2 * case_factor())) {
    INFO(family);
    if constexpr (Verb::operands == 1) {
      Verb::call(space, narrow, borrowed(terms.x));
      Verb::call(wide, borrowed(terms.x));
    } else {
      Verb::call(space, narrow, borrowed(terms.x), borrowed(terms.y));
      Verb::call(wide, borrowed(terms.x), borrowed(terms.y));
    }
    EXAKT_CHECK_BITS(narrow(), Verb::template expected<float>(terms.x, terms.y));
    EXAKT_CHECK_BITS(wide(), Verb::template expected<double>(terms.x, terms.y));
  }
}

/// One result for each column of a multivector, however it and the vector of results are laid out.
template <class Verb, class T>
void check_columns() {
  using Kokkos::LayoutLeft;
  using Kokkos::LayoutRight;
  Random random(705);
  auto const cases = cases_of<Verb, T>(random, 2, 1);
  Kokkos::DefaultHostExecutionSpace const space;
  const std::pair<std::size_t, std::size_t> shapes[] = {{0, 0},
                                                        {0, 3},
                                                        {3, 0},
                                                        {1, 1},
                                                        {1, 5},
                                                        {5, 1},
                                                        {7, 4},
                                                        {100, 13},
                                                        {tile_size + 1, 19},
                                                        {block_size + 7, 9},
                                                        {2 * block_size + 1, 1}};
  for (auto const& shape : shapes) {
    std::size_t const n = shape.first, m = shape.second;
    INFO(n << " x " << m);
    std::vector<std::vector<T>> x, y;
    std::vector<Expected<float>> narrow;
    std::vector<Expected<double>> wide;
    for (std::size_t j = 0; j < m; ++j) {
      // Among columns that are decided at once there are some that are not.
      auto const& hard = cases[random.between<std::size_t>(0, cases.size() - 1)].terms;
      auto const terms =
          n >= hard.size() && random.coin() ? diluted<Verb>(hard, n, random) : random_terms<T>(random, n);
      x.push_back(terms.x);
      y.push_back(terms.y);
      narrow.push_back(Verb::template expected<float>(terms.x, terms.y));
      wide.push_back(Verb::template expected<double>(terms.x, terms.y));
    }
    auto const check = [&](auto const& r, auto const& expected) {
      for (std::size_t j = 0; j < m; ++j) EXAKT_CHECK_BITS(r(j), expected[j]);
    };
    auto const check_matrices = [&](auto const&... X) {
      auto const r = poisoned<HostVector<float>>(m);
      Verb::call(space, r, X...);
      check(r, narrow);
      // Every third entry of a longer vector; the others are left alone.
      std::vector<double> const before(m, -1);
      auto const spread_out = strided(before);
      Verb::call(spread_out, X...);
      check(spread_out, wide);
      if (m > 1) EXAKT_CHECK(is_nan_bits(spread_out.data()[1]) && is_nan_bits(spread_out.data()[2]));
    };
    ConstantView<HostMatrix<T, LayoutLeft>> const left(whole_matrix<LayoutLeft>(x, n));
    if constexpr (Verb::operands == 1) {
      check_matrices(left);
      check_matrices(whole_matrix<LayoutRight>(x, n));
      check_matrices(corner_of_poison<LayoutLeft>(x, n));
      check_matrices(corner_of_poison<LayoutRight>(x, n));
    } else {
      check_matrices(left, whole_matrix<LayoutLeft>(y, n));
      check_matrices(left, corner_of_poison<LayoutLeft>(y, n));
      check_matrices(whole_matrix<LayoutRight>(x, n), corner_of_poison<LayoutRight>(y, n));
    }
  }
}

/// Hostile settings on the calling thread or on all of them change no bit, and stay as they were.
template <class Verb, class T>
void check_environments() {
  using Threads = ScopedFpEnvironment::Threads;
  Random random(706);
  auto cases = cases_of<Verb, T>(random, 2, 1);
  for (std::size_t i = 0, all = cases.size(); i < all; i += 9)
    cases.push_back({cases[i].family, diluted<Verb>(cases[i].terms, block_size + 2 * tile_size + 3, random)});
  cases.push_back({"moderate range", random_terms<T>(random, 3 * block_size)});
  std::vector<Expected<T>> expected;
  std::vector<Expected<float>> expected_narrow;
  for (auto const& [family, terms] : cases) {
    expected.push_back(Verb::template expected<T>(terms.x, terms.y));
    expected_narrow.push_back(Verb::template expected<float>(terms.x, terms.y));
  }
  Kokkos::DefaultHostExecutionSpace const space;
  auto const check_under = [&](FpSettings const& environment, Threads threads) {
    INFO(environment.name << (threads == Threads::all ? ", all threads" : ", this thread"));
    std::vector<T> results, results_of_gathered;
    std::vector<float> narrow;
    bool is_left_alone = false;
    {
      ScopedFpEnvironment const scope(environment, threads);
      for (auto const& [family, terms] : cases) {
        results.push_back(result_of<Verb>(space, terms));
        results_of_gathered.push_back(
            result_of<Verb>(space, terms, [](auto const& entries) { return strided(entries); }));
        auto const r = poisoned<HostScalar<float>>();
        if constexpr (Verb::operands == 1)
          Verb::call(space, r, borrowed(terms.x));
        else
          Verb::call(space, r, borrowed(terms.x), borrowed(terms.y));
        narrow.push_back(r());
      }
      is_left_alone = fp_settings_are_active(environment);
    }
    CHECK(is_left_alone);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      INFO(cases[i].family << ", " << cases[i].terms.size() << " terms");
      EXAKT_CHECK_BITS(results[i], expected[i]);
      EXAKT_CHECK_BITS(results_of_gathered[i], expected[i]);
      EXAKT_CHECK_BITS(narrow[i], expected_narrow[i]);
    }
  };
  for (auto const& environment : every_fp_environment())
    for (Threads const threads : {Threads::this_one, Threads::all}) check_under(environment, threads);
}

/// `name` as in the text of the refusals.
template <class Verb>
void check_refusals(std::string const& name) {
  Kokkos::DefaultHostExecutionSpace const space;
  auto const refusal_for = [&](std::size_t results, std::size_t n, std::size_t m) {
    auto const r = poisoned<HostVector<double>>(results);
    auto const X = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(n, m);
    return refusal_of([&] {
      if constexpr (Verb::operands == 1)
        Verb::call(space, r, X);
      else
        Verb::call(space, r, X, X);
    });
  };
  CHECK(refusal_for(2, 5, 3) == "Exakt::" + name + ": r is 2 entries, X is 5 x 3; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_for(1, 0, 4) == "Exakt::" + name + ": r is 1 entry, X is 0 x 4; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_for(0, 3, 1) == "Exakt::" + name + ": r is 0 entries, X is 3 x 1; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_for(4, 5, 3) == "Exakt::" + name + ": r is 4 entries, X is 5 x 3; r.extent(0) must equal X.extent(1)");
  CHECK(refusal_for(3, 5, 3) == "no refusal");

  // The first result would change an entry that a later column reads.
  auto const X = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(5, 4);
  auto const columns = Kokkos::subview(X, Kokkos::ALL, std::pair<int, int>(0, 3));
  auto const refusal_with = [&](auto const& r, auto const& operand) {
    return refusal_of([&] {
      if constexpr (Verb::operands == 1)
        Verb::call(r, operand);
      else
        Verb::call(r, operand, operand);
    });
  };
  CHECK(refusal_with(Kokkos::subview(X, 2, std::pair<int, int>(0, 3)), columns) ==
        "Exakt::" + name + ": r is 3 entries, x is 5 x 3; they must not share memory");
  CHECK(refusal_with(Kokkos::subview(X, std::pair<int, int>(1, 4), 2), columns) ==
        "Exakt::" + name + ": r is 3 entries, x is 5 x 3; they must not share memory");
  CHECK(refusal_with(Kokkos::subview(X, std::pair<int, int>(1, 4), 3), columns) == "no refusal");
  auto const x = Kokkos::subview(X, Kokkos::ALL, 1);
  CHECK(refusal_with(Kokkos::subview(X, 4, 1), x) ==
        "Exakt::" + name + ": r is a single entry, x is 5 entries; they must not share memory");
  CHECK(refusal_with(Kokkos::subview(X, 4, 2), x) == "no refusal");
}

}  // namespace ExaktTest

/// Every promise that the reductions have in common, each as a test of its own.
#define EXAKT_TEST_REDUCTION(Verb, name)                                                                          \
  TEMPLATE_TEST_CASE(name " is right to the last bit for every family in every order", "", double, float) {       \
    check_families<Verb, TestType>();                                                                             \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " of many terms is right to the last bit, decided at once or not", "", double, float) { \
    check_many_terms<Verb, TestType>();                                                                           \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " is rounded once in the direction that is asked for", "", double, float) {             \
    check_rounding_modes<Verb, TestType>();                                                                       \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " of any length reads to the last entry and no further", "", double, float) {           \
    check_lengths<Verb, TestType>();                                                                              \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " gives the same bits for views of every kind", "", double, float) {                    \
    check_layouts<Verb, TestType>();                                                                              \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " into a rank-0 View is rounded once to its type", "", double, float) {                 \
    check_scalar_results<Verb, TestType>();                                                                       \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " of multivectors gives one result for each column", "", double, float) {               \
    check_columns<Verb, TestType>();                                                                              \
  }                                                                                                               \
  TEMPLATE_TEST_CASE(name " is right in every floating-point environment", "", double, float) {                   \
    check_environments<Verb, TestType>();                                                                         \
  }                                                                                                               \
  TEST_CASE(name " refuses results of the wrong length, and among the operands") { check_refusals<Verb>(name); }

#endif
