// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extraction on packs: tiles of terms into integers (summation/Exakt_ExtractionLevels.hpp has the method and its
// proof).
//
// Included inside a namespace that has packs and their error-free operations: once for each instruction set of the
// kernels (Exakt_Lanes-inl.hpp), where the functions must be compiled for it, and once for all other code
// (summation/Exakt_Pack.hpp), on devices with one lane.

/// The heads of Levels levels in one register each; every level leaves a remainder to the next.
template <int Levels>
struct LevelHeads {
  Pack head;
  LevelHeads<Levels - 1> next;

  KOKKOS_FORCEINLINE_FUNCTION explicit LevelHeads(double const* start) : head(broadcast(*start)), next(start + 1) {}

  /// Returns what the last level leaves. Levels have one or two of their three additions in units that multiply, in turn.
  KOKKOS_FORCEINLINE_FUNCTION Pack absorb(Pack t, FusedAdder adder) {
    // A term may be a product, which is not to be fused with what is done to it.
    Pack const s = rounded_sum(head, t);
    Pack const remainder = adder.difference(t, Levels % 2 == 0 ? adder.difference(s, head) : s - head);
    head = s;
    return next.absorb(remainder, adder);
  }

  /// What this chain and the other have absorbed, in units of each level.
  KOKKOS_FORCEINLINE_FUNCTION void absorbed_with(LevelHeads const& other, double const* start,
                                                 std::int64_t* units) const {
    IntegerPack const origin = bits_of_pack(broadcast(*start));
    *units = sum_of_lanes((bits_of_pack(head) - origin) + (bits_of_pack(other.head) - origin));
    next.absorbed_with(other.next, start + 1, units + 1);
  }
};

template <>
struct LevelHeads<0> {
  KOKKOS_FORCEINLINE_FUNCTION explicit LevelHeads(double const*) {}
  KOKKOS_FORCEINLINE_FUNCTION Pack absorb(Pack t, FusedAdder) { return t; }
  KOKKOS_FORCEINLINE_FUNCTION void absorbed_with(LevelHeads const&, double const*, std::int64_t*) const {}
};

/// One of the independent chains that a tile is dealt to, with its evidence.
template <int Levels>
struct ExtractionChain {
  LevelHeads<Levels> heads;
  FusedAdder adder;
  IntegerPack origin;  // bits of C_1
  IntegerPack moved;   // OR of bits(s) ^ bits(C_1): no bit of the exponent, if s stayed in the binade
  IntegerPack left;    // OR of what the last level left
  Pack least;          // of the magnitudes of products

  KOKKOS_FORCEINLINE_FUNCTION explicit ExtractionChain(double const* start)
      : heads(start),
        origin(bits_of_pack(broadcast(*start))),
        moved(zero_integers()),
        left(zero_integers()),
        least(broadcast(power_of_two(FloatFormat<double>::max_exponent))) {}

  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    left = left | bits_of_pack(heads.absorb(t, adder));
    moved = moved | (bits_of_pack(heads.head) ^ origin);
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(ErrorFree<Pack> const& product) {
    absorb(product.value);
    left = left | bits_of_pack(heads.next.absorb(product.error, adder));
    least = smaller(absolute(product.value), least);
  }
};

/// From here on the error of a product is zero or normal.
KOKKOS_FORCEINLINE_FUNCTION double smallest_safe_product() {
  using F = FloatFormat<double>;
  return power_of_two(F::min_exponent + 2 * F::precision);
}

/// Lanes whose product and error may not be exact (see two_product).
KOKKOS_FORCEINLINE_FUNCTION IntegerPack splits_unsafely(Pack a, Pack b) {
  return splits_inexactly(a, b, rounded_product(a, b), smallest_safe_product(),
                          power_of_two(FloatFormat<double>::max_exponent - 2));
}

/// A tile of terms: packs, and a rest of less than one. T is float or double.
template <class T>
class TermTile {
 public:
  static constexpr int capacity = extraction_tile_size;

  /// \param ahead  How many terms before its use a pack is asked for; 0 if the terms are in the cache.
  KOKKOS_FORCEINLINE_FUNCTION TermTile(T const* terms, int count, int ahead = 0)
      : m_terms(terms), m_count(count), m_ahead(ahead) {}

