// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPONENTBINS_HPP
#define EXAKT_EXPONENTBINS_HPP

/// \file
/// \brief The large accumulator: one integer for each exponent, for terms of any range at one speed.
///
/// After the large superaccumulator of Neal, "Fast exact summation using small and large superaccumulators" (2015).
/// His has 4096 chunks, one for each sign and exponent, and counts the additions to each. Here a chunk is signed, and
/// an addition that overflows says so itself: nothing is counted, and 16 KB stay in the first-level cache.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_FloatFormat.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_ExponentBins-inl.hpp"

/// \brief Sums of doubles by exponent:  value = sum of bin[e] * 2^(max(e, 1) - 1075), e the exponent field.
///
/// Made for the stack of a function that has thousands of terms to add: to clear and to drain it takes as long as some
/// thousand additions.
class ExponentBins {
  using F = FloatFormat<double>;
  static_assert(exponent_bins == 2 * F::max_exponent + 1);

 public:
  /// Terms that are taken apart at once.
  static constexpr int block_size = exponent_block;

  /// \brief Adds `count` terms, at most a block; or none of them, and false, if one is infinite or NaN. T is float or
  /// double; a float has to be a normal double, as it is where subnormal numbers are kept.
  ///
  /// \param sum  Takes over what leaves a bin: 2^64 of its units.
  template <class T, class Long>
  KOKKOS_INLINE_FUNCTION bool add(T const* terms, int count, Long& sum) {
    int overflown[block_size], overflows = -1;
    EXAKT_IF_ON_HOST(
        (KernelsOf<T> const& kernel = kernels(); overflows = kernel.add_by_exponent(terms, count, m_bins, overflown);))
    EXAKT_IF_ON_DEVICE((overflows = add_block_by_exponent(terms, count, m_bins, overflown);))
    for (int i = 0; i < overflows; ++i) {
      bool const negative = overflown[i] < 0;
      add_to(sum, 1, exponent_of(negative ? ~overflown[i] : overflown[i]) + 64, negative);
    }
    return overflows >= 0;
  }

  /// \brief Adds all bins to `sum`. Every term was a multiple of its lowest bit.
  template <class Long>
  KOKKOS_INLINE_FUNCTION void drain(Long& sum) const {
    for (int e = 0; e < exponent_bins; ++e) {
      std::int64_t const bin = m_bins[e];
      if (bin != 0) add_to(sum, bin < 0 ? 0 - static_cast<std::uint64_t>(bin) : bin, exponent_of(e), bin < 0);
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION int exponent_of(int field) {
    return (field > 1 ? field : 1) - 1 + F::lsb_exponent;
  }

  template <class Long>
  static KOKKOS_INLINE_FUNCTION void add_to(Long& sum, std::uint64_t units, int exponent, bool negative) {
    int const zeros = exponent < Long::lowest_exponent ? Long::lowest_exponent - exponent : 0;
    // The units are a multiple of 2^zeros, and not zero. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    sum.add_scaled(units >> zeros, exponent + zeros, negative);
  }

  std::int64_t m_bins[exponent_bins] = {};
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
