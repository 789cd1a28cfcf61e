// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXTRACTIONTILE_HPP
#define EXAKT_EXTRACTIONTILE_HPP

/// \file
/// \brief Tiles of terms into integers: by the compiled kernels on hosts, and in the registers of a thread on devices.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_ErrorFree.hpp"
#include "Exakt_ExtractionLevels.hpp"
#include "Exakt_Pack.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_ErrorFree-inl.hpp"
//
#include "../kernels/Exakt_Extraction-inl.hpp"

/// Where the terms of a tile are. Those in memory are asked for ahead of their use.
enum class PrefetchHint { memory, cache };

/// \brief How many terms before its use a line is asked for. None behind the end of an array: distance_ahead() of the kernels says why.
/// \param behind  How many terms there are behind those of this tile.
KOKKOS_FORCEINLINE_FUNCTION constexpr int terms_ahead(PrefetchHint hint, std::size_t behind) {
  return hint == PrefetchHint::memory && behind >= prefetch_distance ? prefetch_distance : 0;
}

/// An exponent e with |t| < 2^e for all terms; that of infinity if one is there. NaN are overlooked.
template <class T>
KOKKOS_INLINE_FUNCTION int exponent_above_all(TermTile<T> const& tile) {
  EXAKT_IF_ON_HOST((KernelsOf<T> const& kernel = kernels();
                    return exponent_above(kernel.largest(tile.data(), tile.size(), tile.ahead()));))
  EXAKT_IF_ON_DEVICE((return exponent_above(largest_of_tile(tile));))
}
template <class X, class Y>
KOKKOS_INLINE_FUNCTION int exponent_above_all(ProductTile<X, Y> const& tile) {
  EXAKT_IF_ON_HOST((KernelsOf<X, Y> const& kernel = kernels(); return exponent_above(
                        kernel.largest(tile.x().data(), tile.y().data(), tile.x().size(), tile.x().ahead()));))
  EXAKT_IF_ON_DEVICE((return exponent_above(largest_of_tile(tile));))
}

/// The numbers of levels that there are kernels for.
template <int Levels>
inline constexpr bool has_kernel_v = Levels == 2 || Levels == 3 || Levels == 4 || Levels == 6;

/// \brief The sum of a tile in units of Levels levels, started for terms below 2^e; false if that is not proved exact.
///
/// \param lowest  A lower bound of the exponents of all terms' last bits.
template <int Levels, class T>
KOKKOS_FORCEINLINE_FUNCTION bool extract(TermTile<T> const& tile, int e, int lowest, std::int64_t (&units)[Levels]) {
  static_assert(has_kernel_v<Levels>);
  EXAKT_IF_ON_HOST((KernelsOf<T> const& kernel = kernels();
                    return kernel.extract(tile.data(), tile.size(), tile.ahead(), Levels, e, lowest, units);))
  EXAKT_IF_ON_DEVICE((return extract_tile<Levels>(tile, e, lowest, units);))
}
template <int Levels, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION bool extract(ProductTile<X, Y> const& tile, int e, int lowest,
                                         std::int64_t (&units)[Levels]) {
  static_assert(has_kernel_v<Levels>);
  EXAKT_IF_ON_HOST((KernelsOf<X, Y> const& kernel = kernels(); return kernel.extract(
      tile.x().data(), tile.y().data(), tile.x().size(), tile.x().ahead(), Levels, e, lowest, units);))
  EXAKT_IF_ON_DEVICE((return extract_tile<Levels>(tile, e, lowest, units);))
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
