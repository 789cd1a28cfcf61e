/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef EXAKT_H
#define EXAKT_H

/**
 * \file
 * \brief Exakt for C (C99): sums, dots, norms, means, matrix products, triangular systems, accumulators, scattered sums.
 *
 * The exact value of the expression, rounded once: the same bits for every order of terms, number of threads, processor,
 * and way to store the operands. Special values: any NaN, infinities of both signs, or 0 * inf among the products give
 * NaN; otherwise an infinity is the result. An exact zero is +0, -0 when rounding downward.
 *
 * Every function that can fail returns an exakt_status; exakt_message() says in a sentence what was wrong. Results are
 * written only if the status is EXAKT_SUCCESS, except that csrmv, which meets a row that does not exist while it multiplies,
 * may have written other rows, and that a call that runs out of memory may have written a part of them. Any thread may call at any time: there is no initialization, and nothing is
 * shared between calls but the handles that they are given. The caller's rounding mode and treatment of subnormal numbers
 * change nothing, and are as before afterwards. Each call works on its own thread, unless EXAKT_NUM_THREADS in the
 * environment asks for more, which the library then starts and keeps; the child of a fork starts its own.
 *
 * Vectors, as in the BLAS: n entries, `incx` from one to the next; if incx is negative, x is still the lowest address and
 * the first entry is x[(1 - n) * incx]. With n = 0 x is not read, and may be NULL. Matrices, as in CBLAS: `layout` says
 * whether rows or columns are contiguous, `lda` is the distance from one to the next. The numbers of the enumerators are
 * those of CBLAS. A factor alpha or beta that is zero means that what it multiplies is not read. What is written must not
 * share memory with what is read, but for single results of reductions. Modes are ints, so that CBLAS's own enumerators
 * may be passed.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(_WIN32)
#define EXAKT_C_API __attribute__((visibility("default")))
#else
#define EXAKT_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a call. */
typedef int exakt_status;
enum {
  EXAKT_SUCCESS = 0,
  EXAKT_INVALID_ARGUMENT = 1, /**< NULL, a negative size, an unknown mode, overlapping operands, damaged bytes, ... */
  EXAKT_OUT_OF_MEMORY = 2,
  EXAKT_INTERNAL_ERROR = 3 /**< a defect of this library */
};

/** The rounding directions of IEEE 754; to nearest, ties go to the even number. */
typedef int exakt_rounding;
enum {
  EXAKT_TO_NEAREST = 0,
  EXAKT_TOWARD_ZERO = 1,
  EXAKT_UPWARD = 2,
  EXAKT_DOWNWARD = 3
};

typedef int exakt_layout;
enum { EXAKT_ROW_MAJOR = 101, EXAKT_COLUMN_MAJOR = 102 };
typedef int exakt_transpose;
enum { EXAKT_NO_TRANS = 111, EXAKT_TRANS = 112, EXAKT_CONJ_TRANS = 113 };
typedef int exakt_uplo;
enum { EXAKT_UPPER = 121, EXAKT_LOWER = 122 };
typedef int exakt_diag;
enum { EXAKT_NON_UNIT = 131, EXAKT_UNIT = 132 };
typedef int exakt_side;
enum { EXAKT_LEFT = 141, EXAKT_RIGHT = 142 };

/* ---- the library */

/** Why the last call of the calling thread that failed did so; "" if none has. Valid until its next call that fails. */
EXAKT_C_API char const *exakt_message(void);

/** What exakt_message() returns on this thread from now on: for bindings, which check some arguments before the library
 *  does. NULL is "". Of a longer sentence the first 511 characters. */
EXAKT_C_API void exakt_set_message(char const *sentence);

/** "0.1.0". */
EXAKT_C_API char const *exakt_version(void);

/** One line for bug reports: version, instruction set in use (the environment variable EXAKT_ISA takes a lower one). */
EXAKT_C_API char const *exakt_describe(void);

/* ---- vectors: *result is the exact value, rounded once. d: double, s: float; _rounded: in the given direction. */

