// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMBINATION_HPP
#define EXAKTBLAS_COMBINATION_HPP

/// \file
/// \brief What becomes of an exact sum S of products: (alpha * S + beta * y) / divisor, the whole rounded once.

#include "ExaktBlas_Scalars.hpp"

#include <Exakt_LongAccumulator.hpp>

namespace Exakt::Impl {

using ExactProducts = LongAccumulator<double, 56, Terms::products>;
using ExactScaled = LongAccumulator<double, 56, Terms::scaled_products>;

/// alpha * S + beta * y, and a divisor where there is one, all of them real.
struct Combination {
  double alpha;
  double beta;
  bool reads_y;      // beta is not zero
  bool has_divisor;  // else the divisor is 1

  template <class R>
  KOKKOS_INLINE_FUNCTION R exactly(ExactProducts const& sum, double y, double divisor) const {
    if (alpha == 1 || alpha == -1) {
      // The accumulator of products has room for one product more.
      ExactProducts total;
      if (alpha == 1) {
        total += sum;
      } else {
        total -= sum;
      }
      return rounded<R>(total, y, divisor);
    }
    ExactScaled total;
    total.add_scaled_sum(sum, alpha);
    return rounded<R>(total, y, divisor);
  }

 private:
  template <class R, class Long>
  KOKKOS_INLINE_FUNCTION R rounded(Long& total, double y, double divisor) const {
    if (reads_y) total.add_product(beta, y);
    return has_divisor ? total.template round_quotient<R>(divisor) : total.template round<R>();
  }
};

/// \brief One part of alpha * S + beta * y for complex numbers.
///
/// Multiplied out as (a + bi)(c + di) = (ac - bd) + (ad + bc)i, infinities and NaN included.
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> combine_complex(Factor const& alpha, ExactProducts const& real_sum,
                                                          ExactProducts const& imaginary_sum, Factor const& beta,
                                                          double real_y, double imaginary_y) {
  ExactScaled real, imaginary;
  real.add_scaled_sum(real_sum, alpha.real);
  imaginary.add_scaled_sum(imaginary_sum, alpha.real);
  if (alpha.is_complex) {
    real.add_scaled_sum(imaginary_sum, negated(alpha.imaginary));
    imaginary.add_scaled_sum(real_sum, alpha.imaginary);
  }
  if (!beta.is_zero()) {
    real.add_product(beta.real, real_y);
    imaginary.add_product(beta.real, imaginary_y);
    if (beta.is_complex) {
      real.subtract_product(beta.imaginary, imaginary_y);
      imaginary.add_product(beta.imaginary, real_y);
    }
  }
  return {real.template round<R>(), imaginary.template round<R>()};
}

/// Sums of products, one per lane, known up to a bound: |S - (high + low)| <= bound.
struct EstimatePack {
  Pack high, low, bound;
};

/// Numbers on both sides of an exact one.
struct IntervalPack {
  Pack lower, upper;
  IntegerPack is_valid;  // all ones where they are
};

/// \brief The interval of doubles that alpha * S + beta * y rounds into, divided by `divisor` if there is one.
///
/// With p + p' = alpha*high, q + q' = beta*y and s + e = p + q exactly, the value is s + c, where
///
///     c = e + p' + q' + alpha*low  +-  |alpha| * bound.
///
/// Computed, c is off by at most 5 * 2^-53 (|e| + |p'| + |q'| + |alpha*low|)(1 + 2^-50), and by 2^-1075 for each of the
/// three products that may underflow; `doubt` is more than all that, also after its own roundings. As rounding is
/// monotonic, the result lies between RN(s + (c - doubt)) and RN(s + (c + doubt)).
///
/// A quotient is q0 + (s - q0*divisor + c)/divisor for any q0, here s * inverse: within 2^-51 |s/divisor| of the
/// quotient, so that the remainder s - q0*divisor is small, and exact or rounded once. Its rounding, that of the sum
/// with c, of the product with the inverse, of the inverse itself, and of the last sum are 2^-53 each of what is
/// multiplied by 2^-50 below.
///
/// \param inverse  1 / divisor, rounded. It may be known long before the sum is: results are waited for.
KOKKOS_FORCEINLINE_FUNCTION IntervalPack interval_of(Combination const& combination, EstimatePack const& sum, Pack y,
                                                     Pack divisor, Pack inverse) {
  Pack const alpha = broadcast(combination.alpha), beta = broadcast(combination.beta);
  Pack const p = rounded_product(alpha, sum.high), p_error = fused_subtract(alpha, sum.high, p);
  Pack const q = rounded_product(beta, y), q_error = fused_subtract(beta, y, q);
  Pack const s = p + q, q_part = s - p, p_part = s - q_part, e = (p - p_part) + (q - q_part);
  Pack const tail = rounded_product(alpha, sum.low);
  Pack const c = e + (p_error + (q_error + tail));
  Pack const size = absolute(e) + ((absolute(p_error) + absolute(q_error)) + absolute(tail));
  Pack const doubt = rounded_product(absolute(alpha), sum.bound) * (1 + 0x1p-10) + (0x1p-50 * size + 0x1p-1000);
  Pack const limit = broadcast(0x1p990);
  IntegerPack valid = mask_of(absolute(p) < limit) & mask_of(absolute(q) < limit) & mask_of(doubt < limit);
  if (!combination.has_divisor) return {s + (c - doubt), s + (c + doubt), valid};

  Pack const quotient = rounded_product(s, inverse), least = broadcast(0x1p-900);
  Pack const remainder = fused_add(-quotient, divisor, s);
  Pack const correction = rounded_product(remainder + c, inverse);
  Pack const quotient_doubt =
      (doubt + 0x1p-50 * (absolute(remainder) + absolute(c))) * absolute(inverse) * (1 + 0x1p-10) + 0x1p-1000;
  valid &= mask_of(absolute(s) > least) & mask_of(absolute(quotient) > least) & mask_of(absolute(quotient) < limit) &
           mask_of(absolute(divisor) > least) & mask_of(absolute(divisor) < limit) & mask_of(quotient_doubt < limit);
  return {quotient + (correction - quotient_doubt), quotient + (correction + quotient_doubt), valid};
}

/// The same with a divisor that nobody has inverted.
KOKKOS_FORCEINLINE_FUNCTION IntervalPack interval_of(Combination const& combination, EstimatePack const& sum, Pack y,
                                                     Pack divisor) {
  return interval_of(combination, sum, y, divisor, 1.0 / divisor);
}

/// A bit for each lane of which the mask is set.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t set_of_lanes(IntegerPack const& mask) {
  std::int64_t bit[pack_lanes];
  IntegerPack bits;
  for (int l = 0; l < pack_lanes; ++l) bit[l] = std::int64_t{1} << l;
  std::memcpy(&bits, bit, sizeof(bits));
  return static_cast<std::uint32_t>(join_lanes(mask & bits, [](auto const& a, auto const& b) { return a | b; }));
}

