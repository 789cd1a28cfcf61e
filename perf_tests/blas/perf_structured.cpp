// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas2_ger.hpp>
#include <ExaktBlas2_symv.hpp>
#include <ExaktBlas3_gemm.hpp>
#include <ExaktBlas3_symm.hpp>
#include <ExaktBlas3_syrk.hpp>
#include <ExaktBlas3_trmm.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Layout = Kokkos::LayoutLeft;
using Square = Matrix<double, Layout>;

Square square(int n, std::uint64_t seed) { return random_matrix<double, Layout>(n, n, seed); }
Data random_vector(int n, std::uint64_t seed) { return log_uniform(n, 2, seed); }

/// The exact sum of products of a row and a column, without a filter.
template <class Row, class Column>
double exact_entry(std::size_t n, Row const& row, Column const& column) {
  return reference(Verb::dot, gathered(n, row), gathered(n, column));
}

/// check(i, j) for some entries of a lower triangle, or of all.
template <class Check>
void for_entries(std::size_t n, bool of_triangle, Check const& check) {
  for_samples(n, 7, [&](std::size_t j) {
    for_samples(n, 7, [&](std::size_t i) {
      if (!of_triangle || j <= i) check(i, j);
    });
  });
}

/// A way that returns nothing.
template <class Call>
auto timed(Call const& call) {
  return [call] {
    call();
    return 0.0;
  };
}

Comparison compare_symv(int n) {
  Square const A = square(n, 1);
  Data const x = random_vector(n, 2), y("y", A.extent(0));
  auto const check = [=](std::string const& way) {
    for_samples(y.extent(0), 40, [&](std::size_t i) {
      auto const row = [=](std::size_t j) { return j <= i ? A(i, j) : A(j, i); };
      require_bits(way, y(i), exact_entry(y.extent(0), row, x));
    });
  };
  Comparison ways(std::int64_t{n} * n, sizeof(double) / 2.0, check);
  ways.add_exact("Exakt::symv", timed([=] { Exakt::symv("L", 1, A, x, 0, y); }));
  if (auto const& symv = open_blas().symv)
    ways.add_plain("OpenBLAS", timed([=] { symv(dense(A), x.data(), y.data()); }));
  return ways;
}

/// A := alpha x y^T + A. Each way has to copy A.
Comparison compare_ger(int n) {
  Square const A("A", static_cast<std::size_t>(n), static_cast<std::size_t>(n)), old = square(n, 1);
  Data const x = random_vector(n, 2), y = random_vector(n, 3);
  double const alpha = 0.3;
  auto const check = [=](std::string const& way) {
    for_entries(A.extent(0), false, [&](std::size_t i, std::size_t j) {
      Exakt::LongAccumulator<double, 56, Exakt::Terms::products> product;
      product.add_product(x(i), y(j));
      Exakt::LongAccumulator<double, 56, Exakt::Terms::scaled_products> sum;
      sum.add_scaled_sum(product, alpha);
      sum.add_product(1.0, old(i, j));
      require_bits(way, A(i, j), sum.round());
    });
  };
  Comparison ways(std::int64_t{n} * n, 4 * sizeof(double), check);
  ways.add_exact("Exakt::ger", timed([=] {
                   Kokkos::deep_copy(A, old);
                   Exakt::ger(alpha, x, y, A);
                 }));
  if (auto const& ger = open_blas().ger) {
    ways.add_plain("OpenBLAS", timed([=] {
                     Kokkos::deep_copy(A, old);
                     ger(alpha, x.data(), y.data(), dense(A));
                   }));
  }
  return ways;
}

/// Beside it a product of two matrices, of which it is to take little more than half.
Comparison compare_syrk(int n) {
  Square const A = square(n, 1), B = square(n, 2), C("C", A.extent(0), A.extent(0)), D("D", A.extent(0), A.extent(0));
  auto const check = [=](std::string const& way) {
    if (way == "Exakt::gemm") return;
    for_entries(A.extent(0), true, [&](std::size_t i, std::size_t j) {
      auto const row = [=](std::size_t l) { return A(i, l); };
      require_bits(way, C(i, j), exact_entry(A.extent(0), row, [=](std::size_t l) { return A(j, l); }));
    });
  };
  Comparison ways(std::int64_t{n} * n * n / 2, 3.0 * sizeof(double) / n, check);
  ways.add_exact("Exakt::syrk", timed([=] { Exakt::syrk("L", "N", 1, A, 0, C); }));
  ways.add_exact("Exakt::gemm", timed([=] { Exakt::gemm("N", "T", 1, A, B, 0, D); }));
  if (auto const& syrk = open_blas().syrk) ways.add_plain("OpenBLAS", timed([=] { syrk(dense(A), dense(C)); }));
  return ways;
}

Comparison compare_symm(int n) {
  Square const A = square(n, 1), B = square(n, 2), C("C", A.extent(0), A.extent(0));
  auto const check = [=](std::string const& way) {
    for_entries(A.extent(0), false, [&](std::size_t i, std::size_t j) {
      auto const row = [=](std::size_t l) { return l <= i ? A(i, l) : A(l, i); };
      require_bits(way, C(i, j), exact_entry(A.extent(0), row, [=](std::size_t l) { return B(l, j); }));
    });
  };
  Comparison ways(std::int64_t{n} * n * n, 3.0 * sizeof(double) / n, check);
  ways.add_exact("Exakt::symm", timed([=] { Exakt::symm("L", "L", 1, A, B, 0, C); }));
  if (auto const& symm = open_blas().symm)
    ways.add_plain("OpenBLAS", timed([=] { symm(dense(A), dense(B), dense(C)); }));
  return ways;
}

/// Each way has to copy B.
Comparison compare_trmm(int n) {
  Square const A = square(n, 1), B = square(n, 2), X("X", A.extent(0), A.extent(0));
  auto const check = [=](std::string const& way) {
    for_entries(A.extent(0), false, [&](std::size_t i, std::size_t j) {
      auto const row = [=](std::size_t l) { return A(i, l); };
      require_bits(way, X(i, j), exact_entry(i + 1, row, [=](std::size_t l) { return B(l, j); }));
    });
  };
  Comparison ways(std::int64_t{n} * n * n / 2, 3.0 * sizeof(double) / n, check);
  ways.add_exact("Exakt::trmm", timed([=] {
                   Kokkos::deep_copy(X, B);
                   Exakt::trmm("L", "L", "N", "N", 1, A, X);
                 }));
  if (auto const& trmm = open_blas().trmm) {
    ways.add_plain("OpenBLAS", timed([=] {
                     Kokkos::deep_copy(X, B);
                     trmm(dense(A), dense(X));
                   }));
  }
  return ways;
}

/// \param power  Of n, in the number of products.
void add_case(std::string const& name, int n, int power, Comparison (*compare)(int)) {
  std::int64_t const products = power == 2 ? std::int64_t{n} * n : std::int64_t{n} * n * n;
  cases().push_back({name + ", n = " + std::to_string(n),
                     products,
                     [=](std::int64_t some) { return compare(std::max(4, root(some, power))); },
                     {},
                     0});
}

Registration const products([] {
  for (int const n : {100, 512, 4096}) {
    add_case("symv", n, 2, compare_symv);
    add_case("ger", n, 2, compare_ger);
  }
  for (int const n : {100, 1024, 2048}) {
    add_case("syrk", n, 3, compare_syrk);
    add_case("symm", n, 3, compare_symm);
    add_case("trmm", n, 3, compare_trmm);
  }
});

}  // namespace
}  // namespace ExaktPerf