/** Sum of x(i). */
EXAKT_C_API exakt_status exakt_dsum(ptrdiff_t n, double const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_ssum(ptrdiff_t n, float const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_dsum_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, exakt_rounding mode,
                                            double *result);
EXAKT_C_API exakt_status exakt_ssum_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, exakt_rounding mode,
                                            float *result);

/** Sum of |x(i)|. */
EXAKT_C_API exakt_status exakt_dnrm1(ptrdiff_t n, double const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_snrm1(ptrdiff_t n, float const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_dnrm1_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, exakt_rounding mode,
                                             double *result);
EXAKT_C_API exakt_status exakt_snrm1_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, exakt_rounding mode,
                                             float *result);

/** Square root of the sum of x(i)^2; the sum neither overflows nor underflows. */
EXAKT_C_API exakt_status exakt_dnrm2(ptrdiff_t n, double const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_snrm2(ptrdiff_t n, float const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_dnrm2_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, exakt_rounding mode,
                                             double *result);
EXAKT_C_API exakt_status exakt_snrm2_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, exakt_rounding mode,
                                             float *result);

/** Sum of x(i)^2. */
EXAKT_C_API exakt_status exakt_dnrm2_squared(ptrdiff_t n, double const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_snrm2_squared(ptrdiff_t n, float const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_dnrm2_squared_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, exakt_rounding mode,
                                                     double *result);
EXAKT_C_API exakt_status exakt_snrm2_squared_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, exakt_rounding mode,
                                                     float *result);

/** Sum of x(i), divided by n: one rounding of the exact quotient. The mean of nothing is NaN. */
EXAKT_C_API exakt_status exakt_dmean(ptrdiff_t n, double const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_smean(ptrdiff_t n, float const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_dmean_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, exakt_rounding mode,
                                             double *result);
EXAKT_C_API exakt_status exakt_smean_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, exakt_rounding mode,
                                             float *result);

/** Sum of x(i) * y(i), of exact products. */
EXAKT_C_API exakt_status exakt_ddot(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y, ptrdiff_t incy,
                                    double *result);
EXAKT_C_API exakt_status exakt_sdot(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y, ptrdiff_t incy,
                                    float *result);
EXAKT_C_API exakt_status exakt_ddot_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y,
                                            ptrdiff_t incy, exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_sdot_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y, ptrdiff_t incy,
                                            exakt_rounding mode, float *result);

/** Variance, (n sum(x(i)^2) - sum(x(i))^2) / (n (n - ddof)), and its root. Of a sample ddof is 1, of a population 0; NaN if
 *  n <= ddof or n = 0, or if an entry is infinite or NaN. */
EXAKT_C_API exakt_status exakt_dvariance(ptrdiff_t n, double const *x, ptrdiff_t incx, int ddof, double *result);
EXAKT_C_API exakt_status exakt_svariance(ptrdiff_t n, float const *x, ptrdiff_t incx, int ddof, float *result);
EXAKT_C_API exakt_status exakt_dvariance_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, int ddof,
                                                 exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_svariance_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, int ddof,
                                                 exakt_rounding mode, float *result);
EXAKT_C_API exakt_status exakt_dstddev(ptrdiff_t n, double const *x, ptrdiff_t incx, int ddof, double *result);
EXAKT_C_API exakt_status exakt_sstddev(ptrdiff_t n, float const *x, ptrdiff_t incx, int ddof, float *result);
EXAKT_C_API exakt_status exakt_dstddev_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, int ddof,
                                               exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_sstddev_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, int ddof,
                                               exakt_rounding mode, float *result);

/** Covariance, (n sum(x(i) y(i)) - sum(x(i)) sum(y(i))) / (n (n - ddof)); and correlation, in [-1, 1]: the covariance by the root
 *  of the product of both variances, NaN if one of these is zero or n < 2. Each rounded once. */
