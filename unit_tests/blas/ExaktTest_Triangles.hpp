// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_TRIANGLES_HPP
#define EXAKTTEST_TRIANGLES_HPP

/// \file
/// \brief Triangular systems that are hard to solve, and their solutions as they have to be.

#include "ExaktTest_Matrices.hpp"

namespace ExaktTest {

struct TriangleModes {
  bool is_upper, is_transposed, has_unit_diagonal;

  char const* uplo() const { return is_upper ? "U" : "L"; }
  char const* trans() const { return is_transposed ? "T" : "N"; }
  char const* diag() const { return has_unit_diagonal ? "U" : "N"; }
  /// op(A) is lower triangular.
  bool goes_down() const { return is_upper == is_transposed; }
};

template <class F>
void for_each_triangle(F const& f) {
  for (int modes = 0; modes < 8; ++modes) {
    TriangleModes const triangle{(modes & 1) != 0, (modes & 2) != 0, (modes & 4) != 0};
    INFO("uplo " << triangle.uplo() << ", trans " << triangle.trans() << ", diag " << triangle.diag());
    f(triangle);
  }
}

/// x_i := (alpha * b_i - sum of a_ij x_j) / a_ii, rounded once each; `a` is op(A).
template <class R, class T>
std::vector<R> solution_of(Table<T> const& a, TriangleModes const& modes, double alpha, std::vector<R> const& b) {
  std::size_t const n = a.rows;
  std::vector<R> x(n);
  if (alpha == 0) return x;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t const i = modes.goes_down() ? step : n - 1 - step;
    Exact value;
    value.add_product(alpha, b[i]);
    for (std::size_t j = 0; j < n; ++j) {
      if (modes.goes_down() ? j < i : j > i) value.subtract_product(a(i, j), x[j]);
    }
    x[i] = value.round_quotient<R>(modes.has_unit_diagonal ? 1.0 : static_cast<double>(a(i, i))).value;
  }
  return x;
}

/// op(A): an entry of NaN wherever it is not to be read.
template <class T>
Table<T> hard_triangle(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n) {
  Table<T> a(n, n);
  Corners<T> const corner(random, random.between(-2, 2));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      bool const unread = i == j ? modes.has_unit_diagonal : modes.goes_down() == (j > i);
      a(i, j) = unread ? std::numeric_limits<T>::quiet_NaN() : hard_number<T>(random, hardness);
      // Most systems do not blow up.
      if (i == j && !unread && hardness == Hardness::none) a(i, j) = random.value<T>(8);
      if (hardness == Hardness::corners && !unread) a(i, j) = corner(random);
      // Rows that are multiples of others, nearly: solutions cancel.
      if (hardness == Hardness::cancelling && !unread && i != j) a(i, j) = static_cast<T>(1.0 / double(i + j + 1));
    }
  return a;
}

}  // namespace ExaktTest

#endif
