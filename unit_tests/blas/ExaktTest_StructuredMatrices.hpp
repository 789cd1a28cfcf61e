// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_STRUCTUREDMATRICES_HPP
#define EXAKTTEST_STRUCTUREDMATRICES_HPP

/// \file
/// \brief What the tests of symmetric, hermitian and triangular matrices share: triangles, storages in turn, sizes.

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Expressions.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"

namespace ExaktTest {

/// A triangle of a square matrix, and NaN where nothing is to be read: in the other one, on a diagonal of ones, and as
/// imaginary parts of a real diagonal.
struct StoredTriangle {
  bool is_lower, has_ones = false, has_real_diagonal = false;

  char const* uplo() const { return is_lower ? "L" : "U"; }
  char const* diag() const { return has_ones ? "U" : "N"; }
  bool contains(std::size_t i, std::size_t j) const { return is_lower ? j <= i : i <= j; }

  template <class Z>
  Table<Z> poisoned(Table<Z> table) const {
    for (std::size_t i = 0; i < table.rows; ++i)
      for (std::size_t j = 0; j < table.columns; ++j) {
        if (!contains(i, j) || (i == j && has_ones)) table(i, j) = nan_of<Z>();
        if constexpr (PartsOf<Z>::is_complex) {
          if (i == j && has_real_diagonal) table(i, j) = Z(table(i, j).real(), nan_of<Z>().imag());
        }
      }
    return table;
  }
};

/// Zeros of either sign in some blocks of rows and columns, and in all that meet others.
template <class Z>
void clear_blocks(Random& random, Table<Z>& table) {
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j)
      if (i / 7 % 4 == 1 || j / 7 % 4 == 1 || (i / 7 + j / 7) % 3 == 0) table(i, j) = random.one_of(Z(0), -Z(0));
}

/// Which storages the operands of a call have: all of them, in turn.
class Storages {
 public:
  Storage next() { return every_storage[m_count++ % 5]; }

  template <class T>
  StridedVector<T> next_vector(Table<T> const& column) {
    return stored_vector(column.entries, m_count++ % 2 == 0);
  }

 private:
  std::size_t m_count = 0;
};

inline Storages storages;

struct Sizes {
  std::size_t n, m;
};
inline Sizes some_sizes(Random& random) {
  return {random.between<std::size_t>(0, 20), random.between<std::size_t>(0, 9)};
}

/// A factor of a hermitian verb.
template <class F>
Number as_real(F const& factor) {
  return Number(factor).real;
}

}  // namespace ExaktTest

#endif
