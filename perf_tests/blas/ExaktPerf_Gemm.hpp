// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_GEMM_HPP
#define EXAKTPERF_GEMM_HPP

/// \file
/// \brief gemm beside OpenBLAS, and factors of several kinds: which sums are hard to round depends on the data.

#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas3_gemm.hpp>

#include <algorithm>
#include <random>

namespace ExaktPerf {

template <class T>
using Columns = Matrix<T, Kokkos::LayoutLeft>;
using Square = Columns<double>;

template <class T>
struct Factors {
  Columns<T> A, B;
};

/// \brief The exact sum of products, whatever the type, without a filter.
template <class T>
T exact_entry(Columns<T> const& A, Columns<T> const& B, std::size_t i, std::size_t j) {
  std::size_t const k = A.extent(1);
  if constexpr (std::is_same_v<T, double>) {
    return reference(Verb::dot, gathered(k, [=](std::size_t l) { return A(i, l); }),
                     gathered(k, [=](std::size_t l) { return B(l, j); }));
  } else {
    Exakt::LongAccumulator<double, 56, Exakt::Terms::products> sum;
    for (std::size_t l = 0; l < k; ++l) sum.add_product(A(i, l), B(l, j));
    return sum.template round<T>();
  }
}

/// \brief C := A B.
template <class T>
Comparison compare_gemm(Factors<T> const& factors) {
  Columns<T> const A = factors.A, B = factors.B, C("C", A.extent(0), B.extent(1));
  auto const check = [=](std::string const& way) {
    for_samples(C.extent(1), 7, [&](std::size_t j) {
      for_samples(C.extent(0), 7, [&](std::size_t i) { require_bits(way, C(i, j), exact_entry(A, B, i, j)); });
    });
  };
  auto const m = static_cast<double>(A.extent(0)), n = static_cast<double>(B.extent(1));
  auto const k = static_cast<double>(A.extent(1));
  Comparison ways(static_cast<std::int64_t>(m * n * k), sizeof(T) * (1 / m + 1 / n + 1 / k), check);
  ways.add_exact("Exakt::gemm", [=] {
    Exakt::gemm("N", "N", 1, A, B, 0, C);
    return 0.0;
  });
  auto const add_peer = [&](auto const& gemm) {
    if (gemm) {
      ways.add_plain("OpenBLAS", [=] {
        gemm(dense(A), dense(B), dense(C));
        return 0.0;
      });
    }
  };
  if constexpr (std::is_same_v<T, double>) {
    add_peer(open_blas().gemm);
  } else {
    add_peer(open_blas().sgemm);
  }
  return ways;
}

/// \brief A case of n x n matrices that `make(n)` returns.
template <class T>
void add_gemm_case(std::string const& name, int n, Factors<T> (*make)(int), std::vector<Floor> floors = {},
                   double abscissa = 0) {
  // Even, so that pairs are whole, and not empty in dry runs.
  cases().push_back(
      {name + ", n = " + std::to_string(n), std::int64_t{n} * n * n,
       [make](std::int64_t products) { return compare_gemm(make(std::max(4, root(products, 3) / 2 * 2))); },
       std::move(floors), abscissa});
}

template <class Number>
Square square_of(int n, std::uint64_t seed, Number number) {
  auto const size = static_cast<std::size_t>(n);
  Square const A("A", size, size);
  std::mt19937_64 bits(seed);
  for (std::size_t e = 0; e < A.size(); ++e) A.data()[e] = number(bits);
  return A;
}

inline double uniform(std::mt19937_64& bits) { return std::uniform_real_distribution<double>(-1, 1)(bits); }
inline double normal(std::mt19937_64& bits) { return std::normal_distribution<double>()(bits); }

inline Factors<double> uniform_factors(int n) { return {square_of(n, 1, uniform), square_of(n, 2, uniform)}; }
inline Factors<double> normal_factors(int n) { return {square_of(n, 1, normal), square_of(n, 2, normal)}; }

/// \brief Log-uniform over two decades.
template <class T>
Factors<T> random_factors(int n) {
  return {random_matrix<T, Kokkos::LayoutLeft>(n, n, 1), random_matrix<T, Kokkos::LayoutLeft>(n, n, 2)};
}

/// \brief Entries below one, multiples of 2^-bits.
inline Square square_of_multiples(int n, std::uint64_t seed, int bits) {
  Data const entries = multiples(std::int64_t{n} * n, seed, bits);
  Square const A("A", static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < entries.extent(0); ++i) A.data()[i] = entries(i);
  return A;
}

/// \brief Small integers times multiples of 2^-53: many sums are ties.
inline Factors<double> tied_factors(int n) {
  return {small_integers<Kokkos::LayoutLeft>(n, 1), square_of_multiples(n, 2, 53)};
}

/// \brief Floats held in doubles.
inline Factors<double> narrow_factors(int n) { return {square_of_multiples(n, 1, 24), square_of_multiples(n, 2, 24)}; }

/// \brief Eight blocks along the diagonal: seven of eight entries of the product are zero.
inline Factors<double> block_factors(int n) {
  auto const [A, B] = uniform_factors(n);
  for (Square const& M : {A, B}) {
    std::size_t const side = (M.extent(0) + 7) / 8;
    for (std::size_t j = 0; j < M.extent(1); ++j) {
      for (std::size_t i = 0; i < M.extent(0); ++i)
        if (i / side != j / side) M(i, j) = 0;
    }
  }
  return {A, B};
}

/// \brief In every entry products cancel in pairs, up to 2^-60 of their size.
inline Factors<double> cancelling_factors(int n) {
  auto const [A, B] = random_factors<double>(n);
  for (std::size_t j = 0; j + 3 < A.extent(1); j += 2) {
    for (std::size_t i = 0; i < A.extent(0); ++i) {
      A(i, j + 1) = A(i, j);
      B(j + 1, i) = -B(j, i);
    }
  }
  for (std::size_t i = 0; i < A.extent(0); ++i) {
    for (std::size_t j = A.extent(1) - 2; j < A.extent(1); ++j) {
      A(i, j) *= 0x1p-30;
      B(j, i) *= 0x1p-30;
    }
  }
  return {A, B};
}

}  // namespace ExaktPerf

#endif
