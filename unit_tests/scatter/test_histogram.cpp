// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_histogram.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// The weights of each bin by the definition: one edge after the other.
template <class X, class T>
std::vector<std::vector<T>> sorted_out(std::vector<X> const& x, std::vector<T> const& weights,
                                       std::vector<double> const& edges) {
  std::vector<std::vector<T>> bins(edges.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t b = 0; b < bins.size(); ++b) {
      auto const value = static_cast<double>(x[i]);
      bool const is_last = b + 1 == bins.size();
      if (value >= edges[b] && (value < edges[b + 1] || (is_last && value == edges[b + 1])))
        bins[b].push_back(weights[i]);
    }
  return bins;
}

template <class R, class X, class T>
void check(std::vector<X> const& x, std::vector<T> const& weights, std::vector<double> const& edges) {
  auto const bins = sorted_out(x, weights, edges);
  for_each_host_space([&](auto space) {
    for (Rounding const mode : every_rounding) {
      auto const r = poisoned<HostVector<R>>(bins.size());
      Exakt::histogram(space, borrowed(x), strided(weights), contiguous(edges), r, mode);
      for (std::size_t b = 0; b < bins.size(); ++b) {
        INFO("bin " << b << ", " << name_of(mode));
        EXAKT_CHECK_BITS(r(b), exact_sum(bins[b]).template round<R>(mode));
      }
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("each bin of a histogram is the sum of its weights, rounded once", "", double, float) {
  using T = TestType;
  Random random(640);
  for (auto const& family : short_families<T>()) {
    INFO(family.name);
    auto const weights = family.make(random);
    std::vector<T> x(weights.size());
    std::vector<double> const edges{-1, -0.25, 0, 0x1p-30, 0.5, 0.5, 1};
    for (T& entry : x)  // some on the edges, some outside
      entry = random.coin() ? static_cast<T>(random.one_of(-1.0, -0.25, 0.0, 0.5, 1.0))
                            : random.value<T>(random.between(-40, 1));
    check<double>(x, weights, edges);
    check<float>(x, weights, edges);
  }
}

TEST_CASE("many entries on all threads, with one bin, few and many") {
  Random random(641);
  std::size_t const n = 20'011;
  std::vector<double> x(n), weights(n);
  for (double& entry : x) entry = random.value<double>(0);
  for (double& weight : weights) weight = random.value<double>(random.between(-40, 40));
  for (std::size_t const m : {1, 2, 63, 64, 65, 500}) {
    INFO(m << " bins");
    std::vector<double> edges(m + 1);
    for (double& edge : edges) edge = random.value<double>(0);
    std::sort(edges.begin(), edges.end());
    check<double>(x, weights, edges);
  }
}

TEST_CASE("NaN and what lies outside belongs to no bin, infinite edges hold all, weights are infinite in theirs only") {
  double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = HUGE_VAL;
  std::vector<double> const x{nan, -infinity, infinity, 0, -0.0, 1, 0x1p-1074, -0x1p-1074, 2};
  std::vector<double> const weights{1, 2, 4, 8, 16, 32, 64, 128, infinity};
  check<double>(x, weights, {0, 1});
  check<double>(x, weights, {-infinity, 0, infinity});
  check<double>(x, weights, {-0x1p-1074, 0, 0x1p-1074, 1});
  check<double>(x, std::vector<double>{nan, -infinity, infinity, nan, 1, 2, -infinity, infinity, 3},
                {-infinity, -0.5, 0, 1.5, 2, infinity});
  check<float>(std::vector<float>{1, 2}, std::vector<float>{-0.0F, -0.0F}, {0, 3, 4});
  check<double>(std::vector<double>{}, std::vector<double>{}, {0, 1, 2});
}

TEST_CASE("histograms of no entry and of one, of one bin, and of bins between equal edges") {
  double const infinity = HUGE_VAL;
  std::vector<std::vector<double>> const every_edges{{0, 0},
                                                     {0.5, 0.5},
                                                     {0.5, 0.5, 0.5},
                                                     {-0.0, 0},
                                                     {0, -0.0, 0},
                                                     {-1, 0.5},
                                                     {-infinity, infinity},
                                                     {-infinity, -infinity},
                                                     {infinity, infinity, infinity},
                                                     {0, 1, 1, 1, infinity, infinity}};
  for (auto const& edges : every_edges) {
    check<double>(std::vector<double>{}, std::vector<double>{}, edges);
    for (double const x : {0.0, -0.0, 0.5, 1.0, -1.0, 0x1p-1074, infinity, -infinity, std::nan("")})
      for (double const weight : {3.0, infinity, std::nan("")})
        check<double>(std::vector<double>{x}, std::vector<double>{weight}, edges);
  }
}

TEST_CASE("histograms are right in every floating-point environment, on whichever threads") {
  Random random(642);
  std::vector<double> x(9000), weights(9000);
  for (double& entry : x) entry = random.value<double>(random.between(-1074, -1060));
  for (double& weight : weights) weight = random.value<double>(random.between(-1074, -1040));
  std::vector<double> const edges{-0x1p-1062, -0x1p-1074, 0, 0x1p-1073, 0x1p-1063};
  auto const bins = sorted_out(x, weights, edges);
  for (FpSettings const& settings : every_fp_environment())
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      INFO(describe(settings, threads));
      auto const r = poisoned<HostVector<double>>(bins.size());
      auto const a = contiguous(x), b = contiguous(weights), c = contiguous(edges);
      auto const falling = contiguous(std::vector<double>{0, 0, 0, 0x1p-1073, 0x1p-1074});
      std::string refusal;
      {
        ScopedFpEnvironment const scope(settings, threads);
        refusal = refusal_of([&] { Exakt::histogram(Space(), a, b, falling, r); });
        Exakt::histogram(Space(), a, b, c, r);
      }
      CHECK(refusal.find("Exakt::histogram: edges(3) is 9.88") == 0);  // the last digit depends on the direction
      CHECK(refusal.find("e-324, edges(4) is 4.94") != std::string::npos);
      for (std::size_t i = 0; i < bins.size(); ++i) EXAKT_CHECK_BITS(r(i), exact_sum(bins[i]).round<double>());
    }
}

TEST_CASE("histogram refuses operands that do not fit") {
  auto const x = contiguous(std::vector<double>{1, 2, 3}), weights = contiguous(std::vector<double>{1, 2});
  auto const r = poisoned<HostVector<double>>(2);
  auto const edges = [](std::vector<double> const& e) { return contiguous(e); };
  CHECK(refusal_of([&] {
          Exakt::histogram(x, weights, edges({0, 1, 2}), r);
        }) == "Exakt::histogram: x is 3 entries, weights is 2 entries; they must be the same");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, contiguous(std::vector<double>{}), edges({0, 1, 2}), r);
        }) == "Exakt::histogram: x is 3 entries, weights is 0 entries; they must be the same");
  CHECK(refusal_of([&] {
          Exakt::histogram(contiguous(std::vector<double>{}), weights, edges({0, 1, 2}), r);
        }) == "Exakt::histogram: x is 0 entries, weights is 2 entries; they must be the same");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({HUGE_VAL, -HUGE_VAL, 1}), r);
        }) == "Exakt::histogram: edges(0) is inf, edges(1) is -inf; edges must ascend");
  CHECK(refusal_of([&] {
          Exakt::histogram(Space(), x, x, edges({0, 1}), r);
        }) == "Exakt::histogram: r is 2 entries, edges is 2 entries; edges must have one entry more than r");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({0, 2, 1}), r);
        }) == "Exakt::histogram: edges(1) is 2, edges(2) is 1; edges must ascend");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({0, std::numeric_limits<double>::quiet_NaN(), 1}), r);
        }) == "Exakt::histogram: edges(0) is 0, edges(1) is nan; edges must ascend");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({0, -std::numeric_limits<double>::quiet_NaN(), 1}), r);
        }) == "Exakt::histogram: edges(0) is 0, edges(1) is nan; edges must ascend");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({0, 0x1.0000000000001p-20, 0x1p-20}), r);
        }) ==
        "Exakt::histogram: edges(1) is 9.5367431640625021e-07, edges(2) is 9.5367431640625e-07; edges must ascend");
  CHECK(refusal_of([&] { Exakt::histogram(x, x, edges({}), poisoned<HostVector<double>>(0)); }) ==
        "Exakt::histogram: r is 0 entries, edges is 0 entries; edges must have one entry more than r");
  CHECK(refusal_of([&] { Exakt::histogram(x, x, edges({0}), poisoned<HostVector<double>>(0)); }) ==
        "Exakt::histogram: edges has 1 entry; a bin needs two");
  CHECK(refusal_of([&] {
          Exakt::histogram(x, x, edges({0, 1, 2, 3}), x);
        }) == "Exakt::histogram: r is 3 entries, x is 3 entries; they must not share memory");
  auto const y = contiguous(std::vector<double>{1, 2, 3}), four = edges({0, 1, 2, 3});
  CHECK(refusal_of([&] { Exakt::histogram(x, y, four, y); }) ==
        "Exakt::histogram: r is 3 entries, weights is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::histogram(x, y, four, HostVector<double>(four.data(), 3)); }) ==
        "Exakt::histogram: r is 3 entries, edges is 4 entries; they must not share memory");
}
