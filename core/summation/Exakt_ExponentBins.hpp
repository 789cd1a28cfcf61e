// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPONENTBINS_HPP
#define EXAKT_EXPONENTBINS_HPP

/// \file
/// \brief The large accumulator: one integer for each sign and exponent, for terms of any range at one speed.
///
/// The large superaccumulator of Neal, "Fast exact summation using small and large superaccumulators" (2015), has such
/// chunks, too. His counts the additions to each and is emptied before one could overflow. Here an addition that
/// overflows says so itself: nothing is counted but overflows, of which there are few.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_FloatFormat.hpp"
#include "../parallel/Exakt_KokkosCompat.hpp"
#include "Exakt_ExtractionLevels.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_ExponentBins-inl.hpp"

/// \brief Sums of doubles by sign and exponent: +-(bin + 2^64 overflows) * 2^(max(f, 1) - 1075) each, f the exponent field.
///
/// Made for the stack of a function that has thousands of terms to add, of fewer than 2^27: to clear and to drain it takes
/// as long as some thousand additions.
class ExponentBins {
  using F = FloatFormat<double>;
  static constexpr int fields = exponent_bins / 2, special_field = fields - 1;
  static_assert(special_field == 2 * F::max_exponent + 1);

 public:
  /// Terms that are added at once.
  static constexpr int block_size = exponent_block;

  /// \brief Adds `count` terms, at most a block. T is float or double; a float has to be zero or a normal double, as it is
  /// where subnormal numbers are kept.
  ///
  /// \param ahead  How many terms before its use a line is asked for.
  /// \param sum    Takes infinities and NaN.
  template <class T, class Long>
  KOKKOS_INLINE_FUNCTION void add(T const* terms, int count, int ahead, Long& sum) {
    EXAKT_IF_ON_HOST(
        (KernelsOf<T> const& kernel = kernels(); kernel.add_by_exponent(terms, count, ahead, m_bins, m_overflows);))
    EXAKT_IF_ON_DEVICE((add_block_by_exponent(terms, count, ahead, m_bins, m_overflows);))
    if ((m_bins[special_field] | m_bins[fields + special_field]) == 0) return;
    // At most 2^11 significands, with hidden bits: what was zero is not zero modulo 2^64.
    for (int i = 0; i < count; ++i)
      if (!is_finite(terms[i])) sum.add_multiple(terms[i]);
    m_bins[special_field] = m_bins[fields + special_field] = 0;
  }

  /// \brief Adds all bins to `sum`. Every term was a multiple of its lowest bit.
  template <class Long>
  KOKKOS_INLINE_FUNCTION void drain(Long& sum) const {
    for (int first = 0; first < fields; first += fields_at_once) {
      if (are_empty(first)) continue;
      // Halves of bins, and overflows, in units of 2^(first - 1075), 2^32 and 2^64 times as much: below 2^32 each, and
      // all together below 2^32 * (2 + 2^1 + ... + 2^15) < 2^49. Of terms that are multiples of 2^k of these units they
      // are multiples of it, too, or zero.
      std::int64_t parts[3] = {};
      for (int j = 0; j < fields_at_once; ++j) {
        int const field = first + j, shift = field == 0 ? 1 : j;  // field 0 has the units of field 1
        std::uint64_t const plus = m_bins[field], minus = m_bins[fields + field];
        parts[0] += (half(plus, 0) - half(minus, 0)) * (std::int64_t{1} << shift);
        parts[1] += (half(plus, 32) - half(minus, 32)) * (std::int64_t{1} << shift);
        parts[2] += (std::int64_t{m_overflows[field]} - m_overflows[fields + field]) * (std::int64_t{1} << shift);
      }
      for (int k = 0; k < 3; ++k) add_to(sum, parts[k], first - 1 + F::lsb_exponent + 32 * k);
    }
  }

 private:
  static constexpr int fields_at_once = 16;

  /// Few exponents are used in a thousand terms. An OR of all is what compilers vectorize.
  KOKKOS_FORCEINLINE_FUNCTION bool are_empty(int first) const {
    std::uint64_t bins = 0, overflows = 0;
    for (int j = 0; j < fields_at_once; ++j) bins |= m_bins[first + j] | m_bins[fields + first + j];
    for (int j = 0; j < fields_at_once; ++j) overflows |= m_overflows[first + j] | m_overflows[fields + first + j];
    return (bins | overflows) == 0;
  }

  static KOKKOS_FORCEINLINE_FUNCTION std::int64_t half(std::uint64_t bin, int from) {
    return static_cast<std::int64_t>((bin >> from) & 0xffffffffu);
  }

  template <class Long>
  static KOKKOS_INLINE_FUNCTION void add_to(Long& sum, std::int64_t units, int exponent) {
    if (units == 0) return;
    auto const parts = integer_parts_of_integer(units);
    int const zeros = exponent < Long::lowest_exponent ? Long::lowest_exponent - exponent : 0;
    // The units are a multiple of 2^zeros. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    sum.add_scaled(parts.significand >> zeros, exponent + zeros, parts.negative);
  }

  std::uint64_t m_bins[exponent_bins] = {};
  std::uint16_t m_overflows[exponent_bins] = {};
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
