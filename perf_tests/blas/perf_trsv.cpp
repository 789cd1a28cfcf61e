// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trsm.hpp>

namespace ExaktPerf {
namespace {

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

/// op(A) x = b with a lower triangle. Each way has to copy b.
template <class Layout>
Comparison compare_trsv(char op, int n) {
  auto const A = random_triangle<Layout>(n, 1);
  Data const b = log_uniform(n, 2, 2);
  Data const x("x", b.extent(0));
  auto const check = [=](std::string const& way) {
    auto const at = [=](std::size_t i, std::size_t j) { return op == 'N' ? A(i, j) : A(j, i); };
    for_samples(x.extent(0), 40, [&](std::size_t i) {
      std::size_t const begin = op == 'N' ? 0 : i + 1, end = op == 'N' ? i : x.extent(0);
      require_bits(way, x(i), exact_unknown(i, begin, end, at, x, b(i)));
    });
  };
  char const name[] = {op, '\0'};
  Comparison ways(std::int64_t{n} * n / 2, sizeof(double), check);
  ways.add_exact("Exakt::trsv", [=] {
    Kokkos::deep_copy(x, b);
    Exakt::trsv("L", name, "N", A, x);
    return 0.0;
  });
  if (auto const& trsv = open_blas().trsv) {
    ways.add_plain("OpenBLAS", [=] {
      Kokkos::deep_copy(x, b);
      trsv(op, dense(A), x.data());
      return 0.0;
    });
  }
  return ways;
}

/// A X = B with a lower triangle.
Comparison compare_trsm(int n, int right_sides) {
  auto const A = random_triangle<Left>(n, 1);
  auto const B = random_matrix<double, Left>(n, right_sides, 2);
  Matrix<double, Left> const X("X", B.extent(0), B.extent(1));
  auto const check = [=](std::string const& way) {
    for_samples(X.extent(1), 5, [&](std::size_t k) {
      for_samples(X.extent(0), 20, [&](std::size_t i) {
        require_bits(way, X(i, k), exact_unknown(i, 0, i, A, Kokkos::subview(X, Kokkos::ALL, k), B(i, k)));
      });
    });
  };
  Comparison ways(std::int64_t{n} * n / 2 * right_sides, 1.0 * sizeof(double) / right_sides, check);
  ways.add_exact("Exakt::trsm", [=] {
    Kokkos::deep_copy(X, B);
    Exakt::trsm("L", "L", "N", "N", 1, A, X);
    return 0.0;
  });
  if (auto const& trsm = open_blas().trsm) {
    ways.add_plain("OpenBLAS", [=] {
      Kokkos::deep_copy(X, B);
      trsm(dense(A), dense(X));
      return 0.0;
    });
  }
  return ways;
}

template <class Layout>
void add_trsv(std::string const& name, char op, int n, std::vector<Floor> floors = {}, double abscissa = 0) {
  cases().push_back({name + ", n = " + std::to_string(n), std::int64_t{n} * n,
                     [op](std::int64_t entries) { return compare_trsv<Layout>(op, root(entries, 2)); },
                     std::move(floors), abscissa});
}

Registration const systems([] {
  std::vector<Floor> const in_memory{{"OpenBLAS", 0.7}};
  for (char const op : {'N', 'T'}) {
    std::string const mode(1, op);
    add_trsv<Left>("trsv " + mode + ", LayoutLeft", op, 512);
    add_trsv<Left>("trsv " + mode + ", LayoutLeft", op, 8192, in_memory);
    add_trsv<Right>("trsv " + mode + ", LayoutRight", op, 8192, in_memory);
  }
  for (int const n : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) add_trsv<Left>("trsv against n", 'N', n, {}, n);

  constexpr int right_sides = 64;
  for (auto const& [n, floor] : {std::pair{64, 1 / 4.0}, {512, 1 / 3.0}, {2048, 1 / 2.5}})
    cases().push_back({"trsm, n = " + std::to_string(n) + ", 64 right-hand sides",
                       std::int64_t{n} * n,
                       [=](std::int64_t entries) { return compare_trsm(root(entries, 2), right_sides); },
                       {{"OpenBLAS", floor}}});
});

}  // namespace
}  // namespace ExaktPerf
