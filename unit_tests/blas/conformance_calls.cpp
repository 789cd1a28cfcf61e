// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled twice: what compiles and runs with Kokkos Kernels does with Exakt, with nothing but the namespace replaced.
#include "ExaktTest_ConformanceCalls.hpp"

#include <Kokkos_Core.hpp>

#include <array>
#include <random>
#include <utility>

#ifdef EXAKT_CONFORMANCE_OF_KOKKOS_KERNELS
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_iamax.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_sum.hpp>
#include <KokkosBlas2_gemv.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <KokkosBlas3_trmm.hpp>
#include <KokkosBlas3_trsm.hpp>
namespace Blas = KokkosBlas;
#define EXAKT_CONFORMANCE_SIDE WithKokkosKernels
#else
#include <ExaktBlas.hpp>
namespace Blas = Exakt;
#define EXAKT_CONFORMANCE_SIDE WithExakt
#endif

namespace ExaktTest::EXAKT_CONFORMANCE_SIDE {
namespace {

// Small integers: no operation rounds, whoever computes, so results are equal and not just close.
class Integers {
 public:
  template <class T>
  void fill(Kokkos::View<T*, Kokkos::HostSpace> const& x) {
    for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = static_cast<T>(next());
  }
  template <class T, class Layout>
  void fill(Kokkos::View<T**, Layout, Kokkos::HostSpace> const& a) {
    for (std::size_t i = 0; i < a.extent(0); ++i)
      for (std::size_t j = 0; j < a.extent(1); ++j) a(i, j) = static_cast<T>(next());
  }

 private:
  int next() { return static_cast<int>(m_generator() % 17) - 8; }
  std::mt19937 m_generator{4711};  // the same sequence with every standard library
};

template <class View>
std::vector<double> entries_of(View const& view) {
  std::vector<double> result;
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j) {
      if constexpr (int(View::rank) == 1) {
        result.push_back(view(i));
      } else {
        result.push_back(view(i, j));
      }
    }
  return result;
}

template <class T, class Layout>
class Calls {
  using Matrix = Kokkos::View<T**, Layout, Kokkos::HostSpace>;
  using Vector = Kokkos::View<T*, Kokkos::HostSpace>;

 public:
  Calls(std::string variant, std::vector<CallResult>& results) : m_variant(std::move(variant)), m_results(results) {}

  void vectors() {
    for (int const n : {0, 1, 100}) {
      auto const x = vector(n), y = vector(n);
      typename Vector::const_type const constant = y;
      record("sum", {double(Blas::sum(x))});
      record("nrm1", {double(Blas::nrm1(constant))});
      record("nrm2", {double(Blas::nrm2(x))});
      record("dot", {double(Blas::dot(x, constant))});
      Blas::axpby(T(2), constant, T(-3), x);
      record("axpby", entries_of(x));
      Blas::axpy(T(4), constant, x);
      record("axpy", entries_of(x));
      if (n > 0) record("iamax", {double(Blas::iamax(constant))});
    }
    auto const x = matrix(20, 3), y = matrix(20, 3);
    Vector const r("r", 3);
    Blas::dot(r, x, y);
    record("dot of columns", entries_of(r));
    Blas::sum(r, x);
    record("sum of columns", entries_of(r));
    Blas::nrm1(r, x);
    record("nrm1 of columns", entries_of(r));
    Blas::axpby(T(-1), x, T(2), y);
    record("axpby of matrices", entries_of(y));
  }

  void gemv() {
    for (char const* const trans : {"N", "n", "T", "C"})
      for (T const alpha : {T(1), T(-2)})
        for (T const beta : {T(0), T(1), T(3)})
          for (auto const& [m, n] : {std::pair<int, int>{7, 5}, {1, 30}, {40, 1}, {3, 0}}) {
            bool const turned = trans[0] != 'N' && trans[0] != 'n';
            auto const a = turned ? matrix(n, m) : matrix(m, n);
            auto const x = vector(n), y = vector(m);
            Blas::gemv(trans, alpha, a, x, beta, y);
            record(std::string("gemv ") + trans, entries_of(y));
          }
  }

  void gemm() {
    for (char const* const a_mode : {"N", "T", "C"})
      for (char const* const b_mode : {"N", "t"})
        for (T const beta : {T(0), T(-1)})
          for (auto const& [m, n, k] : {std::array<int, 3>{9, 4, 7}, {1, 1, 50}, {20, 3, 1}}) {
            auto const a = a_mode[0] == 'N' ? matrix(m, k) : matrix(k, m);
            auto const b = b_mode[0] == 'N' ? matrix(k, n) : matrix(n, k);
            auto const c = matrix(m, n);
            Blas::gemm(a_mode, b_mode, T(2), a, b, beta, c);
            record(std::string("gemm ") + a_mode + b_mode, entries_of(c));
          }
  }

  void triangular() {
    for (char const* const side : {"L", "R"})
      for (char const* const uplo : {"U", "L"})
        for (char const* const trans : {"N", "T"})
          for (char const* const diag : {"N", "U"}) {
            // Powers of two on the diagonal, and few unknowns: quotients are exact too.
            int const n = 5, right_sides = 3;
            auto const a = matrix(n, n);
            for (int i = 0; i < n; ++i) a(i, i) = T(i % 2 == 0 ? 2 : -1);
            auto const b = side[0] == 'L' ? matrix(n, right_sides) : matrix(right_sides, n);
            Blas::trsm(side, uplo, trans, diag, T(1), a, b);
            record(std::string("trsm ") + side + uplo + trans + diag, entries_of(b));
            if (diag[0] == 'U') continue;  // Kokkos Kernels' trmm reads the diagonal all the same
            auto const c = side[0] == 'L' ? matrix(n, right_sides) : matrix(right_sides, n);
            Blas::trmm(side, uplo, trans, diag, T(-2), a, c);
            record(std::string("trmm ") + side + uplo + trans + diag, entries_of(c));
          }
  }

 private:
  Vector vector(int n) {
    Vector const x("x", n);
    m_integers.fill(x);
    return x;
  }
  Matrix matrix(int m, int n) {
    Matrix const a("a", m, n);
    m_integers.fill(a);
    return a;
  }
  void record(std::string const& call, std::vector<double> entries) {
    m_results.push_back({call + ", " + m_variant, std::move(entries)});
  }

  std::string m_variant;
  std::vector<CallResult>& m_results;
  Integers m_integers;
};

template <class T, class Layout>
void call_all(std::string const& variant, std::vector<CallResult>& results) {
  Calls<T, Layout> calls(variant, results);
  calls.vectors();
  calls.gemv();
  calls.gemm();
  calls.triangular();
}

}  // namespace

std::vector<CallResult> call_everything() {
  std::vector<CallResult> results;
  call_all<double, Kokkos::LayoutLeft>("double, LayoutLeft", results);
  call_all<float, Kokkos::LayoutRight>("float, LayoutRight", results);
  return results;
}

}  // namespace ExaktTest::EXAKT_CONFORMANCE_SIDE
