// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact sums of tiles. summation/Exakt_ExtractionLevels.hpp has the method and its proof.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Extraction.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../numerics/Exakt_ErrorFree.hpp"
#include "../summation/Exakt_ExtractionLevels.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"
//
#include "Exakt_ErrorFree-inl.hpp"
//
#include "Exakt_Extraction-inl.hpp"

static_assert(extraction_chains * pack_lanes <= extraction_lanes_at_most);

template <class Tile>
HWY_INLINE bool extract(Tile const& tile, int levels, int e, int lowest, std::int64_t* units) {
  switch (levels) {
    case 2:
      return extract_tile<2>(tile, e, lowest, units);
    case 3:
      return extract_tile<3>(tile, e, lowest, units);
    case 4:
      return extract_tile<4>(tile, e, lowest, units);
    case 6:
      return extract_tile<6>(tile, e, lowest, units);
    default:
      return false;
  }
}

template <class X>
bool extract_values(X const* x, int count, int ahead, int levels, int e, int lowest, std::int64_t* units) {
  return extract(TermTile<X>(x, count, ahead), levels, e, lowest, units);
}
template <class X, class Y>
bool extract_products(X const* x, Y const* y, int count, int ahead, int levels, int e, int lowest,
                      std::int64_t* units) {
  return extract(ProductTile<X, Y>(x, y, count, ahead), levels, e, lowest, units);
}

template <class X>
double largest_value(X const* x, int count, int ahead) {
  return largest_of_tile(TermTile<X>(x, count, ahead));
}
template <class X, class Y>
double largest_product(X const* x, Y const* y, int count, int ahead) {
  return largest_of_tile(ProductTile<X, Y>(x, y, count, ahead));
}

template <class X>
void set(KernelsOf<X>& kernels) {
  kernels.largest = &largest_value<X>;
  kernels.extract = &extract_values<X>;
}

template <class X, class Y>
void set(KernelsOf<X, Y>& kernels) {
  kernels.largest = &largest_product<X, Y>;
  kernels.extract = &extract_products<X, Y>;
}

}  // namespace

void set_extractions(Kernels& kernels) {
  set_each(static_cast<TermKernels&>(kernels), [](auto& of_types) { set(of_types); });
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
