// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENCLOSURE_HPP
#define EXAKT_ENCLOSURE_HPP

/// \file
/// \brief A sum as two doubles and a bound, and its rounding (Ziv's test): what is decided without long accumulators.
///
/// Everything here needs the default floating-point environment.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_ErrorFree.hpp"
#include "Exakt_ExtractionLevels.hpp"

#include <cmath>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_COMPILED {

KOKKOS_FORCEINLINE_FUNCTION double magnitude_of(double x) {
  EXAKT_IF_ON_HOST((return std::fabs(x);))
  EXAKT_IF_ON_DEVICE((return bit_cast<double>(bits_of(x) & ~FloatFormat<double>::sign_mask);))
}

/// \brief B of m terms in each of L lanes, in units (Exakt_EnclosedSum.hpp). The last term is for the rounding of `low`
/// in HeadStart::read().
KOKKOS_FORCEINLINE_FUNCTION constexpr double bound_of_rests(int lanes, int per_lane) {
  double const l = lanes, m = per_lane;
  return (l * (m + 1) * (m + 1) + l * l * m) * 0x1p-54 + (0x1p10 + l * m) * 0x1p-53;
}

/// What rests of underflowing products can be off by, 2^-1074 each. The 2^-1022 of loops over many sums are more:
/// processors take a hundred cycles for a subnormal number, and results down there are not decided anyway.
KOKKOS_FORCEINLINE_FUNCTION constexpr double bound_of_underflows(int lanes, int per_lane, double each = 0x1p-1022) {
  return 4.0 * lanes * per_lane * each;
}

/// Above all exponents of heads: HeadStart::fits() is false.
inline constexpr int unknown_exponent = 1 << 14;

/// Heads for terms below 2^e.
struct HeadStart {
  double start, unit;

  KOKKOS_FORCEINLINE_FUNCTION explicit HeadStart(int e) {
    int const exponent = level_unit(e, 0, FloatFormat<double>::lsb_exponent);
    start = level_start(exponent);
    unit = 0x1p-52 * power_of_two(exponent + 52);
  }
  static KOKKOS_FORCEINLINE_FUNCTION bool fits(int e) { return e + level_head <= FloatFormat<double>::max_exponent; }

  /// What heads that moved by `units` in all, and the sum of their rests, say.
  KOKKOS_FORCEINLINE_FUNCTION Enclosure read(std::int64_t units, double rest, double bound) const {
    // High is the multiple of 2^10 units, of at most 47 bits; the rest of the units goes to low, which is rounded.
    return {static_cast<double>(units >> 10) * (unit * 0x1p10), static_cast<double>(units & 1023) * unit + rest, bound};
  }

  /// Heads that hardly moved are too large for the terms, and the bound with them.
  KOKKOS_FORCEINLINE_FUNCTION bool are_needlessly_large(Enclosure const& sum) const {
    return magnitude_of(sum.high) < unit * 0x1p20;
  }
};

KOKKOS_FORCEINLINE_FUNCTION constexpr Enclosure empty_sum() { return {0, 0, 0}; }

/// sum += term, whose roundings go to the bound.
KOKKOS_FORCEINLINE_FUNCTION void add_enclosure(Enclosure& sum, Enclosure const& term) {
  auto const high = two_sum(sum.high, term.high);
  double const size = (magnitude_of(sum.low) + magnitude_of(term.low)) + magnitude_of(high.error);
  sum = {high.value, sum.low + (high.error + term.low), (sum.bound + term.bound) + 0x1p-51 * size};
}

/// Results are not decided from here on: an end of an interval, or a number on the way, may have overflowed.
inline constexpr double largest_decided = 0x1p1020;

/// Whether x becomes an R by the one rounding of a conversion: options of device compilers may make zeros of subnormal floats.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool is_rounded_by_conversion([[maybe_unused]] double x) {
#if defined(EXAKT_DEVICE_SOURCE)
  return x == 0 || magnitude_of(x) >= power_of_two(FloatFormat<R>::min_exponent);
#else
  return true;
#endif
}

/// \brief Ziv's test: RN(x) for every x between two doubles, if that is one number; R is float or double.
///
/// Rounding is monotonic: with equal doubles at both ends, all between them round to this double. Both ends are moved
/// out by an ulp before they are rounded to float, so that they are bounds of the exact value and not roundings of it.
/// Subnormal floats are left undecided: options of device compilers may make zeros of both ends.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool round_between(double lower, double upper, R& result) {
  static_assert(std::is_same_v<R, double> || std::is_same_v<R, float>, "narrower types would be rounded twice");
  if constexpr (std::is_same_v<R, double>) {
    result = lower;
    return bits_of(lower) == bits_of(upper);
  } else {
    lower -= magnitude_of(lower) * 0x1p-52;
    upper += magnitude_of(upper) * 0x1p-52;
    result = static_cast<R>(lower);
    return magnitude_of(lower) >= power_of_two(FloatFormat<R>::min_exponent) &&
           bits_of(result) == bits_of(static_cast<R>(upper));
  }
}

