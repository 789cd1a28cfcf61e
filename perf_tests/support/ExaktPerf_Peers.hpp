// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_PEERS_HPP
#define EXAKTPERF_PEERS_HPP

#include "ExaktPerf_Data.hpp"

#include <functional>
#include <string>

namespace ExaktPerf {

using Complex = Kokkos::complex<double>;

/// \brief A matrix in memory without gaps.
template <class T>
struct Dense {
  T* entries;
  int rows, columns;
  bool by_rows;

  int stride() const { return by_rows ? columns : rows; }
};

/// \brief A sparse matrix in compressed row storage.
struct Sparse {
  Kokkos::View<std::size_t*, Kokkos::HostSpace> row_map;
  Kokkos::View<int*, Kokkos::HostSpace> columns;
  Data values;
  int rows, column_count;
};

/// \brief Another library's functions; those that it lacks are empty, all of them where it was not found.
struct Peer {
  std::string description = "not found";
  std::function<double(Data const&)> sum = {}, nrm1 = {}, nrm2 = {};
  std::function<double(Data const&, Data const&)> dot = {};

  /// y := op(A) x, where op is 'N' or 'T'.
  std::function<void(char op, Dense<double> const& A, double* x, double* y)> gemv = {};
  /// y := op(A) x with a sparse A.
  std::function<void(char op, Sparse const& A, Data const& x, Data const& y)> spmv = {};
  /// op(A) x = b with a lower triangle A; x replaces b.
  std::function<void(char op, Dense<double> const& A, double* x)> trsv = {};
  /// A X = B likewise.
  std::function<void(Dense<double> const& A, Dense<double> const& B)> trsm = {};
  /// y := A x with the lower triangle of a symmetric A.
  std::function<void(Dense<double> const& A, double* x, double* y)> symv = {};
  /// A := alpha x y^T + A.
  std::function<void(double alpha, double* x, double* y, Dense<double> const& A)> ger = {};
  /// The lower triangle of C := A A^T.
  std::function<void(Dense<double> const& A, Dense<double> const& C)> syrk = {};
  /// C := A B with the lower triangle of a symmetric A.
  std::function<void(Dense<double> const& A, Dense<double> const& B, Dense<double> const& C)> symm = {};
  /// B := A B with a lower triangle A.
  std::function<void(Dense<double> const& A, Dense<double> const& B)> trmm = {};
  /// C := A B, all of them by rows or none.
  std::function<void(Dense<double> const& A, Dense<double> const& B, Dense<double> const& C)> gemm = {};
  std::function<void(Dense<float> const& A, Dense<float> const& B, Dense<float> const& C)> sgemm = {};

  /// conj(x)^T y of n complex numbers, y := A x and C := A B of such.
  std::function<Complex(std::int64_t n, Complex const* x, Complex const* y)> zdotc = {};
  std::function<void(Dense<Complex> const& A, Complex const* x, Complex* y)> zgemv = {};
  std::function<void(Dense<Complex> const& A, Dense<Complex> const& B, Dense<Complex> const& C)> zgemm = {};

  /// How many threads the library takes for a call; 1 if nothing else is said.
  std::function<void(int)> set_threads = {};
};

/// \brief Kokkos Kernels, on the same execution space.
Peer const& kokkos_kernels();

/// \brief OpenBLAS, loaded at run time and called once per thread for a piece of the vectors, or of the output, so that
/// it uses the same threads as everybody else; trsv, which has no such pieces, and what is symmetric bring their own, as
/// many and on the same processors.
Peer const& open_blas();

/// \brief oneTBB's parallel_deterministic_reduce, on as many threads.
Peer const& one_tbb();

}  // namespace ExaktPerf

#endif
