// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a matrix times a vector, many rows at a time: each lane has its own row. Included by
// ExaktBlas_MatrixVector.cpp for each instruction set.
//
// A block of rows keeps its heads and rests in cache, while columns go by, some at a time:
//
//     rows of     heads, rests, moved        column j ... j+3
//     a block  |  h  r  m                |   a a a a  -->          x(j) ... x(j+3) are broadcast
//
// After a panel of columns heads and rests are added to the enclosures. Rows whose heads did not stay in their binade
// do the panel again, one by one, and get larger heads for the panels to come.
//
// Where the products of all rows seem to be of much the same size, they have the same head, which one operation watches
// (ExaktBlas_WatchedHeads-inl.hpp), and no bits of moves are kept, until one leaves its binade: then these rows do the panel
// again, each with a head of its own.
//
// Rows may be the parts of complex entries, which are neighbours in a column. An entry (a, b) times (c, d) adds a c and b c to
// the sums of its parts, and, its parts exchanged, -b d and a d: so four numbers multiply the entries of a column.
//
// Ties are common where entries are small integers, and enclosures do not decide them. A block whose first column looks
// like that is compared with multiples of a unit as it goes by; sums of rows that are such multiples become exact.

inline constexpr int lane_panel = 512;  // columns; fewer than 2^(level_head - 1)
inline constexpr int line_bytes = 64;
inline constexpr int lane_prefetch_bytes = HWY_TARGET == HWY_AVX2 ? 512 : 1024;  // of a column, ahead
inline constexpr int memory_column_bytes = 16384;  // 2048 such columns of doubles are 32 MB
inline constexpr std::size_t cached_panel_bytes = HWY_TARGET == HWY_AVX2 ? 1 << 18 : 1 << 20;
inline constexpr int lane_sample = 8;  // columns that heads are made for, with room for products 2^10 times as large
// They share a load and a store of the state; their factors are in registers: two for each column of complex numbers.
template <int parts>
inline constexpr int columns_at_once = HWY_TARGET == HWY_AVX2 ? (parts == 1 ? 5 : 3) : 8 / parts;
// With AVX-512 the state stays in the first-level cache. Zen 3, with AVX2, does better with long pieces of columns: of a
// matrix from memory in 0.8 of the time.
inline constexpr std::size_t lane_rows = HWY_TARGET == HWY_AVX2 ? lane_block : 1024;
inline constexpr int rows_for_vectors = 256;  // of some columns, which are in the first cache for the second vector
// The largest start of a block, of the least: shared heads know so much less of the smallest sums, which is far from what
// results need.
inline constexpr double much_the_same = 0x1p10;
inline constexpr int worth_exact_sums = 64;  // columns: rows of fewer that are not decided are as fast one by one
static_assert(2 * lane_panel < (1 << (level_head - 1)) && lane_block % pack_lanes == 0);

/// Numbers that multiply the entries of a column.
template <int parts>
inline constexpr std::size_t factors_of_column = parts* parts;

/// Those of one column, times a power of two, for each lane.
template <int parts>
HWY_INLINE void load_factors(double const* x, double scale, Pack* factors) {
  if constexpr (parts == 1) {
    factors[0] = broadcast(*x * scale);
  } else {
    for (int part = 0; part < parts; ++part)
      factors[part] = hn::LoadDup128(Doubles(), x + parts * part) * broadcast(scale);
  }
}

/// \brief Heads and rests of a block of rows, and whatever else there is for each of them: arrays lane_block apart, of
/// which the products with several vectors share the rows. Loops have a copy of their own: what they store might be its
/// pointer.
struct LaneState {
  static constexpr int arrays = 5;
  double* memory;
  bool is_started = false;
  double shared = 0;               // the start of all heads, while one operation watches them; or 0
  double unit = 0, unit_of_x = 0;  // of entries that are compared with multiples of it, if it is not 0

  HWY_INLINE double* head(int row) const { return memory + row; }
  HWY_INLINE double* rest(int row) const { return memory + lane_block + row; }
  /// Of heads; infinite where none has room for the products.
  HWY_INLINE double* start(int row) const { return memory + 2 * lane_block + row; }
  /// Bits that heads have moved through; of shared heads all bits that they had, one pack for some packs of rows.
  HWY_INLINE double* moved(int row) const { return memory + 3 * lane_block + row; }
  /// changed_bits() of all entries, where these are looked at.
  HWY_INLINE double* changed(int row) const { return memory + 4 * lane_block + row; }

