// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What becomes of sums of products that are known up to bounds, on packs.
//
// Included inside a namespace that has packs: once for each instruction set of the kernels, and once for all other code
// (operands/ExaktBlas_Epilogue.hpp).

/// Numbers on both sides of an exact one.
struct IntervalPack {
  Pack lower, upper;
  IntegerPack is_valid;  // all ones where they are
  Pack middle;           // both where they are the same, for rounding is monotonic; known before the radius is
};

/// alpha * S + beta * y is within the radius of s + c.
struct CentredPack {
  Pack s, c, radius;
  IntegerPack is_valid;  // all ones where it is
};

/// \brief alpha * S + beta * y up to a radius.
///
/// With p + p' = alpha*high, q + q' = beta*y and s + e = p + q exactly, the value is s + c, where
///
///     c = e + p' + q' + alpha*low  +-  |alpha| * bound.
///
/// Computed, c is off by at most 5 * 2^-53 (|e| + |p'| + |q'| + |alpha*low|)(1 + 2^-50), and by a few 2^-1075 for each of
/// the three products that may underflow; `radius` is more than all that, also after its own roundings, and NaN where
/// Dekker's product overflows.
KOKKOS_FORCEINLINE_FUNCTION CentredPack centre_of(Factors const& epilogue, EnclosurePack const& sum, Pack y) {
  Pack const limit = broadcast(0x1p990);
  if (epilogue.alpha == 1 && !epilogue.reads_y) {
    // The same with p = high, without p', q and e.
    Pack const radius =
        sum.bound * broadcast(1 + 0x1p-10) + (broadcast(0x1p-50) * absolute(sum.low) + broadcast(0x1p-1000));
    return {sum.high, sum.low, radius, mask_of(absolute(sum.high) < limit) & mask_of(radius < limit)};
  }
  Pack const alpha = broadcast(epilogue.alpha), beta = broadcast(epilogue.beta);
  auto const [p, q, total] = sum_of_two_products(alpha, sum.high, beta, y);
  Pack const tail = rounded_product(alpha, sum.low);
  Pack const c = total.error + (p.error + (q.error + tail));
  Pack const size = absolute(total.error) + ((absolute(p.error) + absolute(q.error)) + absolute(tail));
  Pack const radius = rounded_product(absolute(alpha), sum.bound) * broadcast(1 + 0x1p-10) +
                      (broadcast(0x1p-50) * size + broadcast(0x1p-1000));
  return {total.value, c, radius,
          mask_of(absolute(p.value) < limit) & mask_of(absolute(q.value) < limit) & mask_of(radius < limit)};
}

/// \brief The interval of doubles that alpha * S + beta * y rounds into, divided by `divisor` if there is one.
///
/// As rounding is monotonic, the result lies between RN(s + (c - radius)) and RN(s + (c + radius)) (centre_of).
///
/// A quotient is q0 + (s - q0*divisor + c)/divisor for any q0, here s * inverse: within 2^-51 |s/divisor| of the
/// quotient, so that the remainder s - q0*divisor is small, and exact or rounded once. Its rounding, that of the sum
/// with c, of the product with the inverse, of the inverse itself, and of the last sum are 2^-53 each of what is
/// multiplied by 2^-50 below.
///
/// \param inverse  1 / divisor, rounded. It may be known long before the sum is: results are waited for.
KOKKOS_FORCEINLINE_FUNCTION IntervalPack interval_of(Factors const& epilogue, EnclosurePack const& sum, Pack y,
                                                     Pack divisor, Pack inverse) {
  CentredPack const value = centre_of(epilogue, sum, y);
  Pack const s = value.s, c = value.c, radius = value.radius, limit = broadcast(0x1p990);
  IntegerPack valid = value.is_valid;
  if (!epilogue.has_divisor) return {s + (c - radius), s + (c + radius), valid, s + c};

  Pack const quotient = rounded_product(s, inverse), least = broadcast(0x1p-900);
  Pack const remainder = fused_add(broadcast(-0.0) - quotient, divisor, s);
  Pack const correction = rounded_product(remainder + c, inverse);
  Pack const widened_inverse = absolute(inverse) * broadcast(1 + 0x1p-10);  // known before the sum, too
  Pack const quotient_radius =
      (radius + broadcast(0x1p-50) * (absolute(remainder) + absolute(c))) * widened_inverse + broadcast(0x1p-1000);
  valid = valid & mask_of(absolute(s) > least) & mask_of(absolute(quotient) > least) &
          mask_of(absolute(quotient) < limit) & mask_of(absolute(divisor) > least) &
          mask_of(absolute(divisor) < limit) & mask_of(absolute(correction) < limit) &
          mask_of(quotient_radius < limit);  // s may be tiny and c the whole sum, which then is all of the quotient
  return {quotient + (correction - quotient_radius), quotient + (correction + quotient_radius), valid,
          quotient + correction};
}

