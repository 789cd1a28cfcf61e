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
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
