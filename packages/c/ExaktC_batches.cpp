// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Batch.hpp"

namespace ExaktC {
namespace {

using Exakt::Compiled::Reduction;

/// Sums of vectors that lie side by side, and of short ones after each other: the product of their matrix with ones, which
/// goes along the lines of the memory. Each product is exact, and infinite or NaN as its term is.
template <class T>
bool is_product(Batch<T> const& batch) {
  constexpr std::size_t short_vector = 512;
  auto const size = static_cast<std::ptrdiff_t>(batch.size), count = static_cast<std::ptrdiff_t>(batch.count);
  auto const& x = batch.vectors;
  if (size == 0 || count < 2) return false;
  return (x.column_stride == 1 && x.row_stride >= count) ||
         (x.row_stride == 1 && x.column_stride >= size && batch.size <= short_vector);
}

template <class T>
void sum_by_product(Batch<T> const& batch) {
  T const one = 1;
  auto const& x = batch.vectors;
  Exakt::Compiled::gemv(Kokkos::Serial(), Exakt::Compiled::GemvProblem<T>{{x.data, x.column_stride, x.row_stride},
                                                                          {&one, 0, 0},
                                                                          batch.results,
                                                                          batch.count,
                                                                          batch.size,
                                                                          1,
                                                                          0,
                                                                          false});
}

template <Reduction which, class T>
exakt_status reduce_batch(char const* function, std::ptrdiff_t n, std::ptrdiff_t count, T const* x, std::ptrdiff_t incx,
                          std::ptrdiff_t stridex, T* result, std::ptrdiff_t incr) {
  return guarded(function, [&] {
    Batch<T> const batch(n, count, x, incx, stridex, result, incr);
    if (batch.count == 0) return;
    if (which == Reduction::sum && is_product(batch)) return sum_by_product(batch);
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
