// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FOLDS_HPP
#define EXAKT_FOLDS_HPP

/// \file
/// \brief Folds: many terms into a long accumulator, at three floating-point operations per term and level.
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
/// - While M and s are in the binade of C_k, [2^(e_k + 12), 2^(e_k + 13)), both are multiples of u_k and |t| < M. Then
/// q
///   is exact, a multiple of u_k, and so is t - q (FastTwoSum), |t - q| <= u_k / 2 < 2^(e_(k+1)).
/// - There, numbers and their bits are proportional: bits(M) - bits(C_k) is the exact sum of all q in units of u_k,
///   below 2^51 in absolute value, so the lanes of all packs add up in an int64.
/// - m terms of at most 2^(e_k) move M by at most m * 2^(e_k). With m < 2^11 this is less than 2^(e_k + 11), half of
///   the way from C_k to either end of its binade: M stays. From the second level on that is certain. On the first
///   it is certain when e_1 comes from the terms; when it is a guess, every s is checked to have the exponent of C_1.
///
/// So a tile whose check holds and whose last level leaves zeros is added exactly. If not, it is done again with e_1
/// from its own terms, and with more levels; terms too wide for those are added by exponent
/// (impl/Exakt_ExponentBins.hpp) if there are thousands of them, and else one by one. Tiles of one e_1 share their
/// units: they are added as 64-bit integers, and the long accumulator is touched once in many tiles. Rounding to
/// nearest with subnormal numbers kept is required, and looked at.

#include "Exakt_ErrorFree.hpp"
#include "Exakt_LongAccumulator.hpp"
#include "impl/Exakt_ExponentBins.hpp"

namespace Exakt::Impl {

inline constexpr int fold_head = 12;  // heads are 2^12 above the largest term of their level
inline constexpr int fold_step = FloatFormat<double>::precision - 1 - fold_head;  // bits that a level absorbs: 40
inline constexpr int fold_chains = 2;        // independent heads, which hide the latency of an addition
inline constexpr int fold_tile_size = 2048;  // terms; they stay in the first-level cache

/// Entries. Computation between loads starves the prefetcher of the processor: without this, folds of terms from memory
/// take 1.5 to 1.9 times as long.
inline constexpr int prefetch_distance = 512;

static_assert(fold_tile_size / fold_chains + 1 < (1 << (fold_head - 1)),
              "a head takes fewer than 2^11 terms, even with packs of one lane");

/// Tiles whose units fit into an int64 together, as each moves each lane of each chain by less than 2^51. The same for
/// all widths of a pack: files that were compiled for different processors may work on one accumulator.
inline constexpr int fold_lanes_at_most = 64;
inline constexpr int fold_tiles_at_once = (1 << 12) / fold_lanes_at_most - 1;
static_assert(fold_chains * pack_lanes <= fold_lanes_at_most);

/// The terms of one tile, one by one and in integers: right for every input in every environment.
template <class T, class Long>
EXAKT_NOINLINE_FUNCTION void add_each(T const* terms, int count, Long& sum) {
  for (int i = 0; i < count; ++i) sum.add_multiple(terms[i]);
}

/// Thousands of terms of any range.
template <class T, class Long>
EXAKT_NOINLINE_FUNCTION void add_by_exponent(T const* terms, std::size_t n, Long& sum) {
  ExponentBins bins;
  constexpr std::size_t block = ExponentBins::block_size;
  for (std::size_t i = 0; i < n; i += block) {
    int const count = static_cast<int>(n - i < block ? n - i : block);
    if (!bins.add(terms + i, count, sum)) add_each(terms + i, count, sum);
  }
  bins.drain(sum);
}

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

/// C_k for the unit 2^unit.
KOKKOS_FORCEINLINE_FUNCTION double fold_start(int unit) {
  return 1.5 * power_of_two(unit + FloatFormat<double>::precision - 1);
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

  KOKKOS_FORCEINLINE_FUNCTION explicit FoldChain(double const* start)
      : heads(start), origin(bits_of_pack(broadcast(*start))), moved{}, left{} {}

  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    left |= bits_of_pack(heads.absorb(t));
    moved |= bits_of_pack(heads.head) ^ origin;
  }
};

/// An exponent e with |t| < 2^e for all terms; that of infinity if one is there. NaN are overlooked.
template <class T>
KOKKOS_INLINE_FUNCTION int exponent_above_all(T const* terms, int packs, Pack const& last) {
  Pack largest = absolute(last);
  for (int i = 0; i < packs; ++i) largest = larger(absolute(load(terms + i * pack_lanes)), largest);
  return exponent_above(largest_lane(largest));
}

