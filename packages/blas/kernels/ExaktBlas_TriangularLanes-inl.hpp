// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One row of a small triangle with several right-hand sides, a lane for each. Included by ExaktBlas_MatrixVector.cpp for
// each instruction set.
//
// Products go to heads and rests, four operations each. No product is larger than the largest entry of the columns so
// far times the largest unknown so far, so heads made for that stay in their binade. Sums that this does not decide,
// because they cancel, are compensated (SmallTriangle): eleven operations for each product.

/// f(c, a, x) for the products of a row: the entry of column c in all lanes, and where the unknowns, negated, of right-hand
/// sides begin. In whole packs of columns: entries from the diagonal on are zeros, and so are unknowns to come.
template <class F>
HWY_INLINE void for_each_product(SmallTriangle<kernel_lanes>& triangle, double const* known, std::size_t row,
                                 F const& f) {
  for (std::size_t first = 0; first < row; first += kernel_lanes) {
    std::size_t const stride = SmallTriangle<kernel_lanes>::column_stride(first);
    double const* const entries = triangle.column(first) + row;
    double const* const x = known + first * RightSides::lanes;
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kernel_lanes; ++c)
      f(c, broadcast_from(entries + c * stride), x + c * RightSides::lanes);
  }
}

/// beta * y - S of a row, before the products of the triangle.
HWY_INLINE EnclosurePack right_sides_less_sums(Factors const& factors, RightSides const& sides, std::size_t here) {
  auto const y = two_product_of_packs(broadcast(factors.reads_y ? factors.beta : 0), load(sides.old + here));
  EnclosurePack left{hn::Neg(load(sides.high + here)), hn::Neg(load(sides.low + here)), load(sides.bound + here)};
  add_enclosure(left, {y.value, y.error, broadcast(bound_of_underflows(1, 1))});
  return left;
}

/// Sums of right-hand sides, a lane for each, as two doubles and a bound.
struct EnclosedLanes {
  alignas(64) double high[RightSides::lanes], low[RightSides::lanes], bound[RightSides::lanes];

  HWY_INLINE EnclosurePack at(std::size_t l) const { return {load(high + l), load(low + l), load(bound + l)}; }
  HWY_INLINE void set(std::size_t l, EnclosurePack const& sums) {
    store(sums.high, high + l);
    store(sums.low, low + l);
    store(sums.bound, bound + l);
  }
};

/// The same less the products, enclosed. \tparam packs  Of right-hand sides, from l on, none of which waits for another.
template <int packs>
HWY_INLINE void enclose_lanes(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, RightSides const& sides,
                              std::size_t row, std::size_t l, EnclosedLanes& left) {
  HeadAndRest even[packs], odd[packs];
  Pack start[packs];
#pragma GCC unroll 2
  for (int p = 0; p < packs; ++p) {
    Pack const largest = load(sides.largest_known + l + p * pack_lanes) * broadcast(sides.largest_entry);
    Pack const power = hn::BitCast(Doubles(), masked(bits_of_pack(largest), FloatFormat<double>::infinity));
    start[p] = larger(power * broadcast(start_for(1)), broadcast(start_for(exponent_above(0.0))));
    even[p] = odd[p] = HeadAndRest(start[p], zeros());
  }
  for_each_product(triangle, sides.known + l, row, [&](std::size_t c, Pack a, double const* x) HWY_ATTR {
#pragma GCC unroll 2
    for (int p = 0; p < packs; ++p) (c % 2 == 0 ? even : odd)[p].absorb(a, load(x + p * pack_lanes));
  });
  // The start is 1.5 times the power of two that 2^52 units are.
  int const per_chain = static_cast<int>(row / 2 + 1);
#pragma GCC unroll 2
  for (int p = 0; p < packs; ++p) {
    std::size_t const here = l + static_cast<std::size_t>(p) * pack_lanes;
    EnclosurePack sums = right_sides_less_sums(factors, sides, row * RightSides::lanes + here);
    Pack const bound =
        start[p] * broadcast(bound_of_rests(2, per_chain) * 0x1p-52) + broadcast(bound_of_underflows(2, per_chain));
    // Without products there is no bound, which would hide ties.
    if (row > 0)
      add_enclosure(sums, {(even[p].head - start[p]) + (odd[p].head - start[p]), even[p].rest + odd[p].rest, bound});
    left.set(here, sums);
  }
}

/// The same, compensated.
EXAKT_NOINLINE_FUNCTION void compensate_lanes(Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                                              RightSides const& sides, std::size_t row, std::size_t l, double* high,
                                              double* low, double* bound) {
  using Triangle = SmallTriangle<kernel_lanes>;
  EnclosurePack const sides_less_sums = right_sides_less_sums(factors, sides, row * RightSides::lanes + l);
  CompensatedPack left{sides_less_sums.high, sides_less_sums.low, absolute(sides_less_sums.low)};
  for_each_product(triangle, sides.known + l, row,
                   [&](std::size_t, Pack a, double const* x) HWY_ATTR { left.add(a, load(x)); });
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
  EnclosedLanes enclosed;
  for (std::size_t l = 0; l < sides.count; l += 2 * pack_lanes) {
    if (sides.count - l > pack_lanes)
      enclose_lanes<2>(factors, triangle, sides, row, l, enclosed);
    else
      enclose_lanes<1>(factors, triangle, sides, row, l, enclosed);
  }
  std::uint32_t decided = 0;
  for (std::size_t l = 0; l < sides.count; l += pack_lanes) {
    std::size_t const here = row * RightSides::lanes + l;
    std::uint32_t const wanted =
        set_of_first_lanes(static_cast<int>(sides.count - l < pack_lanes ? sides.count - l : pack_lanes));
    std::uint32_t of_pack =
        decided_lanes(interval_of(quotient, enclosed.at(l), zeros(), divisors, inverse), results + l);
    if ((of_pack & wanted) != wanted) {
      compensate_lanes(factors, triangle, sides, row, l, sides.high + here, sides.low + here, sides.bound + here);
      EnclosurePack const left{load(sides.high + here), load(sides.low + here), load(sides.bound + here)};
      of_pack = decided_lanes(interval_of(quotient, left, zeros(), divisors, inverse), results + l);
    }
    decided |= of_pack << l;
    // As a pack: GCC 12 leaves the rounding to float out where lanes are widened again one by one.
    store(hn::Neg(load(results + l)), sides.known + here);
  }
  return decided;
}
