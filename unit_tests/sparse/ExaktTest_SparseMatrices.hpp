// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_SPARSEMATRICES_HPP
#define EXAKTTEST_SPARSEMATRICES_HPP

/// \file
/// \brief Sparse matrices that are hard to multiply with, and what must come out.

#include <ExaktSparse_CrsViews.hpp>

#include <algorithm>

#include "ExaktTest_Matrices.hpp"

namespace ExaktTest {

template <class T>
struct Entry {
  std::size_t row, column;
  T value;
};

/// A matrix as plain entries, row by row.
template <class T>
struct Entries {
  std::size_t rows = 0, columns = 0;
  std::vector<Entry<T>> list;
};

/// The same in compressed row storage.
template <class Index = int, class Offset = std::size_t, class T>
auto stored(Entries<T> const& a) {
  HostVector<Offset> const row_map("row_map", a.rows + 1);
  HostVector<Index> const columns("columns", a.list.size());
  HostVector<T> const values("values", a.list.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (; k < a.list.size() && a.list[k].row == i; ++k) {
      columns(k) = static_cast<Index>(a.list[k].column);
      values(k) = a.list[k].value;
    }
    row_map(i + 1) = static_cast<Offset>(k);
  }
  return Exakt::crs_matrix(row_map, columns, values, a.columns);
}

/// Rows become columns.
template <class T>
Entries<T> transposed(Entries<T> a) {
  std::swap(a.rows, a.columns);
  for (auto& entry : a.list) std::swap(entry.row, entry.column);
  std::stable_sort(a.list.begin(), a.list.end(), [](auto const& x, auto const& y) { return x.row < y.row; });
  return a;
}

/// The entries of each row in another order.
template <class T>
Entries<T> shuffled(Entries<T> const& a, Random& random) {
  Entries<T> result{a.rows, a.columns, {}};
  for (std::size_t k = 0; k < a.list.size();) {
    std::vector<Entry<T>> row;
    for (std::size_t i = a.list[k].row; k < a.list.size() && a.list[k].row == i; ++k) row.push_back(a.list[k]);
    random.shuffle(row);
    result.list.insert(result.list.end(), row.begin(), row.end());
  }
  return result;
}

/// Some entries of a matrix that is hard to multiply x with, some of them twice, in any order. Entries that cancel each
/// other stay together.
template <class T, class X>
std::pair<Entries<T>, std::vector<X>> hard_sparse_product(Random& random, Hardness hardness, std::size_t m,
                                                          std::size_t k) {
  auto const [table, x] = hard_product<T, X>(random, hardness, m, k);
  Entries<T> a{m, k, {}};
  for (std::size_t i = 0; i < m; ++i) {
    int const eighths = random.between(0, 8);
    for (std::size_t j = 0; j < k; j += 2) {
      if (random.between(0, 7) >= eighths) continue;
      a.list.push_back({i, j, table(i, j)});
      if (j + 1 < k) a.list.push_back({i, j + 1, table(i, j + 1)});
      if (random.between(0, 20) == 0) a.list.push_back({i, j, hard_number<T>(random, hardness)});
    }
  }
  return {shuffled(a, random), x};
}

/// alpha * op(A) x + beta * y, each entry rounded once. `old` has an entry for each one of the result.
template <class R, class T, class X>
std::vector<Expected<R>> expected_sparse_product(bool transposed, double alpha, Entries<T> const& a,
                                                 std::vector<X> const& x, double beta, std::vector<R> const& old) {
  std::vector<Exact> sums(transposed ? a.columns : a.rows);
  for (auto const& entry : a.list)
    sums[transposed ? entry.column : entry.row].add_product(entry.value, x[transposed ? entry.row : entry.column]);
  std::vector<Expected<R>> result;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ScaledExact total(alpha, sums[i]);
    if (beta != 0) total.add_product(beta, old[i]);
    result.push_back(total.round<R>());
  }
  return result;
}

/// The 27-point stencil of a cube of n^3 points: value(is_diagonal) for each of its entries.
template <class Value>
Entries<double> stencil(int n, Value const& value) {
  auto const size = [](int number) { return static_cast<std::size_t>(number); };
  auto const number = [=](int x, int y, int z) { return (size(z) * size(n) + size(y)) * size(n) + size(x); };
  Entries<double> a{number(0, 0, n), number(0, 0, n), {}};
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        for (int k = 0; k < 27; ++k) {
          int const u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
          if (std::min({u, v, w}) < 0 || std::max({u, v, w}) >= n) continue;
          a.list.push_back({number(x, y, z), number(u, v, w), value(k == 13)});
        }
  return a;
}

}  // namespace ExaktTest

#endif
