// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows as enclosures: along a row, piece by piece if it is long, and across rows that are shifted.
//
// Included inside the namespace of each instruction set, behind ExaktSparse_Blocks-inl.hpp and
// ExaktSparse_ShiftedRows-inl.hpp.

/// Entries of short rows that are done across them, in whole blocks.
inline constexpr int short_row = 2 * block_entries;

struct PickedEntries {
  double at[sparse_piece + short_row];  // what lies behind entries is loaded, too
};

/// A piece of a row; its entries of x are picked.
template <class T, class Index>
HWY_INLINE RowTerms<T> pick_piece(SparseRows<T, Index> const& A, double const* x, std::size_t begin, std::size_t count,
                                  PickedEntries& picked) {
  pick_entries(A.values + begin, A.columns + begin, x, count, far_behind(A, begin, count, prefetch_distance),
               picked.at);
  return {A.values + begin, picked.at, static_cast<int>(count)};
}

/// Some rows one after the other, of at most sparse_piece entries in all. \param T  Of the values.
template <class T>
struct PickedRows {
  RowTerms<T> all;
  std::size_t const* offsets;  // in the matrix
  std::size_t entries_end;     // from where on there may be no values

  HWY_INLINE RowTerms<T> row(int l) const {
    std::size_t const begin = offsets[l] - offsets[0];
    return {all.values + begin, all.factors + begin, static_cast<int>(offsets[l + 1] - offsets[l])};
  }
};

HWY_INLINE double bound_of_piece(int count, double unit) {
  int const per_lane = count / pack_lanes + 1;
  return bound_of_rests(pack_lanes, per_lane) * unit + bound_of_underflows(pack_lanes, per_lane);
}

/// \brief One piece of a row.
///
/// \param start   Of the head.
/// \param moved   Receives bits where the head left its binade.
/// \param others  Receives bits where a value is not known to be a multiple of 2^g, if `seen` is start_of_multiples(g).
template <bool sees_grain, class T>
HWY_INLINE HeadAndRest absorb_piece(RowTerms<T> const& row, Pack start, IntegerPack& moved, Pack seen,
                                    IntegerPack& others) {
  // Packs of their own, which compilers keep in registers, and of which no row waits for another.
  Pack head = start, rest = zeros();
  IntegerPack const origin = bits_of_pack(start);
  IntegerPack moves = zero_integers(), unlike = moves;
  for_each_pack(row, [&](Pack value, Pack factor) HWY_ATTR {
    if constexpr (sees_grain) unlike = unlike | bits_if_no_multiple(value, seen);
    HeadAndRest sum(head, rest);
    absorb_product(sum, value, factor);
    head = sum.head;
    rest = sum.rest;
    moves = moves | (bits_of_pack(head) ^ origin);
  });
  moved = moved | moves;
  others = others | unlike;
  return HeadAndRest(head, rest);
}

/// A row of any length, with heads of its own in every piece. \param e  Receives an exponent above all products.
template <class T, class Index>
HWY_NOINLINE Enclosure enclose_row(SparseRows<T, Index> const& A, double const* x, int row, int& e) {
  PickedEntries picked;
  Enclosure sum = empty_sum();
  std::size_t const end = A.offsets[row + 1];
  e = FloatFormat<double>::min_exponent;
  for (std::size_t k = A.offsets[row]; k < end; k += sparse_piece) {
    auto const piece = pick_piece(A, x, k, end - k < sparse_piece ? end - k : sparse_piece, picked);
    int const own = exponent_above_products(piece);
    e = own > e ? own : e;
    if (!HeadStart::fits(own)) return {};
    HeadStart const heads(own);
    IntegerPack moved = zero_integers(), others = moved;
    Pack const start = broadcast(heads.start);
    HeadAndRest const of_piece = absorb_piece<false>(piece, start, moved, zeros(), others);
    if (has_bits(moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity)) return {};
    add_enclosure(sum, Enclosure{sum_of_real_lanes(of_piece.head - start), sum_of_real_lanes(of_piece.rest),
                                 bound_of_piece(piece.count, heads.unit)});
  }
  return sum;
}

/// Some rows, one after the other. \param e  Receives an exponent for the rows to come.
template <class T, class Index>
HWY_NOINLINE EnclosurePack enclose_each(SparseRows<T, Index> const& A, double const* x, int first, int rows, int& e) {
  double high[pack_lanes] = {}, low[pack_lanes] = {}, bound[pack_lanes] = {};
  e = FloatFormat<double>::min_exponent;
  for (int l = 0; l < rows; ++l) {
    int own;
    Enclosure const sum = enclose_row(A, x, first + l, own);
    if (own > e && HeadStart::fits(own)) e = own;
    high[l] = sum.high;
    low[l] = sum.low;
    bound[l] = sum.bound;
  }
  e += 1;
  return {load(high), load(low), load(bound)};
}

