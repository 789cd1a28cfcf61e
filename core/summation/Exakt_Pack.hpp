// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PACK_HPP
#define EXAKT_PACK_HPP

/// \file
/// \brief A pack of one lane: what devices compute with, under the names that the compiled kernels have for registers.
///
/// The arithmetic of kernels/*-inl.hpp is included by both: kernels/Exakt_Lanes-inl.hpp has packs of as many lanes as
/// an instruction set allows, this one a plain double. Hosts use it for single entries.

#include "../numerics/Exakt_ErrorFree.hpp"

#include <cmath>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int pack_lanes = 1;
inline constexpr bool has_fused_packs = true;  // by a library call at worst
inline constexpr bool has_separate_adders = false;
using Pack = double;
using IntegerPack = std::int64_t;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load(T const* from) {
  return static_cast<double>(*from);
}
KOKKOS_FORCEINLINE_FUNCTION IntegerPack load_integers(std::int64_t const* from) { return *from; }
KOKKOS_FORCEINLINE_FUNCTION void store(Pack x, double* to) { *to = x; }
KOKKOS_FORCEINLINE_FUNCTION void store(IntegerPack x, std::int64_t* to) { *to = x; }

/// The lane, or zero if there is none.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load_some(T const* from, int count) {
  return count > 0 ? load(from) : 0;
}

KOKKOS_FORCEINLINE_FUNCTION Pack broadcast(double x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION Pack zeros() { return 0; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack zero_integers() { return 0; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack bits_of_pack(Pack x) { return bit_cast<IntegerPack>(x); }
KOKKOS_FORCEINLINE_FUNCTION Pack absolute(Pack x) {
  return bit_cast<double>(bits_of(x) & ~FloatFormat<double>::sign_mask);
}
KOKKOS_FORCEINLINE_FUNCTION Pack larger(Pack a, Pack b) { return a > b ? a : b; }
KOKKOS_FORCEINLINE_FUNCTION Pack smaller(Pack a, Pack b) { return a < b ? a : b; }

/// a * b + c and a * b - c, rounded once.
KOKKOS_FORCEINLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) { return ::fma(a, b, c); }
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) { return ::fma(a, b, -c); }

/// a * b, rounded: the compiler may not fuse it with an addition to come.
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_product(Pack a, Pack b) { return rounded_multiply(a, b); }

/// a + b and a - b: the compiler may not fuse them with what made a and b.
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_sum(Pack a, Pack b) { return rounded_add(a, b); }
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_difference(Pack a, Pack b) { return rounded_add(a, -b); }

/// All bits set where a condition holds.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of(bool condition) { return condition ? -1 : 0; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of_same_bits(Pack a, Pack b) {
  return mask_of(bits_of_pack(a) == bits_of_pack(b));
}
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of_same_bits(IntegerPack x, std::uint64_t bits) {
  return mask_of(x == static_cast<std::int64_t>(bits));
}
/// A bit for each lane of which the mask is set.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t set_of_lanes(IntegerPack mask) {
  return static_cast<std::uint32_t>(mask & 1);
}

/// The bits in `mask` of each lane.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack masked(IntegerPack bits, std::uint64_t mask) {
  return bits & static_cast<std::int64_t>(mask);
}
/// Whether any of the bits in `mask` is set in any lane.
KOKKOS_FORCEINLINE_FUNCTION bool has_bits(IntegerPack bits, std::uint64_t mask) { return masked(bits, mask) != 0; }

KOKKOS_FORCEINLINE_FUNCTION std::int64_t sum_of_lanes(IntegerPack x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION double sum_of_real_lanes(Pack x) { return x; }
/// The largest lane, if it is positive; zero instead of NaN.
KOKKOS_FORCEINLINE_FUNCTION double largest_lane(Pack x) { return x > 0 ? x : 0; }

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
