// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENVIRONMENT_HPP
#define EXAKT_ENVIRONMENT_HPP

/// \file
/// \brief What compilers and run-time settings could do to exact arithmetic, and the guards against it.
///
/// | danger                                        | guard                                                       |
/// |-----------------------------------------------|-------------------------------------------------------------|
/// | -ffast-math and its parts                     | does not compile (below)                                    |
/// | a*b + c contracted to one fma                 | `opaque(a * b)`: the product is rounded before it is added  |
/// | rounding mode, flush-to-zero, denormals-zero  | `fp_environment_is_default()`, else integer arithmetic only |
/// | excess precision (x87)                        | does not compile (below)                                    |
/// | nvcc's --use_fast_math, which says nothing    | double is as ever; a float that may be subnormal never is a |
/// |                                               | floating-point operand or result, but bits                  |

#include "Exakt_KokkosCompat.hpp"

#include <cfloat>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#include <limits>
#endif

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error \
    "Exakt needs exact floating-point arithmetic: compile without -ffast-math, -Ofast, -fassociative-math, -ffinite-math-only"
#endif

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error \
    "Exakt needs float and double evaluated in their own precision: compile with -mfpmath=sse (FLT_EVAL_METHOD must be 0)"
#endif

namespace Exakt::Impl {

/// `x`, rounded to its type and unknown to the optimizer: what follows can neither be fused with the
/// operation that made x (GCC's default -ffp-contract=fast does so across statements) nor be reassociated.
///
/// On CUDA the operations that follow are explicitly rounded ones, which the compiler never fuses.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T opaque(T x) {
#if defined(__CUDA_ARCH__)
  return x;
#elif defined(__HIP_DEVICE_COMPILE__)
  __asm__("" : "+v"(x));
  return x;
#elif defined(__x86_64__)
  __asm__("" : "+x"(x));
  return x;
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
  return x;
#else
  T volatile stored = x;
  return stored;
#endif
}

/// \brief Whether the calling thread rounds to nearest and keeps subnormal numbers.
///
/// Reads the control register (a few cycles). Another library may have changed it at run time, on this thread
/// only; who gets `false` must not trust a single floating-point operation, conversions included.
KOKKOS_FORCEINLINE_FUNCTION bool fp_environment_is_default() {
#if defined(EXAKT_DEVICE_SOURCE)
  return true;  // there is no such state on a device
#elif defined(__x86_64__)
  constexpr unsigned rounding_control = 0x6000, flush_to_zero = 0x8000, denormals_are_zero = 0x0040;  // MXCSR
  return (__builtin_ia32_stmxcsr() & (rounding_control | flush_to_zero | denormals_are_zero)) == 0;
#elif defined(__aarch64__)
  constexpr std::uint64_t rounding_mode = 3u << 22, flush_to_zero = 1u << 24, flush_half_to_zero = 1u << 19,
                          alternate_handling = 3u;  // FPCR; AH and FIZ are bits 1 and 0
  std::uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return (fpcr & (rounding_mode | flush_to_zero | flush_half_to_zero | alternate_handling)) == 0;
#else
  // No name for the control word here: ask for the mode, and try a subnormal operand and a subnormal result.
  double const volatile smallest_normal = std::numeric_limits<double>::min();
  double const volatile subnormal = smallest_normal / 2;
  return std::fegetround() == FE_TONEAREST && subnormal + subnormal == smallest_normal;
#endif
}

}  // namespace Exakt::Impl

#endif
