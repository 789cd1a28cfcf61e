// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefixes of a sum: Exakt_Scan-inl.hpp has the method.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Scan.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_Enclosure.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"
//
#include "Exakt_Scan-inl.hpp"

template <class R>
int scan(double const* x, int count, Enclosure& sum, R* r, int* undecided) {
  return scan_terms<128>(x, count, sum, r, undecided);
}

}  // namespace

void set_scans(Kernels& kernels) {
  kernels.ScanKernelOf<double>::scan = &scan<double>;
  kernels.ScanKernelOf<float>::scan = &scan<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
