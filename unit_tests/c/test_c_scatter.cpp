// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_C.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_Oracle.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

using namespace ExaktTest;

TEST_CASE("threads add to the bins of C at once, and each bin is the exact sum") {
  Random random(1924);
  std::ptrdiff_t const size = 7;
  std::vector<std::ptrdiff_t> indices;
  std::vector<double> x;
  std::vector<Exact> exact(static_cast<std::size_t>(size));
  for (auto const& family : long_families<double>()) {
    for (double const term : family.make(random)) {
      // One bin of special values, so that the others have carries to make.
      std::ptrdiff_t const bin = std::isfinite(term) ? random.between<std::ptrdiff_t>(1, size - 1) : 0;
      indices.push_back(bin);
      x.push_back(term);
      exact[static_cast<std::size_t>(bin)].add(term);
    }
  }
  auto const bins = make_bins(size), others = make_bins(size);
  std::vector<std::thread> threads;
  constexpr std::size_t count = 5;
  std::size_t const share = (x.size() + count - 1) / count;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      std::size_t const begin = t * share, end = std::min(x.size(), begin + share), middle = (begin + end) / 2;
      for (std::size_t i = begin; i < middle; ++i) exakt_scatter_add(bins.get(), indices[i], x[i]);
      exakt_scatter_add_array(bins.get(), static_cast<std::ptrdiff_t>(end - middle), &indices[middle], &x[middle]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto const check = [&](Bins const& some, std::vector<Exact> const& expected) {
    for (Rounding const mode : every_rounding) {
      std::vector<double> all(static_cast<std::size_t>(size));
      REQUIRE(exakt_scatter_round_all(some.get(), static_cast<exakt_rounding>(mode), all.data()) == EXAKT_SUCCESS);
      for (std::size_t i = 0; i < all.size(); ++i) {
        double one = 0;
        REQUIRE(exakt_scatter_round(some.get(), static_cast<std::ptrdiff_t>(i), static_cast<exakt_rounding>(mode),
                                    &one) == EXAKT_SUCCESS);
        EXAKT_CHECK_BITS(one, expected[i].round<double>(mode));
        EXAKT_CHECK_BITS(all[i], one);
      }
    }
  };
  check(bins, exact);
  REQUIRE(exakt_scatter_merge(others.get(), bins.get()) == EXAKT_SUCCESS);
  REQUIRE(exakt_scatter_merge(others.get(), others.get()) == EXAKT_SUCCESS);
  auto doubled = exact;
  for (Exact& sum : doubled) sum.add(Exact(sum));
  check(others, doubled);
  REQUIRE(exakt_scatter_clear(bins.get()) == EXAKT_SUCCESS);
  check(bins, std::vector<Exact>(static_cast<std::size_t>(size)));
}

TEST_CASE("bins of C whose digits are about to carry may be added to themselves") {
  // 250 * 2^55 is nearly 2^63 in a digit of 56 bits: twice that goes round.
  auto const bins = make_bins(2);
  for (int digit = 0; digit < 30; ++digit) {
    double const x = std::ldexp(1.0, -1074 + 56 * digit + 55);
    for (int i = 0; i < 250; ++i) {
      exakt_scatter_add(bins.get(), 0, x);
      exakt_scatter_add(bins.get(), 1, -x);
    }
    REQUIRE(exakt_scatter_merge(bins.get(), bins.get()) == EXAKT_SUCCESS);
    double results[2];
    REQUIRE(exakt_scatter_round_all(bins.get(), EXAKT_TO_NEAREST, results) == EXAKT_SUCCESS);
    EXAKT_CHECK_BITS(results[0], 500 * x);
    EXAKT_CHECK_BITS(results[1], -500 * x);
    exakt_scatter_clear(bins.get());
  }
}

TEST_CASE("what bins of C cannot do is refused in a sentence") {
  double result = 7;
  auto const bins = make_bins(3), two = make_bins(2);
  std::ptrdiff_t const indices[] = {0, 3};
  double const x[] = {1, 1};
  check_refused(exakt_scatter_create(-1, nullptr), "exakt_scatter_create: n is -1; it must not be negative");
  check_refused(exakt_scatter_add(bins.get(), -1, 1), "exakt_scatter_add: there is no bin -1; there are 3, from 0 on");
  check_refused(exakt_scatter_add_array(bins.get(), 2, indices, x),
                "exakt_scatter_add_array: there is no bin 3; there are 3, from 0 on");
  check_refused(exakt_scatter_merge(bins.get(), two.get()),
                "exakt_scatter_merge: there are 3 bins and 2; they must be as many");
  check_refused(exakt_scatter_add(nullptr, 0, 1), "exakt_scatter_add: the array of bins is NULL");
  check_refused(exakt_scatter_create(3, nullptr), "exakt_scatter_create: created is NULL");
  check_refused(exakt_scatter_merge(bins.get(), nullptr), "exakt_scatter_merge: the other array of bins is NULL");
  check_refused(exakt_scatter_add_array(bins.get(), 2, nullptr, x), "exakt_scatter_add_array: indices is NULL");
  check_refused(exakt_scatter_add_array(bins.get(), 1, indices, nullptr), "exakt_scatter_add_array: x is NULL");
  check_refused(exakt_scatter_round(bins.get(), 3, EXAKT_TO_NEAREST, &result),
                "exakt_scatter_round: there is no bin 3; there are 3, from 0 on");
  check_refused(exakt_scatter_round(bins.get(), 0, EXAKT_TO_NEAREST, nullptr), "exakt_scatter_round: result is NULL");
  check_refused(exakt_scatter_round_all(bins.get(), EXAKT_TO_NEAREST, nullptr),
                "exakt_scatter_round_all: result is NULL");
  REQUIRE(exakt_scatter_round(bins.get(), 0, EXAKT_TO_NEAREST, &result) == EXAKT_SUCCESS);
  CHECK(result == 0);
  CHECK(exakt_scatter_destroy(nullptr) == EXAKT_SUCCESS);
}

TEST_CASE("there being no memory is a status") {
  // More than any address space.
  std::ptrdiff_t const n = std::numeric_limits<std::ptrdiff_t>::max() / 16;
  exakt_scatter* bins = nullptr;
  CHECK(exakt_scatter_create(n, &bins) == EXAKT_OUT_OF_MEMORY);
  CHECK(std::string(exakt_message()) == "exakt_scatter_create: there is not enough memory");
  CHECK(bins == nullptr);
}
