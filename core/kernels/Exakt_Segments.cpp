// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of many segments, each rounded once.
//
// Short segments have too few terms for packs and are added a term at a time. The sum is kept as high + low. A term t adds
// to it without error but in the last line:
//
//     s = high + t,  e its error (TwoSum);   high = s;   low = low + e
//
// Each addition to low is rounded by at most 2^-53 of the sum A of all |e|, itself rounded a few times: the sum of m
// terms lies within m * 2^-53 * A * (1 + 2^-10) of high + low, and Ziv's test decides most of them. Short sums are often
// exact ties (each second one of two numbers from one binade), which no bound decides: then the errors of low are looked
// at. If they are all zero, high + low is the sum, and one addition rounds it.
//
// Longer ones are enclosed in packs (Exakt_EnclosedSum.hpp has the method), scaled to terms below 2, so that heads, units
// and bounds are constants: C = 1.5 * 2^13 and u = 2^-39. With f = 2^(1 - e) for terms below 2^e,
//
//     s = fma(t, f, M);    q = s - M;   r = fma(t, f, -q);     R = R + r;   M = s
//
// Half of the operations are fused ones: processors that add and multiply in units of their own have as many of each.
// - Numbers from 2 on, infinities and NaN are those with the leading bit of the exponent. The bits of all q are joined by OR,
//   which costs half an operation where an instruction takes three operands. As long as M is in the binade of C, M + 2 and
//   M - 2 are doubles, and rounding is monotonic: the first |t*f| > 2 has |q| >= 2 and shows. If none shows, a lane
//   of fewer than 2^11 terms moves by less than 2^12, and M has never left its binade.
// - All q of a segment, 2^12 at most, come to less than 2^13 = 2^52 u: M - C and the sums of all lanes are doubles.
// - Each r is exact, or off by 2^-1075 where f makes it underflow.
// - A sum that is decided is above 2^22 times its radius, 2^-60 at least: with |e| <= 900 it is a normal double unscaled.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Segments.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_Enclosure.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"

/// Terms that are added one after the other; packs are faster for more.
inline constexpr int short_segment = 8;
/// Terms whose sum is likely to be a tie, one in so many.
inline constexpr int tied_segment = 32;

/// The error of s = RN(a + b).
HWY_INLINE double error_of_sum(double a, double b, double s) {
  double const b_part = s - a, a_part = s - b_part;
  return (a - a_part) + (b - b_part);
}

template <class X>
HWY_INLINE bool try_sum(X const* x, int count, X& result) {
  double high = 0, low = 0, errors = 0;
  for (int i = 0; i < count; ++i) {
    double const t = static_cast<double>(x[i]), s = high + t, e = error_of_sum(high, t, s);
    high = s;
    low = low + e;
    errors = errors + magnitude_of(e);
  }
  if (errors == 0) {
    result = static_cast<X>(high);  // also of what overflows or is subnormal as a float
    return magnitude_of(high) < 0x1p1000;
  }
  return try_round_near(high, low, radius_of(count * 0x1p-53 * errors, low), result);
}

HWY_INLINE bool try_sum_exactly(double const* x, int count, double& result) {
  double high = 0, low = 0;
  std::uint64_t lost = 0;
  for (int i = 0; i < count; ++i) {
    double const s = high + x[i], e = error_of_sum(high, x[i], s), sum_of_errors = low + e;
    lost |= bits_of(error_of_sum(low, e, sum_of_errors));
    high = s;
    low = sum_of_errors;
  }
  result = high + low;
  return (lost & ~FloatFormat<double>::sign_mask) == 0 && magnitude_of(high) < 0x1p1000;
}
/// In doubles, sums of floats rarely have errors.
HWY_INLINE bool try_sum_exactly(float const* x, int count, float& result) { return try_sum(x, count, result); }

inline constexpr int segment_lanes = enclosure_chains * pack_lanes;
inline constexpr int terms_per_lane =
    enclosure_tile_size / segment_lanes + enclosure_chains;  // one chain takes the tail
static_assert(terms_per_lane < 1 << 11 && enclosure_tile_size <= 1 << 12);

/// A head and its rest for terms below 2, once they are scaled.
struct ScaledChain {
  Pack head, rest;

  HWY_INLINE explicit ScaledChain(Pack start) : head(start), rest(zeros()) {}

  /// Returns what moved the head.
  HWY_INLINE IntegerPack absorb(Pack t, Pack scale) {
    Pack moved;
    if constexpr (has_fused_packs) {
      Pack const s = fused_add(t, scale, head);
      moved = s - head;
      rest = rest + fused_subtract(t, scale, moved);
      head = s;
    } else {
      Pack const scaled = hn::Mul(t, scale), s = head + scaled;
      moved = s - head;
      rest = rest + (scaled - moved);
      head = s;
    }
    return bits_of_pack(moved);
  }
};

