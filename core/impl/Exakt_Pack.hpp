// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PACK_HPP
#define EXAKT_PACK_HPP

/// \file
/// \brief A register full of doubles: the compiler's own vector type on hosts, one plain double on devices.
///
/// Not std::experimental::simd: it doubled the compile time of every user's file (2 s, g++ 12) and nvcc refuses it.

#include "../Exakt_ErrorFree.hpp"

#include <cmath>
#include <cstring>

namespace Exakt::Impl {

#if defined(EXAKT_DEVICE_SOURCE) || !(defined(__GNUC__) || defined(__clang__))

inline constexpr int pack_lanes = 1;
inline constexpr bool has_fused_packs = true;
using Pack = double;
using IntegerPack = std::int64_t;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load(T const* from) {
  return static_cast<double>(*from);
}
KOKKOS_FORCEINLINE_FUNCTION Pack broadcast(double x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack bits_of_pack(Pack x) { return bit_cast<IntegerPack>(x); }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of(bool condition) { return condition ? -1 : 0; }
KOKKOS_FORCEINLINE_FUNCTION void store(Pack x, double* to) { *to = x; }
KOKKOS_FORCEINLINE_FUNCTION void store(IntegerPack x, std::int64_t* to) { *to = x; }
/// a * b + c and a * b - c, rounded once.
KOKKOS_FORCEINLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) { return ::fma(a, b, c); }
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) { return ::fma(a, b, -c); }
KOKKOS_FORCEINLINE_FUNCTION Pack absolute(Pack x) {
  return bit_cast<double>(bits_of(x) & ~FloatFormat<double>::sign_mask);
}

#else

#define EXAKT_HAS_VECTOR_TYPES
#if defined(__AVX512F__)
inline constexpr int pack_bytes = 64;
#elif defined(__AVX__)
inline constexpr int pack_bytes = 32;
#else
inline constexpr int pack_bytes = 16;
#endif

inline constexpr int pack_lanes = pack_bytes / static_cast<int>(sizeof(double));
typedef double Pack __attribute__((vector_size(pack_bytes)));
typedef std::int64_t IntegerPack __attribute__((vector_size(pack_bytes)));
typedef float NarrowPack __attribute__((vector_size(pack_bytes / 2)));

KOKKOS_FORCEINLINE_FUNCTION Pack load(double const* from) {
  Pack result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}
KOKKOS_FORCEINLINE_FUNCTION Pack load(float const* from) {
  NarrowPack narrow;
  std::memcpy(&narrow, from, sizeof(narrow));
  return __builtin_convertvector(narrow, Pack);
}
KOKKOS_FORCEINLINE_FUNCTION Pack broadcast(double x) { return x - Pack{}; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack bits_of_pack(Pack x) { return (IntegerPack)x; }
KOKKOS_FORCEINLINE_FUNCTION Pack absolute(Pack x) {
  return (Pack)((IntegerPack)x & static_cast<std::int64_t>(~FloatFormat<double>::sign_mask));
}

KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of(IntegerPack comparison) { return comparison; }
KOKKOS_FORCEINLINE_FUNCTION void store(Pack x, double* to) { std::memcpy(to, &x, sizeof(x)); }
KOKKOS_FORCEINLINE_FUNCTION void store(IntegerPack const& x, std::int64_t* to) { std::memcpy(to, &x, sizeof(x)); }

// a * b + c and a * b - c, rounded once. Spelled out, for GCC has no name for it on vector types, and the headers of
// intrinsics would add half a second to every file.
#if defined(__x86_64__) && defined(__FMA__)
inline constexpr bool has_fused_packs = true;
KOKKOS_FORCEINLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) {
  __asm__("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
  return c;
}
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) {
  __asm__("vfmsub231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
  return c;
}
#elif defined(__aarch64__)
inline constexpr bool has_fused_packs = true;
KOKKOS_FORCEINLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) {
  __asm__("fmla %0.2d, %1.2d, %2.2d" : "+w"(c) : "w"(a), "w"(b));
  return c;
}
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) { return fused_add(a, b, -c); }
#else
inline constexpr bool has_fused_packs = false;  // a library call per lane: right, and not for loops
KOKKOS_INLINE_FUNCTION Pack fused_add(Pack a, Pack b, Pack c) {
  double lanes[3][pack_lanes];
  std::memcpy(lanes[0], &a, sizeof(a));
  std::memcpy(lanes[1], &b, sizeof(b));
  std::memcpy(lanes[2], &c, sizeof(c));
  for (int l = 0; l < pack_lanes; ++l) lanes[2][l] = std::fma(lanes[0][l], lanes[1][l], lanes[2][l]);
  return load(lanes[2]);
}
KOKKOS_FORCEINLINE_FUNCTION Pack fused_subtract(Pack a, Pack b, Pack c) { return fused_add(a, b, -c); }
#endif