  /// 1.5 * 2^53 units.
  HWY_INLINE double shift() const { return unit * 0x1.8p53; }
};
HWY_INLINE IntegerPack load_bits(double const* from) { return bits_of_pack(load(from)); }
HWY_INLINE void store_bits(IntegerPack bits, double* to) { store(hn::BitCast(Doubles(), bits), to); }

/// \brief No bit but that of the sign is set only if x is a multiple of a unit.
///
/// Then x is x + shift, rounded, less the shift. With |x| below 2^52 units, x + shift is between 2^53 and 2^54 units, and
/// so x is a multiple of two units; all larger numbers are multiples of one. Of those only some are recognized.
///
/// \param shift  1.5 * 2^53 units.
HWY_INLINE IntegerPack changed_bits(Pack x, Pack shift) { return bits_of_pack((x + shift) - shift) ^ bits_of_pack(x); }

/// Some columns of one pack of rows.
/// \tparam is_shared   Whether heads are. \param seen  All bits of shared ones.
/// \tparam is_checked  Whether entries are compared with multiples of a unit.
template <bool is_shared, bool is_checked, int parts, int columns, class T>
KOKKOS_FORCEINLINE_FUNCTION void absorb_columns(T const* const (&a)[columns], Pack const (&x)[columns * parts], int i,
                                                Pack shift, LaneState const& state, IntegerPack& seen) {
  HeadAndRest sum(load(state.head(i)), load(state.rest(i)));
  IntegerPack moved = is_shared ? zero_integers() : load_bits(state.moved(i));
  IntegerPack changed = zero_integers();
  if constexpr (is_checked) changed = load_bits(state.changed(i));
  for (int c = 0; c < columns; ++c) {
    Pack entries = load(a[c] + i);
    if constexpr (is_checked) changed = changed | changed_bits(entries, shift);
    for (int part = 0; part < parts; ++part) {
      if (part == 1) entries = exchanged_neighbours(entries);
      IntegerPack const before = bits_of_pack(sum.head);
      sum.absorb(entries, x[c * parts + part]);
      // One change of the exponent between any two neighbours is seen, so none means the first one's.
      if constexpr (is_shared) {
        seen = seen | bits_of_pack(sum.head);
      } else {
        moved = moved | (bits_of_pack(sum.head) ^ before);
      }
    }
  }
  store(sum.head, state.head(i));
  store(sum.rest, state.rest(i));
  if constexpr (!is_shared) store_bits(moved, state.moved(i));
  if constexpr (is_checked) store_bits(changed, state.changed(i));
}

/// \brief Rows, a multiple of pack_lanes, of some columns.
/// \param rows        All that there are in a column.
/// \param are_last    Whether there are no columns behind these, in the panel: perhaps in no page, which takes long to find out.
/// \param prefetches  Unless another vector has had them.
/// \param scale       Of x, where heads are shared.
template <bool is_shared, bool is_checked, int parts, int columns, class T>
EXAKT_NOINLINE_FUNCTION void absorb_column_group(T const* first, std::ptrdiff_t column_stride, double const* x,
                                                 double scale, int begin, int end, int rows, bool are_last,
                                                 bool prefetches, LaneState state) {
  T const* a[columns];
  Pack factors[columns * parts];
  for (int c = 0; c < columns; ++c) {
    a[c] = first + c * column_stride;
    load_factors<parts>(x + static_cast<std::size_t>(c) * factors_of_column<parts>, is_shared ? scale : 1,
                        factors + c * parts);
  }
  IntegerPack seen = is_shared ? load_bits(state.moved(begin)) : zero_integers();
  // A little ahead in these columns, and at their end in the next ones: those are on other pages, where the hardware
  // does not look ahead. Of matrices from memory, which long columns speak for, to the second cache on every processor.
  bool const to_second_cache =
      prefetches_to_second_cache || column_stride >= memory_column_bytes / static_cast<int>(sizeof(T));
  constexpr int rows_per_line = line_bytes / static_cast<int>(sizeof(T));
  constexpr int distance = lane_prefetch_bytes / static_cast<int>(sizeof(T));
  // Beyond the end of a column, unless there is none behind it, or one that is shorter than that.
  std::ptrdiff_t const next = are_last || rows < distance ? -distance : columns * column_stride - rows;
  Pack const shift = broadcast(state.shift());
  for (int i = begin; i < end; i += pack_lanes) {
    if (prefetches && i % rows_per_line == 0) {
      std::ptrdiff_t const ahead = i + distance + (i + distance < rows ? 0 : next);
      for (int c = 0; c < columns; ++c) prefetch_lines(a[c] + ahead, pack_lanes, to_second_cache);
    }
    absorb_columns<is_shared, is_checked, parts>(a, factors, i, shift, state, seen);
  }
  if constexpr (is_shared) store_bits(seen, state.moved(begin));
}