EXAKT_C_API exakt_status exakt_dcovariance(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y,
                                           ptrdiff_t incy, int ddof, double *result);
EXAKT_C_API exakt_status exakt_scovariance(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y, ptrdiff_t incy,
                                           int ddof, float *result);
EXAKT_C_API exakt_status exakt_dcovariance_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y,
                                                   ptrdiff_t incy, int ddof, exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_scovariance_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y,
                                                   ptrdiff_t incy, int ddof, exakt_rounding mode, float *result);
EXAKT_C_API exakt_status exakt_dcorrelation(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y,
                                            ptrdiff_t incy, double *result);
EXAKT_C_API exakt_status exakt_scorrelation(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y, ptrdiff_t incy,
                                            float *result);
EXAKT_C_API exakt_status exakt_dcorrelation_rounded(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *y,
                                                    ptrdiff_t incy, exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_scorrelation_rounded(ptrdiff_t n, float const *x, ptrdiff_t incx, float const *y,
                                                    ptrdiff_t incy, exakt_rounding mode, float *result);

/* z: complex doubles, c: complex floats, as C99 and std::complex have them, by the addresses of the first ones. Results
 * of norms are real, others complex, each part the exact value, rounded once. */

/** Sum of x(i). */
EXAKT_C_API exakt_status exakt_zsum(ptrdiff_t n, void const *x, ptrdiff_t incx, void *result);
EXAKT_C_API exakt_status exakt_csum(ptrdiff_t n, void const *x, ptrdiff_t incx, void *result);
EXAKT_C_API exakt_status exakt_zsum_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                            void *result);
EXAKT_C_API exakt_status exakt_csum_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                            void *result);

/** Sum of x(i), divided by n. */
EXAKT_C_API exakt_status exakt_zmean(ptrdiff_t n, void const *x, ptrdiff_t incx, void *result);
EXAKT_C_API exakt_status exakt_cmean(ptrdiff_t n, void const *x, ptrdiff_t incx, void *result);
EXAKT_C_API exakt_status exakt_zmean_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             void *result);
EXAKT_C_API exakt_status exakt_cmean_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             void *result);

/** Sum of |Re x(i)| + |Im x(i)|, as BLAS's dzasum has it. */
EXAKT_C_API exakt_status exakt_znrm1(ptrdiff_t n, void const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_cnrm1(ptrdiff_t n, void const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_znrm1_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             double *result);
EXAKT_C_API exakt_status exakt_cnrm1_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             float *result);

/** Square root of the sum of |x(i)|^2; the sum neither overflows nor underflows. */
EXAKT_C_API exakt_status exakt_znrm2(ptrdiff_t n, void const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_cnrm2(ptrdiff_t n, void const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_znrm2_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             double *result);
EXAKT_C_API exakt_status exakt_cnrm2_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                             float *result);

/** Sum of |x(i)|^2. */
EXAKT_C_API exakt_status exakt_znrm2_squared(ptrdiff_t n, void const *x, ptrdiff_t incx, double *result);
EXAKT_C_API exakt_status exakt_cnrm2_squared(ptrdiff_t n, void const *x, ptrdiff_t incx, float *result);
EXAKT_C_API exakt_status exakt_znrm2_squared_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                                     double *result);
EXAKT_C_API exakt_status exakt_cnrm2_squared_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, exakt_rounding mode,
                                                     float *result);

/** Sum of x(i) * y(i). */
EXAKT_C_API exakt_status exakt_zdotu(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                     void *result);
EXAKT_C_API exakt_status exakt_cdotu(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                     void *result);
EXAKT_C_API exakt_status exakt_zdotu_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                             exakt_rounding mode, void *result);
EXAKT_C_API exakt_status exakt_cdotu_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                             exakt_rounding mode, void *result);

