// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Into the digits of a long accumulator (Exakt_LongAccumulator.hpp): the digits of another one; and terms of any range,
// one by one, which is what is left where a tile is too wide for extraction and too short for bins.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Digits.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "../numerics/Exakt_FloatFormat.hpp"
#include "Exakt_Kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Integers = hn::ScalableTag<std::int64_t>;
inline constexpr int lanes = static_cast<int>(hn::MaxLanes(Integers()));

/// Digits between which terms are added in packs of eight lanes: for more of them, or in shorter packs, it takes longer than
/// term by term.
inline constexpr std::int64_t digits_in_packs = 16;

/// A term in two digits: `low` in that of its index, `high` in the next one.
struct Pieces {
  std::int64_t index, low, high;

  /// Without a branch on the sign, which would be mispredicted for every other term.
  template <class X>
  HWY_INLINE Pieces(X x, int lowest) {
    using F = FloatFormat<X>;
    constexpr int stored = F::precision - 1, width = 8 * static_cast<int>(sizeof(X));
    constexpr std::uint64_t all_fields = (std::uint64_t{1} << (width - 1 - stored)) - 1, radix = kernel_radix_bits;
    constexpr std::uint64_t digit_mask = (std::uint64_t{1} << radix) - 1;
    std::uint64_t const first = static_cast<std::uint64_t>(F::lsb_exponent - lowest);
    std::uint64_t const bits = bits_of(x), field = (bits >> stored) & all_fields;
    std::uint64_t const is_normal = (field + all_fields) >> (width - 1 - stored);
    std::uint64_t const significand = (bits & ((std::uint64_t{1} << stored) - 1)) | is_normal << stored;
    std::uint64_t const sign = 0 - (bits >> (width - 1)), offset = first + field - is_normal;
    // offset / 56 by a multiplication, for offsets below 2^13.
    std::uint64_t const digit = (offset * 74899) >> 22, shift = offset - digit * radix;
    index = static_cast<std::int64_t>(digit);
    low = static_cast<std::int64_t>((((significand << shift) & digit_mask) ^ sign) - sign);
    high = static_cast<std::int64_t>(((significand >> (radix - shift)) ^ sign) - sign);
  }

  HWY_INLINE void add_to(std::int64_t* digits) const {
    digits[index] += low;
    digits[index + 1] += high;
  }
};

/// The pieces of many terms, taken apart in a loop that compilers vectorize.
struct PiecesOfTerms {
  std::int64_t index[digit_block], low[digit_block], high[digit_block];
  std::int64_t least, most;  // of the indices

  template <class X>
  HWY_INLINE PiecesOfTerms(X const* x, int count, int lowest)
      : least(std::numeric_limits<std::int64_t>::max()), most(0) {
    for (int i = 0; i < count; ++i) {
      Pieces const pieces(x[i], lowest);
      index[i] = pieces.index;
      low[i] = pieces.low;
      high[i] = pieces.high;
      least = pieces.index < least ? pieces.index : least;
      most = pieces.index > most ? pieces.index : most;
    }
  }

  /// Term by term. Where a digit takes the next term as well, that waits for the store.
  HWY_INLINE void add_each(int count, std::int64_t* digits) const {
    for (int i = 0; i < count; ++i) {
      digits[index[i]] += low[i];
      digits[index[i] + 1] += high[i];
    }
  }

  /// Digit by digit, in packs: all pieces are looked at for each.
  HWY_INLINE void add_to_each(int count, std::int64_t* digits) {
    Integers const tag;
    int const end = (count + lanes - 1) / lanes * lanes;
    for (int i = count; i < end; ++i) index[i] = -1;
    auto carried = hn::Zero(tag);
    for (std::int64_t d = least; d <= most; ++d) {
      auto const digit = hn::Set(tag, d);
      auto low_sum = carried, high_sum = hn::Zero(tag);
      for (int i = 0; i < end; i += lanes) {
        auto const is_here = hn::Eq(hn::LoadU(tag, index + i), digit);
        low_sum = hn::Add(low_sum, hn::IfThenElseZero(is_here, hn::LoadU(tag, low + i)));
        high_sum = hn::Add(high_sum, hn::IfThenElseZero(is_here, hn::LoadU(tag, high + i)));
      }
      digits[d] += hn::GetLane(hn::SumOfLanes(tag, low_sum));
      carried = high_sum;
    }
    digits[most + 1] += hn::GetLane(hn::SumOfLanes(tag, carried));
  }
};

template <class X>
bool add_to_digits(X const* x, int count, int lowest, std::int64_t* digits) {
  using F = FloatFormat<X>;
  typename F::bits_type fields = 0;  // the largest one carries into the sign if it gets another one
  for (int i = 0; i < count; ++i) fields |= (bits_of(x[i]) & F::infinity) + F::hidden_bit;
  if ((fields & F::sign_mask) != 0) return false;
  if constexpr (lanes < 4) {
    for (int i = 0; i < count; ++i) Pieces(x[i], lowest).add_to(digits);
  } else {
    PiecesOfTerms pieces(x, count, lowest);
    if (lanes >= 8 && pieces.most - pieces.least < digits_in_packs) {
      pieces.add_to_each(count, digits);
    } else {
      pieces.add_each(count, digits);
    }
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
  Integers const packs;
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
