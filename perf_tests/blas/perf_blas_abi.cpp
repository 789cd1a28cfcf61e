// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief libexakt_blas through the BLAS's own names, beside the C++ verbs that it is made of and beside OpenBLAS.

#include "ExaktPerf_Matrices.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <functional>

namespace ExaktPerf {
namespace {

using Layout = Kokkos::LayoutLeft;
using Square = Matrix<double, Layout>;

/// A function of the library, by its Fortran name.
template <class Function>
Function* blas(char const* name) {
  static void* const library = dlopen(EXAKT_PERF_BLAS_ABI, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(found);
}

using Dot = double(int const*, double const*, int const*, double const*, int const*);
using Norm = double(int const*, double const*, int const*);
using Gemv = void(char const*, int const*, int const*, double const*, double const*, int const*, double const*,
                  int const*, double const*, double*, int const*);
using Syrk = void(char const*, char const*, int const*, int const*, double const*, double const*, int const*,
                  double const*, double*, int const*);
using Gemm = void(char const*, char const*, int const*, int const*, int const*, double const*, double const*,
                  int const*, double const*, int const*, double const*, double*, int const*);
using Trsm = void(char const*, char const*, char const*, char const*, int const*, int const*, double const*,
                  double const*, int const*, double*, int const*);

int const step = 1;
double const one = 1, zero = 0;

/// The same result by three ways; that of the verb, which has tests of its own, is what the names have to give.
template <class Result>
struct Ways {
  std::function<void()> verb, names, plain;
  Result result;

  Comparison compare(std::int64_t products, double bytes, bool returns) const {
    verb();
    std::vector<double> const expected(result.data(), result.data() + result.size());
    auto const check = [of_names = result, expected](std::string const& way) {
      for (std::size_t i = 0; i < expected.size(); ++i) require_bits(way, of_names.data()[i], expected[i]);
    };
    Comparison ways(products, bytes, check);
    auto const timed = [returned = returns ? result.data() : nullptr](std::function<void()> const& call) {
      return [=] {
        call();
        return returned != nullptr ? *returned : 0.0;
      };
    };
    ways.add_exact("libexakt_blas", timed(names));
    ways.add_exact("Exakt", timed(verb));
    if (plain) ways.add_plain("OpenBLAS", timed(plain));
    return ways;
  }
};

Comparison compare_dot(int n) {
  Data const x = log_uniform(n, 2, 1), y = log_uniform(n, 2, 2), r("r", 1);
  Ways<Data> ways{[=] { r(0) = Exakt::dot(x, y); },
                  [=, ddot = blas<Dot>("ddot_")] { r(0) = ddot(&n, x.data(), &step, y.data(), &step); }, nullptr, r};
  if (auto const& dot = open_blas().dot) ways.plain = [=] { r(0) = dot(x, y); };
  return ways.compare(n, 2 * sizeof(double), true);
}

Comparison compare_norm(int n) {
  Data const x = log_uniform(n, 2, 1), r("r", 1);
  Ways<Data> ways{[=] { r(0) = Exakt::nrm2(x); },
                  [=, dnrm2 = blas<Norm>("dnrm2_")] { r(0) = dnrm2(&n, x.data(), &step); }, nullptr, r};
  if (auto const& nrm2 = open_blas().nrm2) ways.plain = [=] { r(0) = nrm2(x); };
  return ways.compare(n, sizeof(double), true);
}

Comparison compare_gemv(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1);
  Data const x = log_uniform(n, 2, 2), y("y", x.extent(0));
  Ways<Data> ways{[=] { Exakt::gemv("N", 1, A, x, 0, y); },
                  [=, dgemv = blas<Gemv>("dgemv_")] {
                    dgemv("N", &n, &n, &one, A.data(), &n, x.data(), &step, &zero, y.data(), &step);
                  },
                  nullptr, y};
  if (auto const& gemv = open_blas().gemv) ways.plain = [=] { gemv('N', dense(A), x.data(), y.data()); };
  return ways.compare(std::int64_t{n} * n, sizeof(double), false);
}

Comparison compare_syrk(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1);
  Square const C("C", A.extent(0), A.extent(0));
  Ways<Square> ways{
      [=] { Exakt::syrk("L", "N", 1, A, 0, C); },
      [=, dsyrk = blas<Syrk>("dsyrk_")] { dsyrk("L", "N", &n, &n, &one, A.data(), &n, &zero, C.data(), &n); }, nullptr,
      C};
  if (auto const& syrk = open_blas().syrk) ways.plain = [=] { syrk(dense(A), dense(C)); };
  return ways.compare(std::int64_t{n} * n * n / 2, 3.0 * sizeof(double) / n, false);
}

Comparison compare_gemm(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1), B = random_matrix<double, Layout>(n, n, 2);
  Square const C("C", A.extent(0), A.extent(0));
  Ways<Square> ways{[=] { Exakt::gemm("N", "N", 1, A, B, 0, C); },
                    [=, dgemm = blas<Gemm>("dgemm_")] {
                      dgemm("N", "N", &n, &n, &n, &one, A.data(), &n, B.data(), &n, &zero, C.data(), &n);
                    },
                    nullptr, C};
  if (auto const& gemm = open_blas().gemm) ways.plain = [=] { gemm(dense(A), dense(B), dense(C)); };
  return ways.compare(std::int64_t{n} * n * n, 3.0 * sizeof(double) / n, false);
}

/// Each way has to copy B.
Comparison compare_trsm(int n) {
  auto const A = random_triangle<Layout>(n, 1), B = random_matrix<double, Layout>(n, n, 2);
  Square const X("X", A.extent(0), A.extent(0));
  auto const after_copy = [=](auto const& solve) {
    return [=] {
      Kokkos::deep_copy(X, B);
      solve();
    };
  };
  Ways<Square> ways{after_copy([=] { Exakt::trsm("L", "L", "N", "N", 1, A, X); }),
                    after_copy([=, dtrsm = blas<Trsm>("dtrsm_")] {
                      dtrsm("L", "L", "N", "N", &n, &n, &one, A.data(), &n, X.data(), &n);
                    }),
                    nullptr, X};
  if (auto const& trsm = open_blas().trsm) ways.plain = after_copy([=] { trsm(dense(A), dense(X)); });
  return ways.compare(std::int64_t{n} * n * n / 2, 2.0 * sizeof(double) / n, false);
}

/// \param power  Of n, in the number of products.
void add_case(std::string const& name, int n, int power, Comparison (*compare)(int)) {
  std::int64_t products = n;
  for (int i = 1; i < power; ++i) products *= n;
  cases().push_back({name + ", n = " + std::to_string(n),
                     products,
                     [=](std::int64_t some) { return compare(std::max(4, root(some, power))); },
                     {},
                     0});
}

Registration const names([] {
  for (int const n : {16, 100, 1000, 4000}) {
    add_case("ddot", n, 1, compare_dot);
    add_case("dnrm2", n, 1, compare_norm);
    add_case("dgemv", n, 2, compare_gemv);
    add_case("dsyrk", n, 3, compare_syrk);
    add_case("dgemm", n, 3, compare_gemm);
    add_case("dtrsm", n, 3, compare_trsm);
  }
});

}  // namespace
}  // namespace ExaktPerf
