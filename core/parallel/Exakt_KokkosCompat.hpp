// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_KOKKOSCOMPAT_HPP
#define EXAKT_KOKKOSCOMPAT_HPP

/// \file
/// \brief The only header that knows that Kokkos has versions (3.4.01 to 5.x), and compilers dialects.

#include "../numerics/Exakt_Abi.hpp"

#include <cstdint>

static_assert(__cplusplus >= 202002L, "Exakt needs C++20: set CMAKE_CXX_STANDARD to 20 or more");

// The code of devices. Tests emulate it on hosts, by EXAKT_EMULATE_DEVICE: packs of one lane, no buffers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(EXAKT_EMULATE_DEVICE)
#define EXAKT_DEVICE_SOURCE
#endif

// Which side is being compiled. Kokkos has said it itself since 3.6, in a form that single-pass compilers understand
// too.
// FIXME(kokkos<3.6): the fallback goes when 3.6 is the oldest version.
#if defined(KOKKOS_IF_ON_HOST) && !defined(EXAKT_EMULATE_DEVICE)
#define EXAKT_IF_ON_HOST(code) KOKKOS_IF_ON_HOST(code)
#define EXAKT_IF_ON_DEVICE(code) KOKKOS_IF_ON_DEVICE(code)
#else
#define EXAKT_IMPL_UNWRAP(...) __VA_ARGS__
#if defined(EXAKT_DEVICE_SOURCE)
#define EXAKT_IF_ON_HOST(code)
#define EXAKT_IF_ON_DEVICE(code) \
  { EXAKT_IMPL_UNWRAP code }
#else
#define EXAKT_IF_ON_HOST(code) \
  { EXAKT_IMPL_UNWRAP code }
#define EXAKT_IF_ON_DEVICE(code)
#endif
#endif

// Rare and long: kept out of the loops of users. Device compilers decide for themselves.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define EXAKT_NOINLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#else
#define EXAKT_NOINLINE_FUNCTION __attribute__((noinline)) inline
#endif

// In front of a function template that calls what it is given, on whichever side that can run.
#if defined(__CUDACC__)
#define EXAKT_CALLS_ARGUMENT _Pragma("nv_exec_check_disable")
#else
#define EXAKT_CALLS_ARGUMENT
#endif

// In front of a loop. Rolled: compilers for devices unroll a loop over the digits of a long accumulator otherwise, load
// all of them into registers, and spill them. Unrolled: a small array lives in registers only if all of its indices are
// constants.
#if defined(__CUDA_ARCH__)
#define EXAKT_ROLLED_LOOP _Pragma("unroll 1")
#define EXAKT_UNROLLED_LOOP _Pragma("unroll")
#elif defined(__HIP_DEVICE_COMPILE__)
#define EXAKT_ROLLED_LOOP _Pragma("nounroll")
#define EXAKT_UNROLLED_LOOP _Pragma("unroll")
#else
#define EXAKT_ROLLED_LOOP
#define EXAKT_UNROLLED_LOOP
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// The bits of `from` as a `To`. (Kokkos::bit_cast exists since 4.0; std::bit_cast is not a device function.)
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To bit_cast(From const& from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast changes the type, never the number of bits");
  return __builtin_bit_cast(To, from);
}

/// Number of bits up to the leading one; 0 for 0. (std::bit_width is not a device function.)
KOKKOS_INLINE_FUNCTION constexpr int bit_width(std::uint64_t x) {
#if defined(__GNUC__) && !defined(EXAKT_DEVICE_SOURCE)
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#else
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(x));
#endif
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if ((x >> step) != 0) {
      x >>= step;
      width += step;
    }
  }
  return width + static_cast<int>(x);
#endif
}

/// Asks for the cache line at `address`, which may lie behind the end of an array.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* address) {
  EXAKT_IF_ON_HOST((__builtin_prefetch(address);))
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