/// For a pack that is used twice: compilers prefer two operands in memory, one instruction less and one load more.
template <class X>
HWY_INLINE Pack load_once(X const* from) {
  Pack t = load(from);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(t.raw));
#endif
  return t;
}

/// \brief RN of the sum of a segment with terms below 2^e, if that is decided.
/// \param ahead  distance_ahead().
template <class X>
HWY_INLINE bool try_scaled_sum(X const* x, int count, int ahead, int e, X& result) {
  Pack const start = broadcast(0x1.8p13), scale = broadcast(power_of_two(1 - e));
  ScaledChain a(start), b = a, c = a, d = a;
  IntegerPack moves = zero_integers();
  int i = 0;
  for (; i + segment_lanes <= count; i += segment_lanes) {
    prefetch_all(x + ahead + i, segment_lanes);
    IntegerPack const of_a = a.absorb(load_once(x + i), scale);
    IntegerPack const of_b = b.absorb(load_once(x + i + pack_lanes), scale);
    moves = moves | of_a | of_b;
    IntegerPack const of_c = c.absorb(load_once(x + i + 2 * pack_lanes), scale);
    IntegerPack const of_d = d.absorb(load_once(x + i + 3 * pack_lanes), scale);
    moves = moves | of_c | of_d;
  }
  for (; i + pack_lanes <= count; i += pack_lanes) moves = moves | a.absorb(load(x + i), scale);
  if (i < count) moves = moves | b.absorb(load_some(x + i, count - i), scale);

  auto const [high, low] = sums_of_lanes(((a.head - start) + (b.head - start)) + ((c.head - start) + (d.head - start)),
                                         (a.rest + b.rest) + (c.rest + d.rest));
  constexpr double radius = bound_of_rests(segment_lanes, terms_per_lane) * (1 + 0x1p-10) * 0x1p-39;
  double const size = power_of_two(e - 1);
  return !has_bits(moves, std::uint64_t{1} << 62) &&
         round_between((high + (low - radius)) * size, (high + (low + radius)) * size, result);
}

/// An exponent above all terms; NaN may be overlooked.
template <class X>
HWY_INLINE int exponent_above_segment(X const* x, int count) {
  Pack a = zeros(), b = a;
  int i = 0;
  for (; i + 2 * pack_lanes <= count; i += 2 * pack_lanes) {
    a = larger(absolute(load(x + i)), a);
    b = larger(absolute(load(x + i + pack_lanes)), b);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(absolute(load(x + i)), a);
  if (i < count) b = larger(absolute(load_some(x + i, count - i)), b);
  return exponent_above(largest_lane(larger(a, b)));
}

/// \param e  An exponent that was right for other segments, and then the one of this segment if it was not.
template <class X>
HWY_INLINE bool try_sum_in_packs(X const* x, int count, int ahead, int& e, X& result) {
  constexpr int largest = 900;
  if (e <= largest && try_scaled_sum(x, count, ahead, e, result)) return true;
  // Others may have terms four times as large.
  int const own = exponent_above_segment(x, count) + 2;
  if (own == e || own > largest || own < -largest) return false;
  e = own;
  return try_scaled_sum(x, count, ahead, e, result);
}

/// \param behind  Terms of other segments behind this one. \param e  As above.
template <class X>
HWY_INLINE bool try_segment(X const* x, std::int64_t length, std::int64_t behind, int& e, X& result) {
  if (length > enclosure_tile_size) return false;
  int const count = static_cast<int>(length);
  return (count <= short_segment
              ? try_sum(x, count, result)
              : try_sum_in_packs(x, count, distance_ahead(static_cast<std::size_t>(behind)), e, result)) ||
         (count <= tied_segment && try_sum_exactly(x, count, result));
}

template <class X>
int sum_segments(X const* x, std::int64_t const* offsets, int segments, X* r, int* undecided) {
  int rejected = 0, e = unknown_exponent;
  for (int s = 0; s < segments; ++s) {
    std::int64_t const begin = offsets[s], end = offsets[s + 1];
    if (!try_segment(x + begin, end - begin, offsets[segments] - end, e, r[s])) undecided[rejected++] = s;
  }
  return rejected;
}

}  // namespace

void set_segments(Kernels& kernels) {
  kernels.KernelsOf<double>::sum_segments = &sum_segments<double>;
  kernels.KernelsOf<float>::sum_segments = &sum_segments<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
