// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of many short segments, each rounded once: too few terms for packs, so a term at a time.
//
// The sum of a segment is kept as high + low. A term t adds to it without error but in the last line:
//
//     s = high + t,  e its error (TwoSum);   high = s;   low = low + e
//
// Each addition to low is rounded by at most 2^-53 of the sum A of all |e|, itself rounded a few times: the sum of m
// terms lies within m * 2^-53 * A * (1 + 2^-10) of high + low, and Ziv's test decides most of them. Short sums are often
// exact ties (each second one of two numbers from one binade), which no bound decides: then the errors of low are looked
// at. If they are all zero, high + low is the sum, and one addition rounds it.

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
HWY_INLINE bool try_sum_exactly(float const*, int, float&) { return false; }

template <class X>
int sum_segments(X const* x, std::int64_t const* offsets, int segments, X* r, int* undecided) {
  int rejected = 0;
  for (int s = 0; s < segments; ++s) {
    std::int64_t const length = offsets[s + 1] - offsets[s];
    X const* const begin = x + offsets[s];
    int const count = static_cast<int>(length);
    if (length > short_segment || !(try_sum(begin, count, r[s]) || try_sum_exactly(begin, count, r[s])))
      undecided[rejected++] = s;
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
