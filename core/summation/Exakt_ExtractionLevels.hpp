// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXTRACTIONLEVELS_HPP
#define EXAKT_EXTRACTIONLEVELS_HPP

/// \file
/// \brief How a tile of terms becomes integers, at three floating-point operations per term and level: heads and
/// units.
///
/// An expansion pays six operations for an error-free sum (TwoSum), because either operand may be the larger one.
/// An extraction keeps a head that always dominates and pays FastTwoSum's three. Level k starts its head M at
///
///     C_k = 1.5 * 2^(e_k + 12),    unit u_k = ulp(C_k) = 2^(e_k - 40),    e_(k+1) = e_k - 40
///
/// and does, for a term t:
///
///     s = M + t;   q = s - M;   t = t - q;   M = s
///
/// - While M and s are in the binade of C_k, [2^(e_k + 12), 2^(e_k + 13)), both are multiples of u_k and |t| < M.
///   Then q is exact, a multiple of u_k, and so is t - q (FastTwoSum), |t - q| <= u_k / 2 < 2^(e_(k+1)).
/// - There, numbers and their bits are proportional: bits(M) - bits(C_k) is the exact sum of all q in units of u_k,
///   below 2^51 in absolute value, so the lanes of all packs add up in an int64.
/// - m terms of at most 2^(e_k) move M by at most m * 2^(e_k). With m < 2^11 this is less than 2^(e_k + 11), half of
///   the way from C_k to either end of its binade: M stays. From the second level on that is certain. On the first
///   it is certain when e_1 comes from the terms; when it is a guess, every s is checked to have the exponent of C_1.
///
/// A product a*b is two terms: its rounded value p enters the first level, its error r = a*b - p, of at most 2^-53 |p|,
/// the second. Levels from there on take two terms for each product.

#include "../numerics/Exakt_FloatFormat.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int level_head = 12;  // heads are 2^12 above the largest term of their level
inline constexpr int level_step = FloatFormat<double>::precision - 1 - level_head;  // bits that a level absorbs: 40
inline constexpr int extraction_chains = 2;        // independent heads, which hide the latency of an addition
inline constexpr int extraction_tile_size = 2048;  // terms; they stay in the first-level cache

/// Entries. Computation between loads starves the prefetcher of the processor: without this, extraction of terms from
/// memory takes 1.5 to 1.9 times as long.
inline constexpr int prefetch_distance = 512;

static_assert(extraction_tile_size / extraction_chains + 2 < (1 << (level_head - 1)),
              "a head takes fewer than 2^11 terms, even with packs of one lane");

/// Tiles whose units fit into an int64 together, as each moves each lane of each chain by less than 2^51. The same for
/// all widths of a pack: kernels for different instruction sets may work on one accumulator.
inline constexpr int extraction_lanes_at_most = 64;
inline constexpr int extraction_tiles_at_once = (1 << 12) / extraction_lanes_at_most - 1;

inline constexpr int enclosure_chains = 4;
inline constexpr int enclosure_tile_size = 4096;  // terms

/// The exponent e with x < 2^e <= 2*x, for a normal x; for smaller ones an upper bound.
KOKKOS_FORCEINLINE_FUNCTION int exponent_above(double x) {
  using F = FloatFormat<double>;
  return static_cast<int>(bits_of(x) >> (F::precision - 1)) - F::max_exponent + 1;
}

/// 2^e for normal results.
KOKKOS_FORCEINLINE_FUNCTION double power_of_two(int e) {
  using F = FloatFormat<double>;
  return bit_cast<double>(static_cast<std::uint64_t>(e + F::max_exponent) << (F::precision - 1));
}

/// Exponents of the units u_1, u_2, ... for terms below 2^e. Below the lowest bit of the terms nothing can be left, so
/// the last levels of small terms all end there.
KOKKOS_FORCEINLINE_FUNCTION int level_unit(int e, int level, int lowest) {
  int const wanted = e - level_step * (level + 1);
  return wanted > lowest ? wanted : lowest;
}

/// C_k for the unit 2^unit: the first bit behind the leading one is set.
KOKKOS_FORCEINLINE_FUNCTION double level_start(int unit) {
  constexpr int stored = FloatFormat<double>::precision - 1;
  return bit_cast<double>(bits_of(power_of_two(unit + stored)) | std::uint64_t{1} << (stored - 1));
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