#endif

KOKKOS_FORCEINLINE_FUNCTION Pack zeros() { return Pack{}; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack zero_integers() { return IntegerPack{}; }

/// a * b, rounded: the compiler may not fuse it with an addition to come.
KOKKOS_FORCEINLINE_FUNCTION Pack rounded_product(Pack a, Pack b) {
#if !defined(EXAKT_HAS_VECTOR_TYPES)
  return rounded_multiply(a, b);
#else
  if constexpr (has_fused_packs) {
    return fused_add(a, b, broadcast(-0.0));
  } else {
    return a * b;
  }
#endif
}

KOKKOS_FORCEINLINE_FUNCTION Pack larger(Pack a, Pack b) { return a > b ? a : b; }
KOKKOS_FORCEINLINE_FUNCTION Pack smaller(Pack a, Pack b) { return a < b ? a : b; }

KOKKOS_FORCEINLINE_FUNCTION IntegerPack load_integers(std::int64_t const* from) {
  IntegerPack result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}
KOKKOS_FORCEINLINE_FUNCTION IntegerPack mask_of_same_bits(Pack a, Pack b) {
  return mask_of(bits_of_pack(a) == bits_of_pack(b));
}

/// Up to pack_lanes terms, zeros behind them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load_some(T const* from, int count) {
  T lanes[pack_lanes] = {};
  for (int l = 0; l < count; ++l) lanes[l] = from[l];
  return load(lanes);
}

KOKKOS_FORCEINLINE_FUNCTION void store_some(Pack x, double* to, int count) {
  double lanes[pack_lanes];
  store(x, lanes);
  for (int l = 0; l < count; ++l) to[l] = lanes[l];
}

/// The two halves of a register, joined, until two lanes are left: `join` takes vectors of any length and numbers. The
/// halves are copied: GCC 12 miscompiles nested loops over the subscripts of vector types.
template <class Join>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t join_lanes(IntegerPack const& x, [[maybe_unused]] Join const& join) {
#if defined(EXAKT_HAS_VECTOR_TYPES)
  typedef std::int64_t Pair __attribute__((vector_size(16)));
  Pair pairs[sizeof(IntegerPack) / sizeof(Pair)];
  std::memcpy(pairs, &x, sizeof(pairs));
  if constexpr (sizeof(IntegerPack) == 64) {
    typedef std::int64_t Quad __attribute__((vector_size(32)));
    Quad quads[2];
    std::memcpy(quads, &x, sizeof(quads));
    quads[0] = join(quads[0], quads[1]);
    std::memcpy(pairs, quads, sizeof(quads[0]));
  }
  if constexpr (sizeof(IntegerPack) > sizeof(Pair)) pairs[0] = join(pairs[0], pairs[1]);
  return join(static_cast<std::int64_t>(pairs[0][0]), static_cast<std::int64_t>(pairs[0][1]));
#else
  return x;
#endif
}

/// A bit for each lane of which the mask is set.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t set_of_lanes(IntegerPack const& mask) {
  std::int64_t bit[pack_lanes];
  for (int l = 0; l < pack_lanes; ++l) bit[l] = std::int64_t{1} << l;
  return static_cast<std::uint32_t>(
      join_lanes(mask & load_integers(bit), [](auto const& a, auto const& b) { return a | b; }));
}

KOKKOS_FORCEINLINE_FUNCTION std::int64_t sum_of_lanes(IntegerPack const& x) {
  return join_lanes(x, [](auto const& a, auto const& b) { return a + b; });
}

/// The bits in `mask` of each lane.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack masked(IntegerPack const& bits, std::uint64_t mask) {
  return bits & static_cast<std::int64_t>(mask);
}

/// Whether any of the bits in `mask` is set in any lane.
KOKKOS_FORCEINLINE_FUNCTION bool has_bits(IntegerPack const& bits, std::uint64_t mask) {
  auto const any = join_lanes(bits, [](auto const& a, auto const& b) { return a | b; });
  return (static_cast<std::uint64_t>(any) & mask) != 0;
}

/// The rounded sum of all lanes, in any order.
KOKKOS_FORCEINLINE_FUNCTION double sum_of_real_lanes(Pack const& x) {
  double lanes[pack_lanes];
  std::memcpy(lanes, &x, sizeof(lanes));
  for (int half = pack_lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

KOKKOS_FORCEINLINE_FUNCTION double largest_lane(Pack const& x) {
  double lanes[pack_lanes], result = 0;
  std::memcpy(lanes, &x, sizeof(lanes));
  for (double lane : lanes) result = lane > result ? lane : result;
  return result;
}

}  // namespace Exakt::Impl

#endif
