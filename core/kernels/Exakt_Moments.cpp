// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum of terms and that of their squares, enclosed in one pass (Exakt_EnclosedSum.hpp has the method), and variances
// of so many terms that this is all of them.
//
// Nobody watches the heads on the way. Squares move theirs in one direction only: one that ends in its binade has never left
// it. Then the squares of a lane, m at most, sum to less than 2^51 units 2^(e - 40), up to roundings of m/2 units, and by
// Cauchy and Schwarz the terms themselves to
//
//     |t_1| + ... + |t_m| <= sqrt(m (t_1^2 + ... + t_m^2)) < sqrt(m 2^(e + 11)) (1 + 2^-40),
//
// which is less than the 2^(e/2 + 11) that a head for terms below 2^(e/2) can move by, if m <= 2^10.5.
//
// How far all heads for squares have moved is a double if it is less than 2^52 of their units, 2^(e + 12), and so is every
// sum on the way, for none is negative. Then all terms, 2^12 at most, come to less than 2^(e/2 + 12), 2^52 units of
// their heads: for those the same is true.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Moments.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_EnclosedMoments.hpp"
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

/// The terms x, or x - shift, which are doubles where all x are between shift / 2 and 2 * shift (Sterbenz).
template <class X, bool is_shifted>
struct Differences {
  X const* x;
  double shift;
  int ahead;         // distance_ahead()
  Pack least, most;  // of what was loaded

  HWY_INLINE Differences(X const* entries, double a_shift, int a_distance)
      : x(entries), shift(a_shift), ahead(a_distance), least(broadcast(a_shift)), most(least) {}

  HWY_INLINE Pack at(int i) {
    Pack const t = load(x + i);
    if constexpr (!is_shifted) return t;
    return difference(t);
  }
  HWY_INLINE Pack some_at(int i, int count) {
    Pack const t = load_some(x + i, count);
    if constexpr (!is_shifted) return t;
    return difference(hn::IfThenElse(hn::FirstN(Doubles(), static_cast<std::size_t>(count)), t, broadcast(shift)));
  }
  HWY_INLINE bool are_exact() const {
    double const below = -largest_lane(hn::Neg(least)), above = largest_lane(most);
    return shift < 0 ? below >= 2 * shift && above <= shift / 2 : below >= shift / 2 && above <= 2 * shift;
  }

 private:
  HWY_INLINE Pack difference(Pack t) {
    least = smaller(t, least);
    most = larger(t, most);
    return t - broadcast(shift);
  }
};

/// A head and its rest for terms, and those for their squares.
struct MomentsChain {
  HeadAndRest sum, squares;

  HWY_INLINE MomentsChain(double sum_start, double squares_start)
      : sum(broadcast(sum_start), zeros()), squares(broadcast(squares_start), zeros()) {}
  HWY_INLINE void absorb(Pack t, FusedAdder adder) {
    sum.absorb(t, adder);
    squares.absorb(t, t);
  }
};

inline constexpr int moments_lanes = 3 * pack_lanes;  // three chains; of four, AVX2 could not keep all in registers
inline constexpr int moments_per_lane = enclosure_tile_size / moments_lanes + 3;
static_assert(moments_per_lane <= 1448 || pack_lanes == 1, "at most 2^10.5, but on sets that have no fused packs");

/// \brief What heads of the three chains say; known to be true only if all of their moves come to less than 2^52 units.
[[maybe_unused]] HWY_INLINE Enclosure read_heads(HeadStart const& heads, HeadAndRest const& a, HeadAndRest const& b,
                                                 HeadAndRest const& c) {
  Pack const start = broadcast(heads.start);
  auto const [moves, rests] =
      sums_of_lanes((a.head - start) + (b.head - start) + (c.head - start), a.rest + b.rest + c.rest);
  constexpr double underflows = bound_of_underflows(moments_lanes, moments_per_lane, 0x1p-1074);
  return {moves, rests, bound_of_rests(moments_lanes, moments_per_lane) * heads.unit + underflows};
}