/// absorb_column_group() for the heads and the checks of a block.
template <int parts, int columns, class T>
HWY_INLINE auto absorb_for(LaneState const& state) {
  if (state.shared > 0)
    return state.unit > 0 ? &absorb_column_group<true, true, parts, columns, T>
                          : &absorb_column_group<true, false, parts, columns, T>;
  return state.unit > 0 ? &absorb_column_group<false, true, parts, columns, T>
                        : &absorb_column_group<false, false, parts, columns, T>;
}

/// Where heads for products below 2^e start.
[[maybe_unused]] HWY_INLINE double start_for(int e) { return HeadStart::fits(e) ? HeadStart(e).start : HUGE_VAL; }

/// \brief Where heads start in rows whose sampled products are all zero, as perhaps all others are.
///
/// The unit of such a head is that of all doubles, 2^-1074. If all products are multiples of it, the head adds them exactly
/// as long as it stays in its binade: the bound is zero, and a sum of zeros is decided. No exponent gives this start to
/// other rows.
constexpr double start_of_zeros = 0x1.8p-1022;

/// Whether all products of x with entries of type T are multiples of 2^-1074: x of that by the least T.
template <class T>
bool are_products_doubles(double const* x, std::size_t count) {
  constexpr double unit = std::is_same_v<T, float> ? 0x1p-925 : 1;
  return unit_of_row(Strided<double const>{x, 0, 1}, 0, count) >= unit;
}

/// The columns that heads are made for: some from the largest x on, for the unknowns of triangular systems may grow from
/// each column to the next.
template <int parts>
EXAKT_NOINLINE_FUNCTION Span columns_of_sample(double const* x, Span columns) {
  if (columns.size() <= lane_sample) return columns;
  constexpr std::size_t per_column = factors_of_column<parts>;
  std::size_t const begin = per_column * columns.begin, count = per_column * columns.size();
  std::size_t const whole = begin + count - count % pack_lanes, last = columns.end - lane_sample;
  Pack largest = zeros();
  for (std::size_t k = begin; k < whole; k += pack_lanes) largest = larger(absolute(load(x + k)), largest);
  Pack const sought = broadcast(largest_lane(largest));
  std::size_t k = begin;
  while (k < per_column * last && !has_bits(mask_of(absolute(load(x + k)) == sought), ~std::uint64_t{0}))
    k += pack_lanes;
  std::size_t const first = k / per_column < last ? k / per_column : last;
  return {first, first + lane_sample};
}

/// The largest magnitudes of the products of some packs of rows with some columns, which may be far apart.
template <int parts, std::size_t packs, class T>
HWY_INLINE void largest_products(Strided<T const> const& A, double const* x, std::size_t row, Span columns,
                                 Pack (&largest)[packs]) {
  HWY_UNROLL(8)
  for (std::size_t p = 0; p < packs; ++p) largest[p] = zeros();
  for (std::size_t j = columns.begin; j < columns.end; ++j) {
    Pack factors[parts];
    load_factors<parts>(x + j * factors_of_column<parts>, 1, factors);
    T const* const column = A.at(row, j);
    HWY_UNROLL(8)
    for (std::size_t p = 0; p < packs; ++p) {
      Pack entries = load(column + p * pack_lanes);
      for (int part = 0; part < parts; ++part) {
        if (part == 1) entries = exchanged_neighbours(entries);
        largest[p] = larger(absolute(entries * factors[part]), largest[p]);
      }
    }
  }
}

