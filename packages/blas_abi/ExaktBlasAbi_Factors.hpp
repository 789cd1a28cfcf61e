// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_FACTORS_HPP
#define EXAKTBLASABI_FACTORS_HPP

/// \file
/// \brief LU and Cholesky factors, by halves of columns, and triangles.
///
///     | A11 A12 |   left half, pivots of it;  A12 := L11^-1 A12;  A22 := A22 - A21 A12;  A22 likewise
///     | A21 A22 |

#include "ExaktBlasAbi_Operations.hpp"

#include <algorithm>

namespace ExaktBlasAbi {

template <class T>
void swap_rows(Matrix<T> const& a, std::size_t i, std::size_t k) {
  for (std::size_t j = 0; i != k && j < a.extent(1); ++j) std::swap(a(i, j), a(k, j));
}

/// Exchanges row i with row pivots[i], of some rows in order, or in the reverse order.
template <class T>
void apply_pivots(Matrix<T> const& a, std::vector<std::size_t> const& pivots, Span rows, bool reverse = false) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::size_t const i = reverse ? rows.end - 1 - k : rows.begin + k;
    swap_rows(a, i, pivots[i]);
  }
}

/// \brief Factors columns [begin, end) of A, from row `begin` on; pivots count from the first row of A.
///
/// \return what LAPACK's info says: the number of the first pivot that is zero, from one, or zero.
template <class T>
std::size_t factor_columns(Matrix<T> const& a, Span columns, std::vector<std::size_t>& pivots) {
  std::size_t const m = a.extent(0), begin = columns.begin;
  if (columns.size() == 0 || begin >= m) return 0;
  if (columns.size() == 1) {
    std::size_t pivot = begin;
    for (std::size_t i = begin + 1; i < m; ++i)
      if (magnitude_for_pivots(a(i, begin)) > magnitude_for_pivots(a(pivot, begin))) pivot = i;
    pivots[begin] = pivot;
    T const divisor = a(pivot, begin);
    if (is_zero_entry(divisor)) return begin + 1;
    std::swap(a(begin, begin), a(pivot, begin));
    for (std::size_t i = begin + 1; i < m; ++i) a(i, begin) = quotient(a(i, begin), divisor);
    return 0;
  }
  // No more columns on the left than rows: each of them has a pivot.
  std::size_t const size = columns.size() < m - begin ? columns.size() : m - begin;
  std::size_t const middle = begin + (size + 1) / 2;
  Span const left{begin, middle}, right{middle, columns.end}, below{middle, m};
  std::size_t const first = factor_columns(a, left, pivots);
  auto const above = part(a, left, right);
  apply_pivots(part(a, {0, m}, right), pivots, left);
  solve_by(part(a, left, left), "L", "N", "U", above);
  if (middle < m)
    multiply(factor_in(part(a, below, left)), factor_in(above), minus_one, factor_of_one, part(a, below, right));
  std::size_t const last = middle < m ? factor_columns(a, right, pivots) : 0;
  std::size_t const pivots_end = columns.end < m ? columns.end : m;
  if (middle < m) apply_pivots(part(a, {0, m}, left), pivots, {middle, pivots_end});
  return first != 0 ? first : last;
}

template <class T>
std::ptrdiff_t factor_lu(Matrix<T> const& a, std::vector<std::size_t>& pivots) {
  pivots.assign(std::min(a.extent(0), a.extent(1)), 0);
  return static_cast<std::ptrdiff_t>(factor_columns(a, {0, a.extent(1)}, pivots));
}

template <class T>
void solve_lu(Matrix<T> const& a, std::vector<std::size_t> const& pivots, Trans trans, Matrix<T> const& b) {
  Span const all{0, a.extent(0)};
  if (trans.is('N')) {
    apply_pivots(b, pivots, all);
    solve_by(a, "L", "N", "U", b);
    solve_by(a, "U", "N", "N", b);
  } else {
    solve_by(a, "U", trans, "N", b);
    solve_by(a, "L", trans, "U", b);
    apply_pivots(b, pivots, all, true);
  }
}

/// L of L L^H in the lower triangle. (The conjugate of a matrix has the conjugate factor: a transpose will do.)
/// \return the first diagonal entry that is not positive, from one, or zero.
template <class T>
std::ptrdiff_t factor_cholesky(Matrix<T> const& a) {
  std::size_t const n = a.extent(0);
  if (n == 1) {
    Real<T> const square = Exakt::Impl::Scalar<T>::real(a(0, 0));
    a(0, 0) = T(square);
    if (!(square > 0)) return 1;
    a(0, 0) = T(std::sqrt(square));
    return 0;
  }
  std::size_t const half = n / 2;
  Span const first{0, half}, rest{half, n};
  if (std::ptrdiff_t const info = factor_cholesky(part(a, first, first))) return info;
  auto const below = part(a, rest, first);
  // X L^H = A21 is conj(L) X^T = A21^T.
  auto turned = triangle_of(reading(part(a, first, first)), "L", "C", "N");
  turned = Exakt::Impl::transposed(turned);
  solve("lapack", turned, factor_of_one, transposed_if(true, below));
  Exakt::Impl::update_triangle("lapack", Space(), NamedTriangle{true, is_complex<T>}, factor_in(below),
                               factor_in(below, "C"), minus_one, factor_of_one, part(a, rest, rest));
  std::ptrdiff_t const info = factor_cholesky(part(a, rest, rest));
  return info == 0 ? 0 : info + static_cast<std::ptrdiff_t>(half);
}

/// The first zero on the diagonal, from one, or zero.
template <class T>
std::ptrdiff_t first_zero(Matrix<T> const& a, Diag diag) {
  for (std::size_t i = 0; i < a.extent(0) && diag.is('N'); ++i)
    if (is_zero_entry(a(i, i))) return static_cast<std::ptrdiff_t>(i) + 1;
  return 0;
}

/// f(i, j) for the entries of a triangle.
template <class F>
void for_triangle(std::size_t n, Uplo uplo, Diag diag, F const& f) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (i == j ? diag.is('N') : uplo.is('L') == (i > j)) f(i, j);
}

/// The inverse in place of a triangle: the solutions of A X = I.
template <class T>
void invert_triangle(Matrix<T> const& a, Uplo uplo, Diag diag) {
  Zeros<T> const inverse(a.extent(0), a.extent(0));
  for (std::size_t i = 0; i < a.extent(0); ++i) inverse.view(i, i) = T(1);
  solve_by(a, uplo, "N", diag, inverse.view);
  for_triangle(a.extent(0), uplo, diag, [&](std::size_t i, std::size_t j) { a(i, j) = inverse.view(i, j); });
}

/// U U^H or L^H L in place of the triangle.
template <class T>
void square_triangle(Matrix<T> const& a, Uplo uplo) {
  Zeros<T> const triangle(a.extent(0), a.extent(0));
  for_triangle(a.extent(0), uplo, "N", [&](std::size_t i, std::size_t j) { triangle.view(i, j) = a(i, j); });
  bool const is_lower = uplo.is('L');
  Exakt::Impl::update_triangle("lapack", Space(), NamedTriangle{is_lower, is_complex<T>},
                               factor_in(triangle.view, is_lower ? "C" : "N"),
                               factor_in(triangle.view, is_lower ? "N" : "C"), factor_of_one, nothing, a);
}

}  // namespace ExaktBlasAbi

#endif