/// With heads for squares below 2^e; false, and nothing said, if these are too small.
template <class Terms>
HWY_INLINE bool enclose_moments_below(Terms terms, int count, int e, Enclosure& sum, Enclosure& squares) {
  constexpr int lowest = FloatFormat<double>::lsb_exponent;
  if (!HeadStart::fits(e)) return false;
  HeadStart const of_squares(e), of_sum((level_unit(e, 0, lowest) + level_step + 1) >> 1);
  MomentsChain a(of_sum.start, of_squares.start), b = a, c = a;
  FusedAdder const adder;
  int i = 0;
  for (; i + moments_lanes <= count; i += moments_lanes) {
    prefetch_all(terms.x + terms.ahead + i, moments_lanes);
    a.absorb(terms.at(i), adder);
    b.absorb(terms.at(i + pack_lanes), adder);
    c.absorb(terms.at(i + 2 * pack_lanes), adder);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a.absorb(terms.at(i), adder);
  if (i < count) b.absorb(terms.some_at(i, count - i), adder);

  IntegerPack const origin = bits_of_pack(broadcast(of_squares.start));
  if (leaves_binade((bits_of_pack(a.squares.head) ^ origin) | (bits_of_pack(b.squares.head) ^ origin) |
                    (bits_of_pack(c.squares.head) ^ origin)))
    return false;
  sum = read_heads(of_sum, a.sum, b.sum, c.sum);
  squares = read_heads(of_squares, a.squares, b.squares, c.squares);
  return squares.high < of_squares.unit * 0x1p52 && terms.are_exact();
}

/// An exponent above the squares of the first `count` terms.
template <class Terms>
HWY_INLINE int exponent_above_squares(Terms terms, int count) {
  Pack a = zeros(), b = a;
  int i = 0;
  for (; i + 2 * pack_lanes <= count; i += 2 * pack_lanes) {
    a = larger(absolute(terms.at(i)), a);
    b = larger(absolute(terms.at(i + pack_lanes)), b);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(absolute(terms.at(i)), a);
  if (i < count) b = larger(absolute(terms.some_at(i, count - i)), b);
  return 2 * exponent_above(largest_lane(larger(a, b)));
}

template <class Terms>
HWY_INLINE bool enclose_moments_of(Terms const& terms, int count, Enclosure& sum, Enclosure& squares) {
  // As in enclose_all(): no term is guessed to be above twice the largest of a sample, or eight times that of a smaller
  // one. Heads that are too large take bits from what is known, of which a sum of fewer terms has more.
  constexpr int sample = 128, small_sample = 2 * pack_lanes;
  if (count > 2 * sample) {
    bool const are_few = count <= 8 * sample;
    int const e = exponent_above_squares(terms, are_few ? small_sample : sample) + (are_few ? 6 : 2);
    if (enclose_moments_below(terms, count, e, sum, squares)) return true;
  }
  return enclose_moments_below(terms, count, exponent_above_squares(terms, count), sum, squares);
}

template <class X>
bool enclose_moments(X const* x, int count, std::size_t behind, double shift, Enclosure& sum, Enclosure& squares) {
  int const ahead = distance_ahead(behind);
  if (shift != 0) return enclose_moments_of(Differences<X, true>(x, shift, ahead), count, sum, squares);
  return enclose_moments_of(Differences<X, false>(x, 0, ahead), count, sum, squares);
}

/// Of what the terms differ from their mean, which is large against that, and of what they differ from a better one.
template <bool is_root, class X>
HWY_NOINLINE bool round_shifted_moments(X const* x, int count, std::uint64_t freedom, Enclosure sum, Enclosure squares,
                                        X& result) {
  double shift = 0;
  for (int pass = 0; pass < 2; ++pass) {
    double const change = worthwhile_shift(sum, squares, count);
    if (change == 0) return false;
    shift += change;
    if (!enclose_moments_of(Differences<X, true>(x, shift, 0), count, sum, squares)) return false;
    if (try_round_variance<X, is_root, has_fused_packs>(sum, squares, static_cast<std::uint64_t>(count), freedom,
                                                        result))
      return true;
  }
  return false;
}

template <bool is_root, class X>
bool round_moments(X const* x, int count, std::uint64_t freedom, X& result) {
  Enclosure sum, squares;
  if (!enclose_moments_of(Differences<X, false>(x, 0, 0), count, sum, squares)) return false;
  return try_round_variance<X, is_root, has_fused_packs>(sum, squares, static_cast<std::uint64_t>(count), freedom,
                                                         result) ||
         round_shifted_moments<is_root>(x, count, freedom, sum, squares, result);
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.enclose_moments = nullptr;
  kernels.variance = kernels.stddev = nullptr;
  if constexpr (has_fused_packs) {
    kernels.enclose_moments = &enclose_moments<X>;
    kernels.variance = &round_moments<false, X>;
    kernels.stddev = &round_moments<true, X>;
  }
}

}  // namespace

void set_moments(Kernels& kernels) {
  set(static_cast<KernelsOf<double>&>(kernels));
  set(static_cast<KernelsOf<float>&>(kernels));
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
