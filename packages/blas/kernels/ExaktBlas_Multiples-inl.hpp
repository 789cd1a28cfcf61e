// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are known exactly because they are multiples of a unit: ties above all, which no bound decides.
// Included inside of the namespace of each instruction set, after ExaktBlas_Epilogue-inl.hpp.

/// \brief The last set bit of each lane, as a number; infinite for zeros.
///
/// If the significand has further bits in its field, a number without the last one is in the same binade (or as
/// subnormal), and the difference is that bit, exactly. Otherwise the number is a power of two, or zero, or infinite.
HWY_INLINE Pack last_bit(Pack x) {
  IntegerPack const bits = bits_of_pack(x);
  Pack const shorter = hn::BitCast(Doubles(), bits & (bits - hn::Set(Integers(), 1)));
  auto const is_power = hn::Eq(hn::ShiftLeft<12>(bits), hn::Zero(Integers()));
  Pack const power = hn::IfThenElse(x == zeros(), broadcast(HUGE_VAL), absolute(x));
  return hn::IfThenElse(hn::RebindMask(Doubles(), is_power), power, absolute(x - shorter));
}

/// Values that are known exactly.
struct KnownValues {
  Pack value, error;  // of value: what is left over
  IntegerPack known;  // all ones where they are
};

/// \brief The lanes whose values are known exactly.
///
/// Let the value be v = alpha * S + beta * y, within a radius of s + c (centre_of), and S a multiple of its unit. Then
/// v is a multiple of G, the smaller one of
///
///     last_bit(alpha) * unit     and, if y is read,     last_bit(beta) * last_bit(y).
///
/// If s is a multiple of G, too, then so is v - s, which is less than G/2 from c where the radius is: there is only one
/// such multiple, c rounded to multiples of G. Adding 1.5 * 2^52 G rounds c so, and taking that away again is exact: c is
/// below 2^50 G, for 2^-50 |c| is in the radius. So v is the sum of two doubles, and one addition rounds it. Zeros are
/// +0, as those of exact sums are.
///
/// If a G underflows, it is below any radius. Nothing is said about values whose G is not finite. Of values that are to be
/// divided zeros alone are decided: v is rounded already.
///
/// \param unit  A power of two of which S is a multiple; 0 where there is none.
HWY_INLINE KnownValues known_values(Factors const& factors, EnclosurePack const& sum, Pack y, Pack unit) {
  CentredPack const value = centre_of(factors, sum, y);
  Pack G = factors.alpha == 1 ? unit : rounded_product(last_bit(broadcast(factors.alpha)), unit);
  if (factors.reads_y) G = smaller(rounded_product(last_bit(broadcast(factors.beta)), last_bit(y)), G);
  Pack const shift = G * broadcast(0x1.8p52);
  Pack const c = (value.c + shift) - shift, v = value.s + c;
  IntegerPack known = value.is_valid & mask_of(G < broadcast(0x1p900)) &
                      mask_of(value.radius * broadcast(2 + 0x1p-10) < G) & mask_of(last_bit(value.s) >= G);
  if (factors.has_divisor) known = known & mask_of(v == zeros());
  Pack const c_part = v - value.s, s_part = v - c_part;
  return {v + zeros(), (value.s - s_part) + (c - c_part), known};
}

/// \brief The results of the lanes whose values are known exactly; the set of these lanes is returned, bit by bit.
///
/// \param results  Beginning of pack_lanes results; those of other lanes say nothing. R is float or double.
template <class R>
HWY_INLINE std::uint32_t decided_multiples(Factors const& factors, EnclosurePack const& sum, Pack y, Pack unit,
                                           R* results) {
  KnownValues const exact = known_values(factors, sum, y, unit);
  if constexpr (std::is_same_v<R, double>) {
    store(exact.value, results);
    return set_of_lanes(exact.known);
  } else {
    // A last bit that is odd where something follows: then a second rounding, to fewer bits, is as good as one.
    double sums[pack_lanes], errors[pack_lanes];
    store(exact.value, sums);
    store(exact.error, errors);
    std::uint32_t set = set_of_lanes(exact.known);
    for (int l = 0; l < pack_lanes; ++l) {
      std::uint64_t bits = bits_of(sums[l]);
      if (errors[l] != 0 && bits % 2 == 0) bits += (errors[l] > 0) == (sums[l] > 0) ? 1 : ~std::uint64_t{0};
      double const odd = bit_cast<double>(bits);
      bool const is_normal =
          magnitude_of(odd) >= power_of_two(FloatFormat<R>::min_exponent) && magnitude_of(odd) < 0x1p127;
      results[l] = is_normal ? static_cast<R>(odd) : R{0};
      if (!is_normal && sums[l] != 0) set &= ~(std::uint32_t{1} << l);
    }
    return set;
  }
}
