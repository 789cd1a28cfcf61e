// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums along an array, enclosed tile by tile (Exakt_EnclosedSum.hpp has the method and its proof).
//
// Included inside the namespace of each instruction set, behind the enclosure: what it loads are packs.

template <class X>
struct Values {
  X const* x;
  int ahead = 0;  // distance_ahead()

  template <class Chain>
  HWY_INLINE void absorb(Chain& chain, int i) const {
    chain.absorb(load(x + i));
  }
  template <class Chain>
  HWY_INLINE void absorb_some(Chain& chain, int i, int n) const {
    chain.absorb(load_some(x + i, n));
  }
  HWY_INLINE void prefetch(int i, int count) const { prefetch_all(x + ahead + i, count); }
  HWY_INLINE Pack magnitude(int i) const { return absolute(load(x + i)); }
  HWY_INLINE Pack magnitude_of_some(int i, int n) const { return absolute(load_some(x + i, n)); }
  HWY_INLINE IntegerPack are_not_zero(std::size_t i) const { return mask_of(load(x + i) != zeros()); }
  HWY_INLINE IntegerPack are_not_zero_of_some(std::size_t i, int n) const {
    return mask_of(load_some(x + i, n) != zeros());
  }
};

template <class X>
struct Magnitudes : Values<X> {
  template <class Chain>
  HWY_INLINE void absorb(Chain& chain, int i) const {
    chain.absorb(absolute(load(this->x + i)));
  }
  template <class Chain>
  HWY_INLINE void absorb_some(Chain& chain, int i, int n) const {
    chain.absorb(absolute(load_some(this->x + i, n)));
  }
};

template <class X, class Y>
struct Products {
  X const* x;
  Y const* y;
  int ahead = 0;  // as above

  template <class Chain>
  HWY_INLINE void absorb(Chain& chain, int i) const {
    chain.absorb(load(x + i), load(y + i));
  }
  template <class Chain>
  HWY_INLINE void absorb_some(Chain& chain, int i, int n) const {
    chain.absorb(load_some(x + i, n), load_some(y + i, n));
  }
  HWY_INLINE void prefetch(int i, int count) const {
    prefetch_all(x + ahead + i, count);
    prefetch_all(y + ahead + i, count);
  }
  HWY_INLINE Pack magnitude(int i) const { return absolute(rounded_product(load(x + i), load(y + i))); }
  HWY_INLINE Pack magnitude_of_some(int i, int n) const {
    return absolute(rounded_product(load_some(x + i, n), load_some(y + i, n)));
  }
  /// Products that underflow are not zero.
  HWY_INLINE IntegerPack are_not_zero(std::size_t i) const {
    return mask_of(load(x + i) != zeros()) & mask_of(load(y + i) != zeros());
  }
  HWY_INLINE IntegerPack are_not_zero_of_some(std::size_t i, int n) const {
    return mask_of(load_some(x + i, n) != zeros()) & mask_of(load_some(y + i, n) != zeros());
  }
};

/// Whether all terms are zeros, where there are no infinities and NaN.
template <class Terms>
[[maybe_unused]] HWY_NOINLINE bool are_zeros(Terms const& terms, std::size_t n) {
  IntegerPack others = zero_integers();
  std::size_t i = 0;
  for (; i + pack_lanes <= n; i += pack_lanes) others = others | terms.are_not_zero(i);
  if (i < n) others = others | terms.are_not_zero_of_some(i, static_cast<int>(n - i));
  return !has_bits(others, ~std::uint64_t{0});
}

inline constexpr int lanes_of_tile = enclosure_chains * pack_lanes;
inline constexpr int terms_per_lane =
    enclosure_tile_size / lanes_of_tile + enclosure_chains;  // the first chain takes the tail
static_assert(terms_per_lane < (1 << (level_head - 1)), "the heads of a tile of terms below 2^e stay in their binade");
static_assert(lanes_of_tile <= extraction_lanes_at_most);

