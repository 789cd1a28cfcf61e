// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of few terms, rounded where they are added.
//
// The enclosure of Exakt_EnclosedSum.hpp with nothing left to be looked up or decided on the way. All terms are below
// 2^e, so that no head leaves its binade; with u = 2^(e - 40), the unit of the heads, and at most small_sum = 2^7 terms:
//
// - The heads move by less than 2^7 * 2^40 u in all: their sum is a double.
// - The rests, of at most u/2 each, come to at most 2^6 u (1 + 2^-40).
// - bound_of_rests() of them is below 2^-40.5 u. The rounding of `low +- radius`, 2^-46 u, and what products that
//   underflow are off by, less than 2^-1000, are less than the rest of the radius, 1.5 * 2^-40 u = 2^-92 of a start.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_SmallSums.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_Enclosure.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "../summation/Exakt_FewTerms.hpp"
#include "Exakt_Kernels.hpp"

#include <type_traits>

// Half a register of AVX-512: fewer lanes to add up in the end, and half as many loads that cross a line of the cache.
#define EXAKT_LANES_AT_MOST 4

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

inline constexpr int small_lanes = 2 * pack_lanes;  // two chains
static_assert(bound_of_rests(small_lanes, small_sum / small_lanes + 1) < 0x1.8p-41);
static_assert(small_sum <= 1 << 7);

/// A head and its rest; products on processors without a fused multiply-add, too.
struct SmallChain : HeadAndRest {
  HWY_INLINE explicit SmallChain(Pack start) : HeadAndRest(start, zeros()) {}

  HWY_INLINE void absorb(Pack t) { HeadAndRest::absorb(t); }
  HWY_INLINE void absorb(Pack a, Pack b) {
    if constexpr (has_fused_packs) {
      HeadAndRest::absorb(a, b);
    } else {
      HeadAndRest::absorb(two_product_of_packs(a, b));
    }
  }
};

template <class X>
struct Squares : Products<X, X> {
  HWY_INLINE Pack magnitude(int i) const { return square(load(this->x + i)); }
  HWY_INLINE Pack magnitude_of_some(int i, int n) const { return square(load_some(this->x + i, n)); }

 private:
  static HWY_INLINE Pack square(Pack x) { return rounded_product(x, x); }
};

struct SmallSum {
  double high, low, start;
  bool is_in_range;
};

template <class Terms>
HWY_INLINE SmallSum sum_of_few(Terms const& terms, int n) {
  Pack largest = zeros(), other = zeros();
  int i = 0;
  for (; i + small_lanes <= n; i += small_lanes) {
    largest = larger(terms.magnitude(i), largest);
    other = larger(terms.magnitude(i + pack_lanes), other);
  }
  if (i + pack_lanes <= n) {
    largest = larger(terms.magnitude(i), largest);
    i += pack_lanes;
  }
  if (i < n) other = larger(terms.magnitude_of_some(i, n - i), other);
  largest = hn::MaxOfLanes(Doubles(), larger(largest, other));

  // 1.5 * 2^(e + level_head), of which 2^(e - 1) is the largest term without its fraction.
  constexpr int stored = FloatFormat<double>::precision - 1;
  constexpr auto from_term_to_start = std::int64_t{level_head + 1} << stored | std::int64_t{1} << (stored - 1);
  Pack const start = hn::BitCast(Doubles(), masked(bits_of_pack(largest), FloatFormat<double>::infinity) +
                                                hn::Set(Integers(), from_term_to_start));
  SmallChain a(start), b(start);
  for (i = 0; i + small_lanes <= n; i += small_lanes) {
    terms.absorb(a, i);
    terms.absorb(b, i + pack_lanes);
  }
  if (i + pack_lanes <= n) {
    terms.absorb(a, i);
    i += pack_lanes;
  }
  if (i < n) terms.absorb_some(b, i, n - i);

  auto const [high, low] = sums_of_lanes((a.head - start) + (b.head - start), a.rest + b.rest);
  // A term that is infinite, or NaN and overlooked so far, is in the sums.
  constexpr std::uint64_t range = 900, lowest = FloatFormat<double>::max_exponent - range;
  std::uint64_t const exponent = bits_of(hn::GetLane(largest)) >> stored;
  return {high, low, hn::GetLane(start), exponent - lowest < 2 * range};
}

/// \brief Zero if all terms are zeros, which no ends decide.
///
/// The largest one has the smallest exponent then, and the sum is zero; with an infinity or NaN it is not.
template <class Terms, class R>
HWY_INLINE bool round_zero(Terms const& terms, int n, SmallSum const& sum, R& result) {
  if (!(sum.start < 0x1p-900 && sum.high == 0) || !are_zeros(terms, static_cast<std::size_t>(n))) return false;
  result = 0;
  return true;
}

