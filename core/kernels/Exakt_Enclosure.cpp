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

#include <type_traits>

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
//
#include "Exakt_FewProducts-inl.hpp"

template <class X>
bool enclose_values(X const* x, std::size_t n, std::size_t behind, Enclosure& sum) {
  return enclose_all([=](std::size_t i, int ahead) HWY_ATTR { return Values<X>{x + i, ahead}; }, n, behind, sum);
}
template <class X>
bool enclose_magnitudes(X const* x, std::size_t n, std::size_t behind, Enclosure& sum) {
  return enclose_all([=](std::size_t i, int ahead) HWY_ATTR { return Magnitudes<X>{{x + i, ahead}}; }, n, behind, sum);
}
template <class X, class Y>
bool enclose_products(X const* x, Y const* y, std::size_t n, std::size_t behind, Enclosure& sum) {
  return enclose_all(
      [=](std::size_t i, int ahead) HWY_ATTR {
        return Products<X, Y>{x + i, y + i, ahead};
      },
      n, behind, sum);
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

/// The products of x and y, as Kernels::enclose_few takes them.
HWY_INLINE FewProducts absorb_few(double const* HWY_RESTRICT x, double const* HWY_RESTRICT y, int count) {
  FewProducts sum(broadcast(x[0]) * broadcast(y[0]));
  for (int i = 0; i < count; i += pack_lanes) sum.absorb(load_by_two(x + i), load_by_two(y + i));
  return sum;
}

bool enclose_few(double const* x, double const* y, int count, Enclosure& sum) {
  Enclosure few;
  if (!absorb_few(x, y, count).read(few)) return false;
  sum = few;
  return true;
}

/// FewProductsKernelOf::round_few.
template <class R>
bool round_few(double const* x, double const* y, int count, R& result) {
  return absorb_few(x, y, count).round(result);
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
