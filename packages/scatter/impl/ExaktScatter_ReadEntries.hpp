// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_READENTRIES_HPP
#define EXAKTSCATTER_READENTRIES_HPP

/// \file
/// \brief Kernels over some entries of a CrsAssembly, named by their numbers.

#include "ExaktScatter_Checks.hpp"
#include "ExaktScatter_ReadBins.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// sums(k) := entry entries(k).
template <class Windows, class Entries, class Sums>
struct ReadEntries {
  Windows windows;
  Entries entries;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { sums(k) = windows.accumulator(entries(k)); }
};

/// Entry entries(k) += sums(k).
template <class Windows, class Entries, class Sums>
struct MergeEntries {
  Windows windows;
  Entries entries;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { windows.add_sum(entries(k), sums(k)); }
};

/// Entry entries(k) := 0.
template <class Windows, class Entries>
struct ClearEntries {
  Windows windows;
  Entries entries;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { windows.clear_entry(entries(k)); }
};

/// The lowest number that is none of `count` entries.
template <class Entries>
struct FindBadEntry {
  Entries entries;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& lowest) const {
    std::int64_t const entry = entries(k);
    if ((entry < 0 || entry >= count) && entry < lowest) lowest = entry;
  }
};

template <class Space, class Entries>
void require_entries_below(char const* function, Space const& space, std::string const& matrix, std::int64_t count,
                           Entries const& entries) {
  static_assert(Kokkos::SpaceAccessibility<Space, typename Entries::memory_space>::accessible,
                "Exakt: the space of the assembly must reach the memory of the numbers of entries");
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t bad = none;
  auto const given = static_cast<std::int64_t>(entries.extent(0));
  if (given > 0) {
    Kokkos::parallel_reduce("Exakt::CrsAssembly::check",
                            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, given),
                            held<std::int64_t>(FindBadEntry<Entries>{entries, count}), Kokkos::Min<std::int64_t>(bad));
  }
  if (bad != none) {
    refuse_scatter(function, matrix + " has " + counted_entries(count) + ", and was asked for entry " +
                                 std::to_string(bad) + "; entries are counted in the order of the graph");
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
