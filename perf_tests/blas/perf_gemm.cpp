// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas3_gemm.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Layout = Kokkos::LayoutLeft;
template <class T>
using Columns = Matrix<T, Layout>;

/// The exact sum of products, whatever the type, without a filter.
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

/// C := A B.
template <class T>
Comparison compare(Columns<T> const& A, Columns<T> const& B) {
  Columns<T> const C("C", A.extent(0), B.extent(1));
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

template <class T>
Comparison compare_random(int n) {
  return compare<T>(random_matrix<T, Layout>(n, n, 1), random_matrix<T, Layout>(n, n, 2));
}

/// A square matrix times some columns; and its transpose: many rows by as many, few columns of each.
Comparison compare_columns(int n, int columns) {
  return compare<double>(random_matrix<double, Layout>(n, n, 1), random_matrix<double, Layout>(n, columns, 2));
}
Comparison compare_tall(int n, int columns) {
  return compare<double>(random_matrix<double, Layout>(columns, n, 1), random_matrix<double, Layout>(n, columns, 2));
}

/// Entries below one, multiples of 2^-bits.
Columns<double> matrix_of_multiples(int n, std::uint64_t seed, int bits) {
  Data const entries = multiples(std::int64_t{n} * n, seed, bits);
  Columns<double> const A("A", static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < entries.extent(0); ++i) A.data()[i] = entries(i);
  return A;
}

/// Small integers times multiples of 2^-53: many sums are ties.
Comparison compare_ties(int n) { return compare<double>(small_integers<Layout>(n, 1), matrix_of_multiples(n, 2, 53)); }

/// Floats held in doubles.
Comparison compare_narrow(int n) {
  return compare<double>(matrix_of_multiples(n, 1, 24), matrix_of_multiples(n, 2, 24));
}

/// In every entry products cancel in pairs, up to 2^-60 of their size.
Comparison compare_cancelling(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1), B = random_matrix<double, Layout>(n, n, 2);
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
  return compare<double>(A, B);
}

template <class Make>
void add_case(std::string const& name, int n, Make const& make, std::vector<Floor> floors = {}, double abscissa = 0) {
  // Even, so that pairs are whole, and not empty in dry runs.
  cases().push_back({name + ", n = " + std::to_string(n), std::int64_t{n} * n * n,
                     [make](std::int64_t products) { return make(std::max(4, root(products, 3) / 2 * 2)); },
                     std::move(floors), abscissa});
}

Registration const products([] {
  std::vector<Floor> const enclosure{{"OpenBLAS", 1 / 6.0}};
  add_case("gemm of doubles", 100, compare_random<double>);
  add_case("gemm of doubles", 1024, compare_random<double>, enclosure);
  add_case("gemm of doubles", 2048, compare_random<double>, enclosure);
  add_case("gemm of doubles, cancelling", 1024, compare_cancelling, {{"OpenBLAS", 1 / 40.0}});
  add_case("gemm of floats", 1024, compare_random<float>);
  for (int const n : {64, 512, 1024}) {
    add_case("gemm of doubles, ties", n, compare_ties);
    add_case("gemm of doubles, narrow", n, compare_narrow);
  }
  for (int const columns : {1, 2, 4, 8, 16}) {
    std::string const times = std::to_string(columns) + (columns == 1 ? " column" : " columns");
    cases().push_back({"gemm of doubles, " + times + ", n = 1000", std::int64_t{1'000'000} * columns,
                       [columns](std::int64_t products) {
                         return compare_columns(std::max(4, root(products / columns, 2)), columns);
                       }});
    cases().push_back({"gemm of doubles, " + times + " by as many, k = 1e5", std::int64_t{100'000} * columns * columns,
                       [columns](std::int64_t products) {
                         return compare_tall(std::max(4, static_cast<int>(products / columns / columns)), columns);
                       }});
  }
  for (int const n : {4, 16, 32, 64, 128, 256, 512, 1024, 2048})
    add_case("gemm against n", n, compare_random<double>, {}, n);
});

}  // namespace
}  // namespace ExaktPerf
