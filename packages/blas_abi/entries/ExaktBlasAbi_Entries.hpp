// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exported functions, once for each interface: no include guard. Before it stand, in EXAKT_BLAS_<...>,
//
//     INTEGER             std::int32_t or std::int64_t
//     OF_C                1 for the interface of C, 0 for that of Fortran
//     NAME(verb)          what the function is called, and
//     ALIAS(verb), ...    what else
//
// Each prototype is written once: Fortran passes addresses and letters, C numbers and enumerators, and a layout first.

#include "ExaktBlasAbi_Enter.hpp"

extern "C" {
using namespace ExaktBlasAbi;

// ---- vectors

#define EXAKT_BLAS_DOT(R, verb, T) \
  EXAKT_BLAS_ENTRY(R, verb, (dot<R, T>), (Int n, T const* x, Int incx, T const* y, Int incy), n, x, incx, y, incy)
EXAKT_BLAS_DOT(float, sdot, float)
EXAKT_BLAS_DOT(double, ddot, double)
EXAKT_BLAS_DOT(double, dsdot, float)
EXAKT_BLAS_ENTRY(float, sdsdot, (dot_plus<float, float>),
                 (Int n, Value<float> b, float const* x, Int incx, float const* y, Int incy), n, b, x, incx, y, incy)

#if EXAKT_BLAS_OF_C
#define EXAKT_BLAS_COMPLEX_DOT(R, verb, T, conjugated)                \
  EXAKT_BLAS_ENTRY(void, verb##_sub, (complex_dot_to<T, conjugated>), \
                   (Int n, T const* x, Int incx, T const* y, Int incy, T* result), n, x, incx, y, incy, result)
#else
#define EXAKT_BLAS_COMPLEX_DOT(R, verb, T, conjugated)                                                               \
  EXAKT_BLAS_ENTRY(R, verb, (complex_dot<T, conjugated>), (Int n, T const* x, Int incx, T const* y, Int incy), n, x, \
                   incx, y, incy)
#endif
__extension__ using ReturnedFloats = __complex__ float;
__extension__ using ReturnedDoubles = __complex__ double;
EXAKT_BLAS_COMPLEX_DOT(ReturnedFloats, cdotu, ComplexFloat, false)
EXAKT_BLAS_COMPLEX_DOT(ReturnedFloats, cdotc, ComplexFloat, true)
EXAKT_BLAS_COMPLEX_DOT(ReturnedDoubles, zdotu, ComplexDouble, false)
EXAKT_BLAS_COMPLEX_DOT(ReturnedDoubles, zdotc, ComplexDouble, true)

#define EXAKT_BLAS_NORMS(letters, T)                                                           \
  EXAKT_BLAS_ENTRY(Real<T>, letters##asum, asum<T>, (Int n, T const* x, Int incx), n, x, incx) \
  EXAKT_BLAS_ENTRY(Real<T>, letters##nrm2, nrm2<T>, (Int n, T const* x, Int incx), n, x, incx)
EXAKT_BLAS_NORMS(s, float)
EXAKT_BLAS_NORMS(d, double)
EXAKT_BLAS_NORMS(sc, ComplexFloat)
EXAKT_BLAS_NORMS(dz, ComplexDouble)

#define EXAKT_BLAS_IAMAX(verb, T) \
  EXAKT_BLAS_ENTRY(Place, verb, place_of_largest<T>, (Int n, T const* x, Int incx), n, x, incx)
EXAKT_BLAS_IAMAX(isamax, float)
EXAKT_BLAS_IAMAX(idamax, double)
EXAKT_BLAS_IAMAX(icamax, ComplexFloat)
EXAKT_BLAS_IAMAX(izamax, ComplexDouble)

#define EXAKT_BLAS_ROT(letters, T)                                                                                     \
  EXAKT_BLAS_ENTRY(void, letters##rot, rot<T>,                                                                         \
                   (Int n, T * x, Int incx, T * y, Int incy, Value<Real<T>> c, Value<Real<T>> s), n, x, incx, y, incy, \
                   c, s)
EXAKT_BLAS_ROT(s, float)
EXAKT_BLAS_ROT(d, double)
EXAKT_BLAS_ROT(cs, ComplexFloat)
EXAKT_BLAS_ROT(zd, ComplexDouble)

#define EXAKT_BLAS_SCAL(letters, T)                                                                                   \
  EXAKT_BLAS_ENTRY(void, letters##scal, scal_by_real<T>, (Int n, Value<Real<T>> alpha, T * x, Int incx), n, alpha, x, \
                   incx)
EXAKT_BLAS_SCAL(s, float)
EXAKT_BLAS_SCAL(d, double)
EXAKT_BLAS_SCAL(cs, ComplexFloat)
EXAKT_BLAS_SCAL(zd, ComplexDouble)

// ---- for real and complex numbers

#define EXAKT_BLAS_TRIANGULAR_BAND(verb, core, T)                                                                    \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                           \
      verb, core,                                                                                                    \
      (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Mode diag, Int n, Int k, T const* a, Int lda, T* x, Int incx), uplo, \
      trans, diag, n, k, a, lda, x, incx)
#define EXAKT_BLAS_PACKED_TRIANGLE(verb, core, T)                                                                  \
  EXAKT_BLAS_MATRIX_ENTRY(verb, core,                                                                              \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Mode diag, Int n, T const* a, T* x, Int incx), \
                          uplo, trans, diag, n, a, x, incx)

#define EXAKT_BLAS_GEMMTR(verb, T)                                                                              \
  EXAKT_BLAS_MATRIX_ENTRY(verb, gemmtr<T>,                                                                      \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Mode transa, Mode transb, Int n, Int k, Value<T> alpha, \
                           T const* a, Int lda, T const* b, Int ldb, Value<T> beta, T* c, Int ldc),             \
                          uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

#define EXAKT_BLAS_FOR_ANY(l, T)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##axpy, axpy<T>, (Int n, Value<T> alpha, T const* x, Int incx, T* y, Int incy), n, alpha, x, \
                   incx, y, incy)                                                                                      \
  EXAKT_BLAS_MATRIX_ENTRY(l##gemv, gemv<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode trans, Int m, Int n, Value<T> alpha, T const* a, Int lda,            \
                           T const* x, Int incx, Value<T> beta, T* y, Int incy),                                       \
                          trans, m, n, alpha, a, lda, x, incx, beta, y, incy)                                          \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                             \
      l##trmv, trmv<T>,                                                                                                \
      (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Mode diag, Int n, T const* a, Int lda, T* x, Int incx), uplo, trans,   \
      diag, n, a, lda, x, incx)                                                                                        \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                             \
      l##trsv, trsv<T>,                                                                                                \
      (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Mode diag, Int n, T const* a, Int lda, T* x, Int incx), uplo, trans,   \
      diag, n, a, lda, x, incx)                                                                                        \
  EXAKT_BLAS_MATRIX_ENTRY(l##trsm, trsm<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode side, Mode uplo, Mode transa, Mode diag, Int m, Int n,               \
                           Value<T> alpha, T const* a, Int lda, T* b, Int ldb),                                        \
                          side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)                                       \
  EXAKT_BLAS_MATRIX_ENTRY(l##gbmv, gbmv<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode trans, Int m, Int n, Int kl, Int ku, Value<T> alpha, T const* a,     \
                           Int lda, T const* x, Int incx, Value<T> beta, T* y, Int incy),                              \
                          trans, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy)                                  \
  EXAKT_BLAS_TRIANGULAR_BAND(l##tbmv, tbmv<T>, T)                                                                      \
  EXAKT_BLAS_TRIANGULAR_BAND(l##tbsv, tbsv<T>, T)                                                                      \
  EXAKT_BLAS_PACKED_TRIANGLE(l##tpmv, tpmv<T>, T)                                                                      \
  EXAKT_BLAS_PACKED_TRIANGLE(l##tpsv, tpsv<T>, T)                                                                      \
  EXAKT_BLAS_MATRIX_ENTRY(l##gemm, gemm<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode transa, Mode transb, Int m, Int n, Int k, Value<T> alpha,            \
                           T const* a, Int lda, T const* b, Int ldb, Value<T> beta, T* c, Int ldc),                    \
                          transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)                                \
  EXAKT_BLAS_GEMMTR(l##gemmtr, T)                                                                                      \
  EXAKT_BLAS_GEMMTR(l##gemmt, T)                                                                                       \
  EXAKT_BLAS_MATRIX_ENTRY(l##trmm, trmm<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode side, Mode uplo, Mode transa, Mode diag, Int m, Int n,               \
                           Value<T> alpha, T const* a, Int lda, T* b, Int ldb),                                        \
                          side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)

#define EXAKT_BLAS_GER(verb, T, conjugated)                                                                           \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                            \
      verb, (ger<T, conjugated>),                                                                                     \
      (EXAKT_BLAS_LAYOUT Int m, Int n, Value<T> alpha, T const* x, Int incx, T const* y, Int incy, T* a, Int lda), m, \
      n, alpha, x, incx, y, incy, a, lda)

/// sy: symmetric, with factors of type F; he: hermitian.
#define EXAKT_BLAS_TWO_VECTORS(l, sy, T)                                                                               \
  EXAKT_BLAS_MATRIX_ENTRY(l##sy##mv, symv<T>,                                                                          \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<T> alpha, T const* a, Int lda, T const* x,        \
                           Int incx, Value<T> beta, T* y, Int incy),                                                   \
                          uplo, n, alpha, a, lda, x, incx, beta, y, incy)                                              \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                             \
      l##sy##r, syr<T>,                                                                                                \
      (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<Real<T>> alpha, T const* x, Int incx, T* a, Int lda), uplo, n, alpha, \
      x, incx, a, lda)                                                                                                 \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                             \
      l##sy##r2, syr2<T>,                                                                                              \
      (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<T> alpha, T const* x, Int incx, T const* y, Int incy, T* a, Int lda), \
      uplo, n, alpha, x, incx, y, incy, a, lda)

