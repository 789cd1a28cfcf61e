// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms into integers by exponent: summation/Exakt_ExponentBins.hpp.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_ExponentBins.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../numerics/Exakt_FloatFormat.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_ExponentBins-inl.hpp"

template <class X>
void add_by_exponent(X const* x, int count, int ahead, std::uint64_t* bins, std::uint16_t* overflows) {
  add_block_by_exponent(x, count, ahead, bins, overflows);
}

}  // namespace

void set_exponent_bins(Kernels& kernels) {
  kernels.KernelsOf<double>::add_by_exponent = &add_by_exponent<double>;
  kernels.KernelsOf<float>::add_by_exponent = &add_by_exponent<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
