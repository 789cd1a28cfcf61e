// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Batch.hpp"

#include <parallel/Exakt_Variances.hpp>

namespace ExaktC {
namespace {

constexpr bool variance = false, stddev = true;  // whether the root is taken

template <bool is_root, class T>
exakt_status spread(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, int ddof,
                    exakt_rounding mode, T* result) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    auto const entries = Exakt::Compiled::vector_of(vector_of(size, x, ascending(incx), "x"), size);
    *result = Exakt::Impl::variance_of_vector<is_root>(function, Kokkos::Serial(), entries, ddof, rounding);
  });
}

template <bool is_root, class T>
exakt_status spread_batch(char const* function, std::ptrdiff_t n, std::ptrdiff_t count, T const* x, std::ptrdiff_t incx,
                          std::ptrdiff_t stridex, int ddof, T* result, std::ptrdiff_t incr) {
  return guarded(function, [&] {
    Batch<T> const batch(n, count, x, incx, stridex, result, incr);
    if (batch.count == 0) return;
    Exakt::Impl::variances_into<is_root>(function, Kokkos::Serial(),
                                         Exakt::Compiled::vector_of(batch.results, batch.count),
                                         Exakt::Compiled::matrix_of(batch.vectors, batch.size, batch.count), ddof);
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_SPREAD(letter, T, verb)                                                                                 \
  exakt_status exakt_##letter##verb(ptrdiff_t n, T const* x, ptrdiff_t incx, int ddof, T* result) {                   \
    return ExaktC::spread<ExaktC::verb>("exakt_" #letter #verb, n, x, incx, ddof, EXAKT_TO_NEAREST, result);          \
  }                                                                                                                   \
  exakt_status exakt_##letter##verb##_rounded(ptrdiff_t n, T const* x, ptrdiff_t incx, int ddof, exakt_rounding mode, \
                                              T* result) {                                                            \
    return ExaktC::spread<ExaktC::verb>("exakt_" #letter #verb "_rounded", n, x, incx, ddof, mode, result);           \
  }                                                                                                                   \
  exakt_status exakt_##letter##verb##_batch(ptrdiff_t n, ptrdiff_t count, T const* x, ptrdiff_t incx,                 \
                                            ptrdiff_t stridex, int ddof, T* result, ptrdiff_t incr) {                 \
    return ExaktC::spread_batch<ExaktC::verb>("exakt_" #letter #verb "_batch", n, count, x, incx, stridex, ddof,      \
                                              result, incr);                                                          \
  }

EXAKT_SPREAD(d, double, variance)
EXAKT_SPREAD(d, double, stddev)
EXAKT_SPREAD(s, float, variance)
EXAKT_SPREAD(s, float, stddev)
