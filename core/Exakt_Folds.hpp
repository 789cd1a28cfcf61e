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
/// and does, for a term t with |t| <= 2^(e_k):
///
///     s = M + t;   q = s - M;   t = t - q;   M = s
///
/// - s and M are multiples of u_k in the binade of C_k, so q is exact: t rounded to a multiple of u_k, |q| <= 2^(e_k).
/// - t - q is exact (FastTwoSum) and at most u_k / 2 < 2^(e_(k+1)): it is fit for the next level.
/// - m terms move M by at most m * 2^(e_k). With m < 2^11 this is less than 2^(e_k + 11), half of the way from C_k
///   to either end of its binade [2^(e_k + 12), 2^(e_k + 13)): M never leaves.
/// - There, numbers and their bits are proportional: bits(M) - bits(C_k) is the exact sum of all q in units of u_k,
///   below 2^51 in absolute value, so the lanes of all packs add up in an int64.
///
/// What is left after the last level is zero for all but very wide ranges; a tile that leaves something is done
/// again term by term. Rounding to nearest with subnormals kept is required, and looked at.

#include "Exakt_Environment.hpp"
#include "Exakt_LongAccumulator.hpp"
#include "impl/Exakt_Pack.hpp"

namespace Exakt::Impl {

inline constexpr int fold_levels = 3;
inline constexpr int fold_head = 12;                                         // head is 2^12 above the largest term
inline constexpr int fold_step = FloatFormat<double>::precision - 1 - fold_head;  // bits absorbed by a level: 40
inline constexpr int fold_chains = 2;                                        // independent heads hide the latency of an addition
inline constexpr int fold_tile = 2048;                                       // terms; stays in the first-level cache

static_assert(fold_tile / fold_chains + 1 < (1 << (fold_head - 1)), "a head takes fewer than 2^11 terms, even with packs of one lane");
static_assert(fold_chains * pack_lanes <= (1 << 11), "the sum of all lanes, each below 2^51, fits into 63 bits");

/// The terms of one tile, one by one and in integers: right for every input in every environment.
template <class T, class Long>
KOKKOS_INLINE_FUNCTION void add_each(T const* terms, int count, Long& sum) {
  for (int i = 0; i < count; ++i) sum += terms[i];
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

KOKKOS_FORCEINLINE_FUNCTION Pack fold(Pack t, Pack (&head)[fold_levels]) {
  for (int k = 0; k < fold_levels; ++k) {
    Pack const s = head[k] + t;
    t = t - (s - head[k]);
    head[k] = s;
  }
  return t;
}

/// Adds a tile; false if it has to be done term by term, the sum being untouched.
template <class T, class Long>
KOKKOS_FORCEINLINE_FUNCTION bool fold_whole_tile(T const* terms, int count, Long& sum) {
  using F = FloatFormat<double>;
  int const packs = count / pack_lanes, tail = count % pack_lanes, paired = packs / fold_chains * fold_chains;
  Pack const last = load_some(terms + packs * pack_lanes, tail);

  Pack largest[fold_chains] = {absolute(last), Pack{}};
  for (int i = 0; i < packs; ++i) largest[i % fold_chains] = larger(absolute(load(terms + i * pack_lanes)), largest[i % fold_chains]);
  int const e = exponent_above(largest_lane(larger(largest[0], largest[1])));
  if (e + fold_head > F::max_exponent) return false;  // C_1 is finite; so are the terms, but for NaN, which fails below

  // Below the smallest unit nothing can be left: the levels of a small tile all end there.
  constexpr int lowest_unit = Long::lowest_exponent > F::lsb_exponent ? Long::lowest_exponent : F::lsb_exponent;
  int unit[fold_levels];
  std::int64_t start[fold_levels];
  Pack head[fold_chains][fold_levels];
  for (int k = 0; k < fold_levels; ++k) {
    int const wanted = e - fold_step * (k + 1);
    unit[k] = wanted > lowest_unit ? wanted : lowest_unit;
    double const c = 1.5 * power_of_two(unit[k] + F::precision - 1);
    start[k] = static_cast<std::int64_t>(bits_of(c));
    for (auto& chain : head) chain[k] = broadcast(c);
  }

  IntegerPack left = differs_from_zero(fold(last, head[0]));
  for (int i = 0; i < paired; i += fold_chains) {
    for (int c = 0; c < fold_chains; ++c) left |= differs_from_zero(fold(load(terms + (i + c) * pack_lanes), head[c]));
  }
  for (int i = paired; i < packs; ++i) left |= differs_from_zero(fold(load(terms + i * pack_lanes), head[0]));
  if (any_lane(left)) return false;  // NaN differs from zero too

  for (int k = 0; k < fold_levels; ++k) {
    IntegerPack units{};
    for (auto const& chain : head) units += bits_of_pack(chain[k]) - start[k];
    std::int64_t const total = sum_of_lanes(units);
    auto const parts = integer_parts_of_integer(total);
    sum.add_scaled(parts.significand, unit[k], parts.negative);
  }
  return true;
}

/// \brief Adds n terms exactly. T is float or double, each value of which is within the range of the accumulator.
template <class T, class Long>
KOKKOS_INLINE_FUNCTION void add_terms(T const* terms, std::size_t n, Long& sum) {
  bool const trusted = fp_environment_is_default();
  for (std::size_t begin = 0; begin < n; begin += fold_tile) {
    int const count = n - begin < fold_tile ? static_cast<int>(n - begin) : fold_tile;
    if (!trusted || !fold_whole_tile(terms + begin, count, sum)) add_each(terms + begin, count, sum);
  }
}

}  // namespace Exakt::Impl

#endif