/// \brief The sum of a tile in units of Levels levels, started for terms below 2^e; false if that is not proved exact.
///
/// \param lowest  A lower bound of the exponents of all terms' last bits.
template <int Levels, class T>
KOKKOS_FORCEINLINE_FUNCTION bool fold_tile(T const* terms, int packs, Pack const& last, int e, int lowest,
                                           std::int64_t (&units)[Levels]) {
  using F = FloatFormat<double>;
  if (e + fold_head > F::max_exponent) return false;  // C_1 has to be finite
  double start[Levels];
  for (int k = 0; k < Levels; ++k) start[k] = fold_start(fold_unit(e, k, lowest));

  FoldChain<Levels> even(start), odd(start);
  even.absorb(last);
  for (int i = 0; i + 1 < packs; i += 2) {
    prefetch(terms + i * pack_lanes + prefetch_distance);
    prefetch(terms + (i + 1) * pack_lanes + prefetch_distance);
    even.absorb(load(terms + i * pack_lanes));
    odd.absorb(load(terms + (i + 1) * pack_lanes));
  }
  if (packs % 2 != 0) odd.absorb(load(terms + (packs - 1) * pack_lanes));

  // A NaN leaves the binade as an infinity does, and is not zero.
  if (has_bits(even.left | odd.left, ~F::sign_mask)) return false;
  if (has_bits(even.moved | odd.moved, F::sign_mask | F::infinity)) return false;
  even.heads.absorbed_with(odd.heads, start, units);
  return true;
}

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

/// \brief The products of n pairs and their errors, one after the other; false unless all of them are proved exact.
///
/// Each product has to be zero because a factor is, or far from under- and overflow (see two_product).
template <class X, class Y>
KOKKOS_INLINE_FUNCTION bool split_products(X const* x, Y const* y, int n, double* products, double* errors) {
  using F = FloatFormat<double>;
  Pack const smallest = broadcast(power_of_two(F::min_exponent + 2 * F::precision));
  Pack const largest = broadcast(power_of_two(F::max_exponent - 2)),
             largest_factor = broadcast(power_of_two(F::max_exponent - F::precision));
  IntegerPack unsafe{};
  auto const split = [&](Pack a, Pack b) {
    auto const product = two_product_of_packs(a, b);
    Pack const magnitude = absolute(product.value), zero{};
    unsafe |= ~mask_of(magnitude < largest) | (mask_of(magnitude < smallest) & mask_of(a != zero) & mask_of(b != zero));
    if constexpr (!has_fused_packs)
      unsafe |= ~(mask_of(absolute(a) < largest_factor) & mask_of(absolute(b) < largest_factor));
    return product;
  };
  int i = 0;
  for (; i + pack_lanes <= n; i += pack_lanes) {
    prefetch(x + i + prefetch_distance);
    prefetch(y + i + prefetch_distance);
    auto const product = split(load(x + i), load(y + i));
    store(product.value, products + i);
    store(product.error, errors + i);
  }
  if (i < n) {
    auto const product = split(load_some(x + i, n - i), load_some(y + i, n - i));
    store_some(product.value, products + i, n - i);
    store_some(product.error, errors + i, n - i);
  }
  return !has_bits(unsafe, ~std::uint64_t{0});
}

/// The products of n pairs, one by one and in integers.
template <class X, class Y, class Long>
EXAKT_NOINLINE_FUNCTION void add_each_product(X const* x, Y const* y, int n, Long& sum) {
  for (int i = 0; i < n; ++i) sum.add_product(x[i], y[i]);
}

/// Thousands of products of any range.
template <class X, class Y, class Long>
EXAKT_NOINLINE_FUNCTION void add_products_by_exponent(X const* x, Y const* y, std::size_t n, Long& sum) {
  ExponentBins bins;
  constexpr std::size_t block = ExponentBins::block_size / 2;
  double terms[2 * block];
  for (std::size_t i = 0; i < n; i += block) {
    int const count = static_cast<int>(n - i < block ? n - i : block);
    if (!split_products(x + i, y + i, count, terms, terms + count) || !bins.add(terms, 2 * count, sum))
      add_each_product(x + i, y + i, count, sum);
  }
  bins.drain(sum);
}

/// \brief A filter in front of a long accumulator: adds arrays of terms, and keeps the sum in units until it is
/// drained.
///
/// A trivially copyable value; zero bytes are a valid one.
///
/// \tparam Long    The long accumulator behind it.
/// \tparam Levels  Levels to try first, each 40 bits: 2 hold floats over 17 decades, 3 doubles over 20, 4 products of
///                 doubles with their errors.
template <class Long, int Levels>
class Folds {
  static constexpr int wide_levels = 6;