/// \brief Encloses at most enclosure_tile_size terms; false, and nothing said, if one is too large for the heads.
///
/// \tparam Chain  Not watched only if the heads are made for these terms.
template <class Chain, class Terms>
HWY_INLINE bool enclose_tile(Terms const& terms, int count, HeadStart const& heads, Enclosure& sum) {
  Chain a(heads.start), b = a, c = a, d = a;
  int const packs = count / pack_lanes, tail = count % pack_lanes;
  int i = 0;
  for (int p = enclosure_chains; p <= packs; p += enclosure_chains, i += lanes_of_tile) {
    terms.prefetch(i, lanes_of_tile);
    terms.absorb(a, i);
    terms.absorb(b, i + pack_lanes);
    terms.absorb(c, i + 2 * pack_lanes);
    terms.absorb(d, i + 3 * pack_lanes);
  }
  for (int p = packs % enclosure_chains; p > 0; --p, i += pack_lanes) terms.absorb(a, i);
  if (tail > 0) terms.absorb_some(a, i, tail);

  if (leaves_binade((a.all_moves() | b.all_moves()) | (c.all_moves() | d.all_moves()))) return false;
  std::int64_t const units = sum_of_lanes((a.units() + b.units()) + (c.units() + d.units()));
  double const rest = sum_of_real_lanes((a.rest + b.rest) + (c.rest + d.rest));
  // Of products that underflow, and for the rounding of a subnormal bound.
  constexpr double underflows = bound_of_underflows(lanes_of_tile, terms_per_lane, 0x1p-1074);
  sum = heads.read(units, rest, bound_of_rests(lanes_of_tile, terms_per_lane) * heads.unit + underflows);
  // No interval decides a sum of zeros.
  if (sum.high == 0 && sum.low == 0 && are_zeros(terms, static_cast<std::size_t>(count))) sum.bound = 0;
  return true;
}

/// An exponent above all terms of a tile; NaN may be overlooked.
template <class Terms>
HWY_INLINE int exponent_above_terms(Terms const& terms, int count) {
  Pack a = zeros(), b = a, c = a, d = a;
  int i = 0;
  for (; i + lanes_of_tile <= count; i += lanes_of_tile) {
    a = larger(terms.magnitude(i), a);
    b = larger(terms.magnitude(i + pack_lanes), b);
    c = larger(terms.magnitude(i + 2 * pack_lanes), c);
    d = larger(terms.magnitude(i + 3 * pack_lanes), d);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(terms.magnitude(i), a);
  if (i < count) b = larger(terms.magnitude_of_some(i, count - i), b);
  return exponent_above(largest_lane(larger(larger(a, b), larger(c, d))));
}

/// A tile with heads made for it; false if there are none.
template <class Terms>
HWY_INLINE bool enclose_by_itself(Terms const& terms, int count, int& e, Enclosure& sum) {
  e = exponent_above_terms(terms, count);
  return HeadStart::fits(e) && enclose_tile<EnclosureChainOf<false>>(terms, count, HeadStart(e), sum);
}

constexpr int sample_size = 128, worth_guessing = 2 * sample_size;

/// Several samples are guessed to have no term above four times the largest of the first one.
template <class Terms>
HWY_INLINE int guessed_exponent(Terms const& terms) {
  return exponent_above_terms(terms, sample_size) + 2;
}

/// \brief Encloses any number of terms, which are read twice, tile by tile; false if they are not finite or too large
/// for a head.
///
/// \param tile_at  tile_at(i, ahead): the terms from number i on. \param behind  Of the array, behind the n terms.
template <class TileAt>
HWY_INLINE bool enclose_all(TileAt const& tile_at, std::size_t n, std::size_t behind, Enclosure& result) {
  int e;
  if (n <= worth_guessing) return enclose_by_itself(tile_at(0, 0), static_cast<int>(n), e, result);
  Enclosure sum = empty_sum(), of_tile;
  e = unknown_exponent;
  for (std::size_t begin = 0; begin < n; begin += enclosure_tile_size) {
    int const count = n - begin < enclosure_tile_size ? static_cast<int>(n - begin) : enclosure_tile_size;
    auto const terms = tile_at(begin, distance_ahead(n - begin - static_cast<std::size_t>(count) + behind));
    if (e == unknown_exponent && count > worth_guessing) e = guessed_exponent(terms);
    if (!(HeadStart::fits(e) && enclose_tile<EnclosureChain>(terms, count, HeadStart(e), of_tile)) &&
        !enclose_by_itself(terms, count, e, of_tile))
      return false;
    add_enclosure(sum, of_tile);
    if (HeadStart(e).are_needlessly_large(of_tile)) e = unknown_exponent;
  }
  result = sum;
  return true;
}
