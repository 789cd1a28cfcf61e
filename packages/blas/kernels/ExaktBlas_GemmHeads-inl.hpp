// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of C whose sums cancel: several heads and a rest for each entry, which nearly always are the exact sum.
// Included by ExaktBlas_GemmTiles.cpp for each instruction set.

/// Where the heads of one level begin, each 2^(52 - h) below the one before.
HWY_INLINE Pack start_of_head(GemmTile const& tile, int column, int p, int head) {
  Pack start = start_of(tile, column, p);
  for (int h = 0; h < head; ++h) start = start * broadcast(tile.headroom * 0x1p-52);
  return start;
}

/// \brief Sums that cancel: several heads M_1, M_2, ..., each for what the one before has left.
///
/// With products p + r = a*b, exactly, below 2^e, and k < 2^(h - 1) of them:
///
///     s = M_1 + p;         t = p - (s - M_1);      M_1 = s
///     n = (M_2 + t) + r;   d = t - (n - M_2);      M_2 = n
///     w = d + r;           r = r - (w - d);        t = w;      and so on with M_3; after the last one R = R + w
///
/// M_1 is started at 1.5 * 2^(e + h), its unit is u_1 = 2^(e + h - 52); each other head 2^(52 - h) below the one
/// before. Let g = ulp(p) at first, later ulp(w): t is a multiple of g with |t| < 2^53 g, and |r| <= g/2. With v the
/// unit of the head:
/// - n is rounded twice, by at most v/2 each, so d + r, of at most v, is the sum of the two.
/// - d is exact. If g >= v, it is a multiple of v below g + v <= 2^53 v; if 2^-52 v <= g < v, one of g below 2 v. If g
///   is smaller still, |t| < 2 v and r does not change n: n - M is 0, or t is between its half and its double.
/// - w - d and the new r are exact, |r| <= ulp(w)/2: nothing is lost between heads. If g < v, d is a multiple of g, zero or
///   larger than |r|. If g >= v, M + t is exact and d is -r rounded to a multiple of v: zero, or within a factor of two of
///   -r, and then w is d + r exactly (Sterbenz) and the new r zero.
/// - A head moves by at most |t| + |r| + v for a product, with |t + r| at most the unit v' of the one before: by less
///   than (k + 1) v' in all, while it has room for 2^(h - 1) v'. So all heads stay in their binades.
/// - After the last head |w| <= v and |R| <= k v, so R is off by less than k(k + 1)/2 * 2^-53 v from its additions and
///   k * 2^-53 v from its terms, below bound_of_rests(1, k) * v.
/// - If all products are multiples of some G, a power of two, so is all that is left of them; where k v <= 2^53 G, R
///   has room for all of it, and heads and R are the exact sum.
template <int heads>
void multiply_carefully(GemmTile const& tile, int first_column, double* parts) {
  constexpr int columns = careful_columns[heads];
  constexpr std::ptrdiff_t plane_of_heads = columns * column_step;
  static_assert(tile_columns % columns == 0);
  Pack head[heads][columns][packs_of_tile], rest[columns][packs_of_tile];
  HWY_UNROLL(8)
  for (int c = 0; c < columns; ++c) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) {
      HWY_UNROLL(8)
      for (int h = 0; h < heads; ++h) head[h][c][p] = start_of_head(tile, first_column + c, p, h);
      rest[c][p] = broadcast(0);
    }
  }
  double const *a = tile.a, *b = tile.b + first_column;
  for (std::size_t k = tile.depth; k > 0; --k, a += tile_rows, b += tile_columns) {
    Pack entries[packs_of_tile];
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + pack_at(p));
    HWY_UNROLL(8)
    for (int c = 0; c < columns; ++c) {
      Pack const factor = broadcast_from(b + c);
      HWY_UNROLL(8)
      for (int p = 0; p < packs_of_tile; ++p) {
        Pack t = rounded_product(entries[p], factor), r = fused_subtract(entries[p], factor, t);
        Pack const s = head[0][c][p] + t;
        t = t - (s - head[0][c][p]);
        head[0][c][p] = s;
        HWY_UNROLL(8)
        for (int h = 1; h < heads; ++h) {
          Pack const n = (head[h][c][p] + t) + r, d = t - (n - head[h][c][p]);
          head[h][c][p] = n;
          t = d + r;
          r = r - (t - d);
        }
        rest[c][p] = rest[c][p] + t;
      }
    }
  }
  HWY_UNROLL(8)
  for (int c = 0; c < columns; ++c) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) {
      double* const to = parts + c * column_step + pack_at(p);
      HWY_UNROLL(8)
      for (int h = 0; h < heads; ++h)
        store(head[h][c][p] - start_of_head(tile, first_column + c, p, h), to + h * plane_of_heads);
      store(rest[c][p], to + heads * plane_of_heads);
    }
  }
}

/// Where heads and rests are the exact sum: errors of products are numbers, no factor is infinite, NaN or huge, and the
/// rest has room for multiples of the unit of the products, G: with the unit v of the last heads, k v <= 2^53 G.
///
/// \param start  Where the last heads began, at least 2^52 v.
HWY_INLINE IntegerPack parts_are_exact(GemmTile const& tile, int column, int p, Pack start) {
  Pack const unit = unit_of(tile, column, p);
  Pack const largest = load(tile.row_magnitudes + pack_at(p)) * broadcast(tile.column_magnitudes[column]);
  double const k = static_cast<double>(tile.depth);
  return mask_of(largest < broadcast(HUGE_VAL)) & mask_of(unit > broadcast(0)) &
         mask_of(start * broadcast(k * 0x1p-52) <= unit * broadcast(0x1p53));
}

template <class R>
void try_round_parts(GemmTile const& tile, int heads, int first_column, double const* parts, Factors const& factors,
                     Strided<R> const& C, std::uint32_t* decided, std::uint32_t* exact) {
  int const columns = careful_columns[heads];
  std::ptrdiff_t const plane_of_heads = columns * column_step;
  for (int c = 0; c < columns && first_column + c < tile.columns; ++c) {
    int const column = first_column + c;
    exact[c] = 0;
    for (int p = 0; p < packs_of_tile && lanes_of(tile, p) > 0; ++p) {
      double const* const from = parts + c * column_step + pack_at(p);
      // Heads cancel: their sum is split exactly.
      EnclosurePack sum{broadcast(0), broadcast(0), broadcast(0)};
      for (int h = 0; h < heads; ++h) add_enclosure(sum, {load(from + h * plane_of_heads), broadcast(0), broadcast(0)});
      Pack const start = start_of_head(tile, column, p, heads - 1);
      IntegerPack const is_exact = parts_are_exact(tile, column, p, start);
      exact[c] |= (set_of_lanes(is_exact) & set_of_first_lanes(lanes_of(tile, p))) << (p * pack_lanes);
      // Zero where the parts are exact.
      Pack const bound =
          hn::BitCast(Doubles(), bits_of_pack(bound_of_lanes(start, static_cast<int>(tile.depth))) & ~is_exact);
      add_enclosure(sum, {broadcast(0), load(from + heads * plane_of_heads), bound});
      try_round_pack(tile, column, p, sum, factors, C, decided[column]);
    }
  }
}
