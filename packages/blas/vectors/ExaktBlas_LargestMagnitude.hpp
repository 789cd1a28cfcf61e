// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_LARGESTMAGNITUDE_HPP
#define EXAKTBLAS_LARGESTMAGNITUDE_HPP

/// \file
/// \brief The first entry of the largest magnitude: its size by integers, then its place.

#include "../operands/ExaktBlas_Checks.hpp"
#include "../operands/ExaktBlas_Tasks.hpp"

#include <parallel/Exakt_Region.hpp>

#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Magnitudes as integers in the same order, which no floating-point environment changes; all NaN are the largest.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t order_of_magnitude(double x) {
  constexpr std::uint64_t magnitude_mask = ~std::uint64_t{0} >> 1;
  return is_nan(x) ? magnitude_mask : bits_of(x) & magnitude_mask;
}

/// An entry of the largest magnitude.
struct LargestEntry {
  std::uint64_t size;
  std::size_t place;
};

/// The first one among the entries `entry(i)`, begin <= i < end, at least one.
template <class Entry>
KOKKOS_INLINE_FUNCTION LargestEntry first_of_largest(Entry const& entry, std::size_t begin, std::size_t end) {
  LargestEntry largest{0, begin};
  for (std::size_t i = begin; i < end; ++i) {
    std::uint64_t const size = order_of_magnitude(exact_double(entry(i)));
    if (size > largest.size) largest = {size, i};
  }
  return largest;
}

/// \brief A block of entries per call, on hosts.
template <class X>
struct LargestOfBlock {
  static constexpr std::size_t block = 1 << 14;

  X x;
  LargestEntry* largest;  // of each block

  std::size_t blocks() const { return (x.extent(0) + block - 1) / block; }

  void operator()(std::size_t k) const {
    std::size_t const rest = x.extent(0) - k * block;
    largest[k] =
        first_of_largest([&](std::size_t i) { return x(i); }, k * block, k * block + (rest < block ? rest : block));
  }
};

/// The largest of some entries.
template <class X>
struct LargestMagnitude {
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::uint64_t& largest) const {
    std::uint64_t const size = order_of_magnitude(exact_double(x(i)));
    if (size > largest) largest = size;
  }
};

/// The first entry of a magnitude.
template <class X>
struct FirstOfMagnitude {
  X x;
  std::uint64_t size;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t& first) const {
    if (i < first && order_of_magnitude(exact_double(x(i))) == size) first = i;
  }
};

/// On hosts.
template <class Space, class X>
std::size_t place_of_largest_in_blocks(Space const& space, X const& x) {
  LargestEntry one;
  LargestOfBlock<X> find{x, &one};
  std::vector<LargestEntry> several;
  if (find.blocks() > 1) {
    several.resize(find.blocks());
    find.largest = several.data();
  }
  for_each_task("Exakt::iamax", space, find.blocks(), true, find);
  for (std::size_t k = 1; k < find.blocks(); ++k) {
    if (several[k].size > several[0].size) several[0] = several[k];
  }
  return find.largest[0].place;
}

/// Counted from one; zero if there is none.
template <class Space, class X>
typename X::size_type number_of_largest(Space const& space, X const& x) {
  if (x.extent(0) == 0) return 0;
  std::size_t first = 0;
  if constexpr (runs_on_host<Space>) {
    first = place_of_largest_in_blocks(space, x);
  } else {
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>> const policy(space, 0, x.extent(0));
    std::uint64_t size = 0;
    Kokkos::parallel_reduce("Exakt::iamax::size", policy, held<std::uint64_t>(LargestMagnitude<X>{x}),
                            Kokkos::Max<std::uint64_t>(size));
    Kokkos::parallel_reduce("Exakt::iamax::place", policy, held<std::size_t>(FirstOfMagnitude<X>{x, size}),
                            Kokkos::Min<std::size_t>(first));
  }
  return static_cast<typename X::size_type>(first + 1);
}

/// The integers of r hold the number of every row of x.
template <class R, class X>
void require_room_for_numbers(X const& x) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<typename R::non_const_value_type>::max());
  if (x.extent(0) > most)
    throw std::invalid_argument("Exakt::iamax: x is " + shape_of(x) + "; the integers of r hold numbers up to " +
                                std::to_string(most));
}

/// A column per call.
template <class R, class X>
struct LargestOfColumn {
  R r;
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    std::size_t const n = x.extent(0);
    std::size_t const number = n == 0 ? 0 : first_of_largest([&](std::size_t i) { return x(i, j); }, 0, n).place + 1;
    r(j) = static_cast<typename R::value_type>(number);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