/// \brief Heads above the products of each row, with some room for larger ones than those of the sample.
///
/// Products below 2^(E + 1) get the head for E + 3: that is 2^E times the one for 3. Subnormal products get the least one.
/// Rows whose sampled products are zero get the largest head of the others: a row of a matrix with few entries may have its own
/// anywhere.
template <int parts, class T>
EXAKT_NOINLINE_FUNCTION void start_lanes(Strided<T const> const& A, double const* x, std::size_t row, int rows,
                                         Span columns, LaneState& state) {
  constexpr std::size_t per_column = factors_of_column<parts>;
  Pack const least = broadcast(start_for(exponent_above(0.0) + 2)), infinite = broadcast(HUGE_VAL);
  Pack first = infinite, last = zeros();
  bool has_zeros = false;
  auto const look_at = [&](Span some) HWY_ATTR {
    IntegerPack is_any_zero = zero_integers();
    auto const start_packs = [&]<std::size_t packs>(int i, Pack(&largest)[packs]) HWY_ATTR {
      largest_products<parts>(A, x, row + static_cast<std::size_t>(i), some, largest);
      for (Pack const here : largest) {
        Pack const power = hn::BitCast(Doubles(), masked(bits_of_pack(here), FloatFormat<double>::infinity));
        auto const is_zero = here == zeros();
        Pack const start = hn::IfThenElse(is_zero, zeros(), larger(power * broadcast(start_for(3)), least));
        store(start, state.start(i));
        is_any_zero = is_any_zero | mask_of(is_zero);
        first = smaller(hn::IfThenElse(is_zero, infinite, start), first);
        last = larger(start, last);
        i += pack_lanes;
      }
    };
    Pack several[8], one[1];
    int i = 0;
    for (; i + 8 * pack_lanes <= rows; i += 8 * pack_lanes) start_packs(i, several);
    for (; i < rows; i += pack_lanes) start_packs(i, one);
    has_zeros = has_bits(is_any_zero, ~std::uint64_t{0});
  };
  Span const sample = columns_of_sample<parts>(x, columns);
  look_at(sample);
  double const* const from = x + per_column * columns.begin;
  bool const x_is_zero = are_zeros(Values<double>{from}, per_column * columns.size());
  if (largest_lane(last) == 0 && sample.size() < columns.size() && !x_is_zero) look_at(columns);
  state.is_started = true;
  double const most = largest_lane(last);
  if (most > 0 && most <= hn::GetLane(hn::MinOfLanes(Doubles(), first)) * much_the_same && WatchedStart(most).fits) {
    state.shared = most;
    for (int i = 0; i < rows; i += pack_lanes) store(broadcast(most), state.start(i));
  } else if (has_zeros) {
    bool const may_be_all = most == 0 && are_products_doubles<T>(x, per_column * columns.end);
    Pack const others = may_be_all ? broadcast(start_of_zeros) : larger(broadcast(most), least);
    for (int i = 0; i < rows; i += pack_lanes) {
      Pack const start = load(state.start(i));
      store(hn::IfThenElse(start == zeros(), others, start), state.start(i));
    }
  }
}

/// Those of a column, as rows_with_products() takes them.
template <int parts>
struct FactorsOfLanes {
  double const* x;
  HWY_INLINE void load_for(std::size_t j, Pack (&factors)[parts]) const {
    load_factors<parts>(x + j * factors_of_column<parts>, 1, factors);
  }
};

inline constexpr int packs_of_zeros = 4;  // at once: columns may be far apart

/// Takes out rows that have products without a factor of zero.
template <int parts, class T>
EXAKT_NOINLINE_FUNCTION void exclude_products(Strided<T const> const& A, double const* x, std::size_t row, int packs,
                                              Span panel, IntegerPack (&zero)[packs_of_zeros]) {
  FactorsOfLanes<parts> const factors{x + panel.begin * factors_of_column<parts>};
  if (packs == packs_of_zeros) {
    T const* from[packs_of_zeros];
    IntegerPack found[packs_of_zeros];
    for (std::size_t p = 0; p < packs_of_zeros; ++p) from[p] = A.at(row + p * pack_lanes, panel.begin);
    rows_with_products<parts>(from, A.column_stride, factors, panel.size(), pack_lanes, found);
    for (int p = 0; p < packs_of_zeros; ++p) zero[p] = zero[p] & ~found[p];
    return;
  }
  for (int p = 0; p < packs; ++p) {
    T const* const from[] = {A.at(row + static_cast<std::size_t>(p * pack_lanes), panel.begin)};
    IntegerPack found[1];
    rows_with_products<parts>(from, A.column_stride, factors, panel.size(), pack_lanes, found);
    zero[p] = zero[p] & ~found[0];
  }
}

