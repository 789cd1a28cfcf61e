// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Batch.hpp"

namespace ExaktC {
namespace {

using Exakt::Compiled::Reduction;

template <Reduction which, class T>
exakt_status reduce_batch(char const* function, std::ptrdiff_t n, std::ptrdiff_t count, T const* x, std::ptrdiff_t incx,
                          std::ptrdiff_t stridex, T* result, std::ptrdiff_t incr) {
  return guarded(function, [&] {
    Batch<T> const batch(n, count, x, incx, stridex, result, incr);
    if (batch.count == 0) return;
    Exakt::Compiled::reduce_columns<which>(Kokkos::Serial(), batch.size, batch.results, batch.count, batch.vectors);
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_BATCH(letter, T, verb)                                                                                  \
  exakt_status exakt_##letter##verb##_batch(ptrdiff_t n, ptrdiff_t count, T const* x, ptrdiff_t incx,                 \
                                            ptrdiff_t stridex, T* result, ptrdiff_t incr) {                           \
    return ExaktC::reduce_batch<ExaktC::Reduction::verb>("exakt_" #letter #verb "_batch", n, count, x, incx, stridex, \
                                                         result, incr);                                               \
  }
#define EXAKT_BATCHES(letter, T)  \
  EXAKT_BATCH(letter, T, sum)     \
  EXAKT_BATCH(letter, T, nrm1)    \
  EXAKT_BATCH(letter, T, nrm2)    \
  EXAKT_BATCH(letter, T, nrm2_squared) \
  EXAKT_BATCH(letter, T, mean)

EXAKT_BATCHES(d, double)
EXAKT_BATCHES(s, float)
