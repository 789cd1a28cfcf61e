// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_REFUSALS_HPP
#define EXAKTSCATTER_REFUSALS_HPP

#include <numerics/Exakt_FloatFormat.hpp>
#include <parallel/Exakt_AtomicWords.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What kernels, which cannot throw, have to tell: how many additions were refused, and the lowest index among them.
struct Refusals {
  std::int64_t count = 0, lowest_index = std::numeric_limits<std::int64_t>::max();
};

/// The planes of digits that anything was added to; all others are zero.
struct PlanesInUse {
  std::int64_t lowest = std::numeric_limits<int>::max(), highest = -1;
  Word flags = 0;        // all infinities and NaN of all bins
  Word usual_terms = 0;  // the exponent fields of terms that need no other look: how many * 2^32 + the lowest
};

/// Of a ScatterSum.
struct ScatterReport {
  Refusals outside_of_bins, outside_of_range, inexact;
  PlanesInUse planes;
};

/// Of a CrsAssembly: the lowest row of each, and the lowest entry that found no memory.
struct AssemblyReport {
  Refusals outside_of_rows, outside_of_columns, without_memory;
};

/// number := update(number), unless that is the same.
template <class Integer, class Update>
KOKKOS_INLINE_FUNCTION void update_atomically(Integer* number, Update const& update) {
  Integer before = atomic_load(number);
  for (Integer after = update(before); after != before; after = update(before)) {
    Integer const seen = Kokkos::atomic_compare_exchange(number, before, after);
    if (seen == before) return;
    before = seen;
  }
}

KOKKOS_INLINE_FUNCTION void lower_to(std::int64_t* lowest, std::int64_t value) {
  update_atomically(lowest, [=](std::int64_t before) { return value < before ? value : before; });
}
KOKKOS_INLINE_FUNCTION void raise_to(std::int64_t* highest, std::int64_t value) {
  update_atomically(highest, [=](std::int64_t before) { return value > before ? value : before; });
}

/// In a kernel: one more, at this index.
KOKKOS_INLINE_FUNCTION void take_down(Refusals* refusals, std::int64_t index) {
  Kokkos::atomic_fetch_add(&refusals->count, std::int64_t{1});
  lower_to(&refusals->lowest_index, index);
}

/// In a kernel: those of other bins, too; no more than the largest number, for bins may be merged back and forth.
KOKKOS_INLINE_FUNCTION void join(Refusals* refusals, Refusals const& others) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  update_atomically(&refusals->count,
                    [=](std::int64_t count) { return count > most - others.count ? most : count + others.count; });
  lower_to(&refusals->lowest_index, others.lowest_index);
}

/// An index of any type as a signed one; the largest for those beyond.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t signed_index(Index i) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  bool const beyond = i > 0 && static_cast<std::uint64_t>(i) > static_cast<std::uint64_t>(largest);
  return beyond ? largest : static_cast<std::int64_t>(i);
}

/// 0 <= i < count
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_below(Index i, std::int64_t count) {
  static_assert(is_integer_v<Index>, "Exakt: a bin is named by an integer of at most 64 bits");
  // A negative index is beyond all counts as an unsigned one.
  return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(count);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
