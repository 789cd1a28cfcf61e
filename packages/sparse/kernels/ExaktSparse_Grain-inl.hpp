// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How large numbers are, and the powers of two that they are multiples of.
//
// Matrices of small integers make exact ties common, which no bound decides. But their products are multiples of some
// 2^g, and so are the rests of a head, which are at most half a unit u for each, if multiply-adds are fused. If not, a rest is
// the remainder of a rounded product, and the error of that one besides: of a product below 2^52 u, for the head stays
// in its binade, u/4 at most, and u/2 + u/4 < u. So m of them are added without an error if m * u/2, or m * u, is at
// most 2^(g + 53) and g is not below the last bit of a double; then the sum is known to be head + rest.
//
// Included inside the namespace of each instruction set, behind Exakt_Lanes-inl.hpp.

/// The largest magnitude; NaN may be overlooked.
template <class T>
HWY_NOINLINE double largest_of(T const* x, std::size_t count) {
  constexpr std::size_t step = std::size_t{4} * pack_lanes;
  Pack a = zeros(), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    a = larger(absolute(load(x + i)), a);
    b = larger(absolute(load(x + i + pack_lanes)), b);
    c = larger(absolute(load(x + i + 2 * pack_lanes)), c);
    d = larger(absolute(load(x + i + 3 * pack_lanes)), d);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(absolute(load(x + i)), a);
  if (i < count) b = larger(absolute(load_some(x + i, static_cast<int>(count - i))), b);
  return largest_lane(larger(larger(a, b), larger(c, d)));
}

/// \brief The exponent of the lowest bit that is set in any of them; Grain::none if one is not finite, or
/// hardly normal.
///
/// x less its lowest bit is a number with one bit less, and their difference is exact: the bit. A power of two has none
/// but itself.
template <class T>
HWY_NOINLINE int lowest_bit_of(T const* x, std::size_t count) {
  using F = FloatFormat<double>;
  constexpr std::uint64_t significand = (std::uint64_t{1} << (F::precision - 1)) - 1;
  Pack const infinity = broadcast(HUGE_VAL);
  Pack lowest = infinity;
  IntegerPack finite = ~zero_integers();
  auto const look = [&](Pack v) HWY_ATTR {
    Pack const size = absolute(v);
    IntegerPack const bits = bits_of_pack(size), stored = masked(bits, significand);
    Pack const without = hn::BitCast(Doubles(), bits & (bits - hn::Set(Integers(), 1)));
    Pack const bit = hn::IfThenElse(hn::RebindMask(Doubles(), hn::Eq(stored, zero_integers())), size, size - without);
    lowest = hn::IfThenElse(hn::Eq(size, zeros()), lowest, smaller(bit, lowest));
    finite = finite & mask_of(size < infinity);
  };
  std::size_t i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) look(load(x + i));
  if (i < count) look(load_some(x + i, static_cast<int>(count - i)));
  if (has_bits(~finite, ~std::uint64_t{0})) return Grain::none;
  double const least = hn::GetLane(hn::MinOfLanes(Doubles(), lowest));
  if (least < 0x1p-1000) return Grain::none;  // it may have no exponent of its own
  return least == HUGE_VAL ? of_no_products.of_products : exponent_above(least) - 1;
}

/// 2^(g + 52), from where the last bit is 2^g at least. \pre -coarsest_grain <= g <= coarsest_grain
HWY_INLINE Pack start_of_multiples(int g) { return broadcast(power_of_two(g + 52)); }

/// \brief No bits where v is a multiple of 2^g and not too large: adding its magnitude to start_of_multiples(g) loses nothing.
///
/// (Of a negative number the sum could be below the start, where the last bit is half as large.)
HWY_INLINE IntegerPack bits_if_no_multiple(Pack v, Pack start) {
  Pack const size = absolute(v);
  return ~mask_of(hn::Eq((size + start) - start, size));
}

/// Whether all numbers are multiples of 2^g. Those from 2^(g + 52) on are; adding that to a smaller one loses what is
/// below 2^g.
template <class T>
HWY_NOINLINE bool are_multiples(T const* x, std::size_t count, int g) {
  if (g < -coarsest_grain || g > coarsest_grain) return false;
  Pack const limit = start_of_multiples(g);
  IntegerPack others = zero_integers();
  auto const look = [&](Pack v) HWY_ATTR {
    Pack const size = smaller(limit, absolute(v));  // NaN remains one
    others = others | bits_if_no_multiple(size, limit);
  };
  std::size_t i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) look(load(x + i));
  if (i < count) look(load_some(x + i, static_cast<int>(count - i)));
  return !has_bits(others, ~std::uint64_t{0});
}

/// Whether a rest of a product below 2^e may be exact, if products are multiples of 2^g.
HWY_INLINE bool may_have_exact_rests(int g, int e) {
  constexpr int widest = 53 + 1 + 52 - level_head;
  return g >= FloatFormat<double>::lsb_exponent && e - g <= widest;
}

/// Whether `count` rests in such units are added without an error, if products are multiples of 2^g. \pre count >= 0
HWY_INLINE bool has_exact_rests(int g, double unit, std::uint32_t count) {
  if (g == Grain::none) return false;
  // A rest is half the unit of a head at most: below 2^g, of which it is a multiple, or there are only zeros.
  if (g + 53 > FloatFormat<double>::max_exponent) return true;
  constexpr double units = has_fused_packs ? 0.5 : 1;
  return units * unit * static_cast<double>(count) <= power_of_two(g + 53);
}

/// A power of two that all products of rows are multiples of; Grain::none if that is not known. Of zeros any is.
HWY_INLINE int grain_of_products(KnownOfRows const& known) {
  if (known.grain_of_x == Grain::none) return Grain::none;
  int const grain = known.grain_of_values + known.grain_of_x;
  return grain < coarsest_grain ? grain : coarsest_grain;
}

/// What is known with some more values.
template <class T>
HWY_NOINLINE void refine(KnownOfRows& known, T const* values, std::size_t count) {
  if (!are_multiples(values, count, known.grain_of_values)) {
    int const here = lowest_bit_of(values, count);
    known.grain_of_values = here < known.grain_of_values ? here : known.grain_of_values;
  }
  constexpr int nothing_known = -coarsest_grain;
  if (known.grain_of_values < -coarsest_grain ||
      !may_have_exact_rests(grain_of_products(known), HeadStart::fits(known.e) ? known.e : nothing_known))
    known.grain_of_x = Grain::none;
}

/// RowKernelOf::grain_of_x.
template <class T>
int grain_of_x(T const* some_values, std::size_t value_count, double const* x, std::size_t count) {
  constexpr std::size_t sample = 64;
  if (count > sample) {
    KnownOfRows known;
    known.e = exponent_above(largest_of(some_values, value_count)) + exponent_above(largest_of(x, sample));
    known.grain_of_x = lowest_bit_of(x, sample);
    refine(known, some_values, value_count);
    if (known.grain_of_x == Grain::none) return Grain::none;
  }
  return lowest_bit_of(x, count);
}
