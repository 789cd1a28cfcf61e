// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Entries.hpp"

#include <parallel/Exakt_SumByKey.hpp>

#include <algorithm>

namespace ExaktC {
namespace {

template <class T>
using Contiguous = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// \return The length of the longest segment.
std::int64_t require_offsets(std::size_t segments, std::ptrdiff_t const* offsets, std::ptrdiff_t n) {
  require_pointer(offsets, "offsets");
  std::int64_t longest = 0;
  std::ptrdiff_t before = 0;
  for (std::size_t s = 0; s <= segments; ++s) {
    if (offsets[s] < before || offsets[s] > n) [[unlikely]]
      refuse("offsets[" + std::to_string(s) + "] is " + std::to_string(offsets[s]) + ", n is " + std::to_string(n) +
             "; offsets must not decrease, and lie between 0 and n");
    if (s > 0) longest = std::max(longest, static_cast<std::int64_t>(offsets[s] - before));
    before = offsets[s];
  }
  return longest;
}

template <class T>
exakt_status segmented_sum(char const* function, std::ptrdiff_t segments, std::ptrdiff_t const* offsets,
                           std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T* r, std::ptrdiff_t incr) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n), count = size_of(segments, "segments");
    std::int64_t const longest = require_offsets(count, offsets, n);
    auto const terms = vector_of(size, x, incx, "x");
    auto const sums = vector_of(count, r, incr, "r");
    require_increment(count, incr, "incr", "r");
    Contiguous<std::ptrdiff_t const> const bounds(offsets, count + 1);
    auto const written = entries_of(sums, count, 1);
    require_no_overlap("r", written, "x", entries_of(terms, size, 1));
    require_no_overlap("r", written, "offsets", bounds);
    if (count == 0) return;
    Exakt::Impl::sum_segments(Kokkos::Serial(), bounds, Exakt::Compiled::vector_of(terms, size),
                              Exakt::Compiled::vector_of(sums, count), count, longest);
  });
}

template <class T>
exakt_status sum_by_key(char const* function, std::ptrdiff_t n, std::int64_t const* keys, T const* x,
                        std::ptrdiff_t incx, std::int64_t* unique_keys, T* sums, std::ptrdiff_t capacity,
                        std::ptrdiff_t* count) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n), room = size_of(capacity, "capacity");
    require_pointer(count, "count");
    auto const terms = vector_of(size, x, incx, "x");
    if (size > 0) require_pointer(keys, "keys");
    if (room > 0) {
      require_pointer(unique_keys, "unique_keys");
      require_pointer(sums, "sums");
    }
    Contiguous<std::int64_t const> const keys_of_terms(keys, size);
    Contiguous<std::int64_t> const written_keys(unique_keys, room);
    Contiguous<T> const written_sums(sums, room);
    auto const read = entries_of(terms, size, 1);
    require_no_overlap("unique_keys", written_keys, "keys", keys_of_terms);
    require_no_overlap("unique_keys", written_keys, "x", read);
    require_no_overlap("sums", written_sums, "keys", keys_of_terms);
    require_no_overlap("sums", written_sums, "x", read);
    require_no_overlap("sums", written_sums, "unique_keys", written_keys);
    Contiguous<std::ptrdiff_t> const written_count(count, 1);
    require_no_overlap("count", written_count, "keys", keys_of_terms);
    require_no_overlap("count", written_count, "x", read);
    require_no_overlap("count", written_count, "unique_keys", written_keys);
    require_no_overlap("count", written_count, "sums", written_sums);
    using Result = Exakt::Impl::KeyedSums<Contiguous<std::int64_t>, Contiguous<T>>;
    *count = static_cast<std::ptrdiff_t>(
        Exakt::Impl::sum_by_key_on_host(Kokkos::Serial(), keys_of_terms, Exakt::Compiled::vector_of(terms, size),
                                        Result{"sum_by_key", written_keys, written_sums}));
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_GROUPS(letter, T)                                                                                     \
  exakt_status exakt_##letter##segmented_sum(ptrdiff_t segments, ptrdiff_t const* offsets, ptrdiff_t n, T const* x, \
                                             ptrdiff_t incx, T* r, ptrdiff_t incr) {                                \
    return ExaktC::segmented_sum("exakt_" #letter "segmented_sum", segments, offsets, n, x, incx, r, incr);         \
  }                                                                                                                 \
  exakt_status exakt_##letter##sum_by_key(ptrdiff_t n, int64_t const* keys, T const* x, ptrdiff_t incx,             \
                                          int64_t* unique_keys, T* sums, ptrdiff_t capacity, ptrdiff_t* count) {    \
    return ExaktC::sum_by_key("exakt_" #letter "sum_by_key", n, keys, x, incx, unique_keys, sums, capacity, count); \
  }

EXAKT_GROUPS(d, double)
EXAKT_GROUPS(s, float)
