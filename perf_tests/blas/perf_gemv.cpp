// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas2_gemv.hpp>

namespace ExaktPerf {
namespace {

/// y := op(A) x with a square matrix.
template <class Layout>
Comparison compare(char op, Matrix<double, Layout> const& A, Data const& x) {
  int const n = static_cast<int>(A.extent(0));
  Data const y("y", x.extent(0));
  auto const check = [=](std::string const& way) {
    for_samples(y.extent(0), 40, [&](std::size_t i) {
      auto const line = gathered(x.extent(0), [=](std::size_t j) { return op == 'N' ? A(i, j) : A(j, i); });
      require_bits(way, y(i), reference(Verb::dot, line, x));
    });
  };
  char const name[] = {op, '\0'};
  Comparison ways(std::int64_t{n} * n, sizeof(double), check);
  ways.add_exact("Exakt::gemv", [=] {
    Exakt::gemv(name, 1.0, A, x, 0.0, y);
    return 0.0;
  });
  auto const add_peer = [&](char const* peer, auto const& gemv) {
    if (gemv) {
      ways.add_plain(peer, [=] {
        gemv(op, dense(A), x.data(), y.data());
        return 0.0;
      });
    }
  };
  add_peer("OpenBLAS", open_blas().gemv);
  add_peer("KokkosKernels", kokkos_kernels().gemv);
  return ways;
}

template <class Layout>
Comparison compare_random(char op, int n) {
  return compare<Layout>(op, random_matrix<double, Layout>(n, n, 1), log_uniform(n, 2, 2));
}

/// Small integers times multiples of 2^-53: many sums are ties.
template <class Layout>
Comparison compare_ties(char op, int n) {
  return compare<Layout>(op, small_integers<Layout>(n, 1), multiples(n, 2));
}

/// A diagonal, of which every other entry is zero.
template <class Layout>
Comparison compare_diagonal(char op, int n) {
  auto const size = static_cast<std::size_t>(n);
  Kokkos::View<double**, Layout, Kokkos::HostSpace> const A("A", size, size);
  Data const entries = log_uniform(n, 2, 1);
  for (std::size_t i = 0; i < size; i += 2) A(i, i) = entries(i);
  return compare<Layout>(op, A, log_uniform(n, 2, 2));
}

template <class Layout>
void add_case(std::string const& name, char op, int n, std::vector<Floor> floors = {}, double abscissa = 0,
              Comparison (*make)(char, int) = compare_random<Layout>) {
  cases().push_back({name + ", n = " + std::to_string(n), std::int64_t{n} * n,
                     [op, make](std::int64_t entries) { return make(op, root(entries, 2)); }, std::move(floors),
                     abscissa});
}

Registration const products([] {
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  std::vector<Floor> const in_cache{{"OpenBLAS", 0.4}}, in_memory{{"OpenBLAS", 0.9}, {"KokkosKernels", 1}};
  for (char const op : {'N', 'T'}) {
    std::string const mode(1, op);
    add_case<Left>("gemv " + mode + ", LayoutLeft", op, 512, in_cache);
    add_case<Left>("gemv " + mode + ", LayoutLeft", op, 8192, in_memory);
    add_case<Right>("gemv " + mode + ", LayoutRight", op, 512, in_cache);
    add_case<Right>("gemv " + mode + ", LayoutRight", op, 8192, in_memory);
  }
  for (int const n : {16, 64}) add_case<Left>("gemv N, LayoutLeft", 'N', n);
  for (char const op : {'N', 'T'}) {
    for (int const n : {64, 512, 1024})
      add_case<Left>(std::string("gemv ") + op + ", LayoutLeft, ties", op, n, {}, 0, compare_ties<Left>);
    for (int const n : {64, 512, 1024})
      add_case<Left>(std::string("gemv ") + op + ", LayoutLeft, diagonal", op, n, {}, 0, compare_diagonal<Left>);
  }
  for (int const n : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) add_case<Left>("gemv against n", 'N', n, {}, n);
});

}  // namespace
}  // namespace ExaktPerf
