// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows as enclosures: along a row, piece by piece if it is long, and across rows that are shifted.
//
// Included inside the namespace of each instruction set, behind ExaktSparse_ShiftedRows-inl.hpp.

struct PickedEntries {
  double at[sparse_piece];
};

/// A piece of a row; its entries of x are picked.
template <class T, class Index>
HWY_INLINE RowTerms<T> pick_piece(SparseRows<T, Index> const& A, double const* x, std::size_t begin, std::size_t count,
                                  PickedEntries& picked) {
  pick_entries(A.values + begin, A.columns + begin, x, count, picked.at);
  return {A.values + begin, picked.at, static_cast<int>(count)};
}

/// Some rows one after the other, of at most sparse_piece entries in all. \param T  Of the values.
template <class T>
struct PickedRows {
  RowTerms<T> all;
  std::size_t const* offsets;  // in the matrix

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
/// \param others  Receives bits where a value is not known to be a multiple of 2^g, if `seen` is 1.5 * 2^(g + 52).
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

/// \brief As many rows as there are lanes, or fewer, with heads for the rows before; false if these are too small.
template <bool sees_grain, class T>
HWY_INLINE bool enclose_rows(PickedRows<T> const& group, int rows, KnownOfRows& known, EnclosurePack& sums) {
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  IntegerPack moved = zero_integers(), others = moved;
  Pack head[pack_lanes], rest[pack_lanes];
#pragma GCC unroll 8
  for (int l = 0; l < pack_lanes; ++l) head[l] = rest[l] = zeros();
  int longest = 0;
  RowTerms<T> row{group.all.values, group.all.factors, 0};
  for (int l = 0; l < rows; ++l, row.values += row.count, row.factors += row.count) {
    row.count = static_cast<int>(group.offsets[l + 1] - group.offsets[l]);
    longest = row.count > longest ? row.count : longest;
    HeadAndRest const sum = absorb_piece<sees_grain>(row, start, moved, seen, others);
    head[l] = sum.head - start;
    rest[l] = sum.rest;
  }
  return know_rows<sees_grain>(
      {sums_of_lanes(head), sums_of_lanes(rest), broadcast(bound_of_piece(longest, heads.unit))}, heads, moved, others,
      group.all.values, static_cast<std::size_t>(group.all.count), longest, known, sums);
}

/// The same for rows of which each is the one before, shifted: of each row two heads and rests.
template <bool sees_grain, class T, class Index>
HWY_INLINE bool enclose_shifted(SparseRows<T, Index> const& A, double const* x, int first, int rows, KnownOfRows& known,
                                EnclosurePack& sums) {
  std::size_t const begin = A.offsets[first], count = A.offsets[first + 1] - begin;
  HeadStart const heads(known.e);
  Pack const start = broadcast(heads.start);
  IntegerPack const origin = bits_of_pack(start);
  Pack const seen = sees_grain ? start_of_multiples(known.grain_of_values) : zeros();
  Pack head = start, rest = zeros(), second_head = start, second_rest = rest;
  IntegerPack moved = zero_integers(), second_moved = moved, others = moved;
  auto const absorb = [&](Pack value, Index column, Pack& h, Pack& r, IntegerPack& m) HWY_ATTR {
    HeadAndRest sum(h, r);
    absorb_product(sum, value, rows == pack_lanes ? load(x + column) : load_some(x + column, rows));
    h = sum.head;
    r = sum.rest;
    m = m | (bits_of_pack(h) ^ origin);
  };
  for (std::size_t k = 0; k < count; k += pack_lanes) {
    int const n = count - k < pack_lanes ? static_cast<int>(count - k) : pack_lanes;
    for (std::size_t l = 0; l < pack_lanes * pack_lanes; l += 64 / sizeof(T))
      prefetch(A.values + begin + k * pack_lanes + l + prefetch_distance);  // line by line, not row by row
    Pack values[pack_lanes];
    load_block(A.values + begin + k, count, rows, n, values);
    if constexpr (sees_grain) {
      for (int l = 0; l < pack_lanes; ++l) others = others | bits_if_no_multiple(values[l], seen);
    }
    transpose(values);
#pragma GCC unroll 4
    for (int j = 0; j < pack_lanes; j += 2) {
      if (j < n) absorb(values[j], A.columns[begin + k + j], head, rest, moved);
      if (j + 1 < n) absorb(values[j + 1], A.columns[begin + k + j + 1], second_head, second_rest, second_moved);
    }
  }
  int const longest = static_cast<int>(count), per_chain = longest / 2 + 1;
  double const bound = bound_of_rests(2, per_chain) * heads.unit + bound_of_underflows(2, per_chain);
  return know_rows<sees_grain>({(head - start) + (second_head - start), rest + second_rest, broadcast(bound)}, heads,
                               moved | second_moved, others, A.values + begin, A.offsets[first + rows] - begin, longest,
                               known, sums);
}
