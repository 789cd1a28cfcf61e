// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Enclosures of the sums of tiles. Exakt_Certificate.hpp has the method and the proof of the bound.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Enclosure.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../impl/Exakt_FoldUnits.hpp"
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

  HWY_INLINE void absorb(EnclosureChain& chain, int i) const { chain.absorb(load(x + i)); }
  HWY_INLINE void absorb_some(EnclosureChain& chain, int i, int n) const { chain.absorb(load_some(x + i, n)); }
  HWY_INLINE void prefetch_at(int i) const { prefetch(x + i); }
};

template <class X>
struct Magnitudes : Values<X> {
  HWY_INLINE void absorb(EnclosureChain& chain, int i) const { chain.absorb(absolute(load(this->x + i))); }
  HWY_INLINE void absorb_some(EnclosureChain& chain, int i, int n) const {
    chain.absorb(absolute(load_some(this->x + i, n)));
  }
};

template <class X, class Y>
struct Products {
  X const* x;
  Y const* y;

  HWY_INLINE void absorb(EnclosureChain& chain, int i) const { chain.absorb(load(x + i), load(y + i)); }
  HWY_INLINE void absorb_some(EnclosureChain& chain, int i, int n) const {
    chain.absorb(load_some(x + i, n), load_some(y + i, n));
  }
  HWY_INLINE void prefetch_at(int i) const {
    prefetch(x + i);
    prefetch(y + i);
  }
};

constexpr int lanes = certificate_chains * pack_lanes;
constexpr int terms_per_lane = certificate_tile_size / lanes + certificate_chains;  // the first chain takes the tail
static_assert(terms_per_lane < (1 << (fold_head - 1)), "the heads of a tile of terms below 2^e stay in their binade");
static_assert(lanes <= fold_lanes_at_most);

// B of one tile: bound_in_units * u + bound_of_underflow, which also covers the rounding of a subnormal bound.
constexpr double bound_in_units =
    (1.0 * lanes * (terms_per_lane + 1) * (terms_per_lane + 1) + 1.0 * lanes * lanes * terms_per_lane) * 0x1p-54;
constexpr double bound_of_underflow = 2.0 * lanes * terms_per_lane * 0x1p-1074;

template <class Terms>
HWY_INLINE bool enclose(Terms const& terms, int count, int unit, EnclosedTile& tile) {
  using F = FloatFormat<double>;
  double const start = fold_start(unit);
  EnclosureChain a(start), b(start), c(start), d(start);
  int const packs = count / pack_lanes, tail = count % pack_lanes;
  int i = 0;
  for (int p = certificate_chains; p <= packs; p += certificate_chains, i += lanes) {
    for (int line = 0; line < lanes; line += 64 / static_cast<int>(sizeof(double)))
      terms.prefetch_at(i + prefetch_distance + line);
    terms.absorb(a, i);
    terms.absorb(b, i + pack_lanes);
    terms.absorb(c, i + 2 * pack_lanes);
    terms.absorb(d, i + 3 * pack_lanes);
  }
  for (int p = packs % certificate_chains; p > 0; --p, i += pack_lanes) terms.absorb(a, i);
  if (tail > 0) terms.absorb_some(a, i, tail);

  if (has_bits((a.moved | b.moved) | (c.moved | d.moved), F::sign_mask | F::infinity)) return false;
  tile.units = sum_of_lanes(((bits_of_pack(a.head) - a.origin) + (bits_of_pack(b.head) - b.origin)) +
                            ((bits_of_pack(c.head) - c.origin) + (bits_of_pack(d.head) - d.origin)));
  tile.rest = sum_of_real_lanes((a.rest + b.rest) + (c.rest + d.rest));
  tile.bound = bound_in_units * 0x1p-52 * power_of_two(unit + 52) + bound_of_underflow;
  return true;
}

template <class X>
bool enclose_values(X const* x, int count, int unit, EnclosedTile& tile) {
  return enclose(Values<X>{x}, count, unit, tile);
}
template <class X>
bool enclose_magnitudes(X const* x, int count, int unit, EnclosedTile& tile) {
  return enclose(Magnitudes<X>{{x}}, count, unit, tile);
}
template <class X, class Y>
bool enclose_products(X const* x, Y const* y, int count, int unit, EnclosedTile& tile) {
  return enclose(Products<X, Y>{x, y}, count, unit, tile);
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.enclose = &enclose_values<X>;
  kernels.enclose_magnitudes = &enclose_magnitudes<X>;
}

template <class X, class Y>
void set(KernelsOf<X, Y>& kernels) {
  // Both steps of a product are fused ones.
  if constexpr (has_fused_packs) {
    kernels.enclose = &enclose_products<X, Y>;
  } else {
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
