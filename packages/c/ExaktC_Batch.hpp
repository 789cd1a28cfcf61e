// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTC_BATCH_HPP
#define EXAKTC_BATCH_HPP

#include "ExaktC_Entries.hpp"

namespace ExaktC {

/// Vectors of one size in equal distances, and a result for each of them: the arguments of the functions _batch.
template <class T>
struct Batch {
  std::size_t size, count;
  Exakt::Compiled::Matrix<T const> vectors;  // a vector in each column, in whichever order
  Exakt::Compiled::Matrix<T> results;

  Batch(std::ptrdiff_t n, std::ptrdiff_t how_many, T const* x, std::ptrdiff_t incx, std::ptrdiff_t stridex, T* result,
        std::ptrdiff_t incr)
      : size(size_of(n)), count(size_of(how_many, "count")) {
    if (stridex < 0) [[unlikely]]
      refuse("stridex is " + std::to_string(stridex) + "; it must not be negative");
    vectors = vector_of(count == 0 ? 0 : size, x, incx, "x");
    vectors = {x, static_cast<std::ptrdiff_t>(magnitude_of(vectors.row_stride)), stridex};
    if (size > 0 && count > 0) require_reachable(count, stridex, sizeof(T), "x");
    results = vector_of(count, result, incr, "result");
    require_increment(count, incr, "incr", "result");
    require_no_overlap("result", entries_of(results, count, 1), "x", entries_of(vectors, size, count));
  }
};

}  // namespace ExaktC

#endif