  // Terms to add by exponent: what makes it worth clearing and draining the bins, and how many before folds are tried
  // again.
  static constexpr std::size_t shortest_wide_run = fold_tile_size / 2, longest_wide_run = 32 * fold_tile_size;
  static constexpr int lowest = Long::lowest_exponent > FloatFormat<double>::lsb_exponent
                                    ? Long::lowest_exponent
                                    : FloatFormat<double>::lsb_exponent;

 public:
  /// \brief Adds n terms exactly, to itself or to `sum`. T is float or double, each value a multiple of Long's lowest
  /// bit.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void add(T const* terms, std::size_t n, Long& sum) {
    bool const trusted = fp_environment_is_default();
    std::size_t count;
    for (std::size_t begin = 0; begin < n; begin += count) {
      std::size_t const rest = n - begin;
      count = rest < fold_tile_size ? rest : fold_tile_size;
      if (trusted && add_tile(terms + begin, static_cast<int>(count), sum)) continue;
      if (trusted && rest >= shortest_wide_run) {
        count = rest < longest_wide_run ? rest : longest_wide_run;
        add_by_exponent(terms + begin, count, sum);
      } else {
        add_each(terms + begin, static_cast<int>(count), sum);
      }
    }
  }

  /// \brief Adds n products exactly. X and Y are float or double.
  template <class X, class Y>
  KOKKOS_INLINE_FUNCTION void add_products(X const* x, Y const* y, std::size_t n, Long& sum) {
    constexpr std::size_t tile = fold_tile_size / 4;
    double terms[2 * tile];
    bool const trusted = fp_environment_is_default();
    std::size_t count;
    for (std::size_t begin = 0; begin < n; begin += count) {
      std::size_t const rest = n - begin;
      count = rest < tile ? rest : tile;
      int const pairs = static_cast<int>(count);
      if (trusted && split_products(x + begin, y + begin, pairs, terms, terms + pairs) &&
          add_tile(terms, 2 * pairs, sum))
        continue;
      if (trusted && 2 * rest >= shortest_wide_run) {
        count = 2 * rest < longest_wide_run ? rest : longest_wide_run / 2;
        add_products_by_exponent(x + begin, y + begin, count, sum);
      } else {
        add_each_product(x + begin, y + begin, pairs, sum);
      }
    }
  }

  /// \brief Moves all that it holds to `sum`.
  KOKKOS_INLINE_FUNCTION void drain(Long& sum) {
    add_units(m_units, m_exponent, sum);
    for (std::int64_t& unit : m_units) unit = 0;
    m_tiles = 0;
  }

 private:
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool add_tile(T const* terms, int count, Long& sum) {
    int const packs = count / pack_lanes;
    Pack const last = load_some(terms + packs * pack_lanes, count % pack_lanes);
    return (m_wide_tiles == 0 && add_folded(terms, packs, last, sum)) || add_again(terms, packs, last, sum);
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool add_folded(T const* terms, int packs, Pack const& last, Long& sum) {
    std::int64_t units[Levels];
    if (!fold_tile(terms, packs, last, m_exponent, lowest, units)) return false;
    for (int k = 0; k < Levels; ++k) m_units[k] += units[k];
    if (++m_tiles >= fold_tiles_at_once) drain(sum);
    return true;
  }

  /// The rungs behind the first guess: the exponent of the tile itself, then more levels.
  template <class T>
  EXAKT_NOINLINE_FUNCTION bool add_again(T const* terms, int packs, Pack const& last, Long& sum) {
    int const e = exponent_above_all(terms, packs, last);
    if (m_wide_tiles == 0 && e != m_exponent) {
      drain(sum);
      m_exponent = static_cast<std::int16_t>(e);
      if (add_folded(terms, packs, last, sum)) return true;
    }
    std::int64_t units[wide_levels];
    bool const folded = fold_tile(terms, packs, last, e, lowest, units);
    if (folded) add_units(units, e, sum);
    // Wide tiles come in rows: the next ones start here.
    m_wide_tiles = static_cast<std::int16_t>(m_wide_tiles > 0 ? m_wide_tiles - 1 : folded ? 15 : 0);
    return folded;
  }

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void add_units(std::int64_t const (&units)[N], int e, Long& sum) {
    for (int k = 0; k < N; ++k) {
      auto const parts = integer_parts_of_integer(units[k]);
      if (parts.significand != 0) sum.add_scaled(parts.significand, fold_unit(e, k, lowest), parts.negative);
    }
  }

  std::int64_t m_units[Levels] = {};  // of u_1, u_2, ... for e_1 = m_exponent
  std::int32_t m_tiles = 0;           // in m_units
  std::int16_t m_exponent = 0;        // the guess: e_1 of the last tile
  std::int16_t m_wide_tiles = 0;      // how many tiles to come are taken for wide
};

}  // namespace Exakt::Impl

#endif