/// \brief The results of the lanes that the interval decides; the set of these lanes is returned, bit by bit.
///
/// \param results  Beginning of pack_lanes results; those of undecided lanes say nothing. R is float or double.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t decided_lanes(IntervalPack const& interval, R* results) {
  if constexpr (std::is_same_v<R, double>) {
    store(interval.lower, results);
    return set_of_lanes(mask_of(bits_of_pack(interval.lower) == bits_of_pack(interval.upper)) & interval.is_valid);
  } else {
    // One step out, so that both ends are real numbers on either side of the exact one, and not its roundings. Of
    // subnormal results nothing is decided: compilers for devices may be told to make zeros of both ends.
    double lower[pack_lanes], upper[pack_lanes];
    store(interval.lower - absolute(interval.lower) * 0x1p-52, lower);
    store(interval.upper + absolute(interval.upper) * 0x1p-52, upper);
    std::uint32_t same = 0;
    for (int l = 0; l < pack_lanes; ++l) {
      results[l] = static_cast<R>(lower[l]);
      bool const is_normal = magnitude_of(lower[l]) >= power_of_two(FloatFormat<R>::min_exponent);
      same |= static_cast<std::uint32_t>(is_normal && bits_of(results[l]) == bits_of(static_cast<R>(upper[l]))) << l;
    }
    return same & set_of_lanes(interval.is_valid);
  }
}

}  // namespace Exakt::Impl

#endif
