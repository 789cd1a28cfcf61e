// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TWOLANES_HPP
#define EXAKT_TWOLANES_HPP

/// \file
/// \brief Packs of two lanes for terms that users' own code makes one by one: they stay in registers, where the compiled
/// kernels would have them through memory.
///
/// Every x86-64 and AArch64 processor has registers of two doubles. The fused multiply-add is written as an instruction:
/// code that is compiled for x86-64 in general has it too, behind a question at run time, and compilers fuse nothing of
/// the user's with it. (Its 128-bit form does not slow down the SSE instructions around it.)

#include "../kernels/Exakt_Kernels.hpp"
#include "Exakt_EnclosedSum.hpp"

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GNUC__) && !defined(__CUDACC__) && \
    !defined(EXAKT_DEVICE_SOURCE)
#define EXAKT_HAS_TWO_LANES

namespace Exakt::Impl::inline EXAKT_ABI {
namespace TwoLanes {

inline constexpr int pack_lanes = 2;
inline constexpr bool has_fused_packs = true;
inline constexpr bool has_separate_adders = false;  // a few terms wait for each other, not for units
typedef double Pack __attribute__((vector_size(16)));
typedef std::int64_t IntegerPack __attribute__((vector_size(16)));

/// Whether this processor has what fused_add() is made of.
KOKKOS_FORCEINLINE_FUNCTION bool has_fused_multiply_add() { return has_fast_fma || has_fused_kernels; }

KOKKOS_FORCEINLINE_FUNCTION Pack broadcast(double x) { return Pack{x, x}; }
KOKKOS_FORCEINLINE_FUNCTION Pack zeros() { return Pack{0, 0}; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack broadcast_integer(std::int64_t x) { return IntegerPack{x, x}; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack zero_integers() { return IntegerPack{0, 0}; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack bits_of_pack(Pack x) { return reinterpret_cast<IntegerPack>(x); }
KOKKOS_FORCEINLINE_FUNCTION Pack pack_of_bits(IntegerPack x) { return reinterpret_cast<Pack>(x); }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack masked(IntegerPack x, std::uint64_t mask) {
  return x & broadcast_integer(static_cast<std::int64_t>(mask));
}
KOKKOS_FORCEINLINE_FUNCTION bool has_bits(IntegerPack x, std::uint64_t mask) {
  return ((x[0] | x[1]) & static_cast<std::int64_t>(mask)) != 0;
}
KOKKOS_FORCEINLINE_FUNCTION Pack absolute(Pack x) {
  return pack_of_bits(masked(bits_of_pack(x), ~FloatFormat<double>::sign_mask));
}
KOKKOS_FORCEINLINE_FUNCTION double first_lane(Pack x) { return x[0]; }
/// Of a comparison: it is one already.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of(IntegerPack condition) { return condition; }

/// a * b, rounded: the compiler may not fuse it with an addition to come.
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_product(Pack a, Pack b) { return opaque(a * b); }
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_sum(Pack a, Pack b) { return a + b; }
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_difference(Pack a, Pack b) { return a - b; }

/// a * b + c and a * b - c, rounded once. \pre has_fused_multiply_add()
KOKKOS_FORCEINLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) {
#if defined(__x86_64__)
  __asm__("{vfmadd231pd %2, %1, %0|vfmadd231pd %0, %1, %2}" : "+x"(c) : "x"(a), "x"(b));
#else
  __asm__("fmla %0.2d, %1.2d, %2.2d" : "+w"(c) : "w"(a), "w"(b));
#endif
  return c;
}
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) {
#if defined(__x86_64__)
  __asm__("{vfmsub213pd %2, %1, %0|vfmsub213pd %0, %1, %2}" : "+x"(a) : "x"(b), "x"(c));
  return a;
#else
  return fused_add(a, b, -c);
#endif
}

struct TwoSums {
  double a, b;
};
/// The sums of the lanes of a and of those of b.
KOKKOS_FORCEINLINE_FUNCTION TwoSums sums_of_lanes(Pack a, Pack b) {
  Pack const sums = Pack{a[0], b[0]} + Pack{a[1], b[1]};
  return {sums[0], sums[1]};
}

#include "../kernels/Exakt_ErrorFree-inl.hpp"
//
#include "../kernels/Exakt_Enclosure-inl.hpp"
//
#include "../kernels/Exakt_FewProducts-inl.hpp"

}  // namespace TwoLanes
}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
#endif
