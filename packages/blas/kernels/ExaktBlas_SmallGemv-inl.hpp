// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small matrices times vectors: the sums of some rows are in registers from the first column to the last. Included inside
// of the namespace of each instruction set.
//
//     rows are neighbours       each lane its own row; four packs of rows at a time
//     columns are neighbours    lanes along the rows, as many rows at a time as a pack has lanes
//
// All rows have the same head, made first for products larger than those of a sample: a head that leaves its binade shows
// in the end of each group of rows. Then it is made for the largest entries that there are.

inline constexpr std::size_t lines_of_sample = 2;
inline constexpr int room_of_sample = 6;  // products may be 2^6 times as large as those of the sample
static_assert(small_gemv < (1 << (level_head - 1)));

/// The sums of some packs of rows, and what their heads have moved through.
template <int packs>
struct RowSums {
  HeadAndRest sums[packs];
  IntegerPack moved;

  HWY_INLINE explicit RowSums(Pack start) : moved(zero_integers()) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) sums[p] = HeadAndRest(start, zeros());
  }
  HWY_INLINE void absorb(int p, Pack entries, Pack factors, IntegerPack origin) {
    sums[p].absorb(entries, factors);
    moved = moved | (bits_of_pack(sums[p].head) ^ origin);
  }
};

/// \brief Decides rows, a pack of them at a time; results wait until all are decided.
class SmallGemv {
 public:
  HWY_INLINE SmallGemv(Strided<double const> const& A, double const* x, std::size_t rows, std::size_t columns,
                       Factors const& factors, double* y, std::ptrdiff_t y_stride)
      : m_A(A), m_x(x), m_rows(rows), m_columns(columns), m_factors(factors), m_y(y), m_y_stride(y_stride) {
    bool const by_columns = A.row_stride == 1;
    m_lines = by_columns ? columns : rows;
    m_length = by_columns ? rows : columns;
    m_step = by_columns ? A.column_stride : A.row_stride;
  }

  HWY_INLINE bool run() {
    double const largest_x = largest_lane(look_along<LargestMagnitude>(m_x, m_columns));
    Pack largest = zeros();
    for (Span some{0, sample()};; some = {some.end, m_lines}) {
      largest = larger(look_at_some<LargestMagnitude>(some), largest);
      if (decide_all(largest_lane(largest) * largest_x, some.end < m_lines ? room_of_sample : 0)) break;
      if (some.end == m_lines || m_waiting > 0) return false;  // what is not decided would not be with smaller heads
    }
    for (std::size_t i = 0; i < m_rows; ++i) m_y[static_cast<std::ptrdiff_t>(i) * m_y_stride] = m_results[i];
    return true;
  }

 private:
  static constexpr std::size_t lanes = pack_lanes;

  std::size_t sample() const { return m_lines < lines_of_sample ? m_lines : lines_of_sample; }
  HWY_INLINE double const* line(std::size_t number) const {
    return m_A.data + static_cast<std::ptrdiff_t>(number) * m_step;
  }

  /// What is known of contiguous entries, in any lane.
  template <class Known>
  static HWY_INLINE Pack look_along(double const* from, std::size_t count) {
    Pack const whole = look_at<Known>(from, pack_lanes, count / lanes, pack_lanes);
    std::size_t const tail = count % lanes;
    return tail == 0 ? whole : Known::any(load_some(from + count - tail, static_cast<int>(tail)), whole);
  }

  /// The same of some lines of contiguous entries.
  template <class Known>
  HWY_INLINE Pack look_at_some(Span some) const {
    Pack known = Known::first();
    for (std::size_t l = some.begin; l < some.end; ++l)
      known = Known::both(look_along<Known>(line(l), m_length), known);
    return known;
  }

  /// \param size  Of products, which may be 2^room times as large.
  HWY_INLINE bool decide_all(double size, int room) {
    m_waiting = 0;
    int const e = exponent_above(size) + room;
    if (!(size > 0x1p-900) || !HeadStart::fits(e)) return false;
    HeadStart const heads(e);
    m_start = heads.start;
    m_unit = heads.unit;
    if (!(m_A.row_stride == 1 ? multiply_columns() : multiply_rows())) {
      m_waiting = 0;
      return false;
    }
    return m_waiting == 0 || decide_multiples();
  }

