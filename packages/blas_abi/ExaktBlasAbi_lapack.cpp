// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Factorizations whose every product, sum and quotient of matrices is one of packages/blas, each entry rounded once.
///
/// Which operations there are depends on the sizes alone: the same bits with any number of threads, on any processor.
///
///     | A11 A12 |   left half, pivots of it;  A12 := L11^-1 A12;  A22 := A22 - A21 A12;  A22 likewise
///     | A21 A22 |
#include "ExaktBlasAbi_Lapack.hpp"
#include "ExaktBlasAbi_Operands.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ExaktBlasAbi {
namespace {

using Exakt::Impl::exact_double;
using Exakt::Impl::ExactProducts;
using Exakt::Impl::part_of;
using Exakt::Impl::Span;

constexpr Factor minus_one{-1, 0, false}, nothing{0, 0, false};

template <class T>
Matrix<T const> reading(Matrix<T> const& a) {
  return Exakt::Impl::by_strides<T const>(a, false);
}

/// op(A) of some rows and columns.
template <class T>
Operated<T> factor_in(Matrix<T> const& a, Trans trans = "N") {
  return operated(reading(a), trans);
}

/// C := alpha op(A) op(B) + beta C.
template <class T>
void multiply(Operated<T> const& a, Operated<T> const& b, Factor const& alpha, Factor const& beta, Matrix<T> const& c) {
  if (c.extent(0) == 0 || c.extent(1) == 0) return;
  Exakt::Impl::multiply_matrices("lapack", Space(), a, b, alpha, beta, c);
}

/// op(A) X = B for a triangle of A.
template <class T>
void solve_by(Matrix<T> const& a, Uplo uplo, Trans trans, Diag diag, Matrix<T> const& b) {
  if (a.extent(0) > 0 && b.extent(1) > 0) solve("lapack", triangle_of(reading(a), uplo, trans, diag), factor_of_one, b);
}

/// x / y, each part rounded once.
template <class T>
T quotient(T const& x, T const& y) {
  if constexpr (is_complex<T>) {
    Exakt::Impl::Enclosure const dividend[] = {{part_of(x, false), 0, 0}, {part_of(x, true), 0, 0}};
    double const real = part_of(y, false), imaginary = part_of(y, true);
    T result;
    auto const try_part = [&](int part, Real<T>& to) {
      return Exakt::Impl::try_divide_by_complex(dividend, real, imaginary, part, to);
    };
    if (Exakt::Impl::try_parts(try_part, result)) return result;
    ExactProducts exact[2];
    for (int part = 0; part < 2; ++part) exact[part].add_product(part_of(x, part == 1), 1.0);
    Real<T> parts[2];
    Exakt::Impl::divide_by_complex(exact, real, imaginary, parts);
    return Exakt::Impl::entry_of<T>(parts);
  } else {
    return x / y;
  }
}

template <class T>
bool is_zero_entry(T const& x) {
  return part_of(x, false) == 0 && part_of(x, true) == 0;
}

/// f of each part.
template <class T, class F>
T by_parts(T const& x, F const& f) {
  if constexpr (is_complex<T>) {
    return T(f(x.real()), f(x.imag()));
  } else {
    return f(x);
  }
}

template <class T>
Real<T> magnitude_for_pivots(T const& x) {
  if constexpr (is_complex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

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

template <class T>
Matrix<T> part(Matrix<T> const& a, Span rows, Span columns) {
  return Exakt::Impl::part_of(a, rows, columns);
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

/// A matrix of zeros.
template <class T>
struct Zeros {
  std::vector<T> memory;
  Matrix<T> view;

  Zeros(std::size_t rows, std::size_t columns)
      : memory(rows * columns + 1),
        view(matrix_of(memory.data(), static_cast<std::ptrdiff_t>(rows), 1, static_cast<std::ptrdiff_t>(columns),
                       static_cast<std::ptrdiff_t>(rows))) {}
};

/// \brief x := (beta, v(2), ...), with H^H x = (beta, 0, ...), H = I - tau v v^H, v(1) = 1, beta real.
template <class T>
T reflect(Matrix<T> const& x) {
  using R = Real<T>;
  std::size_t const n = x.extent(0);
  T& first = x(0, 0);
  bool is_reflected = part_of(first, true) != 0;
  for (std::size_t i = 1; i < n; ++i) is_reflected = is_reflected || !is_zero_entry(x(i, 0));
  if (!is_reflected) return T(0);
  auto const norm = [&] {
    ExactProducts squares;
    for (std::size_t i = 0; i < n; ++i)
      for (int p = 0; p < (is_complex<T> ? 2 : 1); ++p)
        squares.add_product(part_of(x(i, 0), p == 1), part_of(x(i, 0), p == 1));
    return squares.template round_sqrt<R>();
  };
  // Small numbers are multiplied by a power of two first: subnormal ones have few bits.
  R const up = sizeof(R) == 4 ? R(0x1p75) : R(0x1p600);
  R size = norm();
  bool const is_small = size < std::numeric_limits<R>::min();
  if (is_small) {
    for (std::size_t i = 0; i < n; ++i) x(i, 0) = by_parts(x(i, 0), [&](R part) { return part * up; });
    size = norm();
  }
  R const real = Exakt::Impl::Scalar<T>::real(first), beta = std::signbit(real) ? size : -size;
  T divisor = first;
  if constexpr (is_complex<T>) {
    divisor = T(real - beta, first.imag());
  } else {
    divisor = real - beta;
  }
  for (std::size_t i = 1; i < n; ++i) x(i, 0) = quotient(x(i, 0), divisor);
  T tau;
  if constexpr (is_complex<T>) {
    tau = T((beta - real) / beta, -first.imag() / beta);
  } else {
    tau = (beta - real) / beta;
  }
  first = T(is_small ? beta / up : beta);
  return tau;
}

/// The reflectors' vectors that A has below its diagonal, with the ones and zeros that it has not.
template <class T>
Zeros<T> reflectors_of(Matrix<T> const& a) {
  Zeros<T> v(a.extent(0), a.extent(1));
  for (std::size_t j = 0; j < a.extent(1); ++j) {
    v.view(j, j) = T(1);
    for (std::size_t i = j + 1; i < a.extent(0); ++i) v.view(i, j) = a(i, j);
  }
  return v;
}

/// C := (I - V T V^H)^H C.
template <class T>
void apply_reflectors(Matrix<T> const& v, Matrix<T> const& t, Matrix<T> const& c) {
  Zeros<T> const w(v.extent(1), c.extent(1)), tw(v.extent(1), c.extent(1));
  multiply(factor_in(v, "C"), factor_in(c), factor_of_one, nothing, w.view);
  multiply(factor_in(t, "C"), factor_in(w.view), factor_of_one, nothing, tw.view);
  multiply(factor_in(v), factor_in(tw.view), minus_one, factor_of_one, c);
}

/// \brief Q R of a panel of no more columns than rows; Q = I - V T V^H for an upper triangular T, which is zeros before.
template <class T>
void factor_panel(Matrix<T> const& a, Matrix<T> const& t) {
  std::size_t const m = a.extent(0), n = a.extent(1);
  if (n == 1) {
    t(0, 0) = reflect(a);
    return;
  }
  std::size_t const half = n / 2;
  Span const left{0, half}, right{half, n}, below{half, m};
  factor_panel(part(a, {0, m}, left), part(t, left, left));
  auto const v = reflectors_of(part(a, {0, m}, left));
  apply_reflectors(v.view, part(t, left, left), part(a, {0, m}, right));
  factor_panel(part(a, below, right), part(t, right, right));
  // T12 = -T1 V1^H V2 T2
  auto const v2 = reflectors_of(part(a, below, right));
  Zeros<T> const products(half, n - half), half_done(half, n - half);
  multiply(factor_in(part(v.view, below, left), "C"), factor_in(v2.view), factor_of_one, nothing, products.view);
  multiply(factor_in(part(t, left, left)), factor_in(products.view), minus_one, nothing, half_done.view);
  multiply(factor_in(half_done.view), factor_in(part(t, right, right)), factor_of_one, nothing, part(t, left, right));
}

template <class T>
void factor_qr(Matrix<T> const& a, T* tau) {
  constexpr std::size_t panel = 32;
  std::size_t const m = a.extent(0), n = a.extent(1), count = m < n ? m : n;
  for (Span const columns : Exakt::Impl::Pieces{{0, count}, panel}) {
    Span const rows{columns.begin, m}, rest{columns.end, n};
    auto const some = part(a, rows, columns);
    Zeros<T> const t(columns.size(), columns.size());
    factor_panel(some, t.view);
    for (std::size_t j = 0; j < columns.size(); ++j) tau[columns.begin + j] = t.view(j, j);
    if (rest.size() > 0) apply_reflectors(reflectors_of(some).view, t.view, part(a, rows, rest));
  }
}

// ---- arguments

void tell_pivots(std::vector<std::size_t> const& from, Integers to) {
  for (std::size_t i = 0; i < from.size(); ++i) to.set(i, static_cast<std::ptrdiff_t>(from[i]) + 1);
}
std::vector<std::size_t> told_pivots(Integers from, std::ptrdiff_t n) {
  std::vector<std::size_t> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::size_t>(from.get(i) - 1);
  return result;
}

/// Whether an argument is wrong; info says which, or zero.
bool is_refused(Call const& call, Integers info) {
  info.set(0, -call.wrong_argument());
  return call.is_refused();
}

}  // namespace

template <class T>
void getrf(Call& call, Integer m, Integer n, T* a, Integer lda, Integers pivots, Integers info) {
  call.require_size(1, m);
  call.require_size(2, n);
  call.require_leading(4, lda, m, n);
  if (is_refused(call, info) || m == 0 || n == 0) return;
  auto const A = call.matrix(a, m, n, lda);
  call.write(
      [&] {
        std::vector<std::size_t> rows;
        info.set(0, factor_lu(A, rows));
        tell_pivots(rows, pivots);
      },
      A);
}

template <class T>
void getrs(Call& call, Trans trans, Integer n, Integer nrhs, T const* a, Integer lda, Integers pivots, T* b,
           Integer ldb, Integers info) {
  call.require(1, trans.is_known());
  call.require_size(2, n);
  call.require_size(3, nrhs);
  call.require_leading(5, lda, n, n);
  call.require_leading(8, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0 || nrhs == 0) return;
  auto const A = call.matrix(const_cast<T*>(a), n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  call.write([&] { solve_lu(A, told_pivots(pivots, n), trans, B); }, B);
}

template <class T>
void gesv(Call& call, Integer n, Integer nrhs, T* a, Integer lda, Integers pivots, T* b, Integer ldb, Integers info) {
  call.require_size(1, n);
  call.require_size(2, nrhs);
  call.require_leading(4, lda, n, n);
  call.require_leading(7, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  call.write(
      [&] {
        std::vector<std::size_t> rows;
        std::ptrdiff_t const zero = factor_lu(A, rows);
        info.set(0, zero);
        tell_pivots(rows, pivots);
        if (zero == 0) solve_lu(A, rows, "N", B);
      },
      A, B);
}

template <class T>
void potrf(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_leading(4, lda, n, n);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda);
  call.write([&] { info.set(0, factor_cholesky(transposed_if(uplo.is('U'), A))); }, A);
}

template <class T>
void potrs(Call& call, Uplo uplo, Integer n, Integer nrhs, T const* a, Integer lda, T* b, Integer ldb, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_size(3, nrhs);
  call.require_leading(5, lda, n, n);
  call.require_leading(7, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0 || nrhs == 0) return;
  auto const A = call.matrix(const_cast<T*>(a), n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  bool const is_lower = uplo.is('L');
  call.write(
      [&] {
        solve_by(A, uplo, is_lower ? "N" : "C", "N", B);
        solve_by(A, uplo, is_lower ? "C" : "N", "N", B);
      },
      B);
}

template <class T>
void geqrf(Call& call, Integer m, Integer n, T* a, Integer lda, T* tau, T* work, Integer lwork, Integers info) {
  std::ptrdiff_t const least = std::max<std::ptrdiff_t>(n, 1);
  bool const is_query = lwork == -1;
  call.require_size(1, m);
  call.require_size(2, n);
  call.require_leading(4, lda, m, n);
  call.require(7, is_query || lwork >= least);
  if (is_refused(call, info)) return;
  work[0] = T(static_cast<Real<T>>(least));
  if (is_query || m == 0 || n == 0) return;
  auto const A = call.matrix(a, m, n, lda);
  call.write([&] { factor_qr(A, tau); }, A);
}

#define EXAKT_INSTANTIATE(T)                                                                               \
  template void getrf(Call&, Integer, Integer, T*, Integer, Integers, Integers);                           \
  template void getrs(Call&, Trans, Integer, Integer, T const*, Integer, Integers, T*, Integer, Integers); \
  template void gesv(Call&, Integer, Integer, T*, Integer, Integers, T*, Integer, Integers);               \
  template void potrf(Call&, Uplo, Integer, T*, Integer, Integers);                                        \
  template void potrs(Call&, Uplo, Integer, Integer, T const*, Integer, T*, Integer, Integers);            \
  template void geqrf(Call&, Integer, Integer, T*, Integer, T*, T*, Integer, Integers);
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)

}  // namespace ExaktBlasAbi
