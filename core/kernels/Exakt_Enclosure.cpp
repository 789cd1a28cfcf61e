// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Enclosures of the sums of tiles. Exakt_LongEnclosure.hpp has the method and the proof of the bound.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Enclosure.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_Enclosure.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"
//
#include "Exakt_Enclosure-inl.hpp"

template <class X>
struct Values {
  X const* x;

  template <class Chain>
  HWY_INLINE void absorb(Chain& chain, int i) const {
    chain.absorb(load(x + i));
  }
  template <class Chain>
  HWY_INLINE void absorb_some(Chain& chain, int i, int n) const {
    chain.absorb(load_some(x + i, n));
  }
  HWY_INLINE void prefetch_at(int i) const { prefetch(x + i); }
  HWY_INLINE Pack magnitude(int i) const { return absolute(load(x + i)); }
  HWY_INLINE Pack magnitude_of_some(int i, int n) const { return absolute(load_some(x + i, n)); }
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

  template <class Chain>
  HWY_INLINE void absorb(Chain& chain, int i) const {
    chain.absorb(load(x + i), load(y + i));
  }
  template <class Chain>
  HWY_INLINE void absorb_some(Chain& chain, int i, int n) const {
    chain.absorb(load_some(x + i, n), load_some(y + i, n));
  }
  HWY_INLINE void prefetch_at(int i) const {
    prefetch(x + i);
    prefetch(y + i);
  }
  HWY_INLINE Pack magnitude(int i) const { return absolute(rounded_product(load(x + i), load(y + i))); }
  HWY_INLINE Pack magnitude_of_some(int i, int n) const {
    return absolute(rounded_product(load_some(x + i, n), load_some(y + i, n)));
  }
};

constexpr int lanes = enclosure_chains * pack_lanes;
constexpr int terms_per_lane = enclosure_tile_size / lanes + enclosure_chains;  // the first chain takes the tail
static_assert(terms_per_lane < (1 << (level_head - 1)), "the heads of a tile of terms below 2^e stay in their binade");
static_assert(lanes <= extraction_lanes_at_most);

// B of one tile: bound_in_units * u + bound_of_underflow, which also covers the rounding of a subnormal bound.
constexpr double bound_in_units =
    (1.0 * lanes * (terms_per_lane + 1) * (terms_per_lane + 1) + 1.0 * lanes * lanes * terms_per_lane) * 0x1p-54;
constexpr double bound_of_underflow = 2.0 * lanes * terms_per_lane * 0x1p-1074;

/// \tparam Chain  Not watched only if the heads are made for these terms.
template <class Chain, class Terms>
HWY_INLINE bool enclose_tile(Terms const& terms, int count, int unit, EnclosedTile& tile) {
  using F = FloatFormat<double>;
  double const start = level_start(unit);
  Chain a(start), b(start), c(start), d(start);
  int const packs = count / pack_lanes, tail = count % pack_lanes;
  int i = 0;
  for (int p = enclosure_chains; p <= packs; p += enclosure_chains, i += lanes) {
    for (int line = 0; line < lanes; line += 64 / static_cast<int>(sizeof(double)))
      terms.prefetch_at(i + prefetch_distance + line);
    terms.absorb(a, i);
    terms.absorb(b, i + pack_lanes);
    terms.absorb(c, i + 2 * pack_lanes);
    terms.absorb(d, i + 3 * pack_lanes);
  }
  for (int p = packs % enclosure_chains; p > 0; --p, i += pack_lanes) terms.absorb(a, i);
  if (tail > 0) terms.absorb_some(a, i, tail);

  if (has_bits((a.all_moves() | b.all_moves()) | (c.all_moves() | d.all_moves()), F::sign_mask | F::infinity))
    return false;
  tile.units = sum_of_lanes(((bits_of_pack(a.head) - a.origin) + (bits_of_pack(b.head) - b.origin)) +
                            ((bits_of_pack(c.head) - c.origin) + (bits_of_pack(d.head) - d.origin)));
  tile.rest = sum_of_real_lanes((a.rest + b.rest) + (c.rest + d.rest));
  tile.bound = bound_in_units * 0x1p-52 * power_of_two(unit + 52) + bound_of_underflow;
  return true;
}

/// An exponent above all terms of a tile; NaN may be overlooked.
template <class Terms>
HWY_INLINE int exponent_above_terms(Terms const& terms, int count) {
  Pack a = zeros(), b = a, c = a, d = a;
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    a = larger(terms.magnitude(i), a);
    b = larger(terms.magnitude(i + pack_lanes), b);
    c = larger(terms.magnitude(i + 2 * pack_lanes), c);
    d = larger(terms.magnitude(i + 3 * pack_lanes), d);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(terms.magnitude(i), a);
  if (i < count) b = larger(terms.magnitude_of_some(i, count - i), b);
  return exponent_above(largest_lane(larger(larger(a, b), larger(c, d))));
}

constexpr int lowest = FloatFormat<double>::lsb_exponent;

