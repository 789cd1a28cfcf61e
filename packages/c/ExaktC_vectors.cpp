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