/** Sum of conj(x(i)) * y(i). */
EXAKT_C_API exakt_status exakt_zdotc(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                     void *result);
EXAKT_C_API exakt_status exakt_cdotc(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                     void *result);
EXAKT_C_API exakt_status exakt_zdotc_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                             exakt_rounding mode, void *result);
EXAKT_C_API exakt_status exakt_cdotc_rounded(ptrdiff_t n, void const *x, ptrdiff_t incx, void const *y, ptrdiff_t incy,
                                             exakt_rounding mode, void *result);

/** Variance of complex numbers, whose parts are re(i) and im(i): that of the real parts and that of the imaginary parts
 *  together, rounded once; and its root. */
EXAKT_C_API exakt_status exakt_dcomplex_variance(ptrdiff_t n, double const *re, ptrdiff_t incre, double const *im,
                                                 ptrdiff_t incim, int ddof, double *result);
EXAKT_C_API exakt_status exakt_scomplex_variance(ptrdiff_t n, float const *re, ptrdiff_t incre, float const *im,
                                                 ptrdiff_t incim, int ddof, float *result);
EXAKT_C_API exakt_status exakt_dcomplex_variance_rounded(ptrdiff_t n, double const *re, ptrdiff_t incre,
                                                         double const *im, ptrdiff_t incim, int ddof,
                                                         exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_scomplex_variance_rounded(ptrdiff_t n, float const *re, ptrdiff_t incre,
                                                         float const *im, ptrdiff_t incim, int ddof,
                                                         exakt_rounding mode, float *result);
EXAKT_C_API exakt_status exakt_dcomplex_stddev(ptrdiff_t n, double const *re, ptrdiff_t incre, double const *im,
                                               ptrdiff_t incim, int ddof, double *result);
EXAKT_C_API exakt_status exakt_scomplex_stddev(ptrdiff_t n, float const *re, ptrdiff_t incre, float const *im,
                                               ptrdiff_t incim, int ddof, float *result);
EXAKT_C_API exakt_status exakt_dcomplex_stddev_rounded(ptrdiff_t n, double const *re, ptrdiff_t incre,
                                                       double const *im, ptrdiff_t incim, int ddof,
                                                       exakt_rounding mode, double *result);
EXAKT_C_API exakt_status exakt_scomplex_stddev_rounded(ptrdiff_t n, float const *re, ptrdiff_t incre,
                                                       float const *im, ptrdiff_t incim, int ddof,
                                                       exakt_rounding mode, float *result);

/** r(b) := the sum of all weights(i) with edges(b) <= x(i) < edges(b + 1), rounded once; the last bin has its upper edge, too.
 *  One bin at least, and bins + 1 edges, which ascend; equal ones make an empty bin. What lies outside of all bins, and
 *  NaN, is left out. */
EXAKT_C_API exakt_status exakt_dhistogram(ptrdiff_t n, double const *x, ptrdiff_t incx, double const *weights,
                                          ptrdiff_t incw, ptrdiff_t bins, double const *edges, double *r);
EXAKT_C_API exakt_status exakt_shistogram(ptrdiff_t n, double const *x, ptrdiff_t incx, float const *weights,
                                          ptrdiff_t incw, ptrdiff_t bins, double const *edges, float *r);

/* ---- many vectors: result[j * incr] is that of x[i * incx + j * stridex], i < n, for each j < count; stridex >= 0 */

EXAKT_C_API exakt_status exakt_dsum_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                          ptrdiff_t stridex, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_ssum_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                          ptrdiff_t stridex, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dnrm1_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_snrm1_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dnrm2_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_snrm2_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dnrm2_squared_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                                   ptrdiff_t stridex, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_snrm2_squared_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                                   ptrdiff_t stridex, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dmean_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_smean_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                           ptrdiff_t stridex, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dvariance_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                               ptrdiff_t stridex, int ddof, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_svariance_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                               ptrdiff_t stridex, int ddof, float *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dstddev_batch(ptrdiff_t n, ptrdiff_t count, double const *x, ptrdiff_t incx,
                                             ptrdiff_t stridex, int ddof, double *result, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_sstddev_batch(ptrdiff_t n, ptrdiff_t count, float const *x, ptrdiff_t incx,
                                             ptrdiff_t stridex, int ddof, float *result, ptrdiff_t incr);

/* ---- scans and groups */

/** r(i) := x(0) + ... + x(i), or without x(i) itself, each prefix rounded once. r may be x, with the same increment. */
EXAKT_C_API exakt_status exakt_dinclusive_scan(ptrdiff_t n, double const *x, ptrdiff_t incx, double *r, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_sinclusive_scan(ptrdiff_t n, float const *x, ptrdiff_t incx, float *r, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_dexclusive_scan(ptrdiff_t n, double const *x, ptrdiff_t incx, double *r, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_sexclusive_scan(ptrdiff_t n, float const *x, ptrdiff_t incx, float *r, ptrdiff_t incr);

/** r(s) := x(offsets[s]) + ... + x(offsets[s + 1] - 1) for s < segments. There are segments + 1 offsets between 0 and n,
 *  which do not decrease. */
EXAKT_C_API exakt_status exakt_dsegmented_sum(ptrdiff_t segments, ptrdiff_t const *offsets, ptrdiff_t n,
                                              double const *x, ptrdiff_t incx, double *r, ptrdiff_t incr);
EXAKT_C_API exakt_status exakt_ssegmented_sum(ptrdiff_t segments, ptrdiff_t const *offsets, ptrdiff_t n, float const *x,
                                              ptrdiff_t incx, float *r, ptrdiff_t incr);

/** \brief unique_keys[k] := the different keys, ascending; sums[k] := the sum of all x(i) with keys[i] = unique_keys[k].
 *  \param capacity  Entries of unique_keys and of sums; n always suffices. EXAKT_INVALID_ARGUMENT if there are more keys.
 *  \param count  Receives how many keys there are. */
EXAKT_C_API exakt_status exakt_dsum_by_key(ptrdiff_t n, int64_t const *keys, double const *x, ptrdiff_t incx,
                                           int64_t *unique_keys, double *sums, ptrdiff_t capacity, ptrdiff_t *count);
EXAKT_C_API exakt_status exakt_ssum_by_key(ptrdiff_t n, int64_t const *keys, float const *x, ptrdiff_t incx,
                                           int64_t *unique_keys, float *sums, ptrdiff_t capacity, ptrdiff_t *count);

/* ---- matrices: each entry of the result is its whole expression, rounded once to nearest.
 *
 * z: complex doubles, c: complex floats, as C99 and std::complex have them, each part of an entry rounded once. As in
 * CBLAS, their factors are given by their addresses. */

/** y := alpha op(A) x + beta y; A is m x n. */
EXAKT_C_API exakt_status exakt_dgemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, double alpha,
                                     double const *a, ptrdiff_t lda, double const *x, ptrdiff_t incx, double beta,
                                     double *y, ptrdiff_t incy);
EXAKT_C_API exakt_status exakt_sgemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, float alpha,
                                     float const *a, ptrdiff_t lda, float const *x, ptrdiff_t incx, float beta,
                                     float *y, ptrdiff_t incy);
EXAKT_C_API exakt_status exakt_zgemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n,
                                     void const *alpha, void const *a, ptrdiff_t lda, void const *x, ptrdiff_t incx,
                                     void const *beta, void *y, ptrdiff_t incy);
EXAKT_C_API exakt_status exakt_cgemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n,
                                     void const *alpha, void const *a, ptrdiff_t lda, void const *x, ptrdiff_t incx,
                                     void const *beta, void *y, ptrdiff_t incy);

/** C := alpha op(A) op(B) + beta C; op(A) is m x k, op(B) is k x n, C is m x n. */
EXAKT_C_API exakt_status exakt_dgemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m,
                                     ptrdiff_t n, ptrdiff_t k, double alpha, double const *a, ptrdiff_t lda,
                                     double const *b, ptrdiff_t ldb, double beta, double *c, ptrdiff_t ldc);
