// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_LARGESTMAGNITUDE_HPP
#define EXAKTBLAS_LARGESTMAGNITUDE_HPP

/// \file
/// \brief The first entry of the largest magnitude: its size by integers, then its place.

#include "../operands/ExaktBlas_Checks.hpp"

#include <parallel/Exakt_Region.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Magnitudes as integers in the same order, which no floating-point environment changes; all NaN are the largest.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t order_of_magnitude(double x) {
  constexpr std::uint64_t magnitude_mask = ~std::uint64_t{0} >> 1;
  return is_nan(x) ? magnitude_mask : bits_of(x) & magnitude_mask;
}

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

/// Counted from one; zero if there is none.
template <class Space, class X>
typename X::size_type number_of_largest(Space const& space, X const& x) {
  if (x.extent(0) == 0) return 0;
  Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>> const policy(space, 0, x.extent(0));
  std::uint64_t size = 0;
  Kokkos::parallel_reduce("Exakt::iamax::size", policy, held<std::uint64_t>(LargestMagnitude<X>{x}),
                          Kokkos::Max<std::uint64_t>(size));
  std::size_t first = 0;
  Kokkos::parallel_reduce("Exakt::iamax::place", policy, held<std::size_t>(FirstOfMagnitude<X>{x, size}),
                          Kokkos::Min<std::size_t>(first));
  return static_cast<typename X::size_type>(first + 1);
}

/// A column per call.
template <class R, class X>
struct LargestOfColumn {
  R r;
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    std::uint64_t largest = 0;
    std::size_t number = x.extent(0) == 0 ? 0 : 1;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      std::uint64_t const size = order_of_magnitude(exact_double(x(i, j)));
      if (size <= largest) continue;
      largest = size;
      number = i + 1;
    }
    r(j) = static_cast<typename R::value_type>(number);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
