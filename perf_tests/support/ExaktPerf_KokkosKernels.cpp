// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"

#ifdef EXAKT_PERF_KOKKOS_KERNELS_VERSION
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_sum.hpp>
#include <KokkosBlas2_gemv.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif

namespace ExaktPerf {

#ifdef EXAKT_PERF_KOKKOS_KERNELS_VERSION
namespace {

template <class Layout>
void multiply(char op, Dense<double> const& A, double* x, double* y) {
  using Kokkos::View;
  View<double**, Layout, Kokkos::HostSpace> const matrix(A.entries, A.rows, A.columns);
  View<double*, Layout, Kokkos::HostSpace> const from(x, op == 'N' ? A.columns : A.rows);
  View<double*, Layout, Kokkos::HostSpace> const to(y, op == 'N' ? A.rows : A.columns);
  KokkosBlas::gemv(&op, 1.0, matrix, from, 0.0, to);
  Kokkos::fence();
}

void multiply(char op, Sparse const& A, Data const& x, Data const& y) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, std::size_t>;
  Matrix const matrix("A", A.rows, A.column_count, A.values.extent(0), A.values, A.row_map, A.columns);
  char const mode[] = {op, '\0'};
  KokkosSparse::spmv(mode, 1.0, matrix, x, 0.0, y);
  Kokkos::fence();
}

}  // namespace
#endif

Peer const& kokkos_kernels() {
#ifdef EXAKT_PERF_KOKKOS_KERNELS_VERSION
  static Peer const peer{EXAKT_PERF_KOKKOS_KERNELS_VERSION,
                         [](Data const& x) { return KokkosBlas::sum(x); },
                         [](Data const& x) { return KokkosBlas::nrm1(x); },
                         [](Data const& x) { return KokkosBlas::nrm2(x); },
                         [](Data const& x, Data const& y) { return KokkosBlas::dot(x, y); },
                         [](char op, Dense<double> const& A, double* x, double* y) {
                           A.by_rows ? multiply<Kokkos::LayoutRight>(op, A, x, y)
                                     : multiply<Kokkos::LayoutLeft>(op, A, x, y);
                         },
                         [](char op, Sparse const& A, Data const& x, Data const& y) { multiply(op, A, x, y); }};
#else
  static Peer const peer;
#endif
  return peer;
}

}  // namespace ExaktPerf
