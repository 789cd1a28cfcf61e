// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Operands.hpp"

namespace ExaktBlasAbi {
namespace {

struct Shape {
  std::ptrdiff_t rows, columns;
};

/// Of the matrix in memory whose op() has so many rows and columns.
Shape as_stored(Trans trans, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return trans.is('N') ? Shape{rows, columns} : Shape{columns, rows};
}

}  // namespace

template <class T>
void gemm(Call& call, Trans transa, Trans transb, Integer m, Integer n, Integer k, Number<T> alpha, T const* a,
          Integer lda, T const* b, Integer ldb, Number<T> beta, T* c, Integer ldc) {
  Shape const of_a = as_stored(transa, m, k), of_b = as_stored(transb, k, n);
  call.require(1, transa.is_known());
  call.require(2, transb.is_known());
  call.require_size(3, m);
  call.require_size(4, n);
  call.require_size(5, k);
  call.require_leading(8, lda, of_a.rows, of_a.columns);
  call.require_leading(10, ldb, of_b.rows, of_b.columns);
  call.require_leading(13, ldc, m, n);
  if (call.is_refused() || m == 0 || n == 0 || ((is_zero(alpha) || k == 0) && is_one(beta))) return;
  auto const A = operated(call.matrix(a, of_a.rows, of_a.columns, lda), transa);
  auto const B = operated(call.matrix(b, of_b.rows, of_b.columns, ldb), transb);
  auto const C = call.matrix(c, m, n, ldc);
  call.write([&] { Exakt::Impl::multiply_matrices("gemm", Space(), A, B, factor(alpha.value), factor(beta.value), C); },
             C);
}

template <class T>
void gemmtr(Call& call, Uplo uplo, Trans transa, Trans transb, Integer n, Integer k, Number<T> alpha, T const* a,
            Integer lda, T const* b, Integer ldb, Number<T> beta, T* c, Integer ldc) {
  Shape const of_a = as_stored(transa, n, k), of_b = as_stored(transb, k, n);
  call.require(1, uplo.is_known());
  call.require(2, transa.is_known());
  call.require(3, transb.is_known());
  call.require_size(4, n);
  call.require_size(5, k);
  call.require_leading(8, lda, of_a.rows, of_a.columns);
  call.require_leading(10, ldb, of_b.rows, of_b.columns);
  call.require_leading(13, ldc, n, n);
  if (call.is_refused() || n == 0 || ((is_zero(alpha) || k == 0) && is_one(beta))) return;
  auto const A = operated(call.matrix(a, of_a.rows, of_a.columns, lda), transa);
  auto const B = operated(call.matrix(b, of_b.rows, of_b.columns, ldb), transb);
  auto const C = call.matrix(c, n, n, ldc);
  call.write(
      [&] {
        Exakt::Impl::update_triangle("gemmtr", Space(), NamedTriangle{uplo.is('L'), false}, A, B, factor(alpha.value),
                                     factor(beta.value), C);
      },
      WrittenTriangle<T>{C, uplo});
}

template <class T, bool hermitian>
void symm(Call& call, Side side, Uplo uplo, Integer m, Integer n, Number<T> alpha, T const* a, Integer lda, T const* b,
          Integer ldb, Number<T> beta, T* c, Integer ldc) {
  bool const on_right = side.is('R');
  std::ptrdiff_t const size = on_right ? n : m;
  call.require(1, side.is_known());
  call.require(2, uplo.is_known());
  call.require_size(3, m);
  call.require_size(4, n);
  call.require_leading(7, lda, size, size);
  call.require_leading(9, ldb, m, n);
  call.require_leading(12, ldc, m, n);
  if (call.is_refused() || m == 0 || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  // C := alpha B A + beta C is C^T := alpha A^T B^T + beta C^T.
  Structured<T> const A{call.matrix(a, size, size, lda), hermitian ? Structure::hermitian : Structure::symmetric,
                        uplo.is('L'), on_right};
  auto const B = transposed_if(on_right, call.matrix(b, m, n, ldb));
  auto const C = transposed_if(on_right, call.matrix(c, m, n, ldc));
  call.write(
      [&] { Exakt::Impl::multiply_structured("symm", Space(), A, factor(alpha.value), B, factor(beta.value), C); }, C);
}

/// A product with its own transpose: complex numbers know the plain one in syrk, the conjugate one in herk.
template <class T, bool hermitian>
bool is_known_here(Trans trans) {
  return trans.is('N') || (trans.is('T') && !hermitian) || (trans.is('C') && (hermitian || !is_complex<T>));
}

template <class T, bool hermitian>
void syrk(Call& call, Uplo uplo, Trans trans, Integer n, Integer k, Number<FactorOf<T, hermitian>> alpha, T const* a,
          Integer lda, Number<FactorOf<T, hermitian>> beta, T* c, Integer ldc) {
  bool const turned = !trans.is('N');
  std::ptrdiff_t const rows = turned ? k : n, columns = turned ? n : k;
  call.require(1, uplo.is_known());
  call.require(2, is_known_here<T, hermitian>(trans));
  call.require_size(3, n);
  call.require_size(4, k);
  call.require_leading(7, lda, rows, columns);
  call.require_leading(10, ldc, n, n);
  if (call.is_refused() || n == 0 || ((is_zero(alpha) || k == 0) && is_one(beta))) return;
  auto const A = call.matrix(a, rows, columns, lda);
  auto const C = call.matrix(c, n, n, ldc);
  Trans const turn = hermitian ? "C" : "T", stay = "N";
  call.write(
      [&] {
        Exakt::Impl::update_triangle("syrk", Space(), NamedTriangle{uplo.is('L'), hermitian},
                                     operated(A, turned ? turn : stay), operated(A, turned ? stay : turn),
                                     factor(alpha.value), factor(beta.value), C);
      },
      WrittenTriangle<T>{C, uplo});
}

template <class T, bool hermitian>
void syr2k(Call& call, Uplo uplo, Trans trans, Integer n, Integer k, Number<T> alpha, T const* a, Integer lda,
           T const* b, Integer ldb, Number<FactorOf<T, hermitian>> beta, T* c, Integer ldc) {
  bool const turned = !trans.is('N');
  std::ptrdiff_t const rows = turned ? k : n, columns = turned ? n : k;
  call.require(1, uplo.is_known());
  call.require(2, is_known_here<T, hermitian>(trans));
  call.require_size(3, n);
  call.require_size(4, k);
  call.require_leading(7, lda, rows, columns);
  call.require_leading(9, ldb, rows, columns);
  call.require_leading(12, ldc, n, n);
  if (call.is_refused() || n == 0 || ((is_zero(alpha) || k == 0) && is_one(beta))) return;
  Trans const mode = !turned ? "N" : hermitian ? "C" : "T";
  auto const A = operated(call.matrix(a, rows, columns, lda), mode);
  auto const B = operated(call.matrix(b, rows, columns, ldb), mode);
  auto const C = call.matrix(c, n, n, ldc);
  call.write(
      [&] {
        Exakt::Impl::update_triangle_by_two("syr2k", Space(), NamedTriangle{uplo.is('L'), hermitian}, A, B,
                                            factor(alpha.value), factor(beta.value), C);
      },
      WrittenTriangle<T>{C, uplo});
}

/// Whether trmm and trsm have something to do with arguments that are right.
static bool has_triangle_and_matrix(Call& call, Side side, Uplo uplo, Trans trans, Diag diag, Integer m, Integer n,
                                    std::ptrdiff_t size, Integer lda, Integer ldb) {
  call.require(1, side.is_known());
  call.require(2, uplo.is_known());
  call.require(3, trans.is_known());
  call.require(4, diag.is_known());
  call.require_size(5, m);
  call.require_size(6, n);
  call.require_leading(9, lda, size, size);
  call.require_leading(11, ldb, m, n);
  return !call.is_refused() && m != 0 && n != 0;
}

template <class T>
void trmm(Call& call, Side side, Uplo uplo, Trans trans, Diag diag, Integer m, Integer n, Number<T> alpha, T const* a,
          Integer lda, T* b, Integer ldb) {
  bool const on_right = side.is('R');
  std::ptrdiff_t const size = on_right ? n : m;
  if (!has_triangle_and_matrix(call, side, uplo, trans, diag, m, n, size, lda, ldb)) return;
  // B := alpha B op(A) is B^T := alpha op(A)^T B^T.
  auto A = triangle_of(call.matrix(a, size, size, lda), uplo, trans, diag);
  if (on_right) A = Exakt::Impl::transposed(A);
  auto const B = transposed_if(on_right, call.matrix(b, m, n, ldb));
  call.write([&] { Exakt::Impl::multiply_by_triangle("trmm", Space(), A, factor(alpha.value), B); }, B);
}

template <class T>
void trsm(Call& call, Side side, Uplo uplo, Trans trans, Diag diag, Integer m, Integer n, Number<T> alpha, T const* a,
          Integer lda, T* b, Integer ldb) {
  bool const on_right = side.is('R');
  std::ptrdiff_t const size = on_right ? n : m;
  if (!has_triangle_and_matrix(call, side, uplo, trans, diag, m, n, size, lda, ldb)) return;
  // X op(A) = alpha B is op(A)^T X^T = alpha B^T.
  auto A = triangle_of(call.matrix(a, size, size, lda), uplo, trans, diag);
  if (on_right) A = Exakt::Impl::transposed(A);
  auto const B = transposed_if(on_right, call.matrix(b, m, n, ldb));
  call.write(
      [&] {
        if (is_zero(alpha)) return Exakt::Impl::scale_entries("trsm", Space(), factor(alpha.value), B);
        solve("trsm", A, factor(alpha.value), B);
      },
      B);
}

#define EXAKT_INSTANTIATE_TRIANGLES(T, hermitian)                                                                  \
  template void symm<T, hermitian>(Call&, Side, Uplo, Integer, Integer, Number<T>, T const*, Integer, T const*,    \
                                   Integer, Number<T>, T*, Integer);                                               \
  template void syrk<T, hermitian>(Call&, Uplo, Trans, Integer, Integer, Number<FactorOf<T, hermitian>>, T const*, \
                                   Integer, Number<FactorOf<T, hermitian>>, T*, Integer);                          \
  template void syr2k<T, hermitian>(Call&, Uplo, Trans, Integer, Integer, Number<T>, T const*, Integer, T const*,  \
                                    Integer, Number<FactorOf<T, hermitian>>, T*, Integer);
#define EXAKT_INSTANTIATE_HERMITIAN(T) EXAKT_INSTANTIATE_TRIANGLES(T, true)
#define EXAKT_INSTANTIATE(T)                                                                                          \
  template void gemm(Call&, Trans, Trans, Integer, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer, \
                     Number<T>, T*, Integer);                                                                         \
  template void gemmtr(Call&, Uplo, Trans, Trans, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer,  \
                       Number<T>, T*, Integer);                                                                       \
  template void trmm(Call&, Side, Uplo, Trans, Diag, Integer, Integer, Number<T>, T const*, Integer, T*, Integer);    \
  template void trsm(Call&, Side, Uplo, Trans, Diag, Integer, Integer, Number<T>, T const*, Integer, T*, Integer);    \
  EXAKT_INSTANTIATE_TRIANGLES(T, false)
EXAKT_BLAS_FOR_COMPLEX(EXAKT_INSTANTIATE_HERMITIAN)
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
