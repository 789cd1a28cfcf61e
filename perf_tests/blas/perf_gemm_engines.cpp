// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief The engines of gemm beside each other and beside dgemm: where they meet, and what is hard for which.

#include "ExaktPerf_Gemm.hpp"

namespace ExaktPerf {
namespace {

/// C := A B by each engine that there is, and by OpenBLAS.
Comparison compare(Square const& A, Square const& B) {
  Square const C("C", A.extent(0), B.extent(1));
  auto const check = [=](std::string const& way) {
    for_samples(C.extent(1), 7, [&](std::size_t j) {
      for_samples(C.extent(0), 7, [&](std::size_t i) {
        require_bits(way, C(i, j),
                     reference(Verb::dot, gathered(A.extent(1), [=](std::size_t l) { return A(i, l); }),
                               gathered(A.extent(1), [=](std::size_t l) { return B(l, j); })));
      });
    });
  };
  auto const n = static_cast<double>(A.extent(0));
  Comparison ways(static_cast<std::int64_t>(n * n * n), 3 * sizeof(double) / n, check);
  auto const add = [&](char const* name, Exakt::GemmEngine engine) {
    ways.add_exact(name, [=] {
      Exakt::gemm("N", "N", 1, A, B, 0, C, {engine});
      return 0.0;
    });
  };
  add("Exakt::gemm", Exakt::GemmEngine::automatic);
  if (Exakt::Impl::has_integer_gemm()) add("modular", Exakt::GemmEngine::modular);
  add("direct", Exakt::GemmEngine::direct);
  // It calls a BLAS: this one, with as many threads as the others.
  if (Exakt::Impl::has_double_gemm()) {
    auto const& set_threads = open_blas().set_threads;
    ways.add_exact("modular_doubles", [=] {
      if (set_threads) set_threads(Space().concurrency());
      Exakt::gemm("N", "N", 1, A, B, 0, C, {Exakt::GemmEngine::modular_doubles});
      if (set_threads) set_threads(1);
      return 0.0;
    });
  }
  if (auto const& gemm = open_blas().gemm) {
    ways.add_plain("OpenBLAS", [=] {
      gemm(dense(A), dense(B), dense(C));
      return 0.0;
    });
  }
  return ways;
}

template <class Number>
Comparison compare_random(int n, Number const& number) {
  return compare(square_of(n, 1, number), square_of(n, 2, number));
}

Comparison compare_uniform(int n) { return compare_random(n, uniform); }
Comparison compare_normal(int n) { return compare_random(n, normal); }

/// Normal numbers times 1 ... 2^-40: twelve decades more.
Comparison compare_wide(int n) {
  return compare_random(n,
                        [](std::mt19937_64& bits) { return std::ldexp(normal(bits), -static_cast<int>(bits() % 40)); });
}

/// In every entry products cancel in pairs, up to 2^-50 of their size.
Comparison compare_cancelling(int n) {
  auto const A = square_of(n, 1, normal), B = square_of(n, 2, normal);
  for (std::size_t j = 0; j + 1 < A.extent(1); j += 2) {
    for (std::size_t i = 0; i < A.extent(0); ++i) {
      A(i, j + 1) = A(i, j);
      B(j + 1, i) = -B(j, i) * (1 + static_cast<double>(i % 8) * 0x1p-52);
    }
  }
  return compare(A, B);
}

using Make = Comparison (*)(int n);

void add_case(std::string const& name, int n, Make make, double times_as_long = 0) {
  std::vector<Floor> floors;
  if (times_as_long > 0 && Exakt::Impl::has_integer_gemm()) floors.push_back({"OpenBLAS", 1 / times_as_long});
  cases().push_back({name + ", n = " + std::to_string(n), std::int64_t{n} * n * n,
                     [make](std::int64_t products) { return make(root(products, 3) / 2 * 2); }, std::move(floors),
                     static_cast<double>(n)});
}

Registration const products([] {
  for (int const n : {64, 128, 256, 512, 1024, 2048, 4096}) {
    bool const is_promised = n == 2048;
    add_case("gemm engines against n", n, compare_uniform, is_promised ? 3.5 : 0);
    add_case("gemm engines, normal", n, compare_normal, is_promised ? 5 : 0);
    add_case("gemm engines, cancelling", n, compare_cancelling, is_promised ? 5 : 0);
    add_case("gemm engines, wide", n, compare_wide);
  }
});

}  // namespace
}  // namespace ExaktPerf
