// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Call.hpp"

namespace ExaktC {
namespace {

using Exakt::Compiled::Reduction;

template <Reduction which, class T>
exakt_status reduce(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, exakt_rounding mode,
                    T* result) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    // In whichever order: from the lowest address on.
    auto const entries = vector_of(size, x, ascending(incx), "x");
    *result = Exakt::Compiled::reduce<T, which>(Kokkos::Serial(), size, rounding, entries);
  });
}

template <class T>
exakt_status dot(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y,
                 std::ptrdiff_t incy, exakt_rounding mode, T* result) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    bool const backwards = incx < 0 && incy < 0;
    auto const left = vector_of(size, x, backwards ? ascending(incx) : incx, "x");
    auto const right = vector_of(size, y, backwards ? ascending(incy) : incy, "y");
    *result = Exakt::Compiled::reduce<T, Reduction::dot>(Kokkos::Serial(), size, rounding, left, right);
  });
}

/// The numbers behind a pointer of the interface, which is typeless.
template <class T>
Kokkos::complex<T> const* numbers(void const* x) {
  return static_cast<Kokkos::complex<T> const*>(x);
}

template <Reduction which, class T>
exakt_status reduce_complex(char const* function, std::ptrdiff_t n, Kokkos::complex<T> const* x, std::ptrdiff_t incx,
                            exakt_rounding mode, void* result) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    auto const entries = vector_of(size, x, ascending(incx), "x");
    Exakt::Compiled::reduce_complex<which>(Kokkos::Serial(), size, rounding, entries, {}, false,
                                           static_cast<T*>(result));
  });
}

template <class T>
exakt_status dot_complex(char const* function, bool conjugates_x, std::ptrdiff_t n, Kokkos::complex<T> const* x,
                         std::ptrdiff_t incx, Kokkos::complex<T> const* y, std::ptrdiff_t incy, exakt_rounding mode,
                         void* result) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    Exakt::Rounding const rounding = rounding_of(mode);
    require_pointer(result, "result");
    auto const left = vector_of(size, x, incx, "x");
    auto const right = vector_of(size, y, incy, "y");
    Exakt::Compiled::reduce_complex<Reduction::dot>(Kokkos::Serial(), size, rounding, left, right, conjugates_x,
                                                    static_cast<T*>(result));
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_REDUCTION(letter, T, verb)                                                                          \
  exakt_status exakt_##letter##verb(ptrdiff_t n, T const* x, ptrdiff_t incx, T* result) {                         \
    return ExaktC::reduce<ExaktC::Reduction::verb>("exakt_" #letter #verb, n, x, incx, EXAKT_TO_NEAREST, result); \
  }                                                                                                               \
  exakt_status exakt_##letter##verb##_rounded(ptrdiff_t n, T const* x, ptrdiff_t incx, exakt_rounding mode,       \
                                              T* result) {                                                        \
    return ExaktC::reduce<ExaktC::Reduction::verb>("exakt_" #letter #verb "_rounded", n, x, incx, mode, result);  \
  }
#define EXAKT_VECTOR_FUNCTIONS(letter, T)                                                                            \
  EXAKT_REDUCTION(letter, T, sum)                                                                                    \
  EXAKT_REDUCTION(letter, T, nrm1)                                                                                   \
  EXAKT_REDUCTION(letter, T, nrm2)                                                                                   \
  EXAKT_REDUCTION(letter, T, nrm2_squared)                                                                           \
  EXAKT_REDUCTION(letter, T, mean)                                                                                   \
  exakt_status exakt_##letter##dot(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y, ptrdiff_t incy, T* result) { \
    return ExaktC::dot("exakt_" #letter "dot", n, x, incx, y, incy, EXAKT_TO_NEAREST, result);                       \
  }                                                                                                                  \
  exakt_status exakt_##letter##dot_rounded(ptrdiff_t n, T const* x, ptrdiff_t incx, T const* y, ptrdiff_t incy,      \
                                           exakt_rounding mode, T* result) {                                         \
    return ExaktC::dot("exakt_" #letter "dot_rounded", n, x, incx, y, incy, mode, result);                           \
  }

EXAKT_VECTOR_FUNCTIONS(d, double)
EXAKT_VECTOR_FUNCTIONS(s, float)

#define EXAKT_COMPLEX_REDUCTION(letter, T, R, verb)                                                                \
  exakt_status exakt_##letter##verb(ptrdiff_t n, void const* x, ptrdiff_t incx, R* result) {                       \
    return ExaktC::reduce_complex<ExaktC::Reduction::verb>("exakt_" #letter #verb, n, ExaktC::numbers<T>(x), incx, \
                                                           EXAKT_TO_NEAREST, result);                              \
  }                                                                                                                \
  exakt_status exakt_##letter##verb##_rounded(ptrdiff_t n, void const* x, ptrdiff_t incx, exakt_rounding mode,     \
                                              R* result) {                                                         \
    return ExaktC::reduce_complex<ExaktC::Reduction::verb>("exakt_" #letter #verb "_rounded", n,                   \
                                                           ExaktC::numbers<T>(x), incx, mode, result);             \
  }
#define EXAKT_COMPLEX_DOT(letter, T, verb, conjugates_x)                                                        \
  exakt_status exakt_##letter##verb(ptrdiff_t n, void const* x, ptrdiff_t incx, void const* y, ptrdiff_t incy,  \
                                    void* result) {                                                             \
    return ExaktC::dot_complex("exakt_" #letter #verb, conjugates_x, n, ExaktC::numbers<T>(x), incx,            \
                               ExaktC::numbers<T>(y), incy, EXAKT_TO_NEAREST, result);                          \
  }                                                                                                             \
  exakt_status exakt_##letter##verb##_rounded(ptrdiff_t n, void const* x, ptrdiff_t incx, void const* y,        \
                                              ptrdiff_t incy, exakt_rounding mode, void* result) {              \
    return ExaktC::dot_complex("exakt_" #letter #verb "_rounded", conjugates_x, n, ExaktC::numbers<T>(x), incx, \
                               ExaktC::numbers<T>(y), incy, mode, result);                                      \
  }
#define EXAKT_COMPLEX_VECTOR_FUNCTIONS(letter, T)     \
  EXAKT_COMPLEX_REDUCTION(letter, T, void, sum)       \
  EXAKT_COMPLEX_REDUCTION(letter, T, T, nrm1)         \
  EXAKT_COMPLEX_REDUCTION(letter, T, T, nrm2)         \
  EXAKT_COMPLEX_REDUCTION(letter, T, T, nrm2_squared) \
  EXAKT_COMPLEX_REDUCTION(letter, T, void, mean)      \
  EXAKT_COMPLEX_DOT(letter, T, dotu, false)           \
  EXAKT_COMPLEX_DOT(letter, T, dotc, true)

EXAKT_COMPLEX_VECTOR_FUNCTIONS(z, double)
EXAKT_COMPLEX_VECTOR_FUNCTIONS(c, float)
