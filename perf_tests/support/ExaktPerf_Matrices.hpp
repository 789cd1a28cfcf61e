// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_MATRICES_HPP
#define EXAKTPERF_MATRICES_HPP

/// \file
/// \brief Matrices to multiply with, and samples of what must come out.

#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace ExaktPerf {

template <class T, class Layout>
using Matrix = Kokkos::View<T**, Layout, Kokkos::HostSpace>;

template <class T, class Layout>
Dense<T> dense(Matrix<T, Layout> const& A) {
  return {A.data(), static_cast<int>(A.extent(0)), static_cast<int>(A.extent(1)),
          std::is_same_v<Layout, Kokkos::LayoutRight>};
}

/// \brief The number whose given power this is, or is just below: dry runs take fewer products of a matrix.
inline int root(std::int64_t products, int power) {
  return static_cast<int>(std::lround(std::floor(std::pow(static_cast<double>(products), 1.0 / power) + 1e-6)));
}

/// \brief Random entries over two decades.
template <class T, class Layout>
Matrix<T, Layout> random_matrix(int rows, int columns, std::uint64_t seed) {
  Data const numbers = log_uniform(std::int64_t{rows} * columns, 2, seed);
  Matrix<T, Layout> A("A", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  T* const entries = A.data();
  Kokkos::parallel_for(Range(0, std::int64_t{rows} * columns),
                       [=](std::int64_t i) { entries[i] = static_cast<T>(numbers(static_cast<std::size_t>(i))); });
  Kokkos::fence();
  return A;
}

/// \brief Integers from -3 to 3.
template <class Layout>
Matrix<double, Layout> small_integers(int n, std::uint64_t seed) {
  auto const A = random_matrix<double, Layout>(n, n, seed);
  for (std::size_t i = 0; i < A.extent(0); ++i) {
    for (std::size_t j = 0; j < A.extent(1); ++j)
      A(i, j) = static_cast<double>(std::bit_cast<std::uint64_t>(A(i, j)) % 7) - 3;
  }
  return A;
}

/// \brief Entries below one, multiples of 2^-bits.
inline Data multiples(std::int64_t n, std::uint64_t seed, int bits = 53) {
  Data const x = log_uniform(n, 1, seed);
  double const scale = std::ldexp(1.0, bits);
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    std::uint64_t const random = std::bit_cast<std::uint64_t>(x(i)) << 12;
    x(i) = std::trunc(static_cast<double>(random >> 11) * 0x1p-53 * scale) / scale;
  }
  return x;
}

/// \brief A triangular system that neither grows nor shrinks: a strong diagonal.
template <class Layout>
Matrix<double, Layout> random_triangle(int n, std::uint64_t seed) {
  auto const A = random_matrix<double, Layout>(n, n, seed);
  for (std::size_t i = 0; i < A.extent(0); ++i) A(i, i) = std::copysign(16.0 * n, A(i, i)) + A(i, i);
  return A;
}

/// \brief A row or a column as a vector.
template <class At>
Data gathered(std::size_t n, At const& at) {
  Data line(Kokkos::view_alloc(Kokkos::WithoutInitializing, "line"), n);
  for (std::size_t i = 0; i < n; ++i) line(i) = at(i);
  return line;
}

/// \brief An unknown of a triangular system from those before it, with one rounding of the quotient, without a filter.
template <class At, class X>
double exact_unknown(std::size_t i, std::size_t begin, std::size_t end, At const& at, X const& x, double b) {
  Exakt::LongAccumulator<double, 56, Exakt::Terms::products> sum;
  sum += b;
  for (std::size_t j = begin; j < end; ++j) sum.subtract_product(at(i, j), x(j));
  return sum.round_quotient(at(i, i));
}

template <class T>
void require_bits(std::string const& way, T result, T expected) {
  if (std::memcmp(&result, &expected, sizeof(T)) == 0) return;
  char text[200];
  std::snprintf(text, sizeof(text), "wrong bits: %s gives %a, the exact result is %a", way.c_str(),
                static_cast<double>(result), static_cast<double>(expected));
  throw std::runtime_error(text);
}

/// \brief f(i) for some i below n, the last one among them.
template <class Function>
void for_samples(std::size_t n, std::size_t most, Function const& f) {
  std::size_t const step = (n + most - 1) / most;
  for (std::size_t i = (n - 1) % step; i < n; i += step) f(i);
}

}  // namespace ExaktPerf

#endif
