// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_AVX512_HPP
#define EXAKTBLAS_AVX512_HPP

/// \file
/// \brief Registers of eight doubles, for functions that run only where a processor was found to have them.
///
/// Whoever can multiply bytes fast (VNNI) has AVX-512 too. So the functions around such products are compiled for it
/// in every build, also in a portable one: EXAKT_AVX512 in front of them says so.

#include <Exakt_KokkosCompat.hpp>

#include <cstddef>
#include <cstring>

#define EXAKT_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define EXAKT_AVX512_INLINE EXAKT_AVX512 __attribute__((always_inline)) inline

namespace Exakt::Impl {

inline constexpr int wide_lanes = 8;
typedef double Wide __attribute__((vector_size(64)));
typedef std::int64_t WideIntegers __attribute__((vector_size(64)));
typedef std::int32_t WideInts __attribute__((vector_size(32)));
typedef std::uint32_t WideQuartets __attribute__((vector_size(32)));

template <class Register, class T>
EXAKT_AVX512_INLINE Register load_as(T const* from) {
  Register result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}
template <class Register, class T>
EXAKT_AVX512_INLINE void store_as(Register const& x, T* to) {
  std::memcpy(to, &x, sizeof(x));
}
EXAKT_AVX512_INLINE Wide wide(double x) { return x - Wide{}; }

/// The integer next to x, for |x| < 2^51.
EXAKT_AVX512_INLINE Wide nearest_integer(Wide x) {
  constexpr double magic = 0x1.8p52;
  return (x + magic) - magic;
}

// Compilers make detours over single lanes for these.
EXAKT_AVX512_INLINE WideQuartets to_integers(Wide x) {
  WideQuartets result;
  __asm__("vcvttpd2udq %1, %0" : "=v"(result) : "v"(x));
  return result;
}
EXAKT_AVX512_INLINE Wide to_doubles(WideInts x) {
  Wide result;
  __asm__("vcvtdq2pd %1, %0" : "=v"(result) : "v"(x));
  return result;
}

/// Four registers of numbers as 32 bytes:   | lane 0: x0 x1 x2 x3 | lane 1: x0 x1 x2 x3 | ...
///
/// Entry 8 p + l of 32 is byte 4 l + p: not the order that they came in, but products of matrices do not mind as long
/// as both have the same one.
inline constexpr int packs_of_bytes = 4;
inline constexpr std::size_t bytes_at_once = packs_of_bytes * wide_lanes;
EXAKT_AVX512_INLINE WideInts bytes_of_lane(WideInts bytes, int pack) {
  return (bytes << (24 - 8 * pack)) >> 24;  // of pack `pack`, signed
}

}  // namespace Exakt::Impl

#endif
