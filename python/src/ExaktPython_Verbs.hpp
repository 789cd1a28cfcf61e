// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_VERBS_HPP
#define EXAKTPYTHON_VERBS_HPP

/// \file
/// \brief The functions of exakt.h by verb and by type.

#include <exakt.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ExaktPython {

/// By the numbers that exakt/_reductions.py gives.
enum Verb { sum = 0, mean = 1, nrm2 = 2, variance = 3, stddev = 4, verbs = 5 };

/// Of two vectors, by the numbers that exakt/_pairs.py gives.
enum PairVerb { covariance = 0, correlation = 1, complex_variance = 2, complex_stddev = 3, pair_verbs = 4 };

template <class T>
struct Functions;

#define EXAKT_FUNCTIONS(letter, T)                                                                                \
  template <>                                                                                                     \
  struct Functions<T> {                                                                                           \
    static constexpr auto gemm = exakt_##letter##gemm;                                                            \
    static constexpr auto gemv = exakt_##letter##gemv;                                                            \
    static constexpr auto inclusive_scan = exakt_##letter##inclusive_scan;                                        \
    static constexpr auto segmented_sum = exakt_##letter##segmented_sum;                                          \
    static constexpr auto sum_by_key = exakt_##letter##sum_by_key;                                                \
    static constexpr auto histogram = exakt_##letter##histogram;                                                  \
    static exakt_status reduce_pairs(PairVerb verb, ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y,          \
                                     ptrdiff_t incy, int ddof, T* r) {                                            \
      switch (verb) {                                                                                             \
        case correlation:                                                                                         \
          return exakt_##letter##correlation(n, x, incx, y, incy, r);                                             \
        case complex_variance:                                                                                    \
          return exakt_##letter##complex_variance(n, x, incx, y, incy, ddof, r);                                  \
        case complex_stddev:                                                                                      \
          return exakt_##letter##complex_stddev(n, x, incx, y, incy, ddof, r);                                    \
        default:                                                                                                  \
          return exakt_##letter##covariance(n, x, incx, y, incy, ddof, r);                                        \
      }                                                                                                           \
    }                                                                                                             \
    static exakt_status reduce(Verb verb, ptrdiff_t n, T const* x, ptrdiff_t incx, int ddof, T* r) {              \
      switch (verb) {                                                                                             \
        case mean:                                                                                                \
          return exakt_##letter##mean(n, x, incx, r);                                                             \
        case nrm2:                                                                                                \
          return exakt_##letter##nrm2(n, x, incx, r);                                                             \
        case variance:                                                                                            \
          return exakt_##letter##variance(n, x, incx, ddof, r);                                                   \
        case stddev:                                                                                              \
          return exakt_##letter##stddev(n, x, incx, ddof, r);                                                     \
        default:                                                                                                  \
          return exakt_##letter##sum(n, x, incx, r);                                                              \
      }                                                                                                           \
    }                                                                                                             \
    static exakt_status reduce(Verb verb, ptrdiff_t n, T const* x, ptrdiff_t incx, int ddof, exakt_rounding mode, \
                               T* r) {                                                                            \
      switch (verb) {                                                                                             \
        case mean:                                                                                                \
          return exakt_##letter##mean_rounded(n, x, incx, mode, r);                                               \
        case nrm2:                                                                                                \
          return exakt_##letter##nrm2_rounded(n, x, incx, mode, r);                                               \
        case variance:                                                                                            \
          return exakt_##letter##variance_rounded(n, x, incx, ddof, mode, r);                                     \
        case stddev:                                                                                              \
          return exakt_##letter##stddev_rounded(n, x, incx, ddof, mode, r);                                       \
        default:                                                                                                  \
          return exakt_##letter##sum_rounded(n, x, incx, mode, r);                                                \
      }                                                                                                           \
    }                                                                                                             \
    static exakt_status reduce_batch(Verb verb, ptrdiff_t n, ptrdiff_t count, T const* x, ptrdiff_t incx,         \
                                     ptrdiff_t stridex, int ddof, T* r, ptrdiff_t incr) {                         \
      switch (verb) {                                                                                             \
        case mean:                                                                                                \
          return exakt_##letter##mean_batch(n, count, x, incx, stridex, r, incr);                                 \
        case nrm2:                                                                                                \
          return exakt_##letter##nrm2_batch(n, count, x, incx, stridex, r, incr);                                 \
        case variance:                                                                                            \
          return exakt_##letter##variance_batch(n, count, x, incx, stridex, ddof, r, incr);                       \
        case stddev:                                                                                              \
          return exakt_##letter##stddev_batch(n, count, x, incx, stridex, ddof, r, incr);                         \
        default:                                                                                                  \
          return exakt_##letter##sum_batch(n, count, x, incx, stridex, r, incr);                                  \
      }                                                                                                           \
    }                                                                                                             \
  };
EXAKT_FUNCTIONS(d, double)
EXAKT_FUNCTIONS(s, float)
#undef EXAKT_FUNCTIONS

/// \brief Of a value that lies between two neighbouring doubles, or is both of them, the one whose last bit is set: a
/// second rounding, to a type with fewer bits, then gives what one alone would (Boldo and Melquiond, 2008).
inline double to_odd(double below, double above) {
  std::uint64_t bits;
  std::memcpy(&bits, &below, sizeof bits);
  return (bits & 1) != 0 ? below : above;  // of zeros the positive one
}

/// \param round  Of a mode and where the result is written: a function of exakt.h that ends with _rounded.
template <class Round>
exakt_status round_to_odd(Round const& round, double* r) {
  double below = 0, above = 0;
  exakt_status status = round(EXAKT_DOWNWARD, &below);
  if (status == EXAKT_SUCCESS) status = round(EXAKT_UPWARD, &above);
  if (status == EXAKT_SUCCESS) *r = to_odd(below, above);
  return status;
}

}  // namespace ExaktPython

#endif
