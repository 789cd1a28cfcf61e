// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of any range in integers: into bins by exponent, if there are many, or into the digits of a long accumulator.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_IntegerProducts.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../summation/Exakt_ExtractionLevels.hpp"
#include "../summation/Exakt_ProductBins.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include "Exakt_Lanes-inl.hpp"

/// Products taken apart, in a loop that compilers vectorize.
template <class X, class Y>
struct Block {
  std::uint64_t x[product_block], y[product_block], keys[product_block];

  /// False if a factor is infinite or NaN.
  HWY_INLINE bool take_apart(X const* a, Y const* b, int count) {
    std::uint64_t specials = 0;
    for (int i = 0; i < count; ++i) {
      IntegerProduct<X, Y> const product(a[i], b[i]);
      x[i] = product.x;
      y[i] = product.y;
      keys[i] = product.key;
      specials |= product.specials;
    }
    return (specials & IntegerProduct<X, Y>::special_flag) == 0;
  }
};

template <class X, class Y>
bool add_by_exponent(X const* x, Y const* y, int count, int ahead, std::uint64_t* bins) {
  prefetch_all(x + ahead, count);
  prefetch_all(y + ahead, count);
  Block<X, Y> block;
  if (!block.take_apart(x, y, count)) return false;
  for (int i = 0; i < count; ++i) add_to_bin(block.x[i], block.y[i], block.keys[i], bins);
  return true;
}

template <class X, class Y>
bool add_to_digits(X const* x, Y const* y, int count, int lowest, std::int64_t* digits) {
  using Product = IntegerProduct<X, Y>;
  constexpr std::uint32_t radix = kernel_radix_bits;
  constexpr std::uint64_t digit_mask = (std::uint64_t{1} << radix) - 1;
  Block<X, Y> block;
  if (!block.take_apart(x, y, count)) return false;
  std::uint64_t const first = static_cast<std::uint64_t>(Product::lsb_exponent - lowest);
  for (int i = 0; i < count; ++i) {
    std::uint64_t const key = block.keys[i], sign = 0 - (key >> Product::exponent_bits);
    auto const offset = static_cast<std::uint32_t>(first + (key & ((1 << Product::exponent_bits) - 1)));
    std::uint32_t const digit = offset / radix, shift = offset - digit * radix, rest = radix - shift;
    auto const [high, low] = wide_product(block.x[i], block.y[i]);
    // The product has 106 bits: high is below 2^42.
    std::uint64_t const pieces[] = {(low << shift) & digit_mask, ((low >> rest) | (high << (64 - rest))) & digit_mask,
                                    (high << (64 - radix) | low >> radix) >> rest};
    for (int k = 0; k < 3; ++k) digits[digit + k] += static_cast<std::int64_t>((pieces[k] ^ sign) - sign);
  }
  return true;
}

template <class X>
void set(KernelsOf<X>&) {}

template <class X, class Y>
void set(KernelsOf<X, Y>& kernels) {
  kernels.add_by_exponent = &add_by_exponent<X, Y>;
  kernels.add_to_digits = &add_to_digits<X, Y>;
}

}  // namespace

void set_integer_products(Kernels& kernels) {
  set_each(static_cast<TermKernels&>(kernels), [](auto& of_types) { set(of_types); });
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
