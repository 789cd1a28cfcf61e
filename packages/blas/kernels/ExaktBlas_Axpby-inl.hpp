// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// alpha * x + beta * y on packs, each entry rounded once.
//
// Included inside a namespace that has packs and their error-free operations: once for each instruction set of the
// kernels, and once for all other code (vectors/ExaktBlas_Axpby.hpp), on devices with one lane.

/// Some results, each rounded to double, and all bits of `undecided` set where they may not be the right ones.
struct AxpbyPack {
  Pack rounded;
  IntegerPack undecided;
};

/// From here on a product is its value and error (two_product), and the error is above 2^(min_exponent + precision).
KOKKOS_FORCEINLINE_FUNCTION double smallest_axpby_product() {
  using F = FloatFormat<double>;
  return power_of_two(F::min_exponent + 3 * F::precision);
}

/// Below it neither the sum of two products overflows nor what is computed on the way to it.
KOKKOS_FORCEINLINE_FUNCTION double largest_axpby_product() {
  return power_of_two(FloatFormat<double>::max_exponent - 3);
}

KOKKOS_FORCEINLINE_FUNCTION bool is_unit(double factor) { return factor == 1 || factor == -1; }

/// \brief factor * x + y, rounded once by one operation. An exact zero is +0: nothing but -0 + -0 makes it a -0, and the second of
/// these is made a +0. \pre has_fused_packs, or is_unit(factor)
KOKKOS_FORCEINLINE_FUNCTION Pack sum_at_once(Pack factor, Pack x, Pack y) {
  Pack const positive = y + zeros();
  if constexpr (has_fused_packs) {
    return fused_add(factor, x, positive);
  } else {
    return rounded_product(factor, x) + positive;
  }
}

KOKKOS_FORCEINLINE_FUNCTION IntegerPack splits_inexactly(Pack a, Pack b, Pack product) {
  return splits_inexactly(a, b, product, smallest_axpby_product(), largest_axpby_product());
}

/// Lanes that are half way between two floats.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack is_tie_of_floats(Pack x) {
  constexpr int dropped = FloatFormat<double>::precision - FloatFormat<float>::precision;
  constexpr std::uint64_t tail = (std::uint64_t{1} << dropped) - 1;
  return mask_of_same_bits(masked(bits_of_pack(x), tail), tail / 2 + 1);
}

/// Lanes that round to a normal float, as their neighbours do.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack is_normal_float(Pack x) {
  constexpr double largest = (2 - 0x1p-23) * 0x1p127;
  Pack const size = absolute(x);
  return mask_of(size <= broadcast(largest)) &
         mask_of(size >= broadcast(power_of_two(FloatFormat<float>::min_exponent + 1)));
}

/// \brief alpha * x + beta * y rounded once to R, float or double, from a sum of two doubles and a bound of its error.
///
/// With p + p' = alpha*x, q + q' = beta*y and h + l = p + q exactly, the result is h + l + p' + q'. The last three are
/// added with two roundings, each at most 2^-53 of (|l| + |p'| + |q'|)(1 + 2^-51), and a third moves the ends of the
/// interval: `radius` is more than all of them. If h plus the lower and h plus the upper end round to the same double,
/// so does the exact value. Where those two roundings lose nothing, h plus what they give is the exact value rounded, ties
/// included, of which there are many if a factor has few bits: one, to begin with. (A zero is exact, for what is not zero is
/// at least 2^(min_exponent + precision).)
template <class R>
KOKKOS_FORCEINLINE_FUNCTION AxpbyPack axpby_of_packs(Pack alpha, Pack x, Pack beta, Pack y) {
  auto const [p, q, sum] = sum_of_two_products(alpha, x, beta, y);
  auto const errors = two_sum_of_packs(p.error, q.error), low = two_sum_of_packs(sum.error, errors.value);
  Pack const radius = broadcast(0x1p-51) * (absolute(sum.error) + (absolute(p.error) + absolute(q.error)));
  Pack const zero = zeros();  // an exact zero is +0
  Pack const rounded = (sum.value + low.value) + zero;
  Pack const lower = sum.value + (low.value - radius), upper = sum.value + (low.value + radius);
  IntegerPack const is_exact = mask_of(absolute(errors.error) + absolute(low.error) == zero);
  IntegerPack undecided =
      (~mask_of(lower == upper) & ~is_exact) | splits_inexactly(alpha, x, p.value) | splits_inexactly(beta, y, q.value);
  if constexpr (!std::is_same_v<R, double>) {
    undecided = undecided | (is_tie_of_floats(rounded) & mask_of(radius != zero)) |
                (~is_normal_float(rounded) & mask_of(rounded != zero));
  }
  return {rounded, undecided};
}
