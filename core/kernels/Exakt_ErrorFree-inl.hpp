// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Error-free operations on packs; Exakt_ErrorFree.hpp has them for numbers, with their pre-conditions.
//
// Included inside a namespace that has packs: once for each instruction set of the kernels (Exakt_Lanes-inl.hpp), where
// the functions must be compiled for it, and once for all other code (summation/Exakt_Pack.hpp).

/// \brief Additions in units that multiply: a * 1 + b.
///
/// Zen has as many units that add as units that multiply: with half of its additions in each, a sum in the cache takes 0.7
/// of the time. Processors with one kind of units for both have nothing to gain, and lose a register.
struct FusedAdder {
  Pack one = broadcast(opaque(1.0));  // compilers would add if they knew

  // Written out: an implicit constructor is not compiled for the instruction set.
  KOKKOS_FORCEINLINE_FUNCTION FusedAdder() {}

  KOKKOS_FORCEINLINE_FUNCTION Pack sum(Pack a, Pack b) const {
    if constexpr (has_separate_adders) {
      return fused_add(a, one, b);
    } else {
      return rounded_sum(a, b);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack difference(Pack a, Pack b) const {
    if constexpr (has_separate_adders) {
      return fused_subtract(a, one, b);
    } else {
      return rounded_difference(a, b);
    }
  }
};

/// a + b as value + error, see two_sum.
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> two_sum_of_packs(Pack a, Pack b) {
  Pack const sum = a + b, b_part = sum - a, a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}
/// The same in units of both kinds.
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> two_sum_of_packs(Pack a, Pack b, FusedAdder adder) {
  Pack const sum = a + b, b_part = adder.difference(sum, a), a_part = sum - b_part;
  return {sum, (a - a_part) + adder.difference(b, b_part)};
}

/// a * b as value + error, see two_product.
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> two_product_of_packs(Pack a, Pack b) {
  Pack const product = rounded_product(a, b);
  if constexpr (has_fused_packs) {
    return {product, fused_subtract(a, b, product)};
  } else {
    // Without a fused multiply-add in the processor nothing can be contracted.
    Pack const splitter = broadcast(0x1p27 + 1), ca = splitter * a, cb = splitter * b;
    Pack const a_high = ca - (ca - a), a_low = a - a_high, b_high = cb - (cb - b), b_low = b - b_high;
    return {product, (((a_high * b_high - product) + a_high * b_low) + a_low * b_high) + a_low * b_low};
  }
}

/// a*b + c*d, whose exact value is sum.value + sum.error + p.error + q.error.
struct SumOfTwoProducts {
  ErrorFree<Pack> p, q, sum;

  /// All but sum.value, rounded twice.
  KOKKOS_FORCEINLINE_FUNCTION Pack rest() const { return sum.error + (p.error + q.error); }
};
KOKKOS_FORCEINLINE_FUNCTION SumOfTwoProducts sum_of_two_products(Pack a, Pack b, Pack c, Pack d) {
  auto const p = two_product_of_packs(a, b), q = two_product_of_packs(c, d);
  return {p, q, two_sum_of_packs(p.value, q.value)};
}

/// Lanes whose product may not be its value and error: it is if a factor is zero, or if it is not below `smallest` and
/// below `largest`, which depend on what is made of it.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack splits_inexactly(Pack a, Pack b, Pack product, double smallest,
                                                         double largest) {
  using F = FloatFormat<double>;
  Pack const size = absolute(product), zero = zeros();
  IntegerPack const no_zero = mask_of(a != zero) & mask_of(b != zero);
  IntegerPack result = (~mask_of(size >= broadcast(smallest)) & no_zero) | ~mask_of(size < broadcast(largest));
  if constexpr (!has_fused_packs) {
    Pack const limit = broadcast(power_of_two(F::max_exponent - F::precision));
    result = result | ~(mask_of(absolute(a) < limit) & mask_of(absolute(b) < limit));
  }
  return result;
}
