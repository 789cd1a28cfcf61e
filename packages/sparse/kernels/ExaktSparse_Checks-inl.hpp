// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether columns exist. Included inside the namespace of each instruction set.

/// Rows whose columns are looked at together, before any of them is used: a multiple of pack_lanes.
inline constexpr int checked_rows = 32;

/// Whether the columns, plus up to `shift`, exist.
template <class Index>
HWY_INLINE bool are_columns(Index const* columns, std::size_t count, std::size_t column_count, std::size_t shift = 0) {
  using Number = std::make_unsigned_t<Index>;
  hn::ScalableTag<Number> const tag;
  std::size_t const lanes = hn::Lanes(tag);
  Number largest = 0;
  if (count < lanes) {
    for (std::size_t k = 0; k < count; ++k) {
      auto const column = static_cast<Number>(columns[k]);
      largest = column > largest ? column : largest;
    }
  } else {
    auto const load = [=](std::size_t k)
                          HWY_ATTR { return hn::LoadU(tag, reinterpret_cast<Number const*>(columns) + k); };
    // Two maxima, which do not wait for each other; the last pack has columns of the one before.
    auto a = load(count - lanes), b = a;
    std::size_t k = 0;
    for (; k + 2 * lanes < count; k += 2 * lanes) {
      a = hn::Max(load(k), a);
      b = hn::Max(load(k + lanes), b);
    }
    if (k + lanes < count) b = hn::Max(load(k), b);
    if (column_count <= shift) return false;
    auto const last = column_count - shift - 1;
    constexpr Number greatest = static_cast<Number>(-1);
    auto const limit = hn::Set(tag, last < greatest ? static_cast<Number>(last) : greatest);
    return hn::AllTrue(tag, hn::Eq(hn::Max(hn::Max(a, b), limit), limit));
  }
  return count == 0 || (largest < column_count && shift < column_count - largest);
}
