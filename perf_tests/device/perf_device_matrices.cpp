// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Matrices in the memory of the default execution space, a GPU where there is one, beside cuBLAS.

#include "ExaktPerf_CudaPeers.hpp"
#include "ExaktPerf_Device.hpp"
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_gemm.hpp>

namespace ExaktPerf {
namespace {

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

/// y := op(A) x with a square matrix.
template <class Layout>
Comparison compare_gemv(char op, int n) {
  auto const A_here = random_matrix<double, Layout>(n, n, 1);
  Data const x_here = log_uniform(n, 2, 2);
  DeviceMatrix<Layout> const A = on_device(A_here);
  DeviceData const x = on_device(x_here), y("y", x.extent(0));
  auto const check = [=](std::string const& way) {
    auto const results = on_host(y);
    for_samples(x_here.extent(0), 20, [&](std::size_t i) {
      auto const line =
          gathered(x_here.extent(0), [=](std::size_t j) { return op == 'N' ? A_here(i, j) : A_here(j, i); });
      require_bits(way, results(i), reference(Verb::dot, line, x_here));
    });
  };
  Comparison ways(std::int64_t{n} * n, sizeof(double), check);
  char const name[] = {op, '\0'};
  ways.add_exact("Exakt::gemv", [=] {
    Exakt::gemv(Device(), name, 1.0, A, x, 0.0, y);
    Device().fence();
    return 0.0;
  });
  bool const columns_are_contiguous = std::is_same_v<Layout, Left>;
  if (auto const gemv = cublas_gemv(columns_are_contiguous == (op == 'N'), A.data(), x.data(), y.data(), n))
    ways.add_plain("cuBLAS", gemv);
  return ways;
}

/// A x = b with a lower triangle. Each way has to copy b.
Comparison compare_trsv(int n) {
  auto const A_here = random_triangle<Left>(n, 1);
  Data const b_here = log_uniform(n, 2, 2);
  DeviceMatrix<Left> const A = on_device(A_here);
  DeviceData const b = on_device(b_here), x("x", b.extent(0));
  auto const check = [=](std::string const& way) {
    auto const results = on_host(x);
    for_samples(results.extent(0), 20, [&](std::size_t i) {
      require_bits(way, results(i), exact_unknown(i, 0, i, A_here, results, b_here(i)));
    });
  };
  Comparison ways(std::int64_t{n} * n / 2, sizeof(double), check);
  ways.add_exact("Exakt::trsv", [=] {
    Kokkos::deep_copy(Device(), x, b);
    Exakt::trsv(Device(), "L", "N", "N", A, x);
    Device().fence();
    return 0.0;
  });
  if (auto const trsv = cublas_trsv(A.data(), b.data(), x.data(), n)) ways.add_plain("cuBLAS", trsv);
  return ways;
}

/// C := A B with square matrices.
Comparison compare_gemm(int n) {
  auto const A_here = random_matrix<double, Left>(n, n, 1), B_here = random_matrix<double, Left>(n, n, 2);
  DeviceMatrix<Left> const A = on_device(A_here), B = on_device(B_here), C("C", A.extent(0), B.extent(1));
  auto const check = [=](std::string const& way) {
    auto const results = on_host(C);
    std::size_t const k = A_here.extent(1);
    for_samples(C.extent(1), 5, [&](std::size_t j) {
      auto const column = gathered(k, [=](std::size_t l) { return B_here(l, j); });
      for_samples(C.extent(0), 5, [&](std::size_t i) {
        auto const row = gathered(k, [=](std::size_t l) { return A_here(i, l); });
        require_bits(way, results(i, j), reference(Verb::dot, row, column));
      });
    });
  };
  Comparison ways(std::int64_t{n} * n * n, 3.0 * sizeof(double) / n, check);
  ways.add_exact("Exakt::gemm", [=] {
    Exakt::gemm(Device(), "N", "N", 1.0, A, B, 0.0, C);
    Device().fence();
    return 0.0;
  });
  if (auto const gemm = cublas_gemm(A.data(), B.data(), C.data(), n)) ways.add_plain("cuBLAS", gemm);
  return ways;
}

template <class Make>
void add_case(std::string const& name, int n, int power, Make const& make, std::vector<Floor> floors = {},
              double abscissa = 0) {
  std::int64_t products = 1;
  for (int factor = 0; factor < power; ++factor) products *= n;
  cases().push_back({name + ", n = " + std::to_string(n), products,
                     [=](std::int64_t size) { return make(root(size, power)); }, std::move(floors), abscissa});
}

template <class Layout>
void add_gemv_cases(std::string const& layout) {
  for (char const op : {'N', 'T'})
    add_case(std::string("device gemv ") + op + ", " + layout, 8192, 2,
             [op](int n) { return compare_gemv<Layout>(op, n); }, {{"cuBLAS", 0.9}});
}

Registration const matrices([] {
  add_gemv_cases<Left>("LayoutLeft");
  add_gemv_cases<Right>("LayoutRight");
  for (int const n : {64, 256, 1000, 4096, 8192})
    add_case(
        "device gemv against n", n, 2, [](int size) { return compare_gemv<Left>('N', size); }, {}, n);
  for (int const n : {512, 2048, 8192}) add_case("device trsv against n", n, 2, compare_trsv, {}, n);
  for (int const n : {64, 256, 512, 1024, 2048, 4096, 8192})
    add_case("device gemm against n", n, 3, compare_gemm, {}, n);
});

}  // namespace
}  // namespace ExaktPerf