/// \brief What is known of some rows, one per lane; false if heads were too small. The bound is zero where the sums are
/// exact.
///
/// \param values  All of them, of which there are `count`. \param longest  Products of a row, at most.
template <bool sees_grain, class T>
HWY_INLINE bool know_rows(EnclosurePack const& found, HeadStart const& heads, IntegerPack moved, IntegerPack others,
                          T const* values, std::size_t count, int longest, KnownOfRows& known, EnclosurePack& sums) {
  // Products may be larger than the heads are made for as long as these stay in their binades: each lane is below 2^51
  // units then, and the sum of eight is a double if it is below 2^53.
  IntegerPack const too_large = ~mask_of(absolute(found.high) < broadcast(heads.start));
  if (has_bits(moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity) ||
      has_bits(too_large, ~std::uint64_t{0}))
    return false;
  sums = found;
  if constexpr (sees_grain) {
    if (has_bits(others, ~std::uint64_t{0})) refine(known, values, count);
    if (has_exact_rests(grain_of_products(known), heads.unit, static_cast<std::uint32_t>(longest)))
      sums.bound = zeros();
  }
  return true;
}

/// \brief How many entries of each row are worth a transpose: all of them, those of the first block, or none.
///
/// \param lengths  Of pack_lanes rows.
template <class T>
HWY_INLINE int entries_across(PickedRows<T> const& group, IntegerPack lengths) {
  auto const has_longer = [=](int length)
                              HWY_ATTR { return !hn::AllFalse(Integers(), lengths > broadcast_integer(length)); };
  if (pack_lanes < 4 || hn::AllTrue(Integers(), lengths > broadcast_integer(pack_lanes - 1))) return 0;
  int const entries = !has_longer(block_entries) || has_longer(short_row) ? block_entries : short_row;
  return group.offsets[pack_lanes] + entries <= group.entries_end ? entries : 0;
}

/// \brief The first entries of pack_lanes rows, of each row in a lane.
///
/// \param lengths  Of the rows. \param entries  Of each; zeros where it has fewer.
template <bool sees_grain, class T>
HWY_INLINE HeadAndRest absorb_across(PickedRows<T> const& group, IntegerPack lengths, int entries, Pack start,
                                     IntegerPack& moved, Pack seen, IntegerPack& others) {
  IntegerPack const origin = bits_of_pack(start);
  HeadAndRest sum(start, zeros());
  for (int k = 0; k < entries; k += block_entries) {
    Pack values[block_entries], factors[block_entries];
    auto const of_row = [=](auto const* from) HWY_ATTR {
      return [=](int l) HWY_ATTR { return load_part(from + (group.offsets[l] - group.offsets[0]) + k); };
    };
    load_block(of_row(group.all.values), values);
    load_block(of_row(group.all.factors), factors);
#pragma GCC unroll 8
    for (int j = 0; j < block_entries; ++j) {
      auto const exists = hn::RebindMask(Doubles(), lengths > broadcast_integer(k + j));
      Pack const value = hn::IfThenElseZero(exists, values[j]);
      if constexpr (sees_grain) others = others | bits_if_no_multiple(value, seen);
      absorb_product(sum, value, hn::IfThenElseZero(exists, factors[j]));
      moved = moved | (bits_of_pack(sum.head) ^ origin);
    }
  }
  return sum;
}

/// \brief As many rows as there are lanes, or fewer, with heads for the rows before; false if these are too small.
///
/// A row is the sum of a lane and of a pack of lanes. If that of the pack is not exact, it is 2^53 units or more, and what
/// the lane adds, at most 2^51, leaves no less than the start of heads; nor is the sum of both less if it is not exact. So
/// know_rows() finds them too large.
template <bool sees_grain, class T>
HWY_INLINE bool enclose_rows(PickedRows<T> const& group, int rows, KnownOfRows& known, EnclosurePack& sums) {
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  IntegerPack moved = zero_integers(), others = moved;
  Pack high = zeros(), low = high;
  int across = 0;
  std::uint32_t longer = set_of_first_lanes(rows);
  if (rows == pack_lanes) {
    auto const* const offsets = reinterpret_cast<std::int64_t const*>(group.offsets);
    IntegerPack const lengths = load_integers(offsets + 1) - load_integers(offsets);
    across = entries_across(group, lengths);
    if (across > 0) {
      HeadAndRest const sum = absorb_across<sees_grain>(group, lengths, across, start, moved, seen, others);
      high = sum.head - start;
      low = sum.rest;
      longer = set_of_lanes(hn::VecFromMask(Integers(), lengths > broadcast_integer(across)));
    }
  }
  int longest = across;
  if (longer != 0) {
    Pack head[pack_lanes], rest[pack_lanes];
#pragma GCC unroll 8
    for (int l = 0; l < pack_lanes; ++l) head[l] = rest[l] = zeros();
    for (; longer != 0; longer &= longer - 1) {
      int const l = hwy::Num0BitsBelowLS1Bit_Nonzero32(longer);
      RowTerms<T> const row = group.row(l);
      longest = row.count > longest ? row.count : longest;
      HeadAndRest const sum = absorb_piece<sees_grain>(
          RowTerms<T>{row.values + across, row.factors + across, row.count - across}, start, moved, seen, others);
      head[l] = sum.head - start;
      rest[l] = sum.rest;
    }
    high = high + sums_of_lanes(head);
    low = low + sums_of_lanes(rest);
  }
  // Of a row of which all entries are across, too.
  int const lanes = pack_lanes + 1, per_lane = across + longest / pack_lanes + 1;
  double const bound = bound_of_rests(lanes, per_lane) * heads.unit + bound_of_underflows(lanes, per_lane);
  return know_rows<sees_grain>({high, low, broadcast(bound)}, heads, moved, others, group.all.values,
                               static_cast<std::size_t>(group.all.count), longest, known, sums);
}

