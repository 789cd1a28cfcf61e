// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One row of a small triangle with several right-hand sides, a lane for each. Included by ExaktBlas_MatrixVector.cpp for
// each instruction set.
//
// Products go to heads and rests, four operations each. No product is larger than the largest entry of the columns so
// far times the largest unknown so far, so heads made for that stay in their binade. Sums that this does not decide,
// because they cancel, are compensated (SmallTriangle): eleven operations for each product.

/// f(c, a, x) for the products of a row: the entry of column c in all lanes, and the unknowns, negated, of a pack of
/// right-hand sides. In whole packs of columns: entries from the diagonal on are zeros, and so are unknowns to come.
template <class F>
HWY_INLINE void for_each_product(SmallTriangle<kernel_lanes>& triangle, double const* known, std::size_t row,
                                 F const& f) {
  for (std::size_t first = 0; first < row; first += kernel_lanes) {
    std::size_t const stride = SmallTriangle<kernel_lanes>::column_stride(first);
    double const* const entries = triangle.column(first) + row;
    double const* const x = known + first * RightSides::lanes;
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kernel_lanes; ++c)
      f(c, broadcast_from(entries + c * stride), load(x + c * RightSides::lanes));
  }
}

/// beta * y - S of a row, before the products of the triangle.
HWY_INLINE EnclosurePack right_sides_less_sums(Factors const& factors, RightSides const& sides, std::size_t here) {
  auto const y = two_product_of_packs(broadcast(factors.reads_y ? factors.beta : 0), load(sides.old + here));
  EnclosurePack left{hn::Neg(load(sides.high + here)), hn::Neg(load(sides.low + here)), load(sides.bound + here)};
  add_enclosure(left, {y.value, y.error, broadcast(bound_of_underflows(1, 1))});
  return left;
}

/// The same less the products, enclosed.
HWY_INLINE EnclosurePack enclose_lanes(Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                                       RightSides const& sides, std::size_t row, std::size_t l) {
  EnclosurePack left = right_sides_less_sums(factors, sides, row * RightSides::lanes + l);
  if (row == 0) return left;
  Pack const largest = load(sides.largest_known + l) * broadcast(sides.largest_entry);
  Pack const power = hn::BitCast(Doubles(), masked(bits_of_pack(largest), FloatFormat<double>::infinity));
  Pack const start = larger(power * broadcast(start_for(1)), broadcast(start_for(exponent_above(0.0))));
  HeadAndRest even(start, zeros()), odd(start, zeros());
  for_each_product(triangle, sides.known + l, row, [&](std::size_t c, Pack a, Pack x) HWY_ATTR {
    if (c % 2 == 0)
      even.absorb(a, x);
    else
      odd.absorb(a, x);
  });
  // The start is 1.5 times the power of two that 2^52 units are.
  int const per_chain = static_cast<int>(row / 2 + 1);
  Pack const bound =
      start * broadcast(bound_of_rests(2, per_chain) * 0x1p-52) + broadcast(bound_of_underflows(2, per_chain));
  add_enclosure(left, {(even.head - start) + (odd.head - start), even.rest + odd.rest, bound});
  return left;
}

/// The same, compensated.
EXAKT_NOINLINE_FUNCTION void compensate_lanes(Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                                              RightSides const& sides, std::size_t row, std::size_t l, double* high,
                                              double* low, double* bound) {
  using Triangle = SmallTriangle<kernel_lanes>;
  EnclosurePack const sides_less_sums = right_sides_less_sums(factors, sides, row * RightSides::lanes + l);
  CompensatedPack left{sides_less_sums.high, sides_less_sums.low, absolute(sides_less_sums.low)};
  for_each_product(triangle, sides.known + l, row, [&](std::size_t, Pack a, Pack x) HWY_ATTR { left.add(a, x); });
  store(left.high, high);
  store(left.low, low);
  store(
      sides_less_sums.bound + broadcast(Triangle::underflows(row)) + broadcast(Triangle::tail_factor(row)) * left.tails,
      bound);
}

/// The unknowns and the column of the row before become known.
HWY_INLINE void note_column(SmallTriangle<kernel_lanes>& triangle, RightSides& sides, std::size_t column) {
  double const* const entries = triangle.column(column);
  Pack largest = broadcast(sides.largest_entry);
  for (std::size_t r = column / kernel_lanes * kernel_lanes; r < sides.rows; r += pack_lanes)
    largest = larger(absolute(load(entries + r)), largest);
  sides.largest_entry = largest_lane(largest);
  for (std::size_t l = 0; l < RightSides::lanes; l += pack_lanes) {
    Pack const known = absolute(load(sides.known + column * RightSides::lanes + l));
    store(larger(known, load(sides.largest_known + l)), sides.largest_known + l);
  }
}

template <class T>
std::uint32_t solve_lanes(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, RightSides& sides,
                          std::size_t row, double divisor, T* results) {
  if (row > 0) note_column(triangle, sides, row - 1);
  Factors const quotient{1, 0, false, factors.has_divisor};
  Pack const divisors = broadcast(divisor), inverse = broadcast(1 / divisor);
  std::uint32_t decided = 0;
  for (std::size_t l = 0; l < sides.count; l += pack_lanes) {
    std::size_t const here = row * RightSides::lanes + l;
    std::uint32_t const wanted =
        set_of_first_lanes(static_cast<int>(sides.count - l < pack_lanes ? sides.count - l : pack_lanes));
    EnclosurePack left = enclose_lanes(factors, triangle, sides, row, l);
    std::uint32_t of_pack = decided_lanes(interval_of(quotient, left, zeros(), divisors, inverse), results + l);
    if ((of_pack & wanted) != wanted) {
      compensate_lanes(factors, triangle, sides, row, l, sides.high + here, sides.low + here, sides.bound + here);
      left = {load(sides.high + here), load(sides.low + here), load(sides.bound + here)};
      of_pack = decided_lanes(interval_of(quotient, left, zeros(), divisors, inverse), results + l);
    }
    decided |= of_pack << l;
    // As a pack: GCC 12 leaves the rounding to float out where lanes are widened again one by one.
    store(hn::Neg(load(results + l)), sides.known + here);
  }
  return decided;
}
