// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FOLDTILE_HPP
#define EXAKT_FOLDTILE_HPP

/// \file
/// \brief A tile of terms into integers, at three floating-point operations per term and level.
///
/// An expansion pays six operations for an error-free sum (TwoSum), because either operand may be the larger one.
/// A fold keeps a head that always dominates and pays FastTwoSum's three. Level k starts its head M at
///
///     C_k = 1.5 * 2^(e_k + 12),    unit u_k = ulp(C_k) = 2^(e_k - 40),    e_(k+1) = e_k - 40
///
/// and does, for a term t:
///
///     s = M + t;   q = s - M;   t = t - q;   M = s
///
/// - While M and s are in the binade of C_k, [2^(e_k + 12), 2^(e_k + 13)), both are multiples of u_k and |t| < M.
///   Then q is exact, a multiple of u_k, and so is t - q (FastTwoSum), |t - q| <= u_k / 2 < 2^(e_(k+1)).
/// - There, numbers and their bits are proportional: bits(M) - bits(C_k) is the exact sum of all q in units of u_k,
///   below 2^51 in absolute value, so the lanes of all packs add up in an int64.
/// - m terms of at most 2^(e_k) move M by at most m * 2^(e_k). With m < 2^11 this is less than 2^(e_k + 11), half of
///   the way from C_k to either end of its binade: M stays. From the second level on that is certain. On the first
///   it is certain when e_1 comes from the terms; when it is a guess, every s is checked to have the exponent of C_1.
///
/// A product a*b is two terms: its rounded value p enters the first level, its error r = a*b - p, of at most 2^-53 |p|,
/// the second. Levels from there on take two terms for each product.

#include "../Exakt_ErrorFree.hpp"
#include "Exakt_Pack.hpp"

namespace Exakt::Impl {

inline constexpr int fold_head = 12;  // heads are 2^12 above the largest term of their level
inline constexpr int fold_step = FloatFormat<double>::precision - 1 - fold_head;  // bits that a level absorbs: 40
inline constexpr int fold_chains = 2;        // independent heads, which hide the latency of an addition
inline constexpr int fold_tile_size = 2048;  // terms; they stay in the first-level cache

/// Entries. Computation between loads starves the prefetcher of the processor: without this, folds of terms from memory
/// take 1.5 to 1.9 times as long.
inline constexpr int prefetch_distance = 512;

static_assert(fold_tile_size / fold_chains + 2 < (1 << (fold_head - 1)),
              "a head takes fewer than 2^11 terms, even with packs of one lane");

/// The exponent e with x < 2^e <= 2*x, for a normal x; for smaller ones an upper bound.
KOKKOS_FORCEINLINE_FUNCTION int exponent_above(double x) {
  using F = FloatFormat<double>;
  return static_cast<int>(bits_of(x) >> (F::precision - 1)) - F::max_exponent + 1;
}

/// 2^e for normal results.
KOKKOS_FORCEINLINE_FUNCTION double power_of_two(int e) {
  using F = FloatFormat<double>;
  return bit_cast<double>(static_cast<std::uint64_t>(e + F::max_exponent) << (F::precision - 1));
}

/// Exponents of the units u_1, u_2, ... for terms below 2^e. Below the lowest bit of the terms nothing can be left, so
/// the last levels of small terms all end there.
KOKKOS_FORCEINLINE_FUNCTION int fold_unit(int e, int level, int lowest) {
  int const wanted = e - fold_step * (level + 1);
  return wanted > lowest ? wanted : lowest;
}

/// C_k for the unit 2^unit: the first bit behind the leading one is set.
KOKKOS_FORCEINLINE_FUNCTION double fold_start(int unit) {
  constexpr int stored = FloatFormat<double>::precision - 1;
  return bit_cast<double>(bits_of(power_of_two(unit + stored)) | std::uint64_t{1} << (stored - 1));
}

/// The heads of Levels levels in one register each; every level leaves a remainder to the next.
template <int Levels>
struct FoldHeads {
  Pack head;
  FoldHeads<Levels - 1> next;

  KOKKOS_FORCEINLINE_FUNCTION explicit FoldHeads(double const* start) : head(broadcast(*start)), next(start + 1) {}

