// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_PLAIN_HPP
#define EXAKTPERF_PLAIN_HPP

/// \file
/// \brief The two plain ways to reduce: what a Kokkos user writes, and what the processor can do.
///
/// Both take a function object `add(sum, i)` that adds the term i to `sum`, a double; or, for the second way, the terms
/// from i on, as many as `sum` has lanes.

#include "ExaktPerf_Data.hpp"

#include <cstring>

namespace ExaktPerf {

#if defined(__AVX512F__)
inline constexpr int lane_bytes = 64;
#elif defined(__AVX__)
inline constexpr int lane_bytes = 32;
#else
inline constexpr int lane_bytes = 16;
#endif
typedef double Lanes __attribute__((vector_size(lane_bytes)));

/// \brief A double, or the Lanes that begin there.
template <class T>
[[gnu::always_inline]] inline T load(double const* from) {
  T result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

/// \brief A plain parallel_reduce.
template <class Add>
double plain(std::int64_t n, Add const& add) {
  double sum = 0;
  Kokkos::parallel_reduce(
      Range(0, n), [=](std::int64_t i, double& partial) { add(partial, i); }, sum);
  return sum;
}

/// \brief Calls f(begin, end, partial result) for one contiguous piece per thread.
template <class Reducer, class Function>
void reduce_pieces(std::int64_t n, Reducer const& reducer, Function const& f) {
  std::int64_t const pieces = Space().concurrency();
  Kokkos::parallel_reduce(
      Range(0, pieces),
      [=](std::int64_t piece, typename Reducer::value_type& result) {
        f(n * piece / pieces, n * (piece + 1) / pieces, result);
      },
      reducer);
}

/// \brief Adds the terms [begin, end) to `sum` with as many independent chains of additions as hide their latency.
template <class Add>
void add_vectorized(std::int64_t begin, std::int64_t end, double& sum, Add const& add) {
  constexpr int chains = 8, lanes = sizeof(Lanes) / sizeof(double), step = chains * lanes;
  Lanes sums[chains] = {};
  std::int64_t i = begin;
  for (; i + step <= end; i += step) {
    for (int chain = 0; chain < chains; ++chain) add(sums[chain], i + chain * lanes);
  }
  for (; i + lanes <= end; i += lanes) add(sums[0], i);
  for (; i < end; ++i) add(sum, i);
  // In pairs, for the same reason: one after the other, these additions take as long as those of some hundred terms.
  Lanes const all = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  double terms[lanes];
  std::memcpy(terms, &all, sizeof(terms));
  for (double const term : terms) sum += term;
}

/// \brief The fastest way without a promise: vectorized by hand, one piece per thread, no threads where they cost more
/// than they bring.
template <class Add>
double vectorized(std::int64_t n, Add const& add) {
  constexpr std::int64_t worth_waking_threads = 10'000;
  double sum = 0;
  if (n < worth_waking_threads) {
    add_vectorized(0, n, sum, add);
  } else {
    reduce_pieces(
        n, Kokkos::Sum<double, Kokkos::HostSpace>(sum),
        [=](std::int64_t begin, std::int64_t end, double& partial) { add_vectorized(begin, end, partial, add); });
  }
  return sum;
}

}  // namespace ExaktPerf

#endif
