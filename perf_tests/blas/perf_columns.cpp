// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Means and covariances of the columns of tall matrices, beside plain loops along the rows.

#include "ExaktPerf_Suite.hpp"

#include <ExaktBlas1_mean.hpp>
#include <Exakt_Accumulator.hpp>
#include <Exakt_covariance.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace ExaktPerf {
namespace {

constexpr std::int64_t columns = 1000;

template <class T, class Layout>
using Table = Kokkos::View<T**, Layout, Kokkos::HostSpace>;

template <class T, class Layout>
Table<T, Layout> table(std::int64_t rows, int seed) {
  Data const numbers = log_uniform(rows * columns, 1, seed);
  Table<T, Layout> const X("X", static_cast<std::size_t>(rows), columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) X(i, j) = static_cast<T>(numbers(i * columns + j));
  return X;
}

template <class T>
auto require_same(std::vector<T> const& expected, Kokkos::View<T*, Kokkos::HostSpace> const& r) {
  return [=](std::string const& way) {
    if (std::memcmp(expected.data(), r.data(), expected.size() * sizeof(T)) != 0)
      throw std::runtime_error("the results by " + way + " have other bits than they should");
  };
}

/// Plain sums of all columns at a time, row by row: what a compiler vectorizes.
template <class T, class X>
std::vector<T> plain_means(X const& x) {
  std::vector<T> sums(columns, 0);
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    T const* const row = &x(i, 0);
    for (std::size_t j = 0; j < columns; ++j) sums[j] += row[j];
  }
  for (T& sum : sums) sum /= static_cast<T>(x.extent(0));
  return sums;
}

template <class T>
Comparison compare_means(std::int64_t rows) {
  auto const X = table<T, Kokkos::LayoutRight>(rows, 1);
  std::vector<T> expected;
  for (std::int64_t j = 0; j < columns; ++j) expected.push_back(Exakt::mean(Kokkos::subview(X, Kokkos::ALL, j)));
  Kokkos::View<T*, Kokkos::HostSpace> const r("r", columns);
  Comparison ways(rows * columns, sizeof(T), require_same(expected, r));
  ways.add_exact("Exakt::mean(r, X)", [=] {
    Exakt::mean(r, X);
    return 0.0;
  });
  ways.add_plain("one plain loop", [=] {
    auto const means = plain_means<T>(X);
    std::copy(means.begin(), means.end(), r.data());
    return 0.0;
  });
  return ways;
}

Comparison compare_covariances(std::int64_t rows) {
  auto const X = table<double, Kokkos::LayoutRight>(rows, 1), Y = table<double, Kokkos::LayoutRight>(rows, 2);
  std::vector<double> expected;
  for (std::int64_t j = 0; j < columns; ++j)
    expected.push_back(Exakt::covariance(Kokkos::subview(X, Kokkos::ALL, j), Kokkos::subview(Y, Kokkos::ALL, j)));
  Data const r("r", columns);
  Comparison ways(rows * columns, 2 * sizeof(double), require_same(expected, r));
  ways.add_exact("Exakt::covariance(r, X, Y)", [=] {
    Exakt::covariance(r, X, Y);
    return 0.0;
  });
  ways.add_plain("two plain passes", [=] {
    auto const of_x = plain_means<double>(X), of_y = plain_means<double>(Y);
    std::vector<double> sums(columns, 0);
    for (std::size_t i = 0; i < X.extent(0); ++i) {
      double const *const x = &X(i, 0), *const y = &Y(i, 0);
      for (std::size_t j = 0; j < columns; ++j) sums[j] += (x[j] - of_x[j]) * (y[j] - of_y[j]);
    }
    for (std::size_t j = 0; j < columns; ++j) r(j) = sums[j] / static_cast<double>(X.extent(0) - 1);
    return 0.0;
  });
  return ways;
}

template <class Compare>
void add_case(std::string const& what, Compare compare) {
  for (std::int64_t const rows : {std::int64_t{100}, std::int64_t{10'000}})
    cases().push_back(
        {what + ", " + short_form(rows) + " x 1000",
         rows * columns,
         [compare](std::int64_t entries) { return compare(std::max<std::int64_t>(entries / columns, 4)); },
         {}});
}

Registration const of_columns([] {
  add_case("means of columns of floats", compare_means<float>);
  add_case("means of columns of doubles", compare_means<double>);
  add_case("covariances of columns", compare_covariances);
});

}  // namespace
}  // namespace ExaktPerf