/// RN of all between the ends, if that is one number. No end is NaN then.
template <class R>
HWY_INLINE bool round_ends(double lower, double upper, R& result) {
  if constexpr (std::is_same_v<R, double>) {
    result = lower;
    return lower >= upper;
  } else {
    return round_between(lower, upper, result);
  }
}

template <class R>
HWY_INLINE bool round_value(SmallSum const& sum, R& result) {
  double const radius = sum.start * 0x1p-92;
  return sum.is_in_range && round_ends(sum.high + (sum.low - radius), sum.high + (sum.low + radius), result);
}

HWY_INLINE double square_root(double x) {
#if HWY_TARGET == HWY_SCALAR
  return __builtin_sqrt(x);
#else
  hn::CappedTag<double, 1> const one;
  return hn::GetLane(hn::Sqrt(hn::Set(one, x)));
#endif
}

/// x - r^2, which is a double if r is the root of x.
HWY_INLINE double square_remainder(double x, double r) {
  if constexpr (has_fused_packs) {
    return __builtin_fma(-r, r, x);
  } else {
    auto const square = two_product(r, r);
    return (x - square.value) - square.error;
  }
}

/// \brief The root of the sum S of numbers that are not negative.
///
/// One term is at least 2^39 u, hence |low| is far below high, and the radius below 1.6 * 2^-79 S. With h + l = high + low,
/// r = RN(sqrt(h)) and d = (h - r^2) + l, |d| < 2^-51 h, sqrt(S) = r + d/(2r) but for d^2/(8 r^3) < 2^-105 r and half of
/// the radius, 1.6 * 2^-80 r. d * (r * (0.5/h)) is that quotient, of at most 2^-52 r, but for less than 2^-50 of it. All
/// of this and the last roundings are less than 2^-79 r.
template <class R>
HWY_INLINE bool round_root(SmallSum const& sum, R& result) {
  if (!sum.is_in_range) return false;  // first, for of zero the rest raises exceptions
  double const h = sum.high + sum.low, l = sum.low - (h - sum.high);
  double const r = square_root(h);
  double const correction = (square_remainder(h, r) + l) * (r * (0.5 / h)), radius = r * 0x1p-78;
  return round_ends(r + (correction - radius), r + (correction + radius), result);
}

/// \brief The sum of terms, which are less than 2^35 times as large as the smallest one: ties are decided so, one in four
/// sums of four doubles.
///
/// The terms are multiples of 2^-52 of that one, and so are the rests, which come to at most 2^(e - 34): all of their sums
/// are doubles.
template <class Terms, class R>
HWY_NOINLINE bool round_exact_sum(Terms const& terms, int n, SmallSum const& sum, R& result) {
  double const largest = sum.start;
  auto const or_largest = [=](Pack x) HWY_ATTR { return hn::IfThenElse(x == zeros(), broadcast(largest), x); };
  Pack least = broadcast(largest);
  int i = 0;
  for (; i + pack_lanes <= n; i += pack_lanes) least = smaller(or_largest(terms.magnitude(i)), least);
  if (i < n) least = smaller(or_largest(terms.magnitude_of_some(i, n - i)), least);
  bool const are_exact = hn::GetLane(hn::MinOfLanes(Doubles(), least)) >= sum.start * 0x1p-47;
  if (!sum.is_in_range || !are_exact || sum.high != sum.high) return false;
  result = round_pair<R>(sum.high, sum.low);
  return true;
}

/// Of terms, not products.
template <class Terms, class R>
HWY_INLINE bool round_sum(Terms const& terms, int n, R& result) {
  SmallSum const sum = sum_of_few(terms, n);
  return round_value(sum, result) || round_exact_sum(terms, n, sum, result) || round_zero(terms, n, sum, result);
}

template <class X>
bool sum(X const* x, int n, X& result) {
  return round_sum(Values<X>{x}, n, result);
}
template <class X>
bool nrm1(X const* x, int n, X& result) {
  return round_sum(Magnitudes<X>{{x}}, n, result);
}
template <class X>
bool dot(X const* x, X const* y, int n, X& result) {
  Products<X, X> const terms{x, y};
  SmallSum const sum = sum_of_few(terms, n);
  return round_value(sum, result) || round_zero(terms, n, sum, result);
}
template <class X>
bool nrm2(X const* x, int n, X& result) {
  Squares<X> const terms{{x, x}};
  SmallSum const sum = sum_of_few(terms, n);
  return round_root(sum, result) || round_zero(terms, n, sum, result);
}

template <class X>
void set(SmallSumsOf<X>& kernels) {
  kernels = {&sum<X>, &nrm1<X>, &dot<X>, &nrm2<X>};
}

}  // namespace

void set_small_sums(Kernels& kernels) {
  set(static_cast<SmallSumsOf<double>&>(kernels));
  set(static_cast<SmallSumsOf<float>&>(kernels));
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
