// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms run down an expansion in each lane (Exakt_Expansion.hpp): Alg. 3 of Collange et al. (2015) in packs.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Expansions.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../numerics/Exakt_ErrorFree.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"
//
#include "Exakt_ErrorFree-inl.hpp"

static_assert(pack_lanes <= expansion_lanes_at_most);

/// What a term leaves in one slot after the other goes on to the next one.
template <int slots, bool exits_early>
int expand(double const* x, int count, double* expansions, double* left) {
  Pack slot[slots];
  for (int s = 0; s < slots; ++s) slot[s] = load(expansions + s * pack_lanes);
  IntegerPack is_valid = ~zero_integers();
  FusedAdder const adder;
  int written = 0;
  auto const absorb = [&](Pack const term) HWY_ATTR {
    auto const first = two_sum_of_packs(slot[0], term, adder);
    slot[0] = first.value;
    is_valid = is_valid & mask_of(absolute(first.value) < broadcast(expansion_limit));
    Pack rest = first.error;
    HWY_UNROLL(8)
    for (int s = 1; s < slots; ++s) {
      if constexpr (exits_early) {
        if (hn::AllTrue(Doubles(), rest == zeros())) return;
      }
      auto const next = two_sum_of_packs(slot[s], rest, adder);
      slot[s] = next.value;
      rest = next.error;
    }
    if (hn::AllTrue(Doubles(), rest == zeros())) return;
    double rests[pack_lanes];
    store(rest, rests);
    for (double const x_left : rests) {
      left[written] = x_left;
      written += x_left != 0;
    }
  };
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) absorb(load(x + i));
  if (i < count) absorb(load_some(x + i, count - i));
  if (has_bits(~is_valid, ~std::uint64_t{0})) return -1;
  for (int s = 0; s < slots; ++s) store(slot[s], expansions + s * pack_lanes);
  return written;
}

using Expand = int(double const* x, int count, double* expansions, double* left);

int expand_terms(double const* x, int count, int slots, bool exits_early, double* expansions, double* left) {
  static constexpr Expand* of_slots[][2] = {
      {&expand<2, false>, &expand<2, true>}, {&expand<3, false>, &expand<3, true>},
      {&expand<4, false>, &expand<4, true>}, {&expand<5, false>, &expand<5, true>},
      {&expand<6, false>, &expand<6, true>}, {&expand<7, false>, &expand<7, true>},
      {&expand<8, false>, &expand<8, true>}};
  return of_slots[slots - 2][exits_early](x, count, expansions, left);
}

}  // namespace

void set_expansions(Kernels& kernels) { kernels.expand = &expand_terms; }

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
