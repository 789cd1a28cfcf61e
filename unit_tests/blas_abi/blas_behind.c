/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A BLAS behind libexakt_blas of a few functions, one for each way to name them, four of which are wrong by one ulp; one that
   writes to a triangle while the entry across the diagonal is written by somebody else; one that finds no inverse; and one that asks for memory that
   there is not. */

#include <stdint.h>
#include <string.h>

static double next_after(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof x);
  ++bits;
  memcpy(&x, &bits, sizeof x);
  return x;
}

double ddot_(int32_t const *n, double const *x, int32_t const *incx, double const *y, int32_t const *incy) {
  double sum = 0;
  for (int32_t i = 0; i < *n; ++i) sum += x[i * *incx] * y[i * *incy];
  return next_after(sum);
}
double scipy_cblas_ddot64_(int64_t n, double const *x, int64_t incx, double const *y, int64_t incy) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i * incx] * y[i * incy];
  return sum;
}
void daxpy_(int32_t const *n, double const *alpha, double const *x, int32_t const *incx, double *y,
            int32_t const *incy) {
  for (int32_t i = 0; i < *n; ++i) y[i * *incy] += *alpha * x[i * *incx];
  *y = next_after(*y);
}
void caxpy_(int32_t const *n, float const *alpha, float const *x, int32_t const *incx, float *y, int32_t const *incy) {
  (void)n, (void)alpha, (void)x, (void)incx, (void)incy;
  y[1] = 0x1.000002p0f;
}
double cblas_dasum_64(int64_t n, double const *x, int64_t incx) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i * incx] < 0 ? -x[i * incx] : x[i * incx];
  return next_after(sum);
}
void dsyrk_(char const *uplo, char const *trans, int32_t const *n, int32_t const *k, double const *alpha,
            double const *a, int32_t const *lda, double const *beta, double *c, int32_t const *ldc) {
  int32_t const lower = 1, upper = *ldc;
  (void)trans, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)beta;
  c[0] = c[*uplo == 'L' ? lower : upper] = -1;
  c[*uplo == 'L' ? upper : lower] += 64;
}
void dtrtri_(char const *uplo, char const *diag, int32_t const *n, double *a, int32_t const *lda, int32_t *info) {
  (void)uplo, (void)diag, (void)n, (void)a, (void)lda;
  *info = 1;
}
void dgeqrf_(int32_t const *m, int32_t const *n, double *a, int32_t const *lda, double *tau, double *work,
             int32_t const *lwork, int32_t *info) {
  (void)m, (void)n, (void)a, (void)lda, (void)tau, (void)lwork;
  work[0] = -1;
  *info = 1;
}