/// \brief The lanes of some packs of rows, from the i-th on, whose products in a panel are all zeros: all ones. Nothing is added
/// to their bounds.
///
/// Their heads are where they started, which with an infinity or NaN they are not.
template <int parts, class T>
HWY_INLINE void find_zero_sums(Strided<T const> const& A, double const* x, std::size_t row, int i, int packs,
                               Span panel, LaneState const& state, IntegerPack (&zero)[packs_of_zeros]) {
  IntegerPack any = zero_integers();
  for (int p = 0; p < packs_of_zeros; ++p) {
    zero[p] = zero_integers();
    if (p >= packs) continue;
    int const at = i + p * pack_lanes;
    Pack const start = load(state.start(at));
    zero[p] = mask_of(load(state.head(at)) == start) & mask_of(load(state.rest(at)) == zeros()) &
              mask_of(start < broadcast(HUGE_VAL));
    any = any | zero[p];
  }
  if (!has_bits(any, ~std::uint64_t{0})) return;
  exclude_products<parts>(A, x, row + static_cast<std::size_t>(i), packs, panel, zero);
}

/// The sums of one pack of rows, and what its heads and rests add to them. \param zero  All ones where that is nothing.
[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION EnclosurePack sum_of_lanes(LaneState const& state, int i, int products,
                                                                        IntegerPack zero, EnclosureArrays const& sums) {
  EnclosurePack sum{load(sums.high + i), load(sums.low + i), load(sums.bound + i)};
  HeadAndRest const panel(load(state.head(i)), load(state.rest(i)));
  Pack const start = load(state.start(i));
  EnclosurePack of_panel = enclosure_of_lanes(panel, start, products);
  IntegerPack const is_exact = mask_of(start == broadcast(start_of_zeros)) | zero;
  of_panel.bound = hn::BitCast(Doubles(), bits_of_pack(of_panel.bound) & ~is_exact);
  add_enclosure(sum, of_panel);
  return sum;
}

[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION void store(EnclosurePack const& sum, EnclosureArrays const& to) {
  store(sum.high, to.high);
  store(sum.low, to.low);
  store(sum.bound, to.bound);
}

/// sums += heads and rests of one pack of rows; the lanes of those that did not stay in their binade are returned.
[[maybe_unused]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_lanes(LaneState const& state, int i, int products,
                                                                     IntegerPack zero, EnclosureArrays const& sums) {
  EnclosurePack const sum = sum_of_lanes(state, i, products, zero, sums);
  constexpr std::uint64_t mask = FloatFormat<double>::sign_mask | FloatFormat<double>::infinity;
  IntegerPack const stayed = mask_of_same_bits(masked(load_bits(state.moved(i)), mask), 0) &
                             mask_of(load(state.start(i)) < broadcast(HUGE_VAL));
  std::uint32_t const moved = set_of_lanes(~stayed);
  if (moved == 0) store(sum, sums.from(static_cast<std::size_t>(i)));
  return moved;
}

/// One row of a panel with heads of its own in every piece. \param e  Receives an exponent above all products.
template <int parts, class T>
Enclosure enclose_one(Strided<T const> const& A, double const* x, std::size_t row, Span panel, int& e) {
  if constexpr (parts == 1) {
    return enclose_carefully(A, x, row, panel, e);
  } else {
    // Its own entries, and those of its neighbour.
    double entries[parts * lane_panel], factors[parts * lane_panel];
    int count = 0;
    for (std::size_t j = panel.begin; j < panel.end; ++j) {
      for (std::size_t part = 0; part < parts; ++part, ++count) {
        entries[count] = static_cast<double>(*A.at(row ^ part, j));
        factors[count] = x[factors_of_column<parts> * j + parts * part + row % parts];
      }
    }
    Enclosure sum = empty_sum();
    if (!enclose_piece(entries, factors, count, sum, e)) return {};
    return sum;
  }
}

/// A pack of rows of which some have to do the panel again, one by one.
template <int parts, class T>
EXAKT_NOINLINE_FUNCTION void redo_lanes(Strided<T const> const& A, double const* x, std::size_t first_row, Span panel,
                                        int i, std::uint32_t moved, IntegerPack const& zero,
                                        EnclosureArrays const& sums, LaneState& state) {
  double high[pack_lanes], low[pack_lanes], bound[pack_lanes];
  EnclosureArrays const stayed{high, low, bound};
  store(sum_of_lanes(state, i, parts * static_cast<int>(panel.size()), zero, sums), stayed);
  for (int l = 0; l < pack_lanes; ++l) {
    std::size_t const k = static_cast<std::size_t>(i) + static_cast<std::size_t>(l);
    Enclosure sum = stayed.get(static_cast<std::size_t>(l));
    if ((moved >> l & 1) != 0) {
      int e;
      sum = sums.get(k);
      add_enclosure(sum, enclose_one<parts>(A, x, first_row + k, panel, e));
      *state.start(i + l) = start_for(e + 1);
    }
    sums.set(k, sum);
  }
}

/// A vector that multiplies a block of rows.
struct LaneProducts {
  double const* x;
  EnclosureArrays sums;
  LaneState state;
};

/// \brief Takes shared heads and rests of some rows back to products with x itself; false if a head left its binade.
///
/// What underflows, of the rests, is much less than what the bound has for products that do.
EXAKT_NOINLINE_FUNCTION bool take_back(LaneState const& state, WatchedStart const& watched, int begin, int end) {
  Pack const inverse = broadcast(watched.inverse);
  IntegerPack const origin = bits_of_pack(broadcast(watched.scaled));
  IntegerPack moves = zero_integers();
  for (int i = begin; i < end; i += pack_lanes) {
    Pack const head = load(state.head(i));
    moves = moves | (load_bits(state.moved(i)) & ~origin) | (bits_of_pack(head) ^ origin);
    store(head * inverse, state.head(i));
    store(load(state.rest(i)) * inverse, state.rest(i));
    store(zeros(), state.moved(i));
  }
  return !leaves_binade(moves);
}

/// \brief The columns of a panel, some at a time, for the rows from `begin` to `end`: of all vectors while the entries are
/// in the first cache.
template <int parts, class T>
EXAKT_NOINLINE_FUNCTION void absorb_by_columns(Strided<T const> const& A, std::size_t row, int begin, int end,
                                               Span panel, LaneProducts* vectors, int count) {
  for (int v = 0; v < count; ++v) {
    LaneState const& state = vectors[v].state;
    bool const is_shared = state.shared > 0;
    Pack const shared = broadcast(WatchedStart(state.shared).scaled);
    for (int i = begin; i < end; i += pack_lanes) {
      store(is_shared ? shared : load(state.start(i)), state.head(i));
      store(zeros(), state.rest(i));
      store(zeros(), state.moved(i));
    }
  }
  auto const absorb_group = [&]<int columns>(std::integral_constant<int, columns>, std::size_t j) HWY_ATTR {
    int const piece = count == 1 ? end - begin : rows_for_vectors;
    for (int i = begin; i < end; i += piece) {
      int const last = end - i < piece ? end : i + piece;
      for (int v = 0; v < count; ++v) {
        LaneState const& state = vectors[v].state;
        absorb_for<parts, columns, T>(state)(A.at(row, j), A.column_stride, vectors[v].x + j * factors_of_column<parts>,
                                             WatchedStart(state.shared).factor, i, last, end,
                                             j + 2 * columns > panel.end, v == 0, state);
      }
    }
  };
  constexpr int at_once = columns_at_once<parts>;
  std::size_t j = panel.begin;
  for (; j + at_once <= panel.end; j += at_once) absorb_group(std::integral_constant<int, at_once>(), j);
  for (; j < panel.end; ++j) absorb_group(std::integral_constant<int, 1>(), j);
  for (int v = 0; v < count; ++v) {
    LaneState& state = vectors[v].state;
    if (state.shared == 0 || take_back(state, WatchedStart(state.shared), begin, end)) continue;
    state.shared = 0;
    absorb_by_columns<parts>(A, row, begin, end, panel, &vectors[v], 1);
  }
}

/// \brief All columns of a panel for some packs of rows, which stay in registers, with shared heads; false, and nothing said,
/// if one left its binade.
template <bool is_checked, int parts, int packs, class T>
HWY_INLINE bool absorb_by_rows(Strided<T const> const& A, double const* x, std::size_t row, int first, Span panel,
                               LaneState state) {
  WatchedStart const watched(state.shared);
  Pack const shift = broadcast(state.shift()), start = broadcast(watched.scaled);
  SumsOfPacks<packs> all(start);
  IntegerPack changed[packs];
  HWY_UNROLL(8)
  for (int p = 0; p < packs; ++p) changed[p] = zero_integers();
  T const* a = A.at(row + static_cast<std::size_t>(first), panel.begin);
  for (std::size_t j = panel.begin; j < panel.end; ++j, a += A.column_stride) {
    Pack factors[parts];
    load_factors<parts>(x + j * factors_of_column<parts>, watched.factor, factors);
    prefetch_lines(a + packs * pack_lanes, packs * pack_lanes);  // of the rows behind these
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      Pack const entries = load(a + p * pack_lanes);
      all.absorb(p, entries, factors[0]);
      if constexpr (parts == 2) all.absorb(p, exchanged_neighbours(entries), factors[1]);
      if constexpr (is_checked) changed[p] = changed[p] | changed_bits(entries, shift);
    }
  }
  HWY_UNROLL(8)
  for (int p = 0; p < packs; ++p) {
    int const i = first + p * pack_lanes;
    store(all.sums[p].head, state.head(i));
    store(all.sums[p].rest, state.rest(i));
    store_bits(all.seen, state.moved(i));
    if constexpr (is_checked) store_bits(load_bits(state.changed(i)) | changed[p], state.changed(i));
  }
  return take_back(state, watched, first, first + packs * pack_lanes);
}

/// The columns of a panel that stays in the caches, for one vector whose heads are shared.
template <bool is_checked, int parts, class T>
EXAKT_NOINLINE_FUNCTION void absorb_cached_panel(Strided<T const> const& A, std::size_t row, int rows, Span panel,
                                                 LaneProducts& products) {
  constexpr int packs = (HWY_TARGET == HWY_AVX2 ? 4 : 8) / (is_checked ? 2 : 1), step = packs * pack_lanes;
  int i = 0;
  for (; i + step <= rows && absorb_by_rows<is_checked, parts, packs>(A, products.x, row, i, panel, products.state);
       i += step) {
  }
  if (i + step <= rows) products.state.shared = 0;
  if (i < rows) absorb_by_columns<parts>(A, row, i, rows, panel, &products, 1);
}

/// The columns of a panel.
template <int parts, class T>
void absorb_panel(Strided<T const> const& A, std::size_t row, int rows, Span panel, LaneProducts* vectors, int count) {
  // Sums of complex numbers take twice the operations for each line that is read: from the last cache, too, which short
  // columns speak for.
  bool const is_cached = static_cast<std::size_t>(rows) * panel.size() * sizeof(T) <= cached_panel_bytes ||
                         (parts == 2 && A.column_stride <= memory_column_bytes / static_cast<int>(sizeof(T)));
  if (!is_cached) return absorb_by_columns<parts>(A, row, 0, rows, panel, vectors, count);
  for (int v = 0; v < count; ++v) {
    LaneState const& state = vectors[v].state;
    if (state.shared == 0) {
      absorb_by_columns<parts>(A, row, 0, rows, panel, &vectors[v], 1);
    } else {
      auto const absorb = state.unit > 0 ? &absorb_cached_panel<true, parts, T> : &absorb_cached_panel<false, parts, T>;
      absorb(A, row, rows, panel, vectors[v]);
    }
  }
}

/// \brief A unit for the entries of a block of rows, such that their sums will be known within half of what all
/// products are multiples of; 0 unless it seems that these entries, small integers for example, are multiples of it.
///
/// \param unit_of_x  Receives that of x, if the result is not 0.
template <int parts, class T>
EXAKT_NOINLINE_FUNCTION double unit_to_check(Strided<T const> const& A, double const* x, std::size_t row, int rows,
                                             Span columns, EnclosureArrays const& sums, LaneState const& state,
                                             double& unit_of_x) {
  constexpr int sampled = 16;
  if (columns.size() < worth_exact_sums) return 0;
  Pack largest = zeros(), unit = broadcast(HUGE_VAL), known = zeros(), start = zeros();
  T const* const column = A.at(row, columns.begin);
  for (int i = 0; i < rows && i < sampled; i += pack_lanes) {
    Pack const entries = load(column + i);
    largest = larger(absolute(entries), largest);
    unit = smaller(last_bit(entries), unit);
  }
  double const least = hn::GetLane(hn::MinOfLanes(Doubles(), unit));
  // Floats of all digits have least bits not far below their own size: only much shorter ones have ties often.
  constexpr double as_short = std::is_same_v<T, float> ? 0x1p-20 : 0x1p-30;
  if (!(least >= largest_lane(largest) * as_short)) return 0;
  // Sums of something else may be no multiples.
  for (int i = 0; i < rows; i += pack_lanes)
    known = larger(absolute(load(sums.high + i)) + (absolute(load(sums.low + i)) + load(sums.bound + i)), known);
  if (!(largest_lane(known) == 0)) return 0;
  unit_of_x = unit_of_row(Strided<double const>{x, 0, 1}, 0, factors_of_column<parts> * columns.end);
  int const count = parts * static_cast<int>(columns.size() < lane_panel ? columns.size() : lane_panel);
  std::size_t const panels = columns.size() / lane_panel + 1;
  double const needed_per_start = static_cast<double>(panels) * (bound_of_rests(1, count) * 0x1p-46) / unit_of_x;
  // Rows of larger products are not known so well. The others do not depend on these.
  Pack const limit = broadcast(least / (4 * needed_per_start));
  for (int i = 0; i < rows; i += pack_lanes) {
    Pack const here = load(state.start(i));
    start = larger(hn::IfThenElseZero(here <= limit, here), start);
  }
  double const needed = needed_per_start * largest_lane(start);
  return needed > 0x1p-900 && needed < 0x1p899 ? power_of_two(exponent_above(needed)) : 0;
}

/// \brief The sums of a block become exact where they are known within half of what they are multiples of.
///
/// If high and low are such multiples, too, so is what is missing from them, and the only one within the bound is zero.
template <int parts>
EXAKT_NOINLINE_FUNCTION void make_exact(LaneState const& state, int rows, double unit, EnclosureArrays const& sums) {
  Pack const G = broadcast(unit);
  for (int i = 0; i < rows; i += pack_lanes) {
    Pack const high = load(sums.high + i), low = load(sums.low + i), bound = load(sums.bound + i);
    IntegerPack changed = load_bits(state.changed(i));
    if constexpr (parts == 2) changed = changed | bits_of_pack(exchanged_neighbours(load(state.changed(i))));
    auto const is_exact = mask_of(bound * broadcast(2 + 0x1p-10) < G) & mask_of(last_bit(high) >= G) &
                          mask_of(last_bit(low) >= G) &
                          mask_of_same_bits(masked(changed, ~FloatFormat<double>::sign_mask), 0);
    store(hn::BitCast(Doubles(), bits_of_pack(bound) & ~is_exact), sums.bound + i);
  }
}

/// The same with a lane for each row: T float or double, A.row_stride == 1, and the rows fill packs.
template <int parts, class T>
void enclose_packs_of_rows(Strided<T const> const& A, VectorProducts const* vectors, int count, Span rows,
                           Span columns) {
  int const row_count = static_cast<int>(rows.size());
  alignas(64) double memory[LaneState::arrays * lane_block];
  LaneProducts products[vectors_at_most];
  for (int v = 0; v < count; ++v)
    products[v] = {vectors[v].x, vectors[v].sums, {memory + v * (lane_block / vectors_at_most)}};
  for (Span const panel : Pieces{columns, lane_panel}) {
    for (int v = 0; v < count; ++v) {
      auto& [x, sums, state] = products[v];
      if (state.is_started) continue;
      start_lanes<parts>(A, x, rows.begin, row_count, columns, state);
      state.unit = unit_to_check<parts>(A, x, rows.begin, row_count, columns, sums, state, state.unit_of_x);
      for (int i = 0; state.unit > 0 && i < row_count; ++i) *state.changed(i) = 0;
    }
    absorb_panel<parts>(A, rows.begin, row_count, panel, products, count);
    for (int v = 0; v < count; ++v) {
      auto& [x, sums, state] = products[v];
      for (int begin = 0; begin < row_count; begin += packs_of_zeros * pack_lanes) {
        int const left = (row_count - begin) / pack_lanes, packs = left < packs_of_zeros ? left : packs_of_zeros;
        IntegerPack zero[packs_of_zeros];
        find_zero_sums<parts>(A, x, rows.begin, begin, packs, panel, state, zero);
        for (int p = 0; p < packs; ++p) {
          int const i = begin + p * pack_lanes;
          std::uint32_t const moved = add_lanes(state, i, parts * static_cast<int>(panel.size()), zero[p], sums);
          if (moved != 0) redo_lanes<parts>(A, x, rows.begin, panel, i, moved, zero[p], sums, state);
        }
      }
    }
  }
  for (int v = 0; v < count; ++v) {
    LaneState const& state = products[v].state;
    if (state.unit > 0) make_exact<parts>(state, row_count, state.unit * state.unit_of_x, products[v].sums);
  }
}

/// Any number of rows.
template <class T>
void enclose_by_lanes(Strided<T const> const& A, VectorProducts* vectors, int count, Span rows, Span columns) {
  std::size_t const whole = rows.size() / pack_lanes * pack_lanes;
  Span const packs{rows.begin, rows.begin + whole};
  if (whole < rows.size()) {
    VectorProducts last[vectors_at_most];
    for (int v = 0; v < count; ++v) {
      last[v] = vectors[v];
      last[v].sums = vectors[v].sums.from(whole);
    }
    enclose_along_rows(A, last, count, {packs.end, rows.end}, columns);
    for (int v = 0; v < count; ++v) vectors[v].e = last[v].e;
  }
  if (whole > 0) enclose_packs_of_rows<1>(A, vectors, count, packs, columns);
}
