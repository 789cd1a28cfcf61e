// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Into the digits of a long accumulator (Exakt_LongAccumulator.hpp): the digits of another one; and terms of any range,
// one by one, which is what is left where a tile is too wide for extraction and too short for bins.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Digits.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../numerics/Exakt_FloatFormat.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

/// Terms are taken apart in loops that compilers vectorize, without a branch on the sign, which would be mispredicted
/// for every other term; then each is added to its two digits.
template <class X>
bool add_to_digits(X const* x, int count, int lowest, std::int64_t* digits) {
  using F = FloatFormat<X>;
  constexpr int stored = F::precision - 1, width = 8 * static_cast<int>(sizeof(X));
  constexpr std::uint64_t all_fields = (std::uint64_t{1} << (width - 1 - stored)) - 1, radix = kernel_radix_bits;
  constexpr std::uint64_t digit_mask = (std::uint64_t{1} << radix) - 1;
  std::uint64_t const first = static_cast<std::uint64_t>(F::lsb_exponent - lowest);
  std::uint64_t index[digit_block], specials = 0;
  std::int64_t low[digit_block], high[digit_block];
  for (int i = 0; i < count; ++i) {
    std::uint64_t const bits = bits_of(x[i]), field = (bits >> stored) & all_fields;
    std::uint64_t const is_normal = (field + all_fields) >> (width - 1 - stored);
    std::uint64_t const significand = (bits & ((std::uint64_t{1} << stored) - 1)) | is_normal << stored;
    std::uint64_t const sign = 0 - (bits >> (width - 1)), offset = first + field - is_normal;
    // offset / 56 by a multiplication, for offsets below 2^13.
    std::uint64_t const digit = (offset * 74899) >> 22, shift = offset - digit * radix;
    index[i] = digit;
    low[i] = static_cast<std::int64_t>((((significand << shift) & digit_mask) ^ sign) - sign);
    high[i] = static_cast<std::int64_t>(((significand >> (radix - shift)) ^ sign) - sign);
    specials |= field + 1;
  }
  if (specials > all_fields) return false;  // the field of infinities and NaN, plus 1, has a bit more than others
  for (int i = 0; i < count; ++i) {
    digits[index[i]] += low[i];
    digits[index[i] + 1] += high[i];
  }
  return true;
}

constexpr bool divides_by_multiplication() {
  for (std::uint64_t offset = 0; offset < 1 << 13; ++offset) {
    if ((offset * 74899) >> 22 != offset / kernel_radix_bits) return false;
  }
  return true;
}
static_assert(divides_by_multiplication());

namespace hn = hwy::HWY_NAMESPACE;

/// Packs, then halves of packs, down to single digits: what is stored as a whole is loaded as one in the next merge, else
/// the load would wait until the store is in the cache.
template <bool subtracts, class Tag>
HWY_INLINE void merge_packs(Tag tag, std::int64_t* sum, std::int64_t const* other, int count) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto const a = hn::LoadU(tag, sum + i), b = hn::LoadU(tag, other + i);
    hn::StoreU(subtracts ? hn::Sub(a, b) : hn::Add(a, b), tag, sum + i);
  }
  if constexpr (lanes > 1) merge_packs<subtracts>(hn::Half<Tag>(), sum + i, other + i, count - i);
}

void merge_digits(std::int64_t* sum, std::int64_t const* other, int count, bool subtracts) {
  hn::ScalableTag<std::int64_t> const packs;
  if (subtracts) {
    merge_packs<true>(packs, sum, other, count);
  } else {
    merge_packs<false>(packs, sum, other, count);
  }
}

}  // namespace

void set_digits(Kernels& kernels) {
  kernels.merge_digits = &merge_digits;
  kernels.KernelsOf<double>::add_to_digits = &add_to_digits<double>;
  kernels.KernelsOf<float>::add_to_digits = &add_to_digits<float>;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