EXAKT_C_API exakt_status exakt_sgemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m,
                                     ptrdiff_t n, ptrdiff_t k, float alpha, float const *a, ptrdiff_t lda,
                                     float const *b, ptrdiff_t ldb, float beta, float *c, ptrdiff_t ldc);
EXAKT_C_API exakt_status exakt_zgemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m,
                                     ptrdiff_t n, ptrdiff_t k, void const *alpha, void const *a, ptrdiff_t lda,
                                     void const *b, ptrdiff_t ldb, void const *beta, void *c, ptrdiff_t ldc);
EXAKT_C_API exakt_status exakt_cgemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m,
                                     ptrdiff_t n, ptrdiff_t k, void const *alpha, void const *a, ptrdiff_t lda,
                                     void const *b, ptrdiff_t ldb, void const *beta, void *c, ptrdiff_t ldc);

/** Solves op(A) x = b; x is b before and the solution afterwards: x(i) := (b(i) - sum of a(i, j) x(j)) / a(i, i), the
 *  whole rounded once, from the unknowns that were rounded before. Of A, n x n, one triangle is used; x must not
 *  lie within the other one either. Divisions by zero
 *  and infinity are those of IEEE 754; of complex numbers both parts are NaN over zero, and over an infinite part. */
EXAKT_C_API exakt_status exakt_dtrsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,
                                     ptrdiff_t n, double const *a, ptrdiff_t lda, double *x, ptrdiff_t incx);