  KOKKOS_FORCEINLINE_FUNCTION Pack absorb(Pack t) {
    Pack const s = head + t;
    Pack const remainder = t - (s - head);
    head = s;
    return next.absorb(remainder);
  }

  /// What this chain and the other have absorbed, in units of each level.
  KOKKOS_FORCEINLINE_FUNCTION void absorbed_with(FoldHeads const& other, double const* start,
                                                 std::int64_t* units) const {
    auto const origin = static_cast<std::int64_t>(bits_of(*start));
    *units = sum_of_lanes((bits_of_pack(head) - origin) + (bits_of_pack(other.head) - origin));
    next.absorbed_with(other.next, start + 1, units + 1);
  }
};

template <>
struct FoldHeads<0> {
  KOKKOS_FORCEINLINE_FUNCTION explicit FoldHeads(double const*) {}
  KOKKOS_FORCEINLINE_FUNCTION Pack absorb(Pack t) { return t; }
  KOKKOS_FORCEINLINE_FUNCTION void absorbed_with(FoldHeads const&, double const*, std::int64_t*) const {}
};

/// One of the independent chains that a tile is dealt to, with its evidence.
template <int Levels>
struct FoldChain {
  FoldHeads<Levels> heads;
  IntegerPack origin;  // bits of C_1
  IntegerPack moved;   // OR of bits(s) ^ bits(C_1): no bit of the exponent, if s stayed in the binade
  IntegerPack left;    // OR of what the last level left
  Pack least;          // of the magnitudes of products