  KOKKOS_FORCEINLINE_FUNCTION T const* data() const { return m_terms; }
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return m_count; }
  KOKKOS_FORCEINLINE_FUNCTION int ahead() const { return m_ahead; }

  KOKKOS_FORCEINLINE_FUNCTION int packs() const { return m_count / pack_lanes; }
  KOKKOS_FORCEINLINE_FUNCTION Pack operator[](int i) const { return load(m_terms + i * pack_lanes); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_rest() const { return m_count % pack_lanes != 0; }
  KOKKOS_FORCEINLINE_FUNCTION Pack rest() const {
    return load_some(m_terms + packs() * pack_lanes, m_count % pack_lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_behind(int i) const { prefetch(m_terms + i * pack_lanes + m_ahead); }

  static KOKKOS_FORCEINLINE_FUNCTION Pack magnitude(Pack t) { return absolute(t); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_split_exactly(Pack) const { return true; }

 private:
  T const* m_terms;
  int m_count, m_ahead;
};

/// A tile of products of float or double.
template <class X, class Y>
class ProductTile {
 public:
  static constexpr int capacity = extraction_tile_size / 2;

  KOKKOS_FORCEINLINE_FUNCTION ProductTile(X const* x, Y const* y, int count, int ahead = 0)
      : m_x(x, count, ahead), m_y(y, count, ahead) {}

  KOKKOS_FORCEINLINE_FUNCTION TermTile<X> const& x() const { return m_x; }
  KOKKOS_FORCEINLINE_FUNCTION TermTile<Y> const& y() const { return m_y; }

  KOKKOS_FORCEINLINE_FUNCTION int packs() const { return m_x.packs(); }
  KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> operator[](int i) const { return two_product_of_packs(m_x[i], m_y[i]); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_rest() const { return m_x.has_rest(); }
  KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> rest() const { return two_product_of_packs(m_x.rest(), m_y.rest()); }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_behind(int i) const {
    m_x.prefetch_behind(i);
    m_y.prefetch_behind(i);
  }

  static KOKKOS_FORCEINLINE_FUNCTION Pack magnitude(ErrorFree<Pack> const& product) { return absolute(product.value); }

  /// Whether each product is its value and error. Too large ones show on the first head, too large factors in NaN that
  /// Dekker's product leaves; if the least product is large enough, no factor has to be looked at.
  KOKKOS_FORCEINLINE_FUNCTION bool is_split_exactly(Pack least) const {
    if (!has_bits(mask_of(least < broadcast(smallest_safe_product())), ~std::uint64_t{0})) return true;
    return is_split_exactly();
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_split_exactly() const {
    IntegerPack unsafe = splits_unsafely(m_x.rest(), m_y.rest());
    EXAKT_UNROLLED_LOOP
    for (int i = 0; i < packs(); ++i) unsafe = unsafe | splits_unsafely(m_x[i], m_y[i]);
    return !has_bits(unsafe, ~std::uint64_t{0});
  }

  TermTile<X> m_x;
  TermTile<Y> m_y;
};

/// The largest magnitude, of products rounded; an infinity if one is there. NaN are overlooked.
template <class Tile>
KOKKOS_FORCEINLINE_FUNCTION double largest_of_tile(Tile const& tile) {
  // The second operand is kept where the first one is NaN.
  Pack largest[2] = {larger(Tile::magnitude(tile.rest()), zeros()), zeros()};
  int const packs = tile.packs();
  if (packs % 2 != 0) largest[1] = larger(Tile::magnitude(tile[packs - 1]), largest[1]);
  EXAKT_UNROLLED_LOOP
  for (int i = 0; i + 1 < packs; i += 2) {
    tile.prefetch_behind(i);
    tile.prefetch_behind(i + 1);
    largest[0] = larger(Tile::magnitude(tile[i]), largest[0]);
    largest[1] = larger(Tile::magnitude(tile[i + 1]), largest[1]);
  }
  return largest_lane(larger(largest[0], largest[1]));
}

/// \brief The sum of a tile in units of Levels levels, started for terms below 2^e; false if that is not proved exact.
///
/// \param lowest  A lower bound of the exponents of all terms' last bits.
template <int Levels, class Tile>
KOKKOS_FORCEINLINE_FUNCTION bool extract_tile(Tile const& tile, int e, int lowest, std::int64_t* units) {
  using F = FloatFormat<double>;
  if (e + level_head > F::max_exponent) return false;  // C_1 has to be finite
  double start[Levels];
  for (int k = 0; k < Levels; ++k) start[k] = level_start(level_unit(e, k, lowest));

  ExtractionChain<Levels> even(start), odd = even;
  int const packs = tile.packs();
  if (tile.has_rest()) even.absorb(tile.rest());
  if (packs % 2 != 0) odd.absorb(tile[packs - 1]);
  // Most tiles that fail do so in their first terms. Pairs of packs up to the 16th are looked at, the 128th, and so on.
  for (int i = 0, next_look = 16;; next_look *= 8) {
    int const end = next_look < packs ? next_look : packs;
    EXAKT_UNROLLED_LOOP
    for (; i + 1 < end; i += 2) {
      tile.prefetch_behind(i);
      tile.prefetch_behind(i + 1);
      even.absorb(tile[i]);
      odd.absorb(tile[i + 1]);
    }
    // A NaN leaves the binade as an infinity does, and is not zero.
    IntegerPack const failures =
        masked(even.left | odd.left, ~F::sign_mask) | masked(even.moved | odd.moved, F::sign_mask | F::infinity);
    if (has_bits(failures, ~std::uint64_t{0})) return false;
    if (end == packs) break;
  }
  if (!tile.is_split_exactly(smaller(even.least, odd.least))) return false;
  even.heads.absorbed_with(odd.heads, start, units);
  return true;
}
