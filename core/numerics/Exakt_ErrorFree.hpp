// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ERRORFREE_HPP
#define EXAKT_ERRORFREE_HPP

/// \file
/// \brief Error-free transformations: a rounded operation and its rounding error, both exact.
///
/// All of them hold when rounding to nearest, with subnormal numbers kept; see the pre-conditions for overflow
/// and underflow. Muller et al., Handbook of Floating-Point Arithmetic, proves each of them.

#include "Exakt_Environment.hpp"
#include "Exakt_FloatFormat.hpp"

#include <cmath>

namespace Exakt {

/// A rounded value and what rounding took away: value + error is the exact result.
template <class T>
struct ErrorFree {
  T value;
  T error;
};

namespace Impl::inline EXAKT_ABI {

// Each rounded on its own, whatever the compiler's contraction settings.
#if defined(__CUDA_ARCH__)
__device__ __forceinline__ double rounded_add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ float rounded_add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double rounded_multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ float rounded_multiply(float a, float b) { return __fmul_rn(a, b); }
#else
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_add(T a, T b) {
  return a + b;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_multiply(T a, T b) {
  return opaque(a * b);
}
#endif

/// The processor has a fused multiply-add; without one std::fma is a slow library call.
#if defined(__FMA__) || defined(__aarch64__) || defined(EXAKT_DEVICE_SOURCE) || defined(FP_FAST_FMA)
inline constexpr bool has_fast_fma = true;
#else
inline constexpr bool has_fast_fma = false;
#endif

/// a * b as value + error without a fused multiply-add: Veltkamp's splitting and Dekker's product
/// (Dekker, A floating-point technique for extending the available precision, 1971).
///
/// \pre |a|, |b| < 2^(max_exponent - precision), |a*b| < 2^(max_exponent - 2), and a*b is 0 or at least
///      2^(min_exponent + 2*precision): no intermediate overflows and no error falls below the smallest number.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> two_product_dekker(T a, T b) {
  constexpr T splitter = static_cast<T>((std::uint64_t{1} << ((FloatFormat<T>::precision + 1) / 2)) + 1);
  T const ca = rounded_multiply(splitter, a), cb = rounded_multiply(splitter, b);
  T const a_high = opaque(ca - opaque(ca - a)), a_low = opaque(a - a_high);
  T const b_high = opaque(cb - opaque(cb - b)), b_low = opaque(b - b_high);
  T const product = rounded_multiply(a, b);
  T error = opaque(rounded_multiply(a_high, b_high) - product);
  error = opaque(error + rounded_multiply(a_high, b_low));
  error = opaque(error + rounded_multiply(a_low, b_high));
  error = opaque(error + rounded_multiply(a_low, b_low));
  return {product, error};
}

/// a * b as value + error with a fused multiply-add: the error is exact in every rounding mode.
///
/// \pre a*b does not overflow and is 0 or at least 2^(min_exponent + precision).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> two_product_fma(T a, T b) {
  T const product = rounded_multiply(a, b);
  EXAKT_IF_ON_HOST((return {product, std::fma(a, b, -product)};))
  EXAKT_IF_ON_DEVICE((return {product, ::fma(a, b, -product)};))
}

/// two_product() in the way that is asked for.
template <bool is_fused, class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> two_product_by(T a, T b) {
  if constexpr (is_fused) {
    return two_product_fma(a, b);
  } else {
    return two_product_dekker(a, b);
  }
}

}  // namespace Impl::inline EXAKT_ABI

/// \brief a + b as value + error (TwoSum of Knuth; Collange et al. 2015, Alg. 1): six operations, no branch.
///
/// \pre a + b does not overflow.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> two_sum(T a, T b) {
  a = Impl::opaque(a);
  b = Impl::opaque(b);
  T const sum = Impl::opaque(Impl::rounded_add(a, b));
  T const b_part = Impl::opaque(Impl::rounded_add(sum, -a));
  T const a_part = Impl::opaque(Impl::rounded_add(sum, -b_part));
  return {sum, Impl::rounded_add(Impl::rounded_add(a, -a_part), Impl::rounded_add(b, -b_part))};
}

/// \brief a + b as value + error (FastTwoSum of Dekker, 1971): three operations.
///
/// \pre a == 0 or |a| >= |b|, or more weakly: a is a multiple of ulp(b). a + b does not overflow.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> fast_two_sum(T a, T b) {
  a = Impl::opaque(a);
  b = Impl::opaque(b);
  T const sum = Impl::opaque(Impl::rounded_add(a, b));
  return {sum, Impl::rounded_add(b, -Impl::opaque(Impl::rounded_add(sum, -a)))};
}

/// \brief a * b as value + error: a fused multiply-add where the processor has one, Dekker's product elsewhere.
///
/// \pre |a|, |b| < 2^(max_exponent - precision), |a*b| < 2^(max_exponent - 2), and a*b is 0 or at least
///      2^(min_exponent + 2*precision). (DotAccumulator::add_product has no pre-condition.)
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<T> two_product(T a, T b) {
  return Impl::two_product_by<Impl::has_fast_fma>(a, b);
}

}  // namespace Exakt

#endif
