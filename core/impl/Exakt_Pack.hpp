// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PACK_HPP
#define EXAKT_PACK_HPP

/// \file
/// \brief A register full of doubles: the compiler's own vector type on hosts, one plain double on devices.
///
/// Not std::experimental::simd: it doubled the compile time of every user's file (2 s, g++ 12) and nvcc refuses it.

#include "../Exakt_FloatFormat.hpp"

#include <cstring>

namespace Exakt::Impl {

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || !(defined(__GNUC__) || defined(__clang__))

inline constexpr int pack_lanes = 1;
using Pack = double;
using IntegerPack = std::int64_t;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load(T const* from) {
  return static_cast<double>(*from);
}
KOKKOS_FORCEINLINE_FUNCTION Pack broadcast(double x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION IntegerPack bits_of_pack(Pack x) { return bit_cast<IntegerPack>(x); }
KOKKOS_FORCEINLINE_FUNCTION Pack absolute(Pack x) { return bit_cast<double>(bits_of(x) & ~FloatFormat<double>::sign_mask); }

#else

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

#endif

KOKKOS_FORCEINLINE_FUNCTION Pack larger(Pack a, Pack b) { return a > b ? a : b; }

/// Up to pack_lanes terms, zeros behind them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack load_some(T const* from, int count) {
  T lanes[pack_lanes] = {};
  for (int l = 0; l < count; ++l) lanes[l] = from[l];
  return load(lanes);
}

// Lanes are read by way of an array: GCC 12 miscompiles nested loops over the subscripts of vector types.
template <class P>
KOKKOS_FORCEINLINE_FUNCTION auto sum_of_lanes(P const& x) {
  std::int64_t lanes[pack_lanes], sum = 0;
  static_assert(sizeof(P) == sizeof(lanes));
  std::memcpy(lanes, &x, sizeof(lanes));
  for (std::int64_t lane : lanes) sum += lane;
  return sum;
}

KOKKOS_FORCEINLINE_FUNCTION double largest_lane(Pack const& x) {
  double lanes[pack_lanes], result = 0;
  std::memcpy(lanes, &x, sizeof(lanes));
  for (double lane : lanes) result = lane > result ? lane : result;
  return result;
}

/// Whether any of the bits in `mask` is set in any lane.
KOKKOS_FORCEINLINE_FUNCTION bool has_bits(IntegerPack const& bits, std::uint64_t mask) {
  std::uint64_t lanes[pack_lanes], any = 0;
  std::memcpy(lanes, &bits, sizeof(lanes));
  for (std::uint64_t lane : lanes) any |= lane;
  return (any & mask) != 0;
}

}  // namespace Exakt::Impl

#endif
