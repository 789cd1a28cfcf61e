// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief libexakt_blas through the BLAS's own names, beside the C++ verbs that it is made of and beside OpenBLAS, each on
/// one thread.

#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas3_gemm.hpp>
#include <ExaktBlas3_syrk.hpp>
#include <ExaktBlas3_trsm.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace ExaktPerf {
namespace {

using Layout = Kokkos::LayoutLeft;
using Square = Matrix<double, Layout>;

/// A function of a library, by its Fortran name; null if the library is not there.
template <class Function>
Function* function_of(char const* library, char const* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle, name));
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

/// \brief The same result by three ways; that of the verb, which has tests of its own, is what the names have to give.
///
/// \param call  call(function) by the function of that name, of type Function, from either library.
template <class Function, class Result, class Verb, class Call>
Comparison compare(char const* name, std::int64_t products, double bytes, Result const& result, Verb const& verb,
                   Call const& call) {
  if (Space().concurrency() != 1) throw std::runtime_error("the names are compared on one thread: OMP_NUM_THREADS=1");
  unsetenv("EXAKT_NUM_THREADS");  // so is libexakt_blas, and OpenBLAS by open_blas()
  verb();
  std::vector<double> const expected(result.data(), result.data() + result.size());
  auto const check = [=](std::string const& way) {
    for (std::size_t i = 0; i < expected.size(); ++i) require_bits(way, result.data()[i], expected[i]);
  };
  auto const by = [=](Function* function) {
    return [=] {
      call(function);
      return 0.0;
    };
  };
  auto* const ours = function_of<Function>(EXAKT_PERF_BLAS_ABI, name);
  if (ours == nullptr) throw std::runtime_error(dlerror());
  Comparison ways(products, bytes, check);
  ways.add_exact("libexakt_blas", by(ours));
  ways.add_exact("Exakt", [=] {
    verb();
    return 0.0;
  });
  open_blas();  // asks for the kernels of this processor, and for one thread
  if (auto* const plain = function_of<Function>("libopenblas.so.0", name)) ways.add_plain("OpenBLAS", by(plain));
  return ways;
}

Comparison compare_dot(int n) {
  Data const x = log_uniform(n, 2, 1), y = log_uniform(n, 2, 2), r("r", 1);
  return compare<Dot>(
      "ddot_", n, 2 * sizeof(double), r, [=] { r(0) = Exakt::dot(x, y); },
      [=](Dot* ddot) { r(0) = ddot(&n, x.data(), &step, y.data(), &step); });
}

Comparison compare_norm(int n) {
  Data const x = log_uniform(n, 2, 1), r("r", 1);
  return compare<Norm>(
      "dnrm2_", n, sizeof(double), r, [=] { r(0) = Exakt::nrm2(x); },
      [=](Norm* dnrm2) { r(0) = dnrm2(&n, x.data(), &step); });
}

Comparison compare_gemv(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1);
  Data const x = log_uniform(n, 2, 2), y("y", x.extent(0));
  return compare<Gemv>(
      "dgemv_", std::int64_t{n} * n, sizeof(double), y, [=] { Exakt::gemv("N", 1, A, x, 0, y); },
      [=](Gemv* dgemv) { dgemv("N", &n, &n, &one, A.data(), &n, x.data(), &step, &zero, y.data(), &step); });
}

/// Of three matrices.
double bytes_per_product(int n) { return 3.0 * sizeof(double) / n; }

Comparison compare_syrk(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1);
  Square const C("C", A.extent(0), A.extent(0));
  return compare<Syrk>(
      "dsyrk_", std::int64_t{n} * n * n / 2, bytes_per_product(n), C, [=] { Exakt::syrk("L", "N", 1, A, 0, C); },
      [=](Syrk* dsyrk) { dsyrk("L", "N", &n, &n, &one, A.data(), &n, &zero, C.data(), &n); });
}

Comparison compare_gemm(int n) {
  auto const A = random_matrix<double, Layout>(n, n, 1), B = random_matrix<double, Layout>(n, n, 2);
  Square const C("C", A.extent(0), A.extent(0));
  return compare<Gemm>(
      "dgemm_", std::int64_t{n} * n * n, bytes_per_product(n), C, [=] { Exakt::gemm("N", "N", 1, A, B, 0, C); },
      [=](Gemm* dgemm) { dgemm("N", "N", &n, &n, &n, &one, A.data(), &n, B.data(), &n, &zero, C.data(), &n); });
}

/// Each way has to copy B.
Comparison compare_trsm(int n) {
  auto const A = random_triangle<Layout>(n, 1), B = random_matrix<double, Layout>(n, n, 2);
  Square const X("X", A.extent(0), A.extent(0));
  return compare<Trsm>(
      "dtrsm_", std::int64_t{n} * n * n / 2, bytes_per_product(n), X,
      [=] {
        Kokkos::deep_copy(X, B);
        Exakt::trsm("L", "L", "N", "N", 1, A, X);
      },
      [=](Trsm* dtrsm) {
        Kokkos::deep_copy(X, B);
        dtrsm("L", "L", "N", "N", &n, &n, &one, A.data(), &n, X.data(), &n);
      });
}

/// \param power  Of n, in the number of products.
void add_case(std::string const& name, int n, int power, Comparison (*compare_names)(int)) {
  std::int64_t products = n;
  for (int i = 1; i < power; ++i) products *= n;
  cases().push_back({name + ", n = " + std::to_string(n),
                     products,
                     [=](std::int64_t some) { return compare_names(std::max(4, root(some, power))); },
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
