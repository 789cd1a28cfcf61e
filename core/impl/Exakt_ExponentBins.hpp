// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPONENTBINS_HPP
#define EXAKT_EXPONENTBINS_HPP

/// \file
/// \brief The large accumulator: one integer for each exponent, for terms of any range at one speed.
///
/// After the large superaccumulator of Neal, "Fast exact summation using small and large superaccumulators" (2015).
/// His has 4096 chunks, one for each sign and exponent, and counts the additions to each. Here a chunk is signed, and
/// an addition that overflows says so itself: nothing is counted, and 16 KB stay in the first-level cache.

#include "Exakt_Pack.hpp"
#include "Exakt_WideProduct.hpp"

namespace Exakt::Impl {

/// a + b modulo 2^64 in `sum`; whether that is not the sum.
KOKKOS_FORCEINLINE_FUNCTION bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& sum) {
#if defined(__GNUC__) && !defined(EXAKT_DEVICE_SOURCE)
  return __builtin_add_overflow(a, b, &sum);
#else
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return ((a ^ sum) & (b ^ sum)) < 0;
#endif
}

/// \brief Sums of doubles by exponent:  value = sum of bin[e] * 2^(max(e, 1) - 1075), e the exponent field.
///
/// Made for the stack of a function that has thousands of terms to add: to clear and to drain it takes as long as some
/// thousand additions.
class ExponentBins {
  using F = FloatFormat<double>;
  static constexpr int exponent_bits = 64 - F::precision;
  static constexpr std::int64_t exponent_mask = (1 << exponent_bits) - 1;
  static constexpr std::int64_t hidden_bit = std::int64_t{1} << (F::precision - 1);

 public:
  /// Terms that are taken apart at once.
  static constexpr int block_size = 128;
  static_assert(block_size % pack_lanes == 0);

  /// \brief Adds `count` terms, at most a block; or none of them, and false, if one is infinite or NaN. T is float or
  /// double; a float has to be a normal double, as it is where subnormal numbers are kept.
  ///
  /// \param sum  Takes over what leaves a bin: 2^64 of its units.
  template <class T, class Long>
  KOKKOS_FORCEINLINE_FUNCTION bool add(T const* terms, int count, Long& sum) {
    std::int64_t exponent[block_size], significand[block_size];
    IntegerPack special{};
    int i = 0;
    for (; i + pack_lanes <= count; i += pack_lanes)
      take_apart(load(terms + i), exponent + i, significand + i, special);
    if (i < count) take_apart(load_some(terms + i, count - i), exponent + i, significand + i, special);
    if (has_bits(special, exponent_mask + 1)) return false;

    for (i = 0; i < count; ++i) {
      std::int64_t& bin = m_bins[exponent[i]];
      if (add_overflows(bin, significand[i], bin)) [[unlikely]]
        add_to(sum, 1, exponent_of(exponent[i]) + 64, significand[i] < 0);
    }
    return true;
  }

  /// \brief Adds all bins to `sum`. Every term was a multiple of its lowest bit.
  template <class Long>
  KOKKOS_INLINE_FUNCTION void drain(Long& sum) const {
    for (int e = 0; e < bins; ++e) {
      std::int64_t const bin = m_bins[e];
      if (bin != 0) add_to(sum, bin < 0 ? 0 - static_cast<std::uint64_t>(bin) : bin, exponent_of(e), bin < 0);
    }
  }

 private:
  static constexpr int bins = static_cast<int>(exponent_mask);

  static KOKKOS_FORCEINLINE_FUNCTION int exponent_of(std::int64_t field) {
    return static_cast<int>(field > 1 ? field : 1) - 1 + F::lsb_exponent;
  }

  static KOKKOS_FORCEINLINE_FUNCTION void take_apart(Pack const& t, std::int64_t* exponent, std::int64_t* significand,
                                                     IntegerPack& special) {
    IntegerPack const bits = bits_of_pack(t), field = (bits >> (F::precision - 1)) & exponent_mask;
    // A field of 0 has no hidden bit: adding 2^11 - 1 carries into bit 11 for all others.
    IntegerPack const hidden = ((field + exponent_mask) & (exponent_mask + 1)) << (F::precision - 1 - exponent_bits);
    IntegerPack const magnitude = (bits & (hidden_bit - 1)) | hidden, sign = bits >> 63;
    special |= field + 1;
    store(field, exponent);
    store((magnitude ^ sign) - sign, significand);
  }

  template <class Long>
  static KOKKOS_INLINE_FUNCTION void add_to(Long& sum, std::uint64_t units, int exponent, bool negative) {
    int const zeros = exponent < Long::lowest_exponent ? Long::lowest_exponent - exponent : 0;
    sum.add_scaled(units >> zeros, exponent + zeros, negative);
  }

  std::int64_t m_bins[bins] = {};
};

}  // namespace Exakt::Impl

#endif
