// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Entries.hpp"

#include <Exakt_LongAccumulator.hpp>
#include <numerics/Exakt_BinOf.hpp>
#include <parallel/Exakt_Covariances.hpp>

#include <memory>

namespace ExaktC {
namespace {

/// Two vectors of one length, and what becomes of them.
template <class T, class RoundOf>
exakt_status reduce_pairs(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y,
                          std::ptrdiff_t incy, exakt_rounding mode, T* result, RoundOf const& round_of) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    auto const a = Exakt::Compiled::vector_of(vector_of(size, x, incx, "x"), size);
    auto const b = Exakt::Compiled::vector_of(vector_of(size, y, incy, "y"), size);
    *result = Exakt::Impl::reduce_pairs<T>(function, Kokkos::Serial(), a, b, round_of(size, rounding));
  });
}

template <class T>
exakt_status covariance(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y,
                        std::ptrdiff_t incy, int ddof, exakt_rounding mode, T* result) {
  return reduce_pairs(function, n, x, incx, y, incy, mode, result, [=](std::size_t count, Exakt::Rounding rounding) {
    return Exakt::Impl::RoundCovariance<T>{count, ddof, rounding};
  });
}

template <class T>
exakt_status correlation(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y,
                         std::ptrdiff_t incy, exakt_rounding mode, T* result) {
  return reduce_pairs(function, n, x, incx, y, incy, mode, result, [](std::size_t count, Exakt::Rounding rounding) {
    return Exakt::Impl::RoundCorrelation<T>{count, rounding};
  });
}

template <bool is_root, class T>
exakt_status complex_spread(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y,
                            std::ptrdiff_t incy, int ddof, exakt_rounding mode, T* result) {
  return reduce_pairs(function, n, x, incx, y, incy, mode, result, [=](std::size_t count, Exakt::Rounding rounding) {
    return Exakt::Impl::RoundComplexVariance<T, is_root>{count, ddof, rounding};
  });
}

template <class T>
exakt_status histogram(char const* function, std::ptrdiff_t n, double const* x, std::ptrdiff_t incx, T const* weights,
                       std::ptrdiff_t incw, std::ptrdiff_t bins, double const* edges, T* r) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n), count = size_of(bins, "bins");
    if (count == 0) refuse("bins is 0; there must be one");
    require_pointer(edges, "edges");
    require_pointer(r, "r");
    auto const entries = vector_of(size, x, incx, "x");
    auto const terms = vector_of(size, weights, incw, "weights");
    using Edges = Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Edges const bounds(edges, count + 1);
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const written(r, count);
    require_no_overlap("r", written, "x", entries_of(entries, size, 1));
    require_no_overlap("r", written, "weights", entries_of(terms, size, 1));
    require_no_overlap("r", written, "edges", bounds);
    for (std::size_t b = 0; b < count; ++b)
      if (!(edges[b] <= edges[b + 1]))
        refuse("edges[" + std::to_string(b) + "] is " + Exakt::Impl::number_in_message(edges[b]) + ", edges[" +
               std::to_string(b + 1) + "] is " + Exakt::Impl::number_in_message(edges[b + 1]) + "; edges must ascend");
    auto const sums = std::make_unique<Exakt::LongAccumulator<double>[]>(count);
    for (std::size_t i = 0; i < size; ++i) {
      auto const k = static_cast<std::ptrdiff_t>(i);
      std::int64_t const bin = Exakt::Impl::bin_of(entries.data[k * entries.row_stride], bounds);
      if (bin >= 0) sums[static_cast<std::size_t>(bin)] += terms.data[k * terms.row_stride];
    }
    for (std::size_t b = 0; b < count; ++b) r[b] = sums[b].template round<T>();
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_COMPLEX_SPREAD(letter, T, verb, is_root)                                                                 \
  exakt_status exakt_##letter##verb(ptrdiff_t n, T const* re, ptrdiff_t incre, T const* im, ptrdiff_t incim, int ddof, \
                                    T* result) {                                                                       \
    return ExaktC::complex_spread<is_root>("exakt_" #letter #verb, n, re, incre, im, incim, ddof, EXAKT_TO_NEAREST,    \
                                           result);                                                                    \
  }                                                                                                                    \
  exakt_status exakt_##letter##verb##_rounded(ptrdiff_t n, T const* re, ptrdiff_t incre, T const* im, ptrdiff_t incim, \
                                              int ddof, exakt_rounding mode, T* result) {                              \
    return ExaktC::complex_spread<is_root>("exakt_" #letter #verb "_rounded", n, re, incre, im, incim, ddof, mode,     \
                                           result);                                                                    \
  }

#define EXAKT_PAIRS(letter, T)                                                                                         \
  exakt_status exakt_##letter##covariance(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y, ptrdiff_t incy,         \
                                          int ddof, T* result) {                                                       \
    return ExaktC::covariance("exakt_" #letter "covariance", n, x, incx, y, incy, ddof, EXAKT_TO_NEAREST, result);     \
  }                                                                                                                    \
  exakt_status exakt_##letter##covariance_rounded(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y, ptrdiff_t incy, \
                                                  int ddof, exakt_rounding mode, T* result) {                          \
    return ExaktC::covariance("exakt_" #letter "covariance_rounded", n, x, incx, y, incy, ddof, mode, result);         \
  }                                                                                                                    \
  exakt_status exakt_##letter##correlation(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y, ptrdiff_t incy,        \
                                           T* result) {                                                                \
    return ExaktC::correlation("exakt_" #letter "correlation", n, x, incx, y, incy, EXAKT_TO_NEAREST, result);         \
  }                                                                                                                    \
  exakt_status exakt_##letter##correlation_rounded(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y,                \
                                                   ptrdiff_t incy, exakt_rounding mode, T* result) {                   \
    return ExaktC::correlation("exakt_" #letter "correlation_rounded", n, x, incx, y, incy, mode, result);             \
  }                                                                                                                    \
  exakt_status exakt_##letter##histogram(ptrdiff_t n, double const* x, ptrdiff_t incx, T const* weights,               \
                                         ptrdiff_t incw, ptrdiff_t bins, double const* edges, T* r) {                  \
    return ExaktC::histogram("exakt_" #letter "histogram", n, x, incx, weights, incw, bins, edges, r);                 \
  }

EXAKT_PAIRS(d, double)
EXAKT_COMPLEX_SPREAD(d, double, complex_variance, false)
EXAKT_COMPLEX_SPREAD(d, double, complex_stddev, true)
EXAKT_PAIRS(s, float)
EXAKT_COMPLEX_SPREAD(s, float, complex_variance, false)
EXAKT_COMPLEX_SPREAD(s, float, complex_stddev, true)
