// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms run down an expansion in each lane (Exakt_Expansion.hpp): Alg. 3 of Collange et al. (2015) in packs, some slots at a
// time.
//
//     16 packs of terms --> slots 0, 1 --> rests --> slots 2, 3 --> rests --> ... --> left
//                                          all zero: done

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

/// Packs of terms that run down the same slots before the next ones: many, so that none waits for the one before it from its
/// first slot to its last; few, for the next slots take them all if one leaves something.
constexpr int packs_at_once = 16;

/// \brief Terms run down `some` slots from `slot` on; what they leave is in `rests`, which may be `terms`.
/// \return Bits of all that is left.
template <int some>
HWY_INLINE IntegerPack run_down(double const* terms, int packs, double* slot, double* rests) {
  FusedAdder const adder;
  Pack slots[some];
  for (int s = 0; s < some; ++s) slots[s] = load(slot + s * pack_lanes);
  IntegerPack left = zero_integers();
  for (int i = 0; i < packs * pack_lanes; i += pack_lanes) {
    Pack rest = load(terms + i);
    HWY_UNROLL(2)
    for (int s = 0; s < some; ++s) {
      auto const sum = two_sum_of_packs(slots[s], rest, adder);
      slots[s] = sum.value;
      rest = sum.error;
    }
    store(rest, rests + i);
    left = left | bits_of_pack(rest);
  }
  for (int s = 0; s < some; ++s) store(slots[s], slot + s * pack_lanes);
  return masked(left, ~FloatFormat<double>::sign_mask);
}

/// Expansions, one in each lane, and what their last slots leave.
struct Expansions {
  double* slots;
  int count;
  double* left;
  int written = 0;

  /// At most packs_at_once packs.
  HWY_INLINE void absorb(double const* terms, int packs) {
    double rests[packs_at_once * pack_lanes];
    IntegerPack some_left = run_down<2>(terms, packs, slots, rests);
    for (int s = 2; s < count && has_bits(some_left, ~std::uint64_t{0}); s += 2) {
      double* const slot = slots + s * pack_lanes;
      some_left = s + 1 < count ? run_down<2>(rests, packs, slot, rests) : run_down<1>(rests, packs, slot, rests);
    }
    if (!has_bits(some_left, ~std::uint64_t{0})) return;
    for (int i = 0; i < packs * pack_lanes; ++i) {
      left[written] = rests[i];
      written += rests[i] != 0;
    }
  }
};

int expand(double const* x, int count, int slot_count, double* expansions, double* left) {
  constexpr int lanes = pack_lanes, most = 8;
  double slots[most * lanes];
  for (int i = 0; i < slot_count * lanes; ++i) slots[i] = expansions[i];
  Expansions sums{slots, slot_count, left};
  int const whole = count / lanes;
  for (int i = 0; i < whole; i += packs_at_once)
    sums.absorb(x + i * lanes, whole - i < packs_at_once ? whole - i : packs_at_once);
  if (whole * lanes < count) {
    double last[lanes];
    store(load_some(x + whole * lanes, count - whole * lanes), last);
    sums.absorb(last, 1);
  }
  // Where an operation overflows, slot 0 is no number from then on, or a rest is none, and slot 1 after it: 1.5 * 2^971 less
  // the largest double is a double, and that less the first one is none.
  Pack const limit = broadcast(expansion_limit);
  auto const is_valid = mask_of(absolute(load(slots)) < limit) & mask_of(absolute(load(slots + lanes)) < limit);
  if (has_bits(~is_valid, ~std::uint64_t{0})) return -1;
  for (int i = 0; i < slot_count * lanes; ++i) expansions[i] = slots[i];
  return sums.written;
}

}  // namespace

void set_expansions(Kernels& kernels) { kernels.expand = &expand; }

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
