// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small matrices times vectors: the sums of some rows are in registers from the first column to the last. Included inside
// of the namespace of each instruction set.
//
//     rows are neighbours       each lane its own row; some packs of rows at a time
//     columns are neighbours    lanes along the rows, as many rows at a time as a pack has lanes
//
// Complex numbers are their parts, which are neighbours: rows of numbers in the first case, columns in the second. Each
// number is multiplied by both parts of an entry of x.
//
// All rows have the same head, made first for products larger than those of a sample: a head that leaves its binade shows
// in the end of each group of rows (ExaktBlas_WatchedHeads-inl.hpp). Then it is made for the largest entries that there are.

inline constexpr std::size_t lines_of_sample = 2;
inline constexpr int room_of_sample = 6;  // products may be 2^6 times as large as those of the sample
// Heads, rests, factors and what heads were: AVX2 has 16 registers, all other sets 32.
inline constexpr int sums_at_once = HWY_TARGET == HWY_AVX2 ? 4 : 8;
// Half of a second cache, from which numbers come by themselves: those of processors with AVX2 alone are smaller.
inline constexpr std::size_t far_numbers = HWY_TARGET == HWY_AVX2 ? 1 << 15 : 1 << 16;
// Columns to ask for ahead, of which the lines of some packs of rows share a place in a first cache of eight ways where
// columns are a page apart.
inline constexpr std::size_t columns_ahead = 5;
static_assert(2 * small_gemv < (1 << (level_head - 1)));

/// \brief Decides rows, a pack of them at a time. Results are written in the end.
/// \tparam parts  Of an entry, of A and x and y: two of complex ones.
template <int parts>
class SmallGemv {
 public:
  /// \param rows, columns  Of entries; A, x and y are numbers.
  HWY_INLINE SmallGemv(Strided<double const> const& A, [[maybe_unused]] bool conjugated, double const* x,
                       std::size_t rows, std::size_t columns, Factors const& factors, double* y,
                       std::ptrdiff_t y_stride)
      : m_A(A), m_x(x), m_rows(parts * rows), m_columns(columns), m_factors(factors), m_y(y), m_y_stride(y_stride) {
    bool const by_columns = A.row_stride == 1;
    m_lines = by_columns ? columns : rows;
    m_length = parts * (by_columns ? rows : columns);
    m_step = by_columns ? A.column_stride : A.row_stride;
    m_sign_of_real = m_sign_of_imaginary = zeros();
    if constexpr (parts == 2) {
      Pack const imaginary = hn::OddEven(broadcast(-0.0), zeros()), real = hn::OddEven(zeros(), broadcast(-0.0));
      if (conjugated == by_columns) m_sign_of_real = imaginary;
      if (!conjugated && by_columns) m_sign_of_imaginary = real;
      if (conjugated && !by_columns) m_sign_of_imaginary = imaginary;
    }
  }

  /// How many entries are not decided. \param undecided  Receives their numbers, unless they are all.
  HWY_INLINE std::size_t run(std::uint32_t* undecided) {
    m_largest_x = largest_lane(look_along<LargestMagnitude>(m_x, parts * m_columns));
    Pack largest = zeros();
    for (Span some{0, sample()};; some = {some.end, m_lines}) {
      largest = larger(look_at_some<LargestMagnitude>(some), largest);
      double const largest_a = largest_lane(largest);
      bool const are_all = some.end == m_lines;
      // If all products are zeros, any head suits them; it shows an infinity or NaN.
      double const size = are_all && (largest_a == 0 || m_largest_x == 0) ? 1 : largest_a * m_largest_x;
      if (enclose_all(size, are_all ? 0 : room_of_sample)) break;
      if (are_all) return m_rows / parts;
    }
    if (m_waiting > 0) {
      decide_zeros();
      decide_multiples();
    }
    return leaves_many() ? m_rows / parts : write(undecided);
  }

 private:
  static constexpr std::size_t lanes = pack_lanes;
  static constexpr int lines = pack_lanes / parts;  // that fill a pack of results
  // What limits complex products is how many instructions start at once, and counters and jumps are some of them. Loops of
  // real products gain nothing.
  static constexpr bool unrolls = parts == 2;

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