/// What an enclosed tile says, with heads for terms below 2^e.
HWY_INLINE Enclosure enclosure_of(EnclosedTile const& tile, int e) {
  // Units are split into a multiple of 2^10, which is exact as a double, and a rest that is added with a rounding.
  constexpr int low_units = 1 << 10;
  constexpr double bound_of_low = (1.0 * low_units + 1.0 * lanes * terms_per_lane) * 0x1p-53;
  double const unit = 0x1p-52 * power_of_two(level_unit(e, 0, lowest) + 52);
  return {static_cast<double>(tile.units >> 10) * (unit * low_units),
          static_cast<double>(tile.units & (low_units - 1)) * unit + tile.rest, tile.bound + bound_of_low * unit};
}

/// A tile with heads made for it; false if there are none.
template <class Terms>
HWY_INLINE bool enclose_by_itself(Terms const& terms, int count, int& e, EnclosedTile& tile) {
  e = exponent_above_terms(terms, count);
  return e + level_head <= FloatFormat<double>::max_exponent &&
         enclose_tile<EnclosureChainOf<false>>(terms, count, level_unit(e, 0, lowest), tile);
}

/// \param tile_at  tile_at(i): the terms from number i on.
template <class TileAt>
HWY_INLINE bool enclose(TileAt const& tile_at, std::size_t n, Enclosure& result) {
  // A tile of several samples is guessed to have no term above four times the largest of the first one.
  constexpr int sample = 128, worth_guessing = 2 * sample, unknown = FloatFormat<double>::max_exponent;
  EnclosedTile tile;
  int e;
  if (n <= worth_guessing) {
    if (!enclose_by_itself(tile_at(0), static_cast<int>(n), e, tile)) return false;
    result = enclosure_of(tile, e);
    return true;
  }
  Enclosure sum = empty_sum();
  e = unknown;
  for (std::size_t begin = 0; begin < n; begin += enclosure_tile_size) {
    int const count = n - begin < enclosure_tile_size ? static_cast<int>(n - begin) : enclosure_tile_size;
    auto const terms = tile_at(begin);
    if (e == unknown && count > worth_guessing) e = exponent_above_terms(terms, sample) + 2;
    bool const may_be_guessed = e + level_head <= FloatFormat<double>::max_exponent;
    if (!(may_be_guessed && enclose_tile<EnclosureChain>(terms, count, level_unit(e, 0, lowest), tile)) &&
        !enclose_by_itself(terms, count, e, tile))
      return false;
    add_enclosure(sum, enclosure_of(tile, e));
    // Heads that hardly move are too large for the terms, and the bound with them.
    if (tile.units > -(1 << 20) && tile.units < (1 << 20)) e = unknown;
  }
  result = sum;
  return true;
}

template <class X>
bool enclose_values(X const* x, std::size_t n, Enclosure& sum) {
  return enclose([=](std::size_t i) HWY_ATTR { return Values<X>{x + i}; }, n, sum);
}
template <class X>
bool enclose_magnitudes(X const* x, std::size_t n, Enclosure& sum) {
  return enclose([=](std::size_t i) HWY_ATTR { return Magnitudes<X>{{x + i}}; }, n, sum);
}
template <class X, class Y>
bool enclose_products(X const* x, Y const* y, std::size_t n, Enclosure& sum) {
  return enclose([=](std::size_t i) HWY_ATTR { return Products<X, Y>{x + i, y + i}; }, n, sum);
}

template <class X>
bool enclose_tile_of_values(X const* x, int count, int unit, EnclosedTile& tile) {
  return enclose_tile<EnclosureChain>(Values<X>{x}, count, unit, tile);
}
template <class X>
bool enclose_tile_of_magnitudes(X const* x, int count, int unit, EnclosedTile& tile) {
  return enclose_tile<EnclosureChain>(Magnitudes<X>{{x}}, count, unit, tile);
}
template <class X, class Y>
bool enclose_tile_of_products(X const* x, Y const* y, int count, int unit, EnclosedTile& tile) {
  return enclose_tile<EnclosureChain>(Products<X, Y>{x, y}, count, unit, tile);
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.enclose_tile = &enclose_tile_of_values<X>;
  kernels.enclose_tile_of_magnitudes = &enclose_tile_of_magnitudes<X>;
  kernels.enclose = &enclose_values<X>;
  kernels.enclose_magnitudes = &enclose_magnitudes<X>;
}

template <class X, class Y>
void set(KernelsOf<X, Y>& kernels) {
  // Both steps of a product are fused ones.
  if constexpr (has_fused_packs) {
    kernels.enclose_tile = &enclose_tile_of_products<X, Y>;
    kernels.enclose = &enclose_products<X, Y>;
  } else {
    kernels.enclose_tile = nullptr;
    kernels.enclose = nullptr;
  }
}

}  // namespace

void set_enclosures(Kernels& kernels) {
  set<double>(kernels);
  set<float>(kernels);
  set<double, double>(kernels);
  set<double, float>(kernels);
  set<float, double>(kernels);
  set<float, float>(kernels);
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
