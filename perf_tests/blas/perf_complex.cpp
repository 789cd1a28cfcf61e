// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_sum.hpp>
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas3_gemm.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Columns = Matrix<Complex, Kokkos::LayoutLeft>;
using Vector = Kokkos::View<Complex*, Kokkos::HostSpace>;

Columns random_complex(int n, std::uint64_t seed) {
  Columns const A("A", static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  Data const numbers = log_uniform(2 * std::int64_t{n} * n, 2, seed);
  std::copy_n(numbers.data(), numbers.extent(0), reinterpret_cast<double*>(A.data()));
  return A;
}

/// RN of the sum of A(i, l) b(l), its real and its imaginary part.
template <class B>
Complex exact_entry(Columns const& A, B const& b, std::size_t i) {
  Exakt::LongAccumulator<double, 56, Exakt::Terms::products> real, imaginary;
  for (std::size_t l = 0; l < A.extent(1); ++l) {
    Complex const x = A(i, l), y = b(l);
    real.add_product(x.real(), y.real());
    real.subtract_product(x.imag(), y.imag());
    imaginary.add_product(x.real(), y.imag());
    imaginary.add_product(x.imag(), y.real());
  }
  return {real.round<double>(), imaginary.round<double>()};
}

void require_bits_of_parts(std::string const& way, Complex const& result, Complex const& expected) {
  require_bits(way, result.real(), expected.real());
  require_bits(way, result.imag(), expected.imag());
}

Vector random_numbers(std::int64_t n, std::uint64_t seed) {
  Vector const x("x", static_cast<std::size_t>(n));
  Data const parts = log_uniform(2 * n, 2, seed);
  std::copy_n(parts.data(), parts.extent(0), reinterpret_cast<double*>(x.data()));
  return x;
}
Complex exact_sum_of_products(Vector const& x, Vector const& y) {
  return exact_entry(Columns(x.data(), 1, x.extent(0)), y, 0);
}

/// Sums of n terms: ours, and what a Kokkos user writes.
template <class Exact, class Add>
Comparison compare_sums(std::int64_t n, double bytes, Complex const& expected, std::string const& name,
                        Exact const& exact, Add const& add) {
  Vector const result("result", 1);
  Comparison ways(n, bytes, [=](std::string const& way) { require_bits_of_parts(way, result(0), expected); });
  ways.add_exact(name, [=] {
    result(0) = exact();
    return 0.0;
  });
  ways.add_plain("plain", [=] {
    Complex sum = 0;
    Kokkos::parallel_reduce(Range(0, n), add, sum);
    result(0) = sum;
    return 0.0;
  });
  return ways;
}

Comparison compare_dot(std::int64_t n) {
  Vector const x = random_numbers(n, 1), y = random_numbers(n, 2), conjugated("conjugated", x.extent(0));
  for (std::size_t i = 0; i < x.extent(0); ++i) conjugated(i) = Kokkos::conj(x(i));
  auto ways = compare_sums(
      n, 2 * sizeof(Complex), exact_sum_of_products(conjugated, y), "Exakt::dot", [=] { return Exakt::dot(x, y); },
      [=](std::int64_t i, Complex& sum) { sum += Kokkos::conj(x(i)) * y(i); });
  if (auto const& dot = open_blas().zdotc) {
    Vector const result("result", 1);
    ways.add_plain("OpenBLAS", [=] {
      result(0) = dot(n, x.data(), y.data());
      return 0.0;
    });
  }
  return ways;
}

Comparison compare_sum(std::int64_t n) {
  Vector const x = random_numbers(n, 1), ones("ones", x.extent(0));
  Kokkos::deep_copy(ones, Complex(1, 0));
  return compare_sums(
      n, sizeof(Complex), exact_sum_of_products(x, ones), "Exakt::sum", [=] { return Exakt::sum(x); },
      [=](std::int64_t i, Complex& sum) { sum += x(i); });
}

/// C := A B
Comparison compare_products(std::int64_t products) {
  int const n = root(products, 3);
  Columns const A = random_complex(n, 1), B = random_complex(n, 2), C("C", A.extent(0), B.extent(1));
  Comparison ways(products, 3 * sizeof(Complex) / static_cast<double>(n), [=](std::string const& way) {
    for_samples(C.extent(1), 5, [&](std::size_t j) {
      auto const column = Kokkos::subview(B, Kokkos::ALL, j);
      for_samples(C.extent(0), 5,
                  [&](std::size_t i) { require_bits_of_parts(way, C(i, j), exact_entry(A, column, i)); });
    });
  });
  ways.add_exact("Exakt::gemm", [=] {
    Exakt::gemm("N", "N", 1, A, B, 0, C);
    return 0.0;
  });
  if (auto const& gemm = open_blas().zgemm) {
    ways.add_plain("OpenBLAS", [=] {
      gemm(dense(A), dense(B), dense(C));
      return 0.0;
    });
  }
  return ways;
}

/// y := A x
Comparison compare_matrix_vector(std::int64_t products) {
  int const n = root(products, 2);
  Columns const A = random_complex(n, 1);
  auto const x = Kokkos::subview(random_complex(n, 2), Kokkos::ALL, 0);
  Vector const y("y", x.extent(0));
  Comparison ways(products, sizeof(Complex), [=](std::string const& way) {
    for_samples(y.extent(0), 40, [&](std::size_t i) { require_bits_of_parts(way, y(i), exact_entry(A, x, i)); });
  });
  ways.add_exact("Exakt::gemv", [=] {
    Exakt::gemv("N", 1.0, A, x, 0.0, y);
    return 0.0;
  });
  if (auto const& gemv = open_blas().zgemv) {
    ways.add_plain("OpenBLAS", [=] {
      gemv(dense(A), x.data(), y.data());
      return 0.0;
    });
  }
  return ways;
}

Registration const products([] {
  for (std::int64_t const n : {100, 1000, 100'000, 1'000'000}) {
    cases().push_back({"dot of complex numbers, n = " + short_form(n), n, compare_dot});
    cases().push_back({"sum of complex numbers, n = " + short_form(n), n, compare_sum});
  }
  for (std::int64_t const n : {64, 512, 1024})
    cases().push_back({"gemm of complex numbers, n = " + std::to_string(n), n * n * n, compare_products});
  for (std::int64_t const n : {64, 512, 1024, 4096})
    cases().push_back({"gemv of complex numbers, n = " + std::to_string(n), n * n, compare_matrix_vector});
});

}  // namespace
}  // namespace ExaktPerf