EXAKT_C_API exakt_status exakt_strsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,
                                     ptrdiff_t n, float const *a, ptrdiff_t lda, float *x, ptrdiff_t incx);
EXAKT_C_API exakt_status exakt_ztrsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,
                                     ptrdiff_t n, void const *a, ptrdiff_t lda, void *x, ptrdiff_t incx);
EXAKT_C_API exakt_status exakt_ctrsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,
                                     ptrdiff_t n, void const *a, ptrdiff_t lda, void *x, ptrdiff_t incx);

/** Solves op(A) X = alpha B, or with EXAKT_RIGHT X op(A) = alpha B, in the same way; B, m x n, becomes X. */
EXAKT_C_API exakt_status exakt_dtrsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,
                                     exakt_diag diag, ptrdiff_t m, ptrdiff_t n, double alpha, double const *a,
                                     ptrdiff_t lda, double *b, ptrdiff_t ldb);
EXAKT_C_API exakt_status exakt_strsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,
                                     exakt_diag diag, ptrdiff_t m, ptrdiff_t n, float alpha, float const *a,
                                     ptrdiff_t lda, float *b, ptrdiff_t ldb);
EXAKT_C_API exakt_status exakt_ztrsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,
                                     exakt_diag diag, ptrdiff_t m, ptrdiff_t n, void const *alpha, void const *a,
                                     ptrdiff_t lda, void *b, ptrdiff_t ldb);
EXAKT_C_API exakt_status exakt_ctrsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,
                                     exakt_diag diag, ptrdiff_t m, ptrdiff_t n, void const *alpha, void const *a,
                                     ptrdiff_t lda, void *b, ptrdiff_t ldb);

/** y := alpha op(A) x + beta y; A is m x n in compressed rows: entries row_map[i] ... row_map[i + 1] - 1 are those of row i,
 *  each the number values[k] in column columns[k], counted from 0. Within a row in any order; several of one column add up.
 *  x and y are contiguous. _64: 64-bit numbers of entries and columns. */
EXAKT_C_API exakt_status exakt_dcsrmv(exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, double alpha,
                                      int32_t const *row_map, int32_t const *columns, double const *values,
                                      double const *x, double beta, double *y);
EXAKT_C_API exakt_status exakt_scsrmv(exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, float alpha,
                                      int32_t const *row_map, int32_t const *columns, float const *values,
                                      float const *x, float beta, float *y);
EXAKT_C_API exakt_status exakt_dcsrmv_64(exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, double alpha,
                                         int64_t const *row_map, int64_t const *columns, double const *values,
                                         double const *x, double beta, double *y);
