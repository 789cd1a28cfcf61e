// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LAPACK's functions, which Fortran's interface has: included by ExaktBlasAbi_Entries.hpp, once for each size of integers.

#define EXAKT_BLAS_LAPACK(l, T)                                                                                        \
  EXAKT_BLAS_ENTRY(void, l##getrf, getrf<T>,                                                                           \
                   (Int m, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * pivots, EXAKT_BLAS_INTEGER * info), m, n, a,    \
                   lda, pivots, info)                                                                                  \
  EXAKT_BLAS_ENTRY(void, l##getrs, getrs<T>,                                                                           \
                   (Mode trans, Int n, Int nrhs, T const* a, Int lda, EXAKT_BLAS_INTEGER* pivots, T* b, Int ldb,       \
                    EXAKT_BLAS_INTEGER* info),                                                                         \
                   trans, n, nrhs, a, lda, pivots, b, ldb, info)                                                       \
  EXAKT_BLAS_ENTRY(                                                                                                    \
      void, l##gesv, gesv<T>,                                                                                          \
      (Int n, Int nrhs, T * a, Int lda, EXAKT_BLAS_INTEGER * pivots, T * b, Int ldb, EXAKT_BLAS_INTEGER * info), n,    \
      nrhs, a, lda, pivots, b, ldb, info)                                                                              \
  EXAKT_BLAS_ENTRY(void, l##potrf, potrf<T>, (Mode uplo, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), uplo, n,   \
                   a, lda, info)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##potrs, potrs<T>,                                                                           \
                   (Mode uplo, Int n, Int nrhs, T const* a, Int lda, T* b, Int ldb, EXAKT_BLAS_INTEGER* info), uplo,   \
                   n, nrhs, a, lda, b, ldb, info)                                                                      \
  EXAKT_BLAS_ENTRY(void, l##trtri, trtri<T>, (Mode uplo, Mode diag, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), \
                   uplo, diag, n, a, lda, info)                                                                        \
  EXAKT_BLAS_ENTRY(void, l##lauum, lauum<T>, (Mode uplo, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), uplo, n,   \
                   a, lda, info)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##potri, potri<T>, (Mode uplo, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), uplo, n,   \
                   a, lda, info)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##trtrs, trtrs<T>,                                                                           \
                   (Mode uplo, Mode trans, Mode diag, Int n, Int nrhs, T const* a, Int lda, T* b, Int ldb,             \
                    EXAKT_BLAS_INTEGER* info),                                                                         \
                   uplo, trans, diag, n, nrhs, a, lda, b, ldb, info)                                                   \
  EXAKT_BLAS_ENTRY(void, l##getf2, getrf<T>,                                                                           \
                   (Int m, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * pivots, EXAKT_BLAS_INTEGER * info), m, n, a,    \
                   lda, pivots, info)                                                                                  \
  EXAKT_BLAS_ENTRY(void, l##potf2, potrf<T>, (Mode uplo, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), uplo, n,   \
                   a, lda, info)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##lauu2, lauum<T>, (Mode uplo, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), uplo, n,   \
                   a, lda, info)                                                                                       \
  EXAKT_BLAS_ENTRY(void, l##trti2, trti2<T>, (Mode uplo, Mode diag, Int n, T * a, Int lda, EXAKT_BLAS_INTEGER * info), \
                   uplo, diag, n, a, lda, info)                                                                        \
  EXAKT_BLAS_ENTRY(void, l##geqrf, geqrf<T>,                                                                           \
                   (Int m, Int n, T * a, Int lda, T * tau, T * work, Int lwork, EXAKT_BLAS_INTEGER * info), m, n, a,   \
                   lda, tau, work, lwork, info)
EXAKT_BLAS_LAPACK(s, float)
EXAKT_BLAS_LAPACK(d, double)
EXAKT_BLAS_LAPACK(c, ComplexFloat)
EXAKT_BLAS_LAPACK(z, ComplexDouble)
