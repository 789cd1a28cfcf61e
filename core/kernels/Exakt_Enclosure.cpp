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

/// \brief A pack of numbers that were just written by two: loads that no single store covers would wait until all of the
/// stores have left for the cache.
HWY_INLINE Pack load_by_two(double const* from) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  auto const joined = [](double const* of_four) HWY_ATTR {
    hn::FixedTag<double, 2> const two;
    return hn::Combine(hn::FixedTag<double, 4>(), hn::LoadU(two, of_four + 2), hn::LoadU(two, of_four));
  };
#if HWY_TARGET == HWY_AVX3
  return hn::Combine(Doubles(), joined(from + 4), joined(from));
#else
  return joined(from);
#endif
#else
  return load(from);
#endif
}

/// The sums of the lanes of both, in the same order.
HWY_INLINE void add_lanes(Pack a, Pack b, double& sum_of_a, double& sum_of_b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  hn::FixedTag<double, 2> const two;
#if HWY_TARGET == HWY_AVX3
  hn::FixedTag<double, 4> const four;
  Pack const both = hn::InterleaveLower(Doubles(), a, b) + hn::InterleaveUpper(Doubles(), a, b);
  auto const half = hn::LowerHalf(four, both) + hn::UpperHalf(four, both);
#else
  auto const half = hn::InterleaveLower(Doubles(), a, b) + hn::InterleaveUpper(Doubles(), a, b);
#endif
  auto const sums = hn::LowerHalf(two, half) + hn::UpperHalf(two, half);
  sum_of_a = hn::GetLane(sums);
  sum_of_b = hn::GetLane(hn::InterleaveUpper(two, sums, sums));
#else
  sum_of_a = sum_of_real_lanes(a);
  sum_of_b = sum_of_real_lanes(b);
#endif
}

/// Kernels::enclose_few.
HWY_INLINE bool enclose_few_inline(double const* HWY_RESTRICT x, double const* HWY_RESTRICT y, int count,
                                   Enclosure& sum) {
  // Heads for terms up to 2^10 times as large as the first one: 1.5 * 2^(10 + 1 + level_head) times the power of two in it,
  // computed on packs, for integers on their way to other registers and back would be waited for. With a first term that
  // is too large this is negative or no number.
  constexpr int above = 10 + 1 + level_head, stored = FloatFormat<double>::precision - 1;
  IntegerPack const power = masked(bits_of_pack(broadcast(x[0]) * broadcast(y[0])), FloatFormat<double>::infinity) +
                            hn::Set(Integers(), std::int64_t{above} << stored);
  IntegerPack const origin = power | hn::Set(Integers(), std::int64_t{1} << (stored - 1));
  Pack const start = hn::BitCast(Doubles(), origin);
  IntegerPack moved = zero_integers();
  HeadAndRest lanes(start, zeros());
  for (int i = 0; i < count; i += pack_lanes) {
    Pack const a = load_by_two(x + i), b = load_by_two(y + i);
    if constexpr (has_fused_packs) {
      lanes.absorb(a, b);
    } else {
      lanes.absorb(two_product_of_packs(a, b));
    }
    moved = moved | (bits_of_pack(lanes.head) ^ origin);
  }
  // Each lane is below 2^51 units if its head has stayed in its binade, the sum of four is a double, and that of eight is one
  // below 2^53.
  add_lanes(lanes.head - start, lanes.rest, sum.high, sum.low);
  constexpr int per_lane = few_products / pack_lanes;
  // With 2^-50 of all rests, which are half a unit each at most: for the roundings of `low +- radius`.
  constexpr double bound = bound_of_rests(pack_lanes, per_lane) + few_products * 0x1p-51,
                   underflows = bound_of_underflows(pack_lanes, per_lane);
  sum.bound = hn::GetLane(hn::BitCast(Doubles(), power)) * (bound * 0x1p-52) + underflows;
  return !leaves_binade(moved) && std::fabs(sum.high) < hn::GetLane(start);
}

bool enclose_few(double const* x, double const* y, int count, Enclosure& sum) {
  Enclosure few;
  if (!enclose_few_inline(x, y, count, few)) return false;
  sum = few;
  return true;
}

/// FewProductsKernelOf::round_few.
template <class R>
bool round_few(double const* x, double const* y, int count, R& result) {
  Enclosure sum;
  if (!enclose_few_inline(x, y, count, sum)) return false;
  if constexpr (std::is_same_v<R, double>) {
    // Heads leave room for all sums. Numbers that are equal have the same bits: the bound is larger than the least number,
    // so that not both are zero. The radius is known before the sum is, which is waited for.
    double const radius = sum.bound * (1 + 0x1p-10), upper = sum.high + (sum.low + radius);
    result = sum.high + (sum.low - radius);
    return result == upper;
  } else {
    return try_round(sum, result);
  }
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
}

}  // namespace

void set_enclosures(Kernels& kernels) {
  set_each(static_cast<TermKernels&>(kernels), [](auto& of_types) { set(of_types); });
  kernels.enclose_few = &enclose_few;
  static_cast<FewProductsKernelOf<double>&>(kernels).round_few = &round_few<double>;
  static_cast<FewProductsKernelOf<float>&>(kernels).round_few = &round_few<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
