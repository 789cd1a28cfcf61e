// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WIDEPRODUCT_HPP
#define EXAKT_WIDEPRODUCT_HPP

#include "../parallel/Exakt_KokkosCompat.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// high * 2^64 + low. Sums and differences are modulo 2^128.
struct WideProduct {
  std::uint64_t high, low;
};

#ifdef __SIZEOF_INT128__

// An integer that compilers know, and add in two instructions.
__extension__ using Integer128 = unsigned __int128;

KOKKOS_FORCEINLINE_FUNCTION constexpr Integer128 integer_of(WideProduct const& a) {
  return Integer128{a.high} << 64 | a.low;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct halves_of(Integer128 a) {
  return {static_cast<std::uint64_t>(a >> 64), static_cast<std::uint64_t>(a)};
}

KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct operator+(WideProduct const& a, WideProduct const& b) {
  return halves_of(integer_of(a) + integer_of(b));
}
KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct operator-(WideProduct const& a, WideProduct const& b) {
  return halves_of(integer_of(a) - integer_of(b));
}

#else

KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct operator+(WideProduct const& a, WideProduct const& b) {
  std::uint64_t const low = a.low + b.low;
  return {a.high + b.high + (low < a.low), low};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct operator-(WideProduct const& a, WideProduct const& b) {
  return {a.high - b.high - (a.low < b.low), a.low - b.low};
}

#endif

/// The product in 128 bits from four products of 32-bit halves, for compilers without a 128-bit integer.
KOKKOS_INLINE_FUNCTION constexpr WideProduct wide_product_of_halves(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffffffff;
  std::uint64_t const low = (a & half) * (b & half), high = (a >> 32) * (b >> 32);
  std::uint64_t const cross = (a >> 32) * (b & half), other = (a & half) * (b >> 32);
  std::uint64_t const middle = cross + (low >> 32) + (other & half);  // (2^32-1)^2 + 2*(2^32-1) = 2^64 - 1
  return {high + (middle >> 32) + (other >> 32), (middle << 32) | (low & half)};
}

KOKKOS_FORCEINLINE_FUNCTION constexpr WideProduct wide_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  return halves_of(Integer128{a} * b);
#else
  return wide_product_of_halves(a, b);
#endif
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