EXAKT_C_API exakt_status exakt_scsrmv_64(exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, float alpha,
                                         int64_t const *row_map, int64_t const *columns, float const *values,
                                         float const *x, float beta, float *y);

/* ---- accumulators: the exact sum of what has been added, so far */

/** An exact sum. Several threads may read one at once; who changes it is alone with it. */
typedef struct exakt_accumulator exakt_accumulator;

typedef int exakt_accumulator_kind;
enum {
  EXAKT_SUM = 0, /**< of numbers */
  EXAKT_DOT = 1  /**< of numbers and of products of two */
};

/** *created := an empty sum, to be given to exakt_accumulator_destroy(). */
EXAKT_C_API exakt_status exakt_accumulator_create(exakt_accumulator_kind kind, exakt_accumulator **created);

/** Memory for one accumulator of this version. */
#define EXAKT_ACCUMULATOR_SIZE 1024

/** \brief *created := an empty sum in the caller's memory, for sums that are part of something else.
 *
 *  It may be copied and moved as bytes, and is not given to exakt_accumulator_destroy(): nothing belongs to it.
 *  \param memory    As an int64_t is aligned.
 *  \param capacity  Its bytes: EXAKT_ACCUMULATOR_SIZE; EXAKT_INVALID_ARGUMENT if an accumulator of the library that is
 *                   loaded needs more. */
EXAKT_C_API exakt_status exakt_accumulator_create_in(exakt_accumulator_kind kind, void *memory, size_t capacity,
                                                     exakt_accumulator **created);
/** *created := another accumulator with the same sum. */
EXAKT_C_API exakt_status exakt_accumulator_copy(exakt_accumulator const *from, exakt_accumulator **created);
/** NULL is allowed. */
EXAKT_C_API exakt_status exakt_accumulator_destroy(exakt_accumulator *accumulator);
/** Back to the empty sum. */
EXAKT_C_API exakt_status exakt_accumulator_clear(exakt_accumulator *accumulator);

/** Adds x, the entries of x, x * y, or the products x(i) * y(i), exactly. Products need an EXAKT_DOT. */
EXAKT_C_API exakt_status exakt_accumulator_add(exakt_accumulator *accumulator, double x);
EXAKT_C_API exakt_status exakt_accumulator_add_array(exakt_accumulator *accumulator, ptrdiff_t n, double const *x,
                                                     ptrdiff_t incx);
EXAKT_C_API exakt_status exakt_accumulator_add_floats(exakt_accumulator *accumulator, ptrdiff_t n, float const *x,
                                                      ptrdiff_t incx);
EXAKT_C_API exakt_status exakt_accumulator_add_product(exakt_accumulator *accumulator, double x, double y);
EXAKT_C_API exakt_status exakt_accumulator_add_products(exakt_accumulator *accumulator, ptrdiff_t n, double const *x,
                                                        ptrdiff_t incx, double const *y, ptrdiff_t incy);
EXAKT_C_API exakt_status exakt_accumulator_add_float_products(exakt_accumulator *accumulator, ptrdiff_t n,
                                                              float const *x, ptrdiff_t incx, float const *y,
                                                              ptrdiff_t incy);

/** Adds the sum in `other`, of the same kind, or an EXAKT_SUM to an EXAKT_DOT; or subtracts it: a sum that was merged is
 *  removed without a trace, if it is finite: of infinities a NaN is left. */
EXAKT_C_API exakt_status exakt_accumulator_merge(exakt_accumulator *accumulator, exakt_accumulator const *other);
EXAKT_C_API exakt_status exakt_accumulator_subtract(exakt_accumulator *accumulator, exakt_accumulator const *other);

/** The sum, rounded once, to a double or to a float. */
EXAKT_C_API exakt_status exakt_accumulator_round(exakt_accumulator const *accumulator, exakt_rounding mode,
                                                 double *result);