  HWY_INLINE bool multiply_columns() {
    constexpr int most = 4;
    for (std::size_t row = 0; row < m_rows;) {
      std::size_t const left = m_rows - row;
      if (left >= most * lanes) {
        if (!multiply_columns<most, true>(row)) return false;
        row += most * lanes;
      } else if (left >= lanes) {
        if (!multiply_columns<1, true>(row)) return false;
        row += lanes;
      } else {
        return multiply_columns<1, false>(row);
      }
    }
    return true;
  }

  /// \tparam is_whole  Whether there is a row for each lane.
  template <int packs, bool is_whole>
  HWY_INLINE bool multiply_columns(std::size_t row) {
    Pack const start = broadcast(m_start);
    IntegerPack const origin = bits_of_pack(start);
    RowSums<packs> rows(start);
    int const last = is_whole ? pack_lanes : static_cast<int>(m_rows - row);
    double const* a = m_A.at(row, 0);
    for (std::size_t j = 0; j < m_columns; ++j, a += m_A.column_stride) {
      Pack const factor = broadcast_from(m_x + j);
      HWY_UNROLL(8)
      for (int p = 0; p < packs; ++p)
        rows.absorb(p, is_whole ? load(a + p * pack_lanes) : load_some(a, last), factor, origin);
    }
    if (leaves_binade(rows.moved)) return false;
    for (int p = 0; p < packs; ++p) {
      EnclosurePack const sum = enclosure_of_lanes(rows.sums[p], start, static_cast<int>(m_columns));
      decide(sum, row + static_cast<std::size_t>(p) * lanes, last);
    }
    return true;
  }

  HWY_INLINE bool multiply_rows() {
    for (std::size_t row = 0; row < m_rows; row += lanes) {
      std::size_t const left = m_rows - row;
      if (!multiply_rows(row, left < lanes ? static_cast<int>(left) : pack_lanes)) return false;
    }
    return true;
  }

  /// \param count  Rows; a group that is not full repeats the last one.
  HWY_INLINE bool multiply_rows(std::size_t row, int count) {
    Pack const start = broadcast(m_start);
    IntegerPack const origin = bits_of_pack(start);
    RowSums<pack_lanes> rows(start);
    double const* a[pack_lanes];
    for (int r = 0; r < pack_lanes; ++r) a[r] = m_A.at(row + static_cast<std::size_t>(r < count ? r : count - 1), 0);
    std::size_t j = 0;
    for (; j + lanes <= m_columns; j += lanes) {
      Pack const factors = load(m_x + j);
      HWY_UNROLL(8)
      for (int r = 0; r < pack_lanes; ++r) rows.absorb(r, load(a[r] + j), factors, origin);
    }
    if (j < m_columns) {
      int const some = static_cast<int>(m_columns - j);
      Pack const factors = load_some(m_x + j, some);
      HWY_UNROLL(8)
      for (int r = 0; r < pack_lanes; ++r) rows.absorb(r, load_some(a[r] + j, some), factors, origin);
    }
    if (leaves_binade(rows.moved)) return false;
    Pack high[pack_lanes], low[pack_lanes];
    HWY_UNROLL(8)
    for (int r = 0; r < pack_lanes; ++r) {
      high[r] = rows.sums[r].head - start;
      low[r] = rows.sums[r].rest;
    }
    // Each lane is below 2^51 units, for its head has stayed in its binade, though products may be larger than it is made
    // for: the sum of four is a double, and that of eight is one below 2^53.
    transpose(high);
    transpose(low);
    HWY_UNROLL(8)
    for (int half = pack_lanes / 2; half > 0; half /= 2) {
      HWY_UNROLL(8)
      for (int l = 0; l < half; ++l) {
        high[l] = high[l] + high[l + half];
        low[l] = low[l] + low[l + half];
      }
    }
    if (pack_lanes > 4 && has_bits(~mask_of(absolute(high[0]) < start), ~std::uint64_t{0})) return false;
    int const per_lane = static_cast<int>(m_columns / lanes) + 1;
    double const bound = bound_of_rests(pack_lanes, per_lane) * m_unit + bound_of_underflows(pack_lanes, per_lane);
    decide({high[0], low[0], broadcast(bound)}, row, count);
    return true;
  }

  HWY_INLINE Pack old_entries(std::size_t row, int count) const {
    double old[pack_lanes] = {};
    for (int l = 0; m_factors.reads_y && l < count; ++l)
      old[l] = m_y[static_cast<std::ptrdiff_t>(row + static_cast<std::size_t>(l)) * m_y_stride];
    return load(old);
  }