/// \brief The same for every x in [s + (c - radius), s + (c + radius)]; what may have overflowed on the way is undecided.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_near(double s, double c, double radius, R& result) {
  double const lower = s + (c - radius), upper = s + (c + radius);
  return magnitude_of(lower) < largest_decided && magnitude_of(upper) < largest_decided &&
         round_between(lower, upper, result);
}

/// What the additions s.low +- bound round, and those of many bounds before.
KOKKOS_FORCEINLINE_FUNCTION double radius_of(double bound, double low) {
  return bound * (1 + 0x1p-10) + 0x1p-50 * magnitude_of(low);
}

/// \brief x + y rounded to odd: to the neighbour with an odd significand, if x + y is no double. Rounded once more, to at least
/// two bits less, that gives what x + y itself does (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
/// \pre No overflow.
KOKKOS_FORCEINLINE_FUNCTION double add_to_odd(double x, double y) {
  auto const sum = two_sum(x, y);
  std::uint64_t const bits = bits_of(sum.value);
  if (sum.error == 0 || (bits & 1) != 0) return sum.value;
  bool const is_outward = (sum.error > 0) == (sum.value > 0);
  return bit_cast<double>(is_outward ? bits + 1 : bits - 1);
}

/// \brief A sum that two doubles are exactly: one addition rounds it, ties as well, which no interval decides.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_exact(Enclosure const& sum, R& result) {
  if (bits_of(sum.bound) != 0) return false;
  if constexpr (std::is_same_v<R, double>) {
    result = sum.high + sum.low;
    return magnitude_of(result) < largest_decided;
  } else {
    double const odd = add_to_odd(sum.high, sum.low);
    result = static_cast<R>(odd);
    return odd == 0 || (magnitude_of(odd) >= power_of_two(FloatFormat<R>::min_exponent) && magnitude_of(odd) < 0x1p127);
  }
}

/// \brief The sum S, rounded to nearest, if the enclosure decides it.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, R& result) {
  if (try_round_exact(sum, result)) return true;
  return try_round_near(sum.high, sum.low, radius_of(sum.bound, sum.low), result);
}

KOKKOS_FORCEINLINE_FUNCTION bool has_exact_products(double x) {
  return magnitude_of(x) > 0x1p-900 && magnitude_of(x) < 0x1p900;
}

/// \brief S / n, rounded to nearest, for 0 < n < 2^53.
///
/// With high = RN(high + low) first, and q = RN(high / n), the remainder high - q*n is a double, and
/// S/n = q + (remainder + low)/n. The sum and the
/// quotient in this correction are rounded by 2^-53 each of what radius_of() multiplies by 2^-50; by more where the
/// correction is subnormal, but then it is far below half a unit in the last place of q, which is 2^-1007 or more.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_quotient(Enclosure const& sum, double n, R& result) {
  auto const [high, low] = two_sum(sum.high, sum.low);
  if (!has_exact_products(high)) return false;
  double const q = opaque(high / n);
  auto const product = two_product(q, n);
  double const c = (((high - product.value) - product.error) + low) / n;
  return try_round_near(q, c, radius_of(sum.bound / n, c), result);
}

/// \brief The square root of S > 0, rounded to nearest.
///
/// With high = RN(high + low) first, r = RN(sqrt(high)) and d = (high - r^2) + low, where high - r^2 is a double,
///
///     sqrt(S) = r + d/(2r) - d^2/(8 r^3) + ...
///
/// |d| <= 2^-51 r^2, so that the terms behind the first are below 2^-52 of it; radius_of() adds 2^-50.
template <class R, bool is_fused = has_fast_fma>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_sqrt(Enclosure const& sum, R& result) {
  auto const [high, low] = two_sum(sum.high, sum.low);
  if (!has_exact_products(high) || high < 0) return false;
  double const r = opaque(std::sqrt(high));
  auto const square = two_product_by<is_fused>(r, r);
  double const c = (((high - square.value) - square.error) + low) / (2 * r);
  return try_round_near(r, c, radius_of(sum.bound / r, c), result);
}

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