EXAKT_C_API exakt_status exakt_accumulator_round_float(exakt_accumulator const *accumulator, exakt_rounding mode,
                                                       float *result);

/** The square root of the sum, rounded once: a norm, of squares that were added. NaN if the sum is negative. */
EXAKT_C_API exakt_status exakt_accumulator_round_sqrt(exakt_accumulator const *accumulator, exakt_rounding mode,
                                                      double *result);
EXAKT_C_API exakt_status exakt_accumulator_round_sqrt_float(exakt_accumulator const *accumulator, exakt_rounding mode,
                                                            float *result);

/** *equal := 1 if the exact values are the same, whatever the paths that led there, else 0. Two NaN are equal. */
EXAKT_C_API exakt_status exakt_accumulator_equal(exakt_accumulator const *a, exakt_accumulator const *b, int *equal);

/** No accumulator has more bytes. */
#define EXAKT_BYTES_AT_MOST 1024

/** \brief The sum as bytes, of one form on all machines (core's Exakt_Serialization.hpp): equal sums have equal bytes.
 *  \param bytes  Room for `capacity` bytes, or NULL to ask for the size alone.
 *  \param size   Receives how many they are; EXAKT_INVALID_ARGUMENT if that is more than capacity. */
EXAKT_C_API exakt_status exakt_accumulator_to_bytes(exakt_accumulator const *accumulator, void *bytes, size_t capacity,
                                                    size_t *size);
/** *created := the accumulator, of doubles, that these bytes are. */
EXAKT_C_API exakt_status exakt_accumulator_from_bytes(void const *bytes, size_t size, exakt_accumulator **created);

/** Words of one accumulator of each kind. */
#define EXAKT_SUM_WORDS 72
#define EXAKT_DOT_WORDS 140

/** \brief The sum as integers that may be added up, word by word, in any order, for fewer than 2^31 accumulators:
 *  MPI_SUM on MPI_INT64_T. For messages between processes of one version of this library; bytes are for files.
 *  \param words  Room for EXAKT_SUM_WORDS, or EXAKT_DOT_WORDS. */
EXAKT_C_API exakt_status exakt_accumulator_to_words(exakt_accumulator const *accumulator, int64_t *words);
/** Adds the sum that such words, or sums of them, are. */
EXAKT_C_API exakt_status exakt_accumulator_add_words(exakt_accumulator *accumulator, int64_t const *words);

/* ---- scattered sums: an array of exact sums that any thread adds to */

/** Bins 0 to n - 1, 320 bytes each. Any threads may add at once; reading, merging and clearing want all additions done. */
typedef struct exakt_scatter exakt_scatter;

EXAKT_C_API exakt_status exakt_scatter_create(ptrdiff_t n, exakt_scatter **created);
/** NULL is allowed. */
EXAKT_C_API exakt_status exakt_scatter_destroy(exakt_scatter *bins);
EXAKT_C_API exakt_status exakt_scatter_clear(exakt_scatter *bins);
/** Bin i += x, exactly; without a lock. */
EXAKT_C_API exakt_status exakt_scatter_add(exakt_scatter *bins, ptrdiff_t i, double x);
/** Bin indices[k] += x[k] for k below n. Nothing is added if there is a bin that does not exist. */
EXAKT_C_API exakt_status exakt_scatter_add_array(exakt_scatter *bins, ptrdiff_t n, ptrdiff_t const *indices,
                                                 double const *x);
/** Bins += those of `other`, as many. */
EXAKT_C_API exakt_status exakt_scatter_merge(exakt_scatter *bins, exakt_scatter const *other);
/** *result := bin i, rounded once. */
EXAKT_C_API exakt_status exakt_scatter_round(exakt_scatter const *bins, ptrdiff_t i, exakt_rounding mode,
                                             double *result);
/** result[i] := bin i, rounded once, for all bins. */
EXAKT_C_API exakt_status exakt_scatter_round_all(exakt_scatter const *bins, exakt_rounding mode, double *result);

#ifdef __cplusplus
}
#endif

#endif
