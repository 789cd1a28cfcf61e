// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDENSTORED_HPP
#define EXAKTTEST_GOLDENSTORED_HPP

/// \file
/// \brief Triangles as the BLAS stores them: in a matrix, in a band, packed. What is not to be read is NaN.

#include "ExaktTest_Golden.hpp"

namespace ExaktTest::Golden {

/// entry(i, j) of the upper (i <= j) or the lower triangle (i >= j) of an n x n matrix.
template <class T, class Entry>
struct Stored {
  char uplo;
  std::size_t n;
  Entry entry;

  bool has(std::size_t i, std::size_t j) const { return uplo == 'U' ? i <= j : i >= j; }
  char const* letter() const { return uplo == 'U' ? "U" : "L"; }

  Matrix<T> in_matrix(bool by_rows) const {
    return matrix<T>(n, n, by_rows,
                     [&](std::size_t i, std::size_t j) { return has(i, j) ? entry(i, j) : nan_of<T>(); });
  }
  /// A(i, j) is AB(k + i - j, j) of an upper one, AB(i - j, j) of a lower one.
  Matrix<T> in_band(std::size_t k, bool by_rows) const {
    std::size_t const top = uplo == 'U' ? k : 0;
    return matrix<T>(k + 1, n, by_rows, [&](std::size_t row, std::size_t j) {
      return row + j < top || row + j - top >= n ? nan_of<T>() : entry(row + j - top, j);
    });
  }
  /// The columns, one behind the other.
  Vector<T> packed() const {
    std::vector<T> entries;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        if (has(i, j)) entries.push_back(entry(i, j));
    return vector(entries);
  }
};

template <class T, class Entry>
Stored<T, Entry> stored(char uplo, std::size_t n, Entry const& entry) {
  return {uplo, n, entry};
}

/// Where entry (i, j) of a packed triangle is.
inline std::size_t packed_place(char uplo, std::size_t n, std::size_t i, std::size_t j) {
  return uplo == 'U' ? j * (j + 1) / 2 + i : j * (2 * n - j - 1) / 2 + i;
}

/// alpha op(A) op(B) + beta C of a line of products; C is NaN where it is not to be read.
template <class T>
struct ProductOperands {
  std::size_t m, n, k;
  T alpha, beta;
  std::vector<T> a, b, c;

  ProductOperands(Case const& line, std::size_t rows, std::size_t columns, std::size_t terms, bool has_beta = true)
      : m(rows),
        n(columns),
        k(terms),
        alpha(line.factors.empty() ? T(1) : factor_of<T>(line.factors[0])),
        beta(has_beta && line.factors.size() > 1 ? factor_of<T>(line.factors[1]) : T(1)) {
    using R = typename RealOf<T>::type;
    auto const p = product_of(format_of<R>, format_of<R>, is_complex<T> ? 2 : 1, line.family, line.seed, m, n, k);
    a = entries_of<T>(p.a);
    b = entries_of<T>(p.b);
    c = beta == T(0) ? std::vector<T>(m * n, nan_of<T>()) : entries_of<T>(p.c);
  }
};

}  // namespace ExaktTest::Golden

#endif