  KOKKOS_FORCEINLINE_FUNCTION explicit FoldChain(double const* start)
      : heads(start),
        origin(bits_of_pack(broadcast(*start))),
        moved{},
        left{},
        least(broadcast(power_of_two(FloatFormat<double>::max_exponent))) {}

  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    left |= bits_of_pack(heads.absorb(t));
    moved |= bits_of_pack(heads.head) ^ origin;
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(ErrorFree<Pack> const& product) {
    absorb(product.value);
    left |= bits_of_pack(heads.next.absorb(product.error));
    least = smaller(absolute(product.value), least);
  }
};

/// a + b as value + error, see two_sum.
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> two_sum_of_packs(Pack a, Pack b) {
  Pack const sum = a + b, b_part = sum - a, a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// a * b as value + error, see two_product.
KOKKOS_FORCEINLINE_FUNCTION ErrorFree<Pack> two_product_of_packs(Pack a, Pack b) {
  Pack const product = rounded_product(a, b);
  if constexpr (has_fused_packs) {
    return {product, fused_subtract(a, b, product)};
  } else {
    // Without a fused multiply-add in the processor nothing can be contracted.
    Pack const splitter = broadcast(0x1p27 + 1), ca = splitter * a, cb = splitter * b;
    Pack const a_high = ca - (ca - a), a_low = a - a_high, b_high = cb - (cb - b), b_low = b - b_high;
    return {product, (((a_high * b_high - product) + a_high * b_low) + a_low * b_high) + a_low * b_low};
  }
}

/// From here on the error of a product is zero or normal.
KOKKOS_FORCEINLINE_FUNCTION Pack smallest_safe_product() {
  using F = FloatFormat<double>;
  return broadcast(power_of_two(F::min_exponent + 2 * F::precision));
}

/// Lanes whose product and error may not be exact: the product has to be zero because a factor is, or far from
/// under- and overflow (see two_product).
KOKKOS_FORCEINLINE_FUNCTION IntegerPack splits_unsafely(Pack a, Pack b) {
  using F = FloatFormat<double>;
  Pack const magnitude = absolute(rounded_product(a, b)), zero{};
  IntegerPack unsafe = ~mask_of(magnitude < broadcast(power_of_two(F::max_exponent - 2))) |
                       (mask_of(magnitude < smallest_safe_product()) & mask_of(a != zero) & mask_of(b != zero));
  if constexpr (!has_fused_packs) {
    Pack const largest_factor = broadcast(power_of_two(F::max_exponent - F::precision));
    unsafe |= ~(mask_of(absolute(a) < largest_factor) & mask_of(absolute(b) < largest_factor));
  }
  return unsafe;
}

/// Where the terms of a tile are. Those in memory are asked for ahead of their use.
enum class Source { memory, cache };

/// A tile of terms: packs, and a rest of less than one. T is float or double.
template <class T, Source source = Source::memory>
class TermTile {
 public:
  static constexpr int capacity = fold_tile_size;

  KOKKOS_FORCEINLINE_FUNCTION TermTile(T const* terms, int count) : m_terms(terms), m_count(count) {}

  KOKKOS_FORCEINLINE_FUNCTION int packs() const { return m_count / pack_lanes; }
  KOKKOS_FORCEINLINE_FUNCTION Pack operator[](int i) const { return load(m_terms + i * pack_lanes); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_rest() const { return m_count % pack_lanes != 0; }
  KOKKOS_FORCEINLINE_FUNCTION Pack rest() const {
    return load_some(m_terms + packs() * pack_lanes, m_count % pack_lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_behind(int i) const {
    if constexpr (source == Source::memory) prefetch(m_terms + i * pack_lanes + prefetch_distance);
  }

  static KOKKOS_FORCEINLINE_FUNCTION Pack magnitude(Pack t) { return absolute(t); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_split_exactly(Pack) const { return true; }

 private:
  T const* m_terms;
  int m_count;
};

/// A tile of products. X and Y are tiles of terms, of one length.
template <class X, class Y>
class ProductTile {
 public:
  static constexpr int capacity = fold_tile_size / 2;

  KOKKOS_FORCEINLINE_FUNCTION ProductTile(X const& x, Y const& y) : m_x(x), m_y(y) {}

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
    if (!has_bits(mask_of(least < smallest_safe_product()), ~std::uint64_t{0})) return true;
    return is_split_exactly();
  }

 private:
  EXAKT_NOINLINE_FUNCTION bool is_split_exactly() const {
    IntegerPack unsafe = splits_unsafely(m_x.rest(), m_y.rest());
    EXAKT_UNROLLED_LOOP
    for (int i = 0; i < packs(); ++i) unsafe |= splits_unsafely(m_x[i], m_y[i]);
    return !has_bits(unsafe, ~std::uint64_t{0});
  }

  X m_x;
  Y m_y;
};

/// An exponent e with |t| < 2^e for all terms; that of infinity if one is there. NaN are overlooked.
template <class Tile>
KOKKOS_INLINE_FUNCTION int exponent_above_all(Tile const& tile) {
  Pack largest = Tile::magnitude(tile.rest());
  EXAKT_UNROLLED_LOOP
  for (int i = 0; i < tile.packs(); ++i) largest = larger(Tile::magnitude(tile[i]), largest);
  return exponent_above(largest_lane(largest));
}

/// \brief The sum of a tile in units of Levels levels, started for terms below 2^e; false if that is not proved exact.
///
/// \param lowest  A lower bound of the exponents of all terms' last bits.
template <int Levels, class Tile>
KOKKOS_FORCEINLINE_FUNCTION bool fold_tile(Tile const& tile, int e, int lowest, std::int64_t (&units)[Levels]) {
  using F = FloatFormat<double>;
  if (e + fold_head > F::max_exponent) return false;  // C_1 has to be finite
  double start[Levels];
  for (int k = 0; k < Levels; ++k) start[k] = fold_start(fold_unit(e, k, lowest));

  FoldChain<Levels> even(start), odd(start);
  if (tile.has_rest()) even.absorb(tile.rest());
  int const packs = tile.packs();
  EXAKT_UNROLLED_LOOP
  for (int i = 0; i + 1 < packs; i += 2) {
    tile.prefetch_behind(i);
    tile.prefetch_behind(i + 1);
    even.absorb(tile[i]);
    odd.absorb(tile[i + 1]);
  }
  if (packs % 2 != 0) odd.absorb(tile[packs - 1]);

  // A NaN leaves the binade as an infinity does, and is not zero.
  constexpr auto magnitude = static_cast<std::int64_t>(~F::sign_mask);
  constexpr auto sign_and_exponent = static_cast<std::int64_t>(F::sign_mask | F::infinity);
  IntegerPack const doubts = ((even.left | odd.left) & magnitude) | ((even.moved | odd.moved) & sign_and_exponent);
  if (has_bits(doubts, ~std::uint64_t{0})) return false;
  if (!tile.is_split_exactly(smaller(even.least, odd.least))) return false;
  even.heads.absorbed_with(odd.heads, start, units);
  return true;
}

}  // namespace Exakt::Impl

#endif