  /// \brief Decides what sums alone decide; false if heads are too small.
  /// \param size  Of products, which may be 2^room times as large.
  HWY_INLINE bool enclose_all(double size, int room) {
    m_waiting = 0;
    int const e = exponent_above(size) + room;
    if (!(size > 0x1p-900) || !HeadStart::fits(e)) return false;
    return scale(e) && (m_A.row_stride == 1 ? multiply_columns() : multiply_rows());
  }

  /// Heads for products below 2^e, and x scaled for them; false if numbers are too large for that.
  HWY_INLINE bool scale(int e) {
    HeadStart const heads(e);
    WatchedStart const watched(heads.start);
    if (!watched.fits || !(m_largest_x < 0x1p800)) return false;
    m_start = watched.scaled;
    m_unit = heads.unit;
    m_unscaled = watched.inverse;
    copy_scaled(m_x, parts * m_columns, watched.factor, m_scaled_x);
    return true;
  }

  HWY_INLINE bool multiply_columns() {
    constexpr std::size_t most = sums_at_once / parts;
    for (std::size_t row = 0; row < m_rows;) {
      std::size_t const left = m_rows - row;
      if (left >= most * lanes) {
        if (!multiply_columns<most, true>(row)) return false;
        row += most * lanes;
      } else if (left >= most / 2 * lanes) {
        if (!multiply_columns<most / 2, true>(row)) return false;
        row += most / 2 * lanes;
      } else if (left >= lanes) {
        if (!multiply_columns<1, true>(row)) return false;
        row += lanes;
      } else {
        return multiply_columns<1, false>(row);
      }
    }
    return true;
  }

  /// Some packs of rows of one column. \param ahead  Where what is asked for begins; if zero, nothing is.
  template <std::size_t packs, bool is_whole>
  HWY_INLINE void absorb_column(double const* a, double const* x, int last, std::ptrdiff_t ahead,
                                SumsOfPacks<parts * packs>& all) const {
    Pack factors[parts];
    for (int part = 0; part < parts; ++part) factors[part] = broadcast_from(x + part);
    if (packs > 1 && ahead != 0) prefetch_lines(a + ahead, packs * lanes);
    HWY_UNROLL(8)
    for (std::size_t p = 0; p < packs; ++p) {
      Pack const entries = is_whole ? load(a + p * lanes) : load_some(a, last);
      for (int part = 0; part < parts; ++part) all.absorb(static_cast<int>(p) * parts + part, entries, factors[part]);
    }
  }

