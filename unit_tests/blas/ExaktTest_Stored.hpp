// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_STORED_HPP
#define EXAKTTEST_STORED_HPP

/// \file
/// \brief Bands and packed triangles as the BLAS takes them.

#include "ExaktTest_StructuredMatrices.hpp"

namespace ExaktTest {

/// Which entries a band has.
struct Band {
  std::size_t below, above;

  static Band of_triangle(bool is_lower, std::size_t k) { return {is_lower ? k : 0, is_lower ? 0 : k}; }
  bool contains(std::size_t i, std::size_t j) const { return i <= j + below && j <= i + above; }

  /// A line of memory for each column of A, or each row; NaN where A has no entry.
  template <class Z>
  Table<Z> stored(Table<Z> const& a, bool by_rows) const {
    std::size_t const height = below + above + 1;
    Table<Z> result = by_rows ? Table<Z>(a.rows, height) : Table<Z>(height, a.columns);
    for (Z& entry : result.entries) entry = nan_of<Z>();
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t j = 0; j < a.columns; ++j) {
        if (!contains(i, j)) continue;
        if (by_rows) {
          result(i, below + j - i) = a(i, j);
        } else {
          result(above + i - j, j) = a(i, j);
        }
      }
    return result;
  }
};

/// A triangle without gaps, a line behind the other, between entries that nobody may touch.
template <class Z>
class Packed {
 public:
  Packed(Table<Z> const& a, bool is_lower, bool by_rows) : m_n(a.rows), m_place(a.rows * a.rows, 0), m_old(a) {
    m_memory.push_back(nan_of<Z>());
    for (std::size_t line = 0; line < m_n; ++line)
      for (std::size_t k = 0; k < m_n; ++k) {
        std::size_t const i = by_rows ? line : k, j = by_rows ? k : line;
        if (is_lower ? j > i : i > j) continue;
        m_place[i * m_n + j] = m_memory.size();
        m_memory.push_back(a(i, j));
      }
    m_memory.push_back(nan_of<Z>());
  }
  Z* data() { return m_memory.data() + 1; }
  Z const& operator()(std::size_t i, std::size_t j) const {
    std::size_t const place = m_place[i * m_n + j];
    return place == 0 ? m_old(i, j) : m_memory[place];
  }
  void check_rest() const {
    check_unchanged(m_memory.front(), nan_of<Z>());
    check_unchanged(m_memory.back(), nan_of<Z>());
  }

 private:
  std::size_t m_n;
  std::vector<std::size_t> m_place;
  std::vector<Z> m_memory;
  Table<Z> m_old;
};

/// A symmetric or hermitian matrix of which one triangle is read, in a band.
template <class Z>
std::function<std::optional<Number>(std::size_t, std::size_t)> mirrored(Table<Z> const& a,
                                                                        StoredTriangle const& triangle,
                                                                        Band const& band) {
  return [=](std::size_t i, std::size_t j) -> std::optional<Number> {
    bool const is_stored = triangle.contains(i, j), hermitian = triangle.has_real_diagonal;
    if (!(is_stored ? band.contains(i, j) : band.contains(j, i))) return {};
    if (!is_stored) return Number(a(j, i)).conjugated(hermitian);
    return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
  };
}

/// op(A) of a triangular one.
template <class Z>
std::function<std::optional<Number>(std::size_t, std::size_t)> triangular(Table<Z> const& a,
                                                                          StoredTriangle const& triangle,
                                                                          Band const& band, char mode) {
  return [=](std::size_t i, std::size_t j) -> std::optional<Number> {
    std::size_t const row = mode == 'N' ? i : j, column = mode == 'N' ? j : i;
    if (!triangle.contains(row, column) || !band.contains(row, column)) return {};
    if (i == j && triangle.has_ones) return 1;
    return Number(a(row, column)).conjugated(mode == 'C');
  };
}

}  // namespace ExaktTest

#endif
