// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shape of gemm's tiles, and factors packed for them. Included inside of the namespace of each instruction set.

// Heads and rests of a tile are in registers, together with a pack for each row of packs, a factor and a difference:
// AVX2 has 16 registers, all other sets that these loops are made for 32.
#if HWY_TARGET == HWY_AVX2
inline constexpr int packs_of_tile = 2, tile_columns = 3;
inline constexpr int careful_columns[] = {0, 0, 1, 1};  // by the number of heads
#else
inline constexpr int packs_of_tile = 2, tile_columns = 6;
inline constexpr int careful_columns[] = {0, 0, 3, 2};
#endif
inline constexpr int tile_rows = packs_of_tile * pack_lanes;

/// What is known about lines: one in each lane, or one in all of them.
struct KnownEntries {
  Pack largest = zeros(), unit = broadcast(HUGE_VAL), special = zeros();

  HWY_INLINE KnownEntries() {}

  HWY_INLINE void add(Pack x) {
    largest = larger(absolute(x), largest);
    unit = smaller(last_bit(x), unit);
    special = fused_add(x, zeros(), special);  // NaN from an infinity or NaN on
  }
};

/// The same about one line.
struct KnownLine {
  double largest, unit, special;

  /// 2^e far from the ends of the range, so that neither heads nor units are there; infinite if that is impossible.
  HWY_INLINE double magnitude() const {
    int const e = exponent_above(largest);
    return special == 0 && e < 450 ? power_of_two(e < -400 ? -400 : e) : HUGE_VAL;
  }

  /// 2^e of which all entries are multiples; 0 for tiny ones. Those of zeros are large and finite.
  HWY_INLINE double known_unit() const {
    if (unit == HUGE_VAL) return 1;
    return unit >= 0x1p-530 ? unit : 0;
  }
};

HWY_INLINE void set_line(KnownLine const& line, double* magnitude, double* unit) {
  *magnitude = line.magnitude();
  *unit = line.known_unit();
}

/// Lines that are neighbours: each has a lane.
template <int width, class T>
void pack_neighbours(T const* from, std::ptrdiff_t entry_step, int lines, std::size_t depth, double* to,
                     double* magnitudes, double* units) {
  constexpr int packs = (width + pack_lanes - 1) / pack_lanes;
  KnownEntries known[packs];
  for (std::size_t k = 0; k < depth; ++k, from += entry_step, to += width) {
    // Each k is on another page, where the hardware does not look ahead.
    if (constexpr std::size_t ahead = 16; k + ahead < depth) {
      T const* const later = from + static_cast<std::ptrdiff_t>(ahead) * entry_step;
      for (int l = 0; l < lines; l += 64 / static_cast<int>(sizeof(T))) prefetch(later + l);
    }
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      int const first = p * pack_lanes, here = lines - first;
      Pack const x = here >= pack_lanes ? load(from + first) : here > 0 ? load_some(from + first, here) : zeros();
      known[p].add(x);
      if (first + pack_lanes <= width) {
        store(x, to + first);
      } else {
        store_some(x, to + first, width - first);
      }
    }
  }
  for (int p = 0; p < packs; ++p) {
    double largest[pack_lanes], unit[pack_lanes], special[pack_lanes];
    store(known[p].largest, largest);
    store(known[p].unit, unit);
    store(known[p].special, special);
    for (int l = p * pack_lanes, i = 0; i < pack_lanes && l < width; ++i, ++l)
      set_line({largest[i], unit[i], special[i]}, magnitudes + l, units + l);
  }
}

/// A line after the other: contiguous ones a pack at a time.
template <int width, class T>
void pack_lines(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, int lines, std::size_t depth,
                double* to, double* magnitudes, double* units) {
  for (int l = lines; l < width; ++l) {
    for (std::size_t k = 0; k < depth; ++k) to[k * width + static_cast<std::size_t>(l)] = 0;
    set_line({0, HUGE_VAL, 0}, magnitudes + l, units + l);
  }
  for (int l = 0; l < lines; ++l, from += line_step) {
    KnownEntries known;
    double gathered[pack_lanes];
    for (std::size_t k = 0; k < depth; k += pack_lanes) {
      int const some = depth - k < pack_lanes ? static_cast<int>(depth - k) : pack_lanes;
      double* const there = to + k * width + l;
      T const* const here = from + static_cast<std::ptrdiff_t>(k) * entry_step;
      if (entry_step == 1) {
        Pack const x = some == pack_lanes ? load(here) : load_some(here, some);
        known.add(x);
        store(x, gathered);
      } else {
        for (int i = 0; i < pack_lanes; ++i) gathered[i] = i < some ? static_cast<double>(here[i * entry_step]) : 0;
        known.add(load(gathered));
      }
      for (int i = 0; i < some; ++i) there[std::ptrdiff_t{width} * i] = gathered[i];
    }
    double const unit = hn::GetLane(hn::MinOfLanes(Doubles(), known.unit));
    set_line({largest_lane(known.largest), unit, sum_of_real_lanes(known.special)}, magnitudes + l, units + l);
  }
}

template <int width, class T>
void pack(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, std::size_t lines, std::size_t depth,
          double* entries, double* magnitudes, double* units) {
  if (line_step == 1) {
    pack_neighbours<width>(from, entry_step, static_cast<int>(lines), depth, entries, magnitudes, units);
  } else {
    pack_lines<width>(from, line_step, entry_step, static_cast<int>(lines), depth, entries, magnitudes, units);
  }
}