/// sb, sp: symmetric; hb, hp: hermitian.
#define EXAKT_BLAS_STORED(l, sb, sp, T)                                                                                \
  EXAKT_BLAS_MATRIX_ENTRY(l##sb##mv, sbmv<T>,                                                                          \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Int k, Value<T> alpha, T const* a, Int lda, T const* x, \
                           Int incx, Value<T> beta, T* y, Int incy),                                                   \
                          uplo, n, k, alpha, a, lda, x, incx, beta, y, incy)                                           \
  EXAKT_BLAS_MATRIX_ENTRY(l##sp##mv, spmv<T>,                                                                          \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<T> alpha, T const* a, T const* x, Int incx,       \
                           Value<T> beta, T* y, Int incy),                                                             \
                          uplo, n, alpha, a, x, incx, beta, y, incy)                                                   \
  EXAKT_BLAS_MATRIX_ENTRY(l##sp##r, spr<T>,                                                                            \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<Real<T>> alpha, T const* x, Int incx, T* a),      \
                          uplo, n, alpha, x, incx, a)                                                                  \
  EXAKT_BLAS_MATRIX_ENTRY(                                                                                             \
      l##sp##r2, spr2<T>,                                                                                              \
      (EXAKT_BLAS_LAYOUT Mode uplo, Int n, Value<T> alpha, T const* x, Int incx, T const* y, Int incy, T* a), uplo, n, \
      alpha, x, incx, y, incy, a)