/// Heads and rests of shifted rows. Entry j of a block belongs to chain j % chains: of m entries no chain has more than
/// m / chains + 1.
inline constexpr int chains = 2;

struct ShiftedSums {
  Pack head[chains], rest[chains];
  IntegerPack moved[chains], others;

  // Written out: an implicit constructor is not compiled for the instruction set.
  HWY_INLINE explicit ShiftedSums(Pack start) : others(zero_integers()) {
    for (int c = 0; c < chains; ++c) {
      head[c] = start;
      rest[c] = zeros();
      moved[c] = zero_integers();
    }
  }
};

/// \brief Entries [done, n) of a block.
///
/// \tparam is_whole  Whether there are pack_lanes rows and n is block_entries.
/// \param next       So many values as in the block are prefetched, line by line, not row by row: those far behind it.
template <bool sees_grain, bool is_whole, class T, class Index>
HWY_INLINE void absorb_block(T const* values, T const* next, Index const* columns, double const* x,
                             std::size_t row_length, int rows, int done, int n, IntegerPack origin, Pack seen,
                             ShiftedSums& sums) {
  prefetch_lines(next, block_entries * pack_lanes);
  Pack block[block_entries];
  if constexpr (is_whole) {
    load_block(values, row_length, block);
  } else {
    load_block(values, row_length, rows, n, block);
  }
#pragma GCC unroll 8
  for (int j = 0; j < block_entries; ++j) {
    if constexpr (sees_grain) sums.others = sums.others | bits_if_no_multiple(block[j], seen);
    if (j < done || (!is_whole && j >= n)) continue;
    constexpr int mask = chains - 1;
    HeadAndRest sum(sums.head[j & mask], sums.rest[j & mask]);
    double const* const from = x + columns[j];
    absorb_product(sum, block[j], is_whole || rows == pack_lanes ? load(from) : load_some(from, rows));
    sums.head[j & mask] = sum.head;
    sums.rest[j & mask] = sum.rest;
    sums.moved[j & mask] = sums.moved[j & mask] | (bits_of_pack(sum.head) ^ origin);
  }
}

/// The same for rows of which each is the one before, shifted: of each row some heads and rests.
template <bool sees_grain, class T, class Index>
HWY_INLINE bool enclose_shifted(SparseRows<T, Index> const& A, double const* x, int first, int rows, KnownOfRows& known,
                                EnclosurePack& sums) {
  constexpr std::size_t in_block = block_entries;
  std::size_t const begin = A.offsets[first], count = A.offsets[first + 1] - begin;
  T const* const values = A.values + begin;
  Index const* const columns = A.columns + begin;
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  IntegerPack const origin = bits_of_pack(start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  ShiftedSums s(start);
  bool const is_whole = rows == pack_lanes && count >= in_block;
  int const n = count < in_block ? static_cast<int>(count) : block_entries;
  for (std::size_t k = 0; k < count; k += in_block) {
    // The last block has entries of the one before.
    std::size_t const at = count - k >= in_block || count < in_block ? k : count - in_block;
    int const done = static_cast<int>(k - at);
    std::size_t const before = k * pack_lanes;
    T const* const next = values + before + far_behind(A, begin + before, in_block * pack_lanes);
    if (is_whole) {
      absorb_block<sees_grain, true>(values + at, next, columns + at, x, count, rows, done, n, origin, seen, s);
    } else {
      absorb_block<sees_grain, false>(values + at, next, columns + at, x, count, rows, done, n, origin, seen, s);
    }
  }
  IntegerPack moved = s.moved[0];
  Pack high = s.head[0] - start, low = s.rest[0];
  for (int c = 1; c < chains; ++c) {
    moved = moved | s.moved[c];
    high = high + (s.head[c] - start);
    low = low + s.rest[c];
  }
  int const longest = static_cast<int>(count), per_chain = longest / chains + 1;
  double const bound = bound_of_rests(chains, per_chain) * heads.unit + bound_of_underflows(chains, per_chain);
  return know_rows<sees_grain>({high, low, broadcast(bound)}, heads, moved, s.others, values,
                               A.offsets[first + rows] - begin, longest, known, sums);
}
