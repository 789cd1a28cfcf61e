// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known about lines of a matrix, its rows or columns: magnitudes and units. Included inside of the namespace of
// each instruction set, behind Exakt_Transpose-inl.hpp and ExaktBlas_Multiples-inl.hpp.

/// 2^e, e above entries of that magnitude, far from the ends of the range, so that neither heads nor units are there, and
/// infinite if that is impossible. That of zeros is large enough, and finite.
HWY_INLINE Pack magnitude_above(Pack largest) {
  Pack const power = broadcast(2) * hn::And(largest, broadcast(HUGE_VAL));  // no bits but those of exponents
  return hn::IfThenElse(power < broadcast(0x1p450), larger(power, broadcast(0x1p-400)), broadcast(HUGE_VAL));
}

/// 2^f of which all entries are multiples, 0 for tiny ones. \param last  The smallest of their last bits.
HWY_INLINE Pack unit_below(Pack last) {
  Pack const unit = hn::IfThenElse(last < broadcast(HUGE_VAL), last, broadcast(1));
  return hn::IfThenElseZero(unit >= broadcast(0x1p-530), unit);
}

/// The largest magnitude, by any(x, so_far). NaN may be overlooked, for heads show it.
struct LargestMagnitude {
  static HWY_INLINE Pack first() { return zeros(); }
  static HWY_INLINE Pack any(Pack x, Pack so_far) { return larger(absolute(x), so_far); }
  static HWY_INLINE Pack both(Pack a, Pack b) { return larger(a, b); }
  static HWY_INLINE Pack of_lines(Pack largest) { return magnitude_above(largest); }
};

/// The last bit that is set.
struct SmallestUnit {
  static HWY_INLINE Pack first() { return broadcast(HUGE_VAL); }
  static HWY_INLINE Pack any(Pack x, Pack so_far) { return smaller(last_bit(x), so_far); }
  static HWY_INLINE Pack both(Pack a, Pack b) { return smaller(a, b); }
  static HWY_INLINE Pack of_lines(Pack last) { return unit_below(last); }
};

/// What is known of some packs of entries, `step` apart, or of beginnings of packs.
template <class Known>
HWY_INLINE Pack look_at(double const* from, std::ptrdiff_t step, std::size_t steps, int lanes) {
  Pack a = Known::first(), b = a;
  if (lanes == pack_lanes) {
    for (; steps >= 2; steps -= 2, from += 2 * step) {
      a = Known::any(load(from), a);
      b = Known::any(load(from + step), b);
    }
  }
  for (; steps > 0; --steps, from += step) a = Known::any(load_some(from, lanes), a);
  return Known::both(a, b);
}

/// \brief What is known of each line; zeros behind the last one are as good as any.
///
/// \param lines  Row i is line i. One of its strides is 1.
/// \param known  Of whole packs of lines.
template <class Known>
HWY_INLINE void look_at_lines(Strided<double const> const& lines, std::size_t count, std::size_t depth, double* known) {
  constexpr auto lanes = static_cast<std::size_t>(pack_lanes);
  std::size_t const whole = depth / lanes;
  for (std::size_t first = 0; first < count; first += lanes) {
    int const here = count - first < lanes ? static_cast<int>(count - first) : pack_lanes;
    Pack of_lines;
    if (lines.row_stride == 1) {
      of_lines = look_at<Known>(lines.at(first, 0), lines.column_stride, depth, here);
    } else {
      Pack rows[pack_lanes];
      HWY_UNROLL(8)
      for (int l = 0; l < pack_lanes; ++l) {
        rows[l] = Known::first();
        if (l >= here) continue;
        double const* const line = lines.at(first + static_cast<std::size_t>(l), 0);
        rows[l] = look_at<Known>(line, pack_lanes, whole, pack_lanes);
        if (std::size_t const done = whole * lanes; done < depth)
          rows[l] = Known::any(load_some(line + done, static_cast<int>(depth - done)), rows[l]);
      }
      transpose(rows);
      HWY_UNROLL(8)
      for (int half = pack_lanes / 2; half > 0; half /= 2) {
        HWY_UNROLL(8)
        for (int l = 0; l < half; ++l) rows[l] = Known::both(rows[l], rows[l + half]);
      }
      of_lines = rows[0];
    }
    store(Known::of_lines(of_lines), known + first);
  }
}