  /// \tparam is_whole  Whether there is a row for each lane.
  template <std::size_t packs, bool is_whole>
  HWY_INLINE bool multiply_columns(std::size_t row) {
    Pack const start = broadcast(m_start);
    SumsOfPacks<parts * packs> all(start);
    int const last = is_whole ? pack_lanes : static_cast<int>(m_rows - row);
    double const* a = m_A.at(row, 0);
    double const* x = m_scaled_x;
    auto const absorb = [&](std::ptrdiff_t distance) HWY_ATTR {
      absorb_column<packs, is_whole>(a, x, last, distance, all);
      a += m_A.column_stride;
      x += parts;
    };
    // Ahead of the last columns are the first ones, of the rows behind these.
    bool const prefetches = (parts == 2 || m_lines * m_length > far_numbers) && m_columns > columns_ahead;
    std::size_t const before_last = prefetches ? m_columns - columns_ahead : 0;
    std::ptrdiff_t const ahead = static_cast<std::ptrdiff_t>(columns_ahead) * m_A.column_stride;
    std::ptrdiff_t const behind =
        static_cast<std::ptrdiff_t>(packs * lanes) - static_cast<std::ptrdiff_t>(before_last) * m_A.column_stride;
    std::ptrdiff_t const ahead_of_last = prefetches && row + packs * lanes < m_rows ? behind : 0;
    if constexpr (unrolls) {
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < before_last; ++j) absorb(ahead);
    } else {
      for (std::size_t j = 0; j < before_last; ++j) absorb(ahead);
    }
    for (std::size_t j = before_last; j < m_columns; ++j) absorb(ahead_of_last);
    if (all.has_left(start)) return false;
    // What is not unrolled reads memory; nothing of it is there before, which the loop above would have to write.
    HeadAndRest sums[parts * packs];
    HWY_UNROLL(8)
    for (std::size_t s = 0; s < parts * packs; ++s) sums[s] = all.sums[s];
    for (std::size_t p = 0; p < packs; ++p) decide(sum_of_parts(sums + p * parts, start), row + p * lanes, last);
    return true;
  }

  /// \brief The sums of a pack of rows: of products with x, or with its real and its imaginary parts.
  ///
  /// What heads have moved adds up exactly: all of it is less than a binade.
  HWY_INLINE EnclosurePack sum_of_parts(HeadAndRest const* sums, Pack start) const {
    if constexpr (parts == 1) {
      return unscaled(sums[0].head - start, sums[0].rest, 1, m_columns);
    } else {
      auto const sum_of = [&](Pack with_real, Pack with_imaginary) {
        return hn::Xor(with_real, m_sign_of_real) + hn::Xor(exchanged_neighbours(with_imaginary), m_sign_of_imaginary);
      };
      return unscaled(sum_of(sums[0].head - start, sums[1].head - start), sum_of(sums[0].rest, sums[1].rest), parts,
                      m_columns);
    }
  }
  /// \brief Sums of so many products in each of some lanes, of x as it is.
  ///
  /// What underflows here, of the rests, is less than what one more product may lose.
  HWY_INLINE EnclosurePack unscaled(Pack high, Pack low, int some, std::size_t per_lane) const {
    int const products = static_cast<int>(per_lane);
    Pack const factor = broadcast(m_unscaled);
    return {high * factor, low * factor,
            broadcast(bound_of_rests(some, products) * m_unit + bound_of_underflows(some, products + 1))};
  }

  HWY_INLINE bool multiply_rows() {
    for (std::size_t row = 0; row < m_rows; row += lanes) {
      std::size_t const left = m_rows - row;
      if (!multiply_rows(row, left < lanes ? static_cast<int>(left) : pack_lanes)) return false;
    }
    return true;
  }

  /// What multiplies the numbers of a row, for each part of its sum.
  HWY_INLINE void factors_of_parts(Pack x, Pack (&factors)[parts]) const {
    if constexpr (parts == 1) {
      factors[0] = x;
    } else {
      factors[0] = hn::Xor(x, m_sign_of_real);
      factors[1] = hn::Xor(exchanged_neighbours(x), m_sign_of_imaginary);
    }
  }

  /// One pack of columns of as many rows as a pack has. \tparam is_whole  Whether there is a column for each lane.
  template <bool is_whole>
  HWY_INLINE void absorb_lines(double const* const* a, std::size_t j, SumsOfPacks<pack_lanes>& all) const {
    int const some = is_whole ? pack_lanes : static_cast<int>(m_length - j);
    Pack factors[parts];
    factors_of_parts(is_whole ? load(m_scaled_x + j) : load_some(m_scaled_x + j, some), factors);
    HWY_UNROLL(8)
    for (int r = 0; r < lines; ++r) {
      Pack const entries = is_whole ? load(a[r] + j) : load_some(a[r] + j, some);
      for (int part = 0; part < parts; ++part) all.absorb(parts * r + part, entries, factors[part]);
    }
  }

  /// \param count  Rows; a group that is not full repeats the last one.
  HWY_INLINE bool multiply_rows(std::size_t row, int count) {
    Pack const start = broadcast(m_start);
    SumsOfPacks<pack_lanes> all(start);
    double const* a[lines];
    for (int r = 0; r < lines; ++r) {
      int const last = count / parts - 1;
      a[r] = m_A.at(row / parts + static_cast<std::size_t>(r < last ? r : last), 0);
    }
    std::size_t j = 0;
    if constexpr (unrolls) {
      HWY_UNROLL(4)
      for (; j + lanes <= m_length; j += lanes) absorb_lines<true>(a, j, all);
    } else {
      for (; j + lanes <= m_length; j += lanes) absorb_lines<true>(a, j, all);
    }
    if (j < m_length) absorb_lines<false>(a, j, all);
    if (all.has_left(start)) return false;
    Pack high[pack_lanes], low[pack_lanes];
    HWY_UNROLL(8)
    for (int s = 0; s < pack_lanes; ++s) {
      high[s] = all.sums[s].head - start;
      low[s] = all.sums[s].rest;
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
    decide(unscaled(high[0], low[0], pack_lanes, m_length / lanes + 1), row, count);
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

  /// Rows of which each product has a factor of zero. With an infinity or NaN sums are not zero.
  HWY_NOINLINE void decide_zeros() {
    for (std::size_t w = 0, packs; w < m_waiting; w += packs) {
      packs = are_waiting(w) ? sums_at_once : 1;
      IntegerPack zero_sums[sums_at_once], any = zero_integers();
      for (std::size_t p = 0; p < packs; ++p) {
        std::size_t const at = (w + p) * lanes;
        zero_sums[p] = mask_of(load(m_high + at) == zeros()) & mask_of(load(m_low + at) == zeros());
        any = any | zero_sums[p];
      }
      if (!has_bits(any, ~std::uint64_t{0})) continue;
      if (m_A.row_stride != 1) {
        for (std::size_t p = 0; p < packs; ++p) exclude_lines_with_products(w + p, zero_sums[p]);
      } else if (packs > 1) {
        exclude_neighbours_with_products<sums_at_once>(w, zero_sums);
      } else {
        exclude_neighbours_with_products<1>(w, zero_sums);
      }
      for (std::size_t p = 0; p < packs; ++p) decide_zeros(w + p, zero_sums[p]);
    }
  }

  /// The same of one pack of rows. \param zero  All ones where sums are zero.
  HWY_INLINE void decide_zeros(std::size_t w, IntegerPack zero) {
    auto& [row, count, others] = m_undecided[w];
    KnownValues const exact =
        known_values(m_factors, {zeros(), zeros(), zeros()}, old_entries(row, count), broadcast(0x1p800));
    std::uint32_t const known = set_of_lanes(exact.known & zero) & others;
    double values[pack_lanes];
    store(exact.value, values);
    for (std::uint32_t some = known; some != 0; some &= some - 1)
      m_results[row + static_cast<std::size_t>(std::countr_zero(some))] = values[std::countr_zero(some)];
    others &= ~known;
  }

  /// Of a row: numbers times the other part of the entry of x.
  struct ProductsOfNeighbours {
    double const *a, *x;
    HWY_INLINE IntegerPack are_not_zero(std::size_t i) const {
      return mask_of(load(a + i) != zeros()) & mask_of(exchanged_neighbours(load(x + i)) != zeros());
    }
    HWY_INLINE IntegerPack are_not_zero_of_some(std::size_t i, int n) const {
      return mask_of(load_some(a + i, n) != zeros()) & mask_of(exchanged_neighbours(load_some(x + i, n)) != zeros());
    }
  };

  /// The parts of x, which multiply numbers and, exchanged, their neighbours.
  struct FactorsOfNumbers {
    double const* x;
    HWY_INLINE void load_for(std::size_t j, Pack (&factors)[parts]) const {
      for (std::size_t part = 0; part < parts; ++part) factors[part] = broadcast(x[parts * j + part]);
    }
  };

  template <std::size_t packs>
  HWY_INLINE void exclude_neighbours_with_products(std::size_t w, IntegerPack* zero) const {
    double const* from[packs];
    IntegerPack found[packs];
    for (std::size_t p = 0; p < packs; ++p) from[p] = m_A.at(m_undecided[w + p].row, 0);
    rows_with_products<parts>(from, m_A.column_stride, FactorsOfNumbers{m_x}, m_columns, m_undecided[w].count, found);
    for (std::size_t p = 0; p < packs; ++p) zero[p] = zero[p] & ~found[p];
  }
  HWY_INLINE void exclude_lines_with_products(std::size_t w, IntegerPack& zero) const {
    auto const [row, count, others] = m_undecided[w];
    std::uint64_t are_zero[pack_lanes] = {};
    std::uint32_t wanted = set_of_lanes(zero) & others;
    for (; wanted != 0; wanted &= wanted - 1) {
      auto const l = static_cast<std::size_t>(std::countr_zero(wanted));
      double const* const from = line((row + l) / parts);
      bool const is_zero = parts == 2 && l % 2 == 1 ? are_zeros(ProductsOfNeighbours{from, m_x}, m_length)
                                                    : are_zeros(Products<double, double>{from, m_x}, m_length);
      are_zero[l] = is_zero ? ~std::uint64_t{0} : 0;
    }
    zero = hn::LoadU(Integers(), reinterpret_cast<std::int64_t const*>(are_zero));
  }

  /// Whether as many whole packs wait from the w-th on as there are sums at once.
  HWY_INLINE bool are_waiting(std::size_t w) const {
    return m_waiting - w >= sums_at_once && m_undecided[w + sums_at_once - 1].count == pack_lanes;
  }

  /// Those that are multiples of units, ties above all. Only rows that wait are read again.
  HWY_NOINLINE void decide_multiples() {
    double const unit_of_x = unit_in_lanes(look_along<SmallestUnit>(m_x, parts * m_columns));
    double const guess = unit_in_lanes(look_at_some<SmallestUnit>({0, sample()})) / 2;
    if (!(guess * unit_of_x > 2 * m_bound[0] && guess < 0x1p900)) return;
    for (std::size_t w = 0, packs; w < m_waiting; w += packs) {
      Pack units[sums_at_once];
      packs = m_A.row_stride == 1 ? units_of_neighbours(w, guess, units) : units_of_lines(w, guess, units);
      for (std::size_t p = 0; p < packs; ++p) decide_multiples(w + p, units[p] * broadcast(unit_of_x));
    }
  }

  /// The same of a pack of rows whose sums are multiples of these units.
  HWY_INLINE void decide_multiples(std::size_t w, Pack units) {
    auto& [row, count, others] = m_undecided[w];
    std::size_t const at = w * lanes;
    KnownValues const exact = known_values(m_factors, {load(m_high + at), load(m_low + at), load(m_bound + at)},
                                           old_entries(row, count), units);
    hn::Mask<Doubles> const known = hn::RebindMask(Doubles(), hn::MaskFromVec(exact.known));
    store(hn::IfThenElse(known, exact.value, load(m_results + row)), m_results + row);
    others &= ~set_of_lanes(known);
  }

  /// What the entries of some packs of rows are multiples of, from the w-th that waits on; how many packs that are.
  HWY_INLINE std::size_t units_of_neighbours(std::size_t w, double guess, Pack* units) const {
    // Columns may be as far apart as what shares a place in the caches, each on a page of its own: all of each is read while
    // it is there. The last pack may be less than one.
    if (!are_waiting(w)) {
      units_of_packs<1>(w, guess, units);
      return 1;
    }
    units_of_packs<sums_at_once>(w, guess, units);
    return sums_at_once;
  }

  /// The guess, where all are seen to be multiples of it, which takes less time than to find out (multiples of two are,
  /// changed_bits).
  template <std::size_t packs>
  HWY_INLINE void units_of_packs(std::size_t w, double guess, Pack* units) const {
    int const count = m_undecided[w].count;
    double const* from[packs];
    for (std::size_t p = 0; p < packs; ++p) from[p] = m_A.at(m_undecided[w + p].row, 0);
    IntegerPack changed[packs];
    changed_bits_of(from, m_A.column_stride, m_columns, count, guess, changed);
    HWY_UNROLL(8)
    for (std::size_t p = 0; p < packs; ++p) {
      units[p] = broadcast(guess);
      if (!has_bits(changed[p], ~std::uint64_t{0})) continue;
      Pack const unit = unit_below(look_at<SmallestUnit>(from[p], m_A.column_stride, m_columns, count));
      units[p] = parts == 2 ? smaller(exchanged_neighbours(unit), unit) : unit;
    }
  }

  /// The same of those rows that are asked for.
  HWY_INLINE std::size_t units_of_lines(std::size_t w, double guess, Pack* units) const {
    auto const [row, count, wanted] = m_undecided[w];
    double of_rows[pack_lanes] = {};
    for (std::size_t l = 0; l < lanes; l += parts) {
      if ((wanted >> l & ((1 << parts) - 1)) == 0) continue;
      double const* const from = line((row + l) / parts);
      std::size_t const whole = m_length / lanes, tail = m_length % lanes;
      IntegerPack changed[1], of_tail[1] = {zero_integers()};
      changed_bits_of<1>({from}, pack_lanes, whole, pack_lanes, guess, changed);
      if (tail > 0) changed_bits_of<1>({from + whole * lanes}, 0, 1, static_cast<int>(tail), guess, of_tail);
      double const unit = has_bits(changed[0] | of_tail[0], ~std::uint64_t{0})
                              ? unit_in_lanes(look_along<SmallestUnit>(from, m_length))
                              : guess;
      for (std::size_t part = 0; part < parts; ++part) of_rows[l + part] = unit;
    }
    units[0] = load(of_rows);
    return 1;
  }
  static HWY_INLINE double unit_in_lanes(Pack last_bits) {
    return first_lane(unit_below(broadcast(hn::GetLane(hn::MinOfLanes(Doubles(), last_bits)))));
  }

  /// changed_bits() of packs of entries, `step` apart, from each of some places on, or of beginnings of packs; without signs.
  template <std::size_t places>
  static HWY_INLINE void changed_bits_of(double const* const (&from)[places], std::ptrdiff_t step, std::size_t steps,
                                         int count, double unit, IntegerPack (&changed)[places]) {
    Pack const shift = broadcast(unit * 0x1.8p53);
    IntegerPack all[places];
    HWY_UNROLL(8)
    for (std::size_t p = 0; p < places; ++p) all[p] = zero_integers();
    std::ptrdiff_t at = 0;
    if (count == pack_lanes) {
      HWY_UNROLL(4)
      for (; steps > 0; --steps, at += step) {
        HWY_UNROLL(8)
        for (std::size_t p = 0; p < places; ++p) all[p] = all[p] | changed_bits(load(from[p] + at), shift);
      }
    }
    for (; steps > 0; --steps, at += step) {
      for (std::size_t p = 0; p < places; ++p) all[p] = all[p] | changed_bits(load_some(from[p] + at, count), shift);
    }
    for (std::size_t p = 0; p < places; ++p) changed[p] = masked(all[p], ~FloatFormat<double>::sign_mask);
  }

  /// Whether so many rows are left that all of them together take less time than those one by one: if these have to be
  /// gathered.
  HWY_INLINE bool leaves_many() const {
    std::size_t left = 0;
    for (std::size_t w = 0; w < m_waiting; ++w) left += static_cast<std::size_t>(std::popcount(m_undecided[w].others));
    return m_A.row_stride == 1 && left > m_rows / 8;
  }

  /// What is decided: entries of which both parts are.
  HWY_INLINE std::size_t write(std::uint32_t* undecided) const {
    std::size_t count = 0;
    for (std::size_t w = 0; w < m_waiting; ++w) {
      auto const [row, size, others] = m_undecided[w];
      for (std::size_t l = 0; l < static_cast<std::size_t>(size); l += parts) {
        if ((others >> l & ((1 << parts) - 1)) != 0) undecided[count++] = static_cast<std::uint32_t>((row + l) / parts);
      }
    }
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= count; ++k) {
      std::size_t const end = k < count ? parts * undecided[k] : m_rows;
      for (std::size_t i = begin; i < end; ++i) m_y[static_cast<std::ptrdiff_t>(i) * m_y_stride] = m_results[i];
      begin = end + parts;
    }
    return count;
  }

  static constexpr std::size_t rows_at_most = parts * small_gemv + lanes;

  Strided<double const> m_A;
  double const* m_x;
  std::size_t m_rows, m_columns;  // of y and x: numbers, entries
  std::size_t m_lines, m_length;  // of contiguous numbers
  std::ptrdiff_t m_step;          // from one to the next
  Factors m_factors;
  double* m_y;
  std::ptrdiff_t m_y_stride;
  Pack m_sign_of_real, m_sign_of_imaginary;  // of complex products: bits of signs to change
  double m_largest_x = 0;
  double m_start = 0, m_unscaled = 1;  // of heads for the scaled x; what takes their sums back
  double m_unit = 0;                   // of heads, taken back
  alignas(64) double m_scaled_x[parts * small_gemv];
  alignas(64) double m_results[rows_at_most];

  struct Undecided {
    std::size_t row;
    int count;
    std::uint32_t others;
  };
  std::size_t m_waiting = 0;  // packs of rows, and their sums
  Undecided m_undecided[rows_at_most / lanes];
  alignas(64) double m_high[rows_at_most], m_low[rows_at_most], m_bound[rows_at_most];
};

[[maybe_unused]] std::size_t multiply_small(Strided<double const> const& A, double const* x, std::size_t rows,
                                            std::size_t columns, Factors const& factors, double* y,
                                            std::ptrdiff_t y_stride, std::uint32_t* undecided) {
  // So few rows at a time as 16 registers hold take less of a column than memory gives at once.
  if (HWY_TARGET == HWY_AVX2 && A.row_stride == 1 && rows * columns >= 2 * far_numbers) return rows;
  return SmallGemv<1>(A, false, x, rows, columns, factors, y, y_stride).run(undecided);
}

/// The same with complex entries.
[[maybe_unused]] std::size_t multiply_small_complex(Strided<double const> const& A, bool conjugated, double const* x,
                                                    std::size_t rows, std::size_t columns, Factors const& factors,
                                                    double* y, std::uint32_t* undecided) {
  return SmallGemv<2>(A, conjugated, x, rows, columns, factors, y, 1).run(undecided);
}
