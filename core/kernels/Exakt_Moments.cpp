// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum of terms and that of their squares, enclosed in one pass (Exakt_EnclosedSum.hpp has the method).
//
// Nobody watches the heads on the way. Squares move theirs in one direction only: one that ends in its binade has never left
// it. Then the squares of a lane, m at most, sum to less than 2^51 units 2^(e - 40), up to roundings of m/2 units, and by
// Cauchy and Schwarz the terms themselves to
//
//     |t_1| + ... + |t_m| <= sqrt(m (t_1^2 + ... + t_m^2)) < sqrt(m 2^(e + 11)) (1 + 2^-40),
//
// which is less than the 2^(e/2 + 11) that a head for terms below 2^(e/2) can move by, if m <= 2^10.5.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Moments.cpp"
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

/// The terms x, or x - shift, which are doubles where all x are between shift / 2 and 2 * shift (Sterbenz).
template <class X, bool is_shifted>
struct Differences {
  X const* x;
  double shift;
  Pack least, most;  // of what was loaded

  HWY_INLINE Differences(X const* entries, double a_shift)
      : x(entries), shift(a_shift), least(broadcast(a_shift)), most(least) {}

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

struct MomentsChain {
  HeadAndRest sum, squares;

  HWY_INLINE MomentsChain(double sum_start, double squares_start)
      : sum(broadcast(sum_start), zeros()), squares(broadcast(squares_start), zeros()) {}
  HWY_INLINE void absorb(Pack t) {
    sum.absorb(t);
    squares.absorb(t, t);
  }
};

inline constexpr int moments_lanes = 2 * pack_lanes;  // two chains
inline constexpr int moments_per_lane = enclosure_tile_size / moments_lanes + 2;
static_assert(moments_per_lane <= 1448 || pack_lanes == 1, "at most 2^10.5, but on sets that have no fused packs");

/// What both heads of a chain say. \param first, second  Of the two chains.
HWY_INLINE Enclosure read_heads(HeadStart const& heads, HeadAndRest const& first, HeadAndRest const& second) {
  IntegerPack const origin = bits_of_pack(broadcast(heads.start));
  std::int64_t const units = sum_of_lanes((bits_of_pack(first.head) - origin) + (bits_of_pack(second.head) - origin));
  constexpr double underflows = bound_of_underflows(moments_lanes, moments_per_lane, 0x1p-1074);
  return heads.read(units, sum_of_real_lanes(first.rest + second.rest),
                    bound_of_rests(moments_lanes, moments_per_lane) * heads.unit + underflows);
}

/// With heads for squares below 2^e; false, and nothing said, if these are too small.
template <class Terms>
HWY_INLINE bool enclose_moments_below(Terms terms, int count, int e, Enclosure& sum, Enclosure& squares) {
  constexpr int lowest = FloatFormat<double>::lsb_exponent;
  if (!HeadStart::fits(e)) return false;
  HeadStart const of_squares(e), of_sum((level_unit(e, 0, lowest) + level_step + 1) >> 1);
  MomentsChain a(of_sum.start, of_squares.start), b = a;
  int i = 0;
  for (; i + moments_lanes <= count; i += moments_lanes) {
    for (int line = 0; line < moments_lanes; line += 64 / static_cast<int>(sizeof(double)))
      prefetch(terms.x + i + prefetch_distance + line);
    a.absorb(terms.at(i));
    b.absorb(terms.at(i + pack_lanes));
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a.absorb(terms.at(i));
  if (i < count) b.absorb(terms.some_at(i, count - i));

  IntegerPack const origin = bits_of_pack(broadcast(of_squares.start));
  if (leaves_binade((bits_of_pack(a.squares.head) ^ origin) | (bits_of_pack(b.squares.head) ^ origin)) ||
      !terms.are_exact())
    return false;
  sum = read_heads(of_sum, a.sum, b.sum);
  squares = read_heads(of_squares, a.squares, b.squares);
  return true;
}

/// An exponent above the squares of the first `count` terms.
template <class Terms>
HWY_INLINE int exponent_above_squares(Terms terms, int count) {
  Pack a = zeros(), b = a;
  int i = 0;
  for (; i + moments_lanes <= count; i += moments_lanes) {
    a = larger(absolute(terms.at(i)), a);
    b = larger(absolute(terms.at(i + pack_lanes)), b);
  }
  for (; i + pack_lanes <= count; i += pack_lanes) a = larger(absolute(terms.at(i)), a);
  if (i < count) b = larger(absolute(terms.some_at(i, count - i)), b);
  double const largest = largest_lane(larger(a, b));
  return exponent_above(largest * largest);
}

template <class Terms>
HWY_INLINE bool enclose_moments_of(Terms const& terms, int count, Enclosure& sum, Enclosure& squares) {
  // As in enclose_all(): no term is guessed to be above twice the largest of a sample.
  constexpr int sample = 128, worth_guessing = 2 * sample;
  return (count > worth_guessing &&
          enclose_moments_below(terms, count, exponent_above_squares(terms, sample) + 2, sum, squares)) ||
         enclose_moments_below(terms, count, exponent_above_squares(terms, count), sum, squares);
}

template <class X>
bool enclose_moments(X const* x, int count, double shift, Enclosure& sum, Enclosure& squares) {
  if (shift != 0) return enclose_moments_of(Differences<X, true>(x, shift), count, sum, squares);
  return enclose_moments_of(Differences<X, false>(x, 0), count, sum, squares);
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.enclose_moments = nullptr;
  if constexpr (has_fused_packs) kernels.enclose_moments = &enclose_moments<X>;
}

}  // namespace

void set_moments(Kernels& kernels) {
  set(static_cast<KernelsOf<double>&>(kernels));
  set(static_cast<KernelsOf<float>&>(kernels));
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
