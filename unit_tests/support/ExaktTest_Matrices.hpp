// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_MATRICES_HPP
#define EXAKTTEST_MATRICES_HPP

/// \file
/// \brief Matrices that are hard to multiply with, views of every kind of them, and what must come out.

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "ExaktTest_Corners.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_ReductionCases.hpp"
#include "ExaktTest_ScaledExact.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest {

/// A matrix as plain memory, row by row.
template <class T>
struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<T> entries;

  Table() = default;
  Table(std::size_t m, std::size_t n) : rows(m), columns(n), entries(m * n) {}
  T& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
  T const& operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }

  Table transposed() const {
    Table result(columns, rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) result(j, i) = (*this)(i, j);
    return result;
  }
  std::vector<T> column(std::size_t j) const {
    std::vector<T> result;
    for (std::size_t i = 0; i < rows; ++i) result.push_back((*this)(i, j));
    return result;
  }
};

template <class T, class Number>
Table<T> table_of(std::size_t m, std::size_t n, Number const& number) {
  Table<T> result(m, n);
  for (T& entry : result.entries) entry = static_cast<T>(number());
  return result;
}

enum class Storage { left, right, corner_of_left, corner_of_right, every_other };
inline constexpr Storage every_storage[] = {Storage::left, Storage::right, Storage::corner_of_left,
                                            Storage::corner_of_right, Storage::every_other};

/// One view type for every storage: the library looks at strides, and tests compile in half the time.
template <class T>
using AnyMatrix = HostMatrix<T, Kokkos::LayoutStride>;

template <class T>
AnyMatrix<T> stored(Table<T> const& table, Storage storage) {
  using Range = std::pair<std::size_t, std::size_t>;
  std::size_t const m = table.rows, n = table.columns;
  Range const rows(1, m + 1), columns(2, n + 2);
  auto const view = [&]() -> AnyMatrix<T> {
    switch (storage) {
      case Storage::left:
        return poisoned<HostMatrix<T, Kokkos::LayoutLeft>>(m, n);
      case Storage::right:
        return poisoned<HostMatrix<T, Kokkos::LayoutRight>>(m, n);
      case Storage::corner_of_left:
        return Kokkos::subview(poisoned<HostMatrix<T, Kokkos::LayoutLeft>>(m + 3, n + 2), rows, columns);
      case Storage::corner_of_right:
        return Kokkos::subview(poisoned<HostMatrix<T, Kokkos::LayoutRight>>(m + 3, n + 2), rows, columns);
      case Storage::every_other:
        break;
    }
    using Whole = Kokkos::View<T****, Kokkos::LayoutLeft, Kokkos::HostSpace>;
    return Kokkos::subview(poisoned<Whole>(2, m, 3, n), 1, Kokkos::ALL, 1, Kokkos::ALL);
  }();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) view(i, j) = table(i, j);
  return view;
}

/// alpha times a sum of k products a(l) * b(l), plus beta * old, rounded once; a beta of zero does not ask for `old`.
template <class R, class A, class B>
Expected<R> expected_epilogue(double alpha, std::size_t k, A const& a, B const& b, double beta, R old) {
  if (k == 0 && beta == 1) return {old};
  Exact sum;
  for (std::size_t l = 0; l < k; ++l) sum.add_product(a(l), b(l));
  ScaledExact total(k == 0 ? 1 : alpha, sum);
  if (beta != 0) total.add_product(beta, old);
  return total.round<R>();
}

/// Hard factors: signs, zero, any number.
struct HardFactors {
  double alpha, beta;
  explicit HardFactors(Random& random)
      : alpha(random.one_of(1.0, -1.0, 0.1, random.value<double>(random.between(-1074, 1023)))),
        beta(random.one_of(0.0, 1.0, -0.7, random.value<double>(random.between(-1074, 1023)))) {}
};

/// alpha * A x + beta * y, each entry rounded once.
template <class R, class T, class X>
std::vector<Expected<R>> expected_product(double alpha, Table<T> const& a, std::vector<X> const& x, double beta,
                                          std::vector<R> const& y) {
  std::vector<Expected<R>> result;
  for (std::size_t i = 0; i < a.rows; ++i) {
    auto const row = [&](std::size_t j) { return a(i, j); };
    result.push_back(expected_epilogue(
        alpha, a.columns, row, [&](std::size_t j) { return x[j]; }, beta, y[i]));
  }
  return result;
}

/// What makes a row times a column hard.
enum class Hardness { none, cancelling, every_exponent, tiny, huge, special, ties, corners };
inline constexpr Hardness every_hardness[] = {Hardness::none, Hardness::cancelling, Hardness::every_exponent,
                                              Hardness::tiny, Hardness::huge,       Hardness::special,
                                              Hardness::ties, Hardness::corners};
inline char const* name_of(Hardness hardness) {
  char const* const names[] = {"moderate", "cancelling",     "every exponent", "tiny",
                               "huge",     "special values", "ties",           "corners"};
  return names[static_cast<int>(hardness)];
}