/// \brief The results of the lanes that the interval decides; the set of these lanes is returned, bit by bit.
///
/// \param results  Beginning of pack_lanes results; those of undecided lanes say nothing. R is float or double.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t decided_lanes(IntervalPack const& interval, R* results) {
  if constexpr (std::is_same_v<R, double>) {
    store(interval.lower, results);
    return set_of_lanes(mask_of_same_bits(interval.lower, interval.upper) & interval.is_valid);
  } else {
    // round_between(), but both ends are moved out as packs: lane by lane small products take a fifth longer.
    double lower[pack_lanes], upper[pack_lanes];
    store(interval.lower - absolute(interval.lower) * broadcast(0x1p-52), lower);
    store(interval.upper + absolute(interval.upper) * broadcast(0x1p-52), upper);
    std::uint32_t same = 0;
    for (int l = 0; l < pack_lanes; ++l) {
      results[l] = static_cast<R>(lower[l]);
      bool const is_normal = magnitude_of(lower[l]) >= power_of_two(FloatFormat<R>::min_exponent);
      same |= static_cast<std::uint32_t>(is_normal && bits_of(results[l]) == bits_of(static_cast<R>(upper[l]))) << l;
    }
    return same & set_of_lanes(interval.is_valid);
  }
}

/// A bit for each of the first lanes.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t set_of_first_lanes(int lanes) { return (std::uint32_t{1} << lanes) - 1; }

/// \brief Writes the results of those lanes in `wanted` that their sums decide; the set of them is returned.
///
/// \param divisor        Of all lanes, if the factors have one.
/// \param y              The entry of the first lane.
/// \param decide_others  Called as (old, others, results) if intervals leave others: writes the results of some of
///                       these lanes, and returns the set of those.
template <class R, class F>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t try_round_lanes(Factors const& factors, EnclosurePack const& sum,
                                                          double divisor, int lanes, std::uint32_t wanted, R* y,
                                                          std::ptrdiff_t y_stride, F const& decide_others) {
  double old[pack_lanes] = {};
  if (factors.reads_y) {
    for (int l = 0; l < lanes; ++l) old[l] = static_cast<double>(y[l * y_stride]);
  }
  R results[pack_lanes] = {};
  std::uint32_t decided =
      decided_lanes(interval_of(factors, sum, load(old), broadcast(divisor), broadcast(1 / divisor)), results) & wanted;
  if (decided != wanted) decided |= decide_others(old, wanted & ~decided, results);
  if (decided == set_of_first_lanes(pack_lanes) && y_stride == 1) {
    for (int l = 0; l < pack_lanes; ++l) y[l] = results[l];
  } else {
    for (int l = 0; l < lanes; ++l) {
      if ((decided >> l & 1) != 0) y[l * y_stride] = results[l];
    }
  }
  return decided;
}

/// \brief The result for one row from its enclosure; false if it does not decide.
///
/// \param inverse  1 / divisor, rounded.
template <class R>
KOKKOS_INLINE_FUNCTION bool try_round_row(Factors const& epilogue, Enclosure const& sum, double y, double divisor,
                                          double inverse, R& result) {
  if constexpr (is_float_v<R>) {
    R results[pack_lanes] = {};
    auto const interval = interval_of(epilogue, {broadcast(sum.high), broadcast(sum.low), broadcast(sum.bound)},
                                      broadcast(y), broadcast(divisor), broadcast(inverse));
    if ((decided_lanes(interval, results) & 1) == 0) return false;
    result = results[0];
    return true;
  } else {
    return false;
  }
}

/// The same with a divisor whose reciprocal is not known yet.
template <class R>
KOKKOS_INLINE_FUNCTION bool try_round_row(Factors const& factors, Enclosure const& sum, double y, double divisor,
                                          R& result) {
  return try_round_row(factors, sum, y, divisor, 1 / divisor, result);
}
