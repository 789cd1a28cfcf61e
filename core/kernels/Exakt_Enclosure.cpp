// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of values, magnitudes and products, enclosed. Exakt_EnclosedSum.hpp has the method and the proof of the bound.

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
#include "Exakt_ErrorFree-inl.hpp"
//
#include "Exakt_Enclosure-inl.hpp"
//
#include "Exakt_EnclosedSum-inl.hpp"

template <class X>
bool enclose_values(X const* x, std::size_t n, Enclosure& sum) {
  return enclose_all([=](std::size_t i) HWY_ATTR { return Values<X>{x + i}; }, n, sum);
}
template <class X>
bool enclose_magnitudes(X const* x, std::size_t n, Enclosure& sum) {
  return enclose_all([=](std::size_t i) HWY_ATTR { return Magnitudes<X>{{x + i}}; }, n, sum);
}
template <class X, class Y>
bool enclose_products(X const* x, Y const* y, std::size_t n, Enclosure& sum) {
  return enclose_all([=](std::size_t i) HWY_ATTR { return Products<X, Y>{x + i, y + i}; }, n, sum);
}

template <class X, class Y>
bool enclose_few_products(X const* x, Y const* y, int count, Enclosure& sum) {
  constexpr int room = 10;
  int const e = exponent_above(magnitude_of(static_cast<double>(x[0]) * static_cast<double>(y[0]))) + room;
  if (!HeadStart::fits(e)) return false;
  HeadStart const heads(e);
  Pack const start = broadcast(heads.start);
  IntegerPack const origin = bits_of_pack(start);
  IntegerPack moved = zero_integers();
  HeadAndRest lanes(start, zeros());
  auto const absorb = [&](Pack a, Pack b) HWY_ATTR {
    if constexpr (has_fused_packs) {
      lanes.absorb(a, b);
    } else {
      lanes.absorb(two_product_of_packs(a, b));
    }
    moved = moved | (bits_of_pack(lanes.head) ^ origin);
  };
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) absorb(load(x + i), load(y + i));
  if (i < count) absorb(load_some(x + i, count - i), load_some(y + i, count - i));
  // Each lane is below 2^51 units if its head has stayed in its binade, the sum of four is a double, and that of eight is one
  // below 2^53.
  double const high = sum_of_real_lanes(lanes.head - start);
  if (leaves_binade(moved) || !(magnitude_of(high) < heads.start)) return false;
  int const per_lane = count / pack_lanes + 1;
  sum = {high, sum_of_real_lanes(lanes.rest),
         bound_of_rests(pack_lanes, per_lane) * heads.unit + bound_of_underflows(pack_lanes, per_lane)};
  return true;
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.enclose = &enclose_values<X>;
  kernels.enclose_magnitudes = &enclose_magnitudes<X>;
}

template <class X, class Y>
void set(KernelsOf<X, Y>& kernels) {
  // Both steps of a product are fused ones.
  kernels.enclose = nullptr;
  if constexpr (has_fused_packs) kernels.enclose = &enclose_products<X, Y>;
  kernels.enclose_few = &enclose_few_products<X, Y>;
}

}  // namespace

void set_enclosures(Kernels& kernels) {
  set_each(static_cast<TermKernels&>(kernels), [](auto& of_types) { set(of_types); });
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
