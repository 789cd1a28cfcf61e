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

/// The magnitude and the unit of each lane with a line. \return Magnitudes / units.
HWY_INLINE Pack store_known(KnownEntries const& known, int lines, double* magnitudes, double* units) {
  Pack const magnitude = hn::IfThenElse(known.special == zeros(), magnitude_above(known.largest), broadcast(HUGE_VAL));
  Pack const unit = unit_below(known.unit);
  store_some(magnitude, magnitudes, lines);
  store_some(unit, units, lines);
  return magnitude / unit;
}

/// Lines that are neighbours: each has a lane.
template <int width, class T>
double pack_neighbours(T const* from, std::ptrdiff_t entry_step, int lines, std::size_t depth, double* to,
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
  Pack spread = zeros();
  for (int p = 0; p < packs; ++p) {
    int const first = p * pack_lanes, here = width - first;
    spread =
        larger(store_known(known[p], here < pack_lanes ? here : pack_lanes, magnitudes + first, units + first), spread);
  }
  return largest_lane(spread);
}

/// `count` entries of a line, and zeros.
template <class T>
HWY_INLINE Pack load_entries(T const* from, std::ptrdiff_t step, int count) {
  if (step == 1) return count == pack_lanes ? load(from) : load_some(from, count);
  double gathered[pack_lanes];
  for (int i = 0; i < pack_lanes; ++i) gathered[i] = i < count ? static_cast<double>(from[i * step]) : 0;
  return load(gathered);
}

/// A pack of each of several lines at a time.
template <int width, class T>
double pack_lines(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, int lines, std::size_t depth,
                  double* to, double* magnitudes, double* units) {
  Pack spread = zeros();
  for (int first = 0; first < width; first += pack_lanes, from += pack_lanes * line_step) {
    int const here = width - first < pack_lanes ? width - first : pack_lanes;
    KnownEntries known;
    for (std::size_t k = 0; k < depth; k += pack_lanes) {
      int const some = depth - k < pack_lanes ? static_cast<int>(depth - k) : pack_lanes;
      Pack rows[pack_lanes];
      HWY_UNROLL(8)
      for (int l = 0; l < pack_lanes; ++l) {
        T const* const line = from + l * line_step + static_cast<std::ptrdiff_t>(k) * entry_step;
        rows[l] = l < here && first + l < lines ? load_entries(line, entry_step, some) : zeros();
      }
      transpose(rows);
      HWY_UNROLL(8)
      for (int i = 0; i < pack_lanes; ++i) {
        if (i == some) break;
        known.add(rows[i]);
        double* const there = to + (k + static_cast<std::size_t>(i)) * width + first;
        if (here == pack_lanes) {
          store(rows[i], there);
        } else {
          store_some(rows[i], there, here);
        }
      }
    }
    spread = larger(store_known(known, here, magnitudes + first, units + first), spread);
  }
  return largest_lane(spread);
}

template <int width, class T>
double pack(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, std::size_t lines, std::size_t depth,
            double* entries, double* magnitudes, double* units) {
  auto const count = static_cast<int>(lines);
  return line_step == 1 ? pack_neighbours<width>(from, entry_step, count, depth, entries, magnitudes, units)
                        : pack_lines<width>(from, line_step, entry_step, count, depth, entries, magnitudes, units);
}