/// Between -1 and 1, a multiple of the last bit that a number just below 1 has.
template <class T>
T multiple_below_one(Random& random) {
  constexpr int bits = std::numeric_limits<T>::digits;
  std::int64_t const most = std::int64_t{1} << bits;
  return std::ldexp(static_cast<T>(random.between(-most, most)), -bits);
}

template <class T>
T hard_number(Random& random, Hardness hardness) {
  using Limits = std::numeric_limits<T>;
  int const low = Limits::min_exponent - Limits::digits, high = Limits::max_exponent - 1;
  switch (hardness) {
    case Hardness::every_exponent:
      return random.value<T>(random.between(low, high));
    case Hardness::tiny:
      return random.value<T>(random.between(low, low / 2 + 10));
    case Hardness::huge:
      return random.value<T>(random.between(high / 2 - 10, high));
    case Hardness::special:
      if (random.between(0, 40) == 0)
        return random.one_of(Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T{0}, -T{0});
      return random.value<T>(random.between(-3, 3));
    case Hardness::ties:
      if (random.coin()) return static_cast<T>(random.between(1, 3) * random.one_of(-1, 1));
      return multiple_below_one<T>(random);
    case Hardness::corners:
      return Corners<T>(random, random.between(-2, 2))(random);
    case Hardness::none:
    case Hardness::cancelling:
      break;
  }
  return random.between(0, 20) == 0 ? T{0} : random.value<T>(random.between(-6, 6));
}

/// m x k and k entries. Cancelling ones: but for the last, products come in pairs that add up to almost nothing. Ties:
/// small integers times multiples of a power of two, so that sums have few bits more than a result; in some products a
/// few entries break them far below. Corners: entries of one kind in each.
template <class T, class X>
std::pair<Table<T>, std::vector<X>> hard_product(Random& random, Hardness hardness, std::size_t m, std::size_t k) {
  Table<T> a(m, k);
  std::vector<X> x(k);
  for (T& entry : a.entries) entry = hard_number<T>(random, hardness);
  for (X& entry : x) entry = hard_number<X>(random, hardness);
  if (hardness == Hardness::ties) {
    for (T& entry : a.entries) entry = static_cast<T>(random.between(-3, 3));
    for (X& entry : x) entry = multiple_below_one<X>(random);
    for (int few = random.one_of(0, 0, 1, 2); few > 0 && m > 0 && k > 0; --few) {
      T const factor = std::ldexp(T{1}, -random.between(1, 40));
      if (random.coin()) {
        a.entries[random.between<std::size_t>(0, m * k - 1)] *= factor;
      } else {
        x[random.between<std::size_t>(0, k - 1)] *= static_cast<X>(factor);
      }
    }
  }
  if (hardness == Hardness::corners) {
    auto const [of_a, of_x] = corners_of_products<T, X>(random);
    for (T& entry : a.entries) entry = of_a(random);
    for (X& entry : x) entry = of_x(random);
  }
  if (hardness == Hardness::cancelling) {
    for (std::size_t j = 0; j + 1 < k; j += 2) {
      x[j + 1] = -x[j];
      for (std::size_t i = 0; i < m; ++i) {
        a(i, j + 1) = random.between(0, 9) == 0 ? std::nextafter(a(i, j), T{0}) : a(i, j);
        if (random.between(0, 1) == 0) a(i, j) *= 0x1p-5f;
        if (random.between(0, 3) != 0) a(i, j + 1) = a(i, j);
      }
    }
    if (k > 0) x[k - 1] *= 0x1p-40f;
  }
  return {a, x};
}

/// Rows of a and columns of b that are hard together.
template <class T, class U>
std::pair<Table<T>, Table<U>> hard_factors(Random& random, Hardness hardness, std::size_t m, std::size_t n,
                                           std::size_t k) {
  auto [a, x] = hard_product<T, U>(random, hardness, m, k);
  Table<U> b(k, n);
  if (hardness == Hardness::corners) {
    auto const [of_a, of_b] = corners_of_products<T, U>(random);
    for (T& entry : a.entries) entry = of_a(random);
    for (U& entry : b.entries) entry = of_b(random);
    return {a, b};
  }
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j)
      b(l, j) = hardness == Hardness::cancelling ? x[l]
                : hardness == Hardness::ties     ? multiple_below_one<U>(random)
                                                 : hard_number<U>(random, hardness);
  return {a, b};
}

/// alpha * A B + beta * C, each entry rounded once.
template <class R, class T, class U>
Table<R> expected_product(double alpha, Table<T> const& a, Table<U> const& b, double beta, Table<R> const& c) {
  Table<R> result(c.rows, c.columns);
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.columns; ++j) {
      auto const row = [&](std::size_t l) { return a(i, l); };
      auto const column = [&](std::size_t l) { return b(l, j); };
      result(i, j) = expected_epilogue(alpha, a.columns, row, column, beta, c(i, j)).value;
    }
  return result;
}

template <class R>
void check_entries(AnyMatrix<R> const& c, Table<R> const& expected) {
  for (std::size_t i = 0; i < expected.rows; ++i)
    for (std::size_t j = 0; j < expected.columns; ++j) EXAKT_CHECK_BITS(c(i, j), Expected<R>{expected(i, j)});
}

}  // namespace ExaktTest

#endif
