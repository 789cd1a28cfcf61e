// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Operands.hpp"

namespace ExaktBlasAbi {

template <class T>
void gemv(Call& call, Trans trans, Integer m, Integer n, Number<T> alpha, T const* a, Integer lda, T const* x,
          Integer incx, Number<T> beta, T* y, Integer incy) {
  call.require(1, trans.is_known());
  call.require_size(2, m);
  call.require_size(3, n);
  call.require_leading(6, lda, m, n);
  call.require(8, incx != 0);
  call.require(11, incy != 0);
  if (call.is_refused() || m == 0 || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  bool const turned = !trans.is('N');
  auto const X = vector_of(x, turned ? m : n, incx);
  auto const Y = vector_of(y, turned ? n : m, incy);
  auto const A = operated(call.matrix(a, m, n, lda), trans);
  call.write(
      [&] {
        Exakt::Impl::multiply_vector("gemv", Space(), A, first_column(X), factor(alpha.value), factor(beta.value),
                                     first_column(Y));
      },
      Y);
}

template <class T>
void symv(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* a, Integer lda, T const* x, Integer incx,
          Number<T> beta, T* y, Integer incy) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require_leading(5, lda, n, n);
  call.require(7, incx != 0);
  call.require(10, incy != 0);
  if (call.is_refused() || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  Structured<T> const A{call.matrix(a, n, n, lda), is_complex<T> ? Structure::hermitian : Structure::symmetric,
                        uplo.is('L')};
  auto const X = vector_of(x, n, incx);
  auto const Y = vector_of(y, n, incy);
  call.write(
      [&] { Exakt::Impl::multiply_structured("symv", Space(), A, factor(alpha.value), X, factor(beta.value), Y); }, Y);
}

/// Whether trmv and trsv have something to do with arguments that are right.
static bool has_triangle_and_vector(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer lda,
                                    Integer incx) {
  call.require(1, uplo.is_known());
  call.require(2, trans.is_known());
  call.require(3, diag.is_known());
  call.require_size(4, n);
  call.require_leading(6, lda, n, n);
  call.require(8, incx != 0);
  return !call.is_refused() && n != 0;
}

template <class T>
void trmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, Integer lda, T* x, Integer incx) {
  if (!has_triangle_and_vector(call, uplo, trans, diag, n, lda, incx)) return;
  auto const A = triangle_of(call.matrix(a, n, n, lda), uplo, trans, diag);
  auto const X = vector_of(x, n, incx);
  call.write([&] { Exakt::Impl::multiply_by_triangle("trmv", Space(), A, factor_of_one, X); }, X);
}

template <class T>
void trsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, Integer lda, T* x, Integer incx) {
  if (!has_triangle_and_vector(call, uplo, trans, diag, n, lda, incx)) return;
  auto const A = triangle_of(call.matrix(a, n, n, lda), uplo, trans, diag);
  auto const X = vector_of(x, n, incx);
  call.write([&] { solve("trsv", A, factor_of_one, X); }, X);
}

template <class T, bool conjugated>
void ger(Call& call, Integer m, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a,
         Integer lda) {
  call.require_size(1, m);
  call.require_size(2, n);
  call.require(5, incx != 0);
  call.require(7, incy != 0);
  call.require_leading(9, lda, m, n);
  if (call.is_refused() || m == 0 || n == 0 || is_zero(alpha)) return;
  auto const X = vector_of(x, m, incx), Y = vector_of(y, n, incy);
  auto const A = call.matrix(a, m, n, lda);
  call.write(
      [&] {
        if constexpr (is_complex<T>) {
          Exakt::Impl::multiply_matrices("ger", Space(), operated(X, "N"), operated(Y, conjugated ? "C" : "T"),
                                         factor(alpha.value), factor_of_one, A);
        } else {
          Exakt::Impl::add_outer_products("ger", Space(), factor(alpha.value).real, X, Y, A,
                                          Exakt::Impl::OuterPart::all);
        }
      },
      A);
}

template <class T>
void syr(Call& call, Uplo uplo, Integer n, Number<Real<T>> alpha, T const* x, Integer incx, T* a, Integer lda) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(5, incx != 0);
  call.require_leading(7, lda, n, n);
  if (call.is_refused() || n == 0 || is_zero(alpha)) return;
  auto const X = vector_of(x, n, incx);
  auto const A = call.matrix(a, n, n, lda);
  call.write(
      [&] {
        if constexpr (is_complex<T>) {
          Exakt::Impl::update_triangle("syr", Space(), NamedTriangle{uplo.is('L'), true}, operated(X, "N"),
                                       operated(X, "C"), factor(alpha.value), factor_of_one, A);
        } else {
          using Exakt::Impl::OuterPart;
          Exakt::Impl::add_outer_products("syr", Space(), factor(alpha.value).real, X, X, A,
                                          uplo.is('L') ? OuterPart::lower : OuterPart::upper);
        }
      },
      WrittenTriangle<T>{A, uplo});
}

template <class T>
void syr2(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a,
          Integer lda) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(5, incx != 0);
  call.require(7, incy != 0);
  call.require_leading(9, lda, n, n);
  if (call.is_refused() || n == 0 || is_zero(alpha)) return;
  auto const X = vector_of(x, n, incx), Y = vector_of(y, n, incy);
  auto const A = call.matrix(a, n, n, lda);
  call.write(
      [&] {
        if constexpr (is_complex<T>) {
          Exakt::Impl::update_triangle_by_two("syr2", Space(), NamedTriangle{uplo.is('L'), true}, operated(X, "N"),
                                              operated(Y, "N"), factor(alpha.value), factor_of_one, A);
        } else {
          using Exakt::Impl::OuterPart;
          Exakt::Impl::add_outer_products<2>("syr2", Space(), factor(alpha.value).real, X, Y, A,
                                             uplo.is('L') ? OuterPart::lower : OuterPart::upper);
        }
      },
      WrittenTriangle<T>{A, uplo});
}

#define EXAKT_INSTANTIATE_COMPLEX(T) \
  template void ger<T, true>(Call&, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer, T*, Integer);
#define EXAKT_INSTANTIATE(T)                                                                                          \
  template void gemv(Call&, Trans, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer, Number<T>, T*,  \
                     Integer);                                                                                        \
  template void symv(Call&, Uplo, Integer, Number<T>, T const*, Integer, T const*, Integer, Number<T>, T*, Integer);  \
  template void trmv(Call&, Uplo, Trans, Diag, Integer, T const*, Integer, T*, Integer);                              \
  template void trsv(Call&, Uplo, Trans, Diag, Integer, T const*, Integer, T*, Integer);                              \
  template void ger<T, false>(Call&, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer, T*, Integer); \
  template void syr<T>(Call&, Uplo, Integer, Number<Real<T>>, T const*, Integer, T*, Integer);                        \
  template void syr2(Call&, Uplo, Integer, Number<T>, T const*, Integer, T const*, Integer, T*, Integer);
EXAKT_BLAS_FOR_COMPLEX(EXAKT_INSTANTIATE_COMPLEX)
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