  /// The results of a pack of rows; if some are not decided, it waits.
  HWY_INLINE void decide(EnclosurePack const& sum, std::size_t row, int count) {
    IntervalPack const interval = interval_of(m_factors, sum, old_entries(row, count), broadcast(1), broadcast(1));
    store(interval.lower, m_results + row);
    std::uint32_t const decided = set_of_lanes(mask_of_same_bits(interval.lower, interval.upper) & interval.is_valid);
    std::uint32_t const others = set_of_first_lanes(count) & ~decided;
    if (others == 0) return;
    std::size_t const at = m_waiting * lanes;
    store(sum.high, m_high + at);
    store(sum.low, m_low + at);
    store(sum.bound, m_bound + at);
    m_undecided[m_waiting++] = {row, count, others};
  }

  /// Those that are multiples of units, ties above all; false if one is not decided.
  HWY_NOINLINE bool decide_multiples() {
    if (!m_units_are_known) find_units();
    std::uint32_t left = 0;
    for (std::size_t w = 0; w < m_waiting; ++w) {
      auto const [row, count, others] = m_undecided[w];
      std::size_t const at = w * lanes;
      KnownValues const exact = known_values(m_factors, {load(m_high + at), load(m_low + at), load(m_bound + at)},
                                             old_entries(row, count), load(m_units + row) * broadcast(m_unit_of_x));
      hn::Mask<Doubles> const known = hn::RebindMask(Doubles(), hn::MaskFromVec(exact.known));
      store(hn::IfThenElse(known, exact.value, load(m_results + row)), m_results + row);
      left |= others & ~set_of_lanes(known);
    }
    return left == 0;
  }

  HWY_INLINE void find_units() {
    m_units_are_known = true;
    m_unit_of_x = unit_in_lanes(look_along<SmallestUnit>(m_x, m_columns));
    double const guess = unit_in_lanes(look_at_some<SmallestUnit>({0, sample()})) / 2;
    if (!are_multiples(guess)) return look_at_lines<SmallestUnit>(m_A, m_rows, m_columns, m_units);
    for (std::size_t i = 0; i < m_rows; i += lanes) store(broadcast(guess), m_units + i);
  }
  static HWY_INLINE double unit_in_lanes(Pack last_bits) {
    return first_lane(unit_below(broadcast(hn::GetLane(hn::MinOfLanes(Doubles(), last_bits)))));
  }

  /// Whether all entries are seen to be multiples of a unit, which takes less time than to find theirs: multiples of two
  /// are (changed_bits).
  HWY_INLINE bool are_multiples(double unit) const {
    Pack const shift = broadcast(unit * 0x1.8p53);
    if (!(unit > 0 && unit < 0x1p900)) return false;
    IntegerPack changed = zero_integers();
    for (std::size_t l = 0; l < m_lines; ++l) {
      double const* const from = line(l);
      std::size_t i = 0;
      for (; i + 4 * lanes <= m_length; i += 4 * lanes) {
        double const* const here = from + i;
        changed = changed | (changed_bits(load(here), shift) | changed_bits(load(here + lanes), shift)) |
                  (changed_bits(load(here + 2 * lanes), shift) | changed_bits(load(here + 3 * lanes), shift));
      }
      for (; i + lanes <= m_length; i += lanes) changed = changed | changed_bits(load(from + i), shift);
      if (i < m_length) changed = changed | changed_bits(load_some(from + i, static_cast<int>(m_length - i)), shift);
    }
    return !has_bits(changed, ~FloatFormat<double>::sign_mask);
  }

  Strided<double const> m_A;
  double const* m_x;
  std::size_t m_rows, m_columns;
  std::size_t m_lines, m_length;  // of contiguous entries
  std::ptrdiff_t m_step;          // from one to the next
  Factors m_factors;
  double* m_y;
  std::ptrdiff_t m_y_stride;
  double m_start = 0, m_unit = 0, m_unit_of_x = 0;
  bool m_units_are_known = false;
  alignas(64) double m_results[small_gemv + lanes], m_units[small_gemv + lanes];

  struct Undecided {
    std::size_t row;
    int count;
    std::uint32_t others;
  };
  std::size_t m_waiting = 0;  // packs of rows, and their sums
  Undecided m_undecided[small_gemv / lanes + 1];
  alignas(64) double m_high[small_gemv + lanes], m_low[small_gemv + lanes], m_bound[small_gemv + lanes];
};

[[maybe_unused]] bool multiply_small(Strided<double const> const& A, double const* x, std::size_t rows,
                                     std::size_t columns, Factors const& factors, double* y, std::ptrdiff_t y_stride) {
  return SmallGemv(A, x, rows, columns, factors, y, y_stride).run();
}
