// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_OPERATIONS_HPP
#define EXAKTBLASABI_OPERATIONS_HPP

/// \file
/// \brief What LAPACK's routines are made of: products, sums and quotients of matrices, each entry rounded once.
///
/// Which of them there are depends on sizes alone: the same bits with any number of threads, on any processor.

#include "ExaktBlasAbi_Operands.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace ExaktBlasAbi {

using Exakt::Impl::ExactProducts;
using Exakt::Impl::part_of;
using Exakt::Impl::Span;

inline constexpr Factor minus_one{-1, 0, false}, nothing{0, 0, false};

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

/// By its bits, whatever the environment makes of subnormal numbers.
template <class T>
bool is_zero_entry(T const& x) {
  return Exakt::Impl::is_zero(part_of(x, false)) && Exakt::Impl::is_zero(part_of(x, true));
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
Matrix<T> part(Matrix<T> const& a, Span rows, Span columns) {
  return Exakt::Impl::part_of(a, rows, columns);
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

}  // namespace ExaktBlasAbi

#endif