#define EXAKT_BLAS_TRIANGLES(l, sy, T, hermitian)                                                                      \
  EXAKT_BLAS_MATRIX_ENTRY(l##sy##mm, (symm<T, hermitian>),                                                             \
                          (EXAKT_BLAS_LAYOUT Mode side, Mode uplo, Int m, Int n, Value<T> alpha, T const* a, Int lda,  \
                           T const* b, Int ldb, Value<T> beta, T* c, Int ldc),                                         \
                          side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)                                       \
  EXAKT_BLAS_MATRIX_ENTRY(l##sy##rk, (syrk<T, hermitian>),                                                             \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Int n, Int k, Value<FactorOf<T, hermitian>> alpha, \
                           T const* a, Int lda, Value<FactorOf<T, hermitian>> beta, T* c, Int ldc),                    \
                          uplo, trans, n, k, alpha, a, lda, beta, c, ldc)                                              \
  EXAKT_BLAS_MATRIX_ENTRY(l##sy##r2k, (syr2k<T, hermitian>),                                                           \
                          (EXAKT_BLAS_LAYOUT Mode uplo, Mode trans, Int n, Int k, Value<T> alpha, T const* a, Int lda, \
                           T const* b, Int ldb, Value<FactorOf<T, hermitian>> beta, T* c, Int ldc),                    \
                          uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

#define EXAKT_BLAS_FOR_REAL_ONES(l, T)                                                                                 \
  EXAKT_BLAS_FOR_ANY(l, T)                                                                                             \
  EXAKT_BLAS_ENTRY(void, l##rotg, rotg<T>, (T * a, T * b, T * c, T * s), a, b, c, s)                                   \
  EXAKT_BLAS_ENTRY(void, l##rotmg, rotmg<T>, (T * d1, T * d2, T * x, Value<T> y, T * parameters), d1, d2, x, y,        \
                   parameters)                                                                                         \
  EXAKT_BLAS_ENTRY(void, l##rotm, rotm<T>, (Int n, T * x, Int incx, T * y, Int incy, T const* parameters), n, x, incx, \
                   y, incy, parameters)                                                                                \
  EXAKT_BLAS_GER(l##ger, T, false)                                                                                     \
  EXAKT_BLAS_TWO_VECTORS(l, sy, T)                                                                                     \
  EXAKT_BLAS_STORED(l, sb, sp, T)                                                                                      \
  EXAKT_BLAS_TRIANGLES(l, sy, T, false)
EXAKT_BLAS_FOR_REAL_ONES(s, float)
EXAKT_BLAS_FOR_REAL_ONES(d, double)

#define EXAKT_BLAS_FOR_COMPLEX_ONES(l, T)                                                               \
  EXAKT_BLAS_ENTRY(void, l##scal, scal<T>, (Int n, Value<T> alpha, T * x, Int incx), n, alpha, x, incx) \
  EXAKT_BLAS_ENTRY(void, l##rotg, complex_rotg<T>, (T * a, T const* b, Real<T>* c, T* s), a, b, c, s)   \
  EXAKT_BLAS_FOR_ANY(l, T)                                                                              \
  EXAKT_BLAS_GER(l##geru, T, false)                                                                     \
  EXAKT_BLAS_GER(l##gerc, T, true)                                                                      \
  EXAKT_BLAS_TWO_VECTORS(l, he, T)                                                                      \
  EXAKT_BLAS_STORED(l, hb, hp, T)                                                                       \
  EXAKT_BLAS_TRIANGLES(l, sy, T, false)                                                                 \
  EXAKT_BLAS_TRIANGLES(l, he, T, true)
EXAKT_BLAS_FOR_COMPLEX_ONES(c, ComplexFloat)
EXAKT_BLAS_FOR_COMPLEX_ONES(z, ComplexDouble)

#if !EXAKT_BLAS_OF_C
#include "ExaktBlasAbi_LapackEntries.hpp"
#endif

}  // extern "C"
