// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shape of gemm's tiles, and factors packed for them. Included inside of the namespace of each instruction set.

// Heads and rests of a tile are in registers, together with a pack for each row of packs, a factor and a difference:
// AVX2 has 16 registers, all other sets that these loops are made for 32.
#if HWY_TARGET == HWY_AVX2
constexpr int packs_of_tile = 2, tile_columns = 3;
constexpr int careful_columns[] = {0, 0, 1, 1};  // by the number of heads
#else
constexpr int packs_of_tile = 2, tile_columns = 6;
constexpr int careful_columns[] = {0, 0, 3, 2};
#endif
constexpr int tile_rows = packs_of_tile * pack_lanes;

/// What is known about the lines of a panel.
template <int width>
struct LinesOfPanel {
  double largest[width] = {}, smallest[width];
  std::uint64_t special[width] = {};  // whether there is an infinity or NaN

  HWY_INLINE LinesOfPanel() {
    for (double& size : smallest) size = HUGE_VAL;
  }

  HWY_INLINE void add(int line, double entry) {
    double const size = magnitude_of(entry), size_or_none = size == 0 ? HUGE_VAL : size;
    largest[line] = size > largest[line] ? size : largest[line];
    smallest[line] = size_or_none < smallest[line] ? size_or_none : smallest[line];
    special[line] |= static_cast<std::uint64_t>(!(size < HUGE_VAL));
  }

  /// 2^e far from the ends of the range, so that neither heads nor units are there; infinite if that is impossible.
  HWY_INLINE double magnitude(int line) const {
    int const e = exponent_above(largest[line]);
    return special[line] == 0 && e < 450 ? power_of_two(e < -400 ? -400 : e) : HUGE_VAL;
  }

  HWY_INLINE double least(int line) const {
    if (smallest[line] == HUGE_VAL) return 1;  // all are zero
    return smallest[line] >= power_of_two(-480) ? power_of_two(exponent_above(smallest[line]) - 1) : 0;
  }
};

template <int width, class T>
void pack(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, std::size_t lines, std::size_t depth,
          double* entries, double* magnitudes, double* least) {
  int const count = static_cast<int>(lines);
  LinesOfPanel<width> known;
  double* to = entries;
  if (count == width && line_step == 1) {
    // The compiler is told that lines are neighbours.
    for (std::size_t k = 0; k < depth; ++k, from += entry_step, to += width) {
      // Each k is on another page, where the hardware does not look ahead.
      if (constexpr std::size_t ahead = 16; k + ahead < depth) {
        T const* const later = from + static_cast<std::ptrdiff_t>(ahead) * entry_step;
        for (int l = 0; l < width; l += 64 / static_cast<int>(sizeof(T))) prefetch(later + l);
      }
      double line[width];
      for (int l = 0; l < width; ++l) line[l] = static_cast<double>(from[l]);
      for (int l = 0; l < width; ++l) known.add(l, line[l]);
      for (int l = 0; l < width; ++l) to[l] = line[l];
    }
  } else {
    for (std::size_t k = 0; k < depth; ++k, from += entry_step, to += width) {
      T const* next = from;
      for (int l = 0; l < count; ++l, next += line_step) {
        double const entry = static_cast<double>(*next);
        known.add(l, entry);
        to[l] = entry;
      }
      for (int l = count; l < width; ++l) to[l] = 0;
    }
  }
  for (int l = 0; l < width; ++l) {
    magnitudes[l] = known.magnitude(l);
    least[l] = known.least(l);
  }
}
