// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms cut into the slices of the bins of a binned sum (Exakt_Binned.hpp). A bin has `width` bits, the first one in units
// of 2^exponent:
//
//     |x| = q[0] + q[1] + ... + what lies below the last bin      q[f] a multiple of u[f] = 2^(exponent - f*width)
//
// Where r < 2^width u is left of |x|, the sum r + 2^52 u lies in a binade whose last bit is worth u. With additions that
// round toward zero, q = (r + 2^52 u) - 2^52 u is r without its bits below u, and r - q is exact.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Slices.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Kernels.hpp"

#include <cfenv>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"

/// \param starts  2^52 u of each bin; zero where that is below all numbers: then r itself is the slice.
/// \param sums    Of the slices in each lane of each bin: exact, fewer than 2^(53 - width) of at most 2^width units.
template <class X, int bins>
EXAKT_NOINLINE_FUNCTION void add_slices(X const* x, int count, double const* starts, double* sums) {
  Pack start[bins], sum[bins];
  for (int f = 0; f < bins; ++f) {
    start[f] = broadcast(starts[f]);
    sum[f] = zeros();
  }
  auto const absorb = [&](Pack const term) HWY_ATTR {
    Pack rest = absolute(term);
    for (int f = 0; f < bins; ++f) {
      Pack const slice = hn::Sub(hn::Add(rest, start[f]), start[f]);
      sum[f] = hn::Add(sum[f], hn::CopySignToAbs(slice, term));
      rest = hn::Sub(rest, slice);
    }
  };
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) absorb(load(x + i));
  if (i < count) absorb(load_some(x + i, count - i));
  for (int f = 0; f < bins; ++f) store(sum[f], sums + static_cast<std::size_t>(f) * pack_lanes);
}

/// Rounds toward zero while it exists. On x86 fegetround() tells the mode of x87, which may be another than that of SSE.
class TowardZero {
 public:
  TowardZero(TowardZero const&) = delete;
  TowardZero& operator=(TowardZero const&) = delete;
#if defined(__x86_64__)
  TowardZero() : m_found(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(m_found | 0x6000); }
  ~TowardZero() { __builtin_ia32_ldmxcsr(m_found); }

 private:
  unsigned m_found;
#else
  TowardZero() : m_found(std::fegetround()) { std::fesetround(FE_TOWARDZERO); }
  ~TowardZero() { std::fesetround(m_found); }

 private:
  int m_found;
#endif
};

template <class X, int bins>
bool slice(X const* x, int count, int exponent, int width, std::int64_t* units) {
  double starts[bins], sums[bins * pack_lanes];
  for (int f = 0; f < bins; ++f) starts[f] = __builtin_ldexp(1.0, exponent - f * width + 52);
  if (starts[0] > 0x1p1022) return false;
  {
    TowardZero const rounding;
    add_slices<X, bins>(x, count, starts, sums);
  }
  for (int f = 0; f < bins; ++f) {
    units[f] = 0;
    for (int l = 0; l < pack_lanes; ++l) {
      double const sum = __builtin_ldexp(sums[f * pack_lanes + l], f * width - exponent);
      if (!(__builtin_fabs(sum) <= 0x1p53)) return false;  // an infinity or NaN has come in
      units[f] += static_cast<std::int64_t>(sum);
    }
  }
  return true;
}

template <class X>
bool slice_terms(X const* x, int count, int exponent, int width, int bins, std::int64_t* units) {
  switch (bins) {
    case 2:
      return slice<X, 2>(x, count, exponent, width, units);
    case 3:
      return slice<X, 3>(x, count, exponent, width, units);
    case 4:
      return slice<X, 4>(x, count, exponent, width, units);
    default:
      return false;
  }
}

}  // namespace

void set_slices(Kernels& kernels) {
  kernels.KernelsOf<double>::slice = &slice_terms<double>;
  kernels.KernelsOf<float>::slice = &slice_terms<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
