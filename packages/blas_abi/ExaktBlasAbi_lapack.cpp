// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief LAPACK's arguments.
#include "ExaktBlasAbi_Lapack.hpp"
#include "ExaktBlasAbi_Factors.hpp"
#include "ExaktBlasAbi_Reflectors.hpp"

namespace ExaktBlasAbi {
namespace {

void tell_pivots(std::vector<std::size_t> const& from, Integers to) {
  for (std::size_t i = 0; i < from.size(); ++i) to.set(i, static_cast<std::ptrdiff_t>(from[i]) + 1);
}
std::vector<std::size_t> told_pivots(Integers from, std::ptrdiff_t n) {
  std::vector<std::size_t> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::size_t>(from.get(i) - 1);
  return result;
}

/// Whether an argument is wrong; info says which, or zero.
bool is_refused(Call const& call, Integers info) {
  info.set(0, -call.wrong_argument());
  return call.is_refused();
}

}  // namespace

template <class T>
void getrf(Call& call, Integer m, Integer n, T* a, Integer lda, Integers pivots, Integers info) {
  call.require_size(1, m);
  call.require_size(2, n);
  call.require_leading(4, lda, m, n);
  if (is_refused(call, info) || m == 0 || n == 0) return;
  auto const A = call.matrix(a, m, n, lda);
  call.write(
      [&] {
        std::vector<std::size_t> rows;
        info.set(0, factor_lu(A, rows));
        tell_pivots(rows, pivots);
      },
      A);
}

template <class T>
void getrs(Call& call, Trans trans, Integer n, Integer nrhs, T const* a, Integer lda, Integers pivots, T* b,
           Integer ldb, Integers info) {
  call.require(1, trans.is_known());
  call.require_size(2, n);
  call.require_size(3, nrhs);
  call.require_leading(5, lda, n, n);
  call.require_leading(8, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0 || nrhs == 0) return;
  auto const A = call.matrix(const_cast<T*>(a), n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  call.write(
      [&] {
        info.set(0, 0);  // as everywhere: a BLAS behind, if it is compared with, has written its own
        solve_lu(A, told_pivots(pivots, n), trans, B);
      },
      B);
}

template <class T>
void gesv(Call& call, Integer n, Integer nrhs, T* a, Integer lda, Integers pivots, T* b, Integer ldb, Integers info) {
  call.require_size(1, n);
  call.require_size(2, nrhs);
  call.require_leading(4, lda, n, n);
  call.require_leading(7, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  call.write(
      [&] {
        std::vector<std::size_t> rows;
        std::ptrdiff_t const zero = factor_lu(A, rows);
        info.set(0, zero);
        tell_pivots(rows, pivots);
        if (zero == 0) solve_lu(A, rows, "N", B);
      },
      A, B);
}

template <class T>
void potrf(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_leading(4, lda, n, n);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda);
  call.write([&] { info.set(0, factor_cholesky(transposed_if(uplo.is('U'), A))); }, WrittenTriangle<T>{A, uplo});
}

template <class T>
void potrs(Call& call, Uplo uplo, Integer n, Integer nrhs, T const* a, Integer lda, T* b, Integer ldb, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_size(3, nrhs);
  call.require_leading(5, lda, n, n);
  call.require_leading(7, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0 || nrhs == 0) return;
  auto const A = call.matrix(const_cast<T*>(a), n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  bool const is_lower = uplo.is('L');
  call.write(
      [&] {
        info.set(0, 0);
        solve_by(A, uplo, is_lower ? "N" : "C", "N", B);
        solve_by(A, uplo, is_lower ? "C" : "N", "N", B);
      },
      B);
}

/// What trtri and trti2 are given, unless there is nothing to do.
static bool has_triangle(Call& call, Uplo uplo, Diag diag, Integer n, Integer lda, Integers info) {
  call.require(1, uplo.is_known());
  call.require(2, diag.is_known());
  call.require_size(3, n);
  call.require_leading(5, lda, n, n);
  return !is_refused(call, info) && n != 0;
}

template <class T>
void write_inverse(Call& call, Uplo uplo, Diag diag, Matrix<T> const& A, Integers info) {
  call.write(
      [&] {
        info.set(0, 0);
        invert_triangle(A, uplo, diag);
      },
      WrittenTriangle<T>{A, uplo});
}

template <class T>
void trtri(Call& call, Uplo uplo, Diag diag, Integer n, T* a, Integer lda, Integers info) {
  if (!has_triangle(call, uplo, diag, n, lda, info)) return;
  auto const A = call.matrix(a, n, n, lda);
  info.set(0, first_zero(A, diag));
  if (info.get(0) == 0) write_inverse(call, uplo, diag, A, info);
}

template <class T>
void trti2(Call& call, Uplo uplo, Diag diag, Integer n, T* a, Integer lda, Integers info) {
  if (!has_triangle(call, uplo, diag, n, lda, info)) return;
  write_inverse(call, uplo, diag, call.matrix(a, n, n, lda), info);
}

template <class T>
void lauum(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_leading(4, lda, n, n);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda);
  call.write(
      [&] {
        info.set(0, 0);
        square_triangle(A, uplo);
      },
      WrittenTriangle<T>{A, uplo});
}

template <class T>
void potri(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_leading(4, lda, n, n);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(a, n, n, lda);
  info.set(0, first_zero(A, "N"));
  if (info.get(0) != 0) return;
  call.write(
      [&] {
        info.set(0, 0);
        invert_triangle(A, uplo, "N");
        square_triangle(A, uplo);
      },
      WrittenTriangle<T>{A, uplo});
}

template <class T>
void trtrs(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer nrhs, T const* a, Integer lda, T* b,
           Integer ldb, Integers info) {
  call.require(1, uplo.is_known());
  call.require(2, trans.is_known());
  call.require(3, diag.is_known());
  call.require_size(4, n);
  call.require_size(5, nrhs);
  call.require_leading(7, lda, n, n);
  call.require_leading(9, ldb, n, nrhs);
  if (is_refused(call, info) || n == 0) return;
  auto const A = call.matrix(const_cast<T*>(a), n, n, lda), B = call.matrix(b, n, nrhs, ldb);
  info.set(0, first_zero(A, diag));
  if (info.get(0) != 0) return;
  call.write(
      [&] {
        info.set(0, 0);
        solve_by(A, uplo, trans, diag, B);
      },
      B);
}

template <class T>
void geqrf(Call& call, Integer m, Integer n, T* a, Integer lda, T* tau, T* work, Integer lwork, Integers info) {
  std::ptrdiff_t const least = m == 0 ? 1 : std::max<std::ptrdiff_t>(n, 1);
  bool const is_query = lwork == -1;
  call.require_size(1, m);
  call.require_size(2, n);
  call.require_leading(4, lda, m, n);
  call.require(7, is_query || lwork >= least);
  if (is_refused(call, info)) return;
  auto const tell_size = [&] {
    Exakt::Impl::in_default_environment([&] {
      auto size = static_cast<Real<T>>(least);  // rounded up: who takes what is told must have enough
      if (static_cast<std::ptrdiff_t>(size) < least) size = std::nextafter(size, std::numeric_limits<Real<T>>::max());
      work[0] = T(size);
    });
  };
  if (is_query || m == 0 || n == 0) return tell_size();
  auto const A = call.matrix(a, m, n, lda);
  call.write(
      [&] {
        info.set(0, 0);
        tell_size();
        factor_qr(A, tau);
      },
      A);
}

#define EXAKT_INSTANTIATE(T)                                                                                 \
  template void getrf(Call&, Integer, Integer, T*, Integer, Integers, Integers);                             \
  template void getrs(Call&, Trans, Integer, Integer, T const*, Integer, Integers, T*, Integer, Integers);   \
  template void gesv(Call&, Integer, Integer, T*, Integer, Integers, T*, Integer, Integers);                 \
  template void potrf(Call&, Uplo, Integer, T*, Integer, Integers);                                          \
  template void potrs(Call&, Uplo, Integer, Integer, T const*, Integer, T*, Integer, Integers);              \
  template void trtri(Call&, Uplo, Diag, Integer, T*, Integer, Integers);                                    \
  template void trti2(Call&, Uplo, Diag, Integer, T*, Integer, Integers);                                    \
  template void lauum(Call&, Uplo, Integer, T*, Integer, Integers);                                          \
  template void potri(Call&, Uplo, Integer, T*, Integer, Integers);                                          \
  template void trtrs(Call&, Uplo, Trans, Diag, Integer, Integer, T const*, Integer, T*, Integer, Integers); \
  template void geqrf(Call&, Integer, Integer, T*, Integer, T*, T*, Integer, Integers);
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
