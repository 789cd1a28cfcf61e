// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_BINCACHE_HPP
#define EXAKTSCATTER_BINCACHE_HPP

/// \file
/// \brief What one thread keeps of a few bins: what it added to them lately, as the unevaluated sum of two numbers.
///
///     term --> high: TwoSum --> error --> low: TwoSum --> error, most often zero --> atomic additions to the bin
///                 |                          |
///                 +--------------------------+---- when another bin needs the place, and at the end ---^
///
/// Nothing is lost on any way, so it does not matter which way a term takes. Those for which TwoSum, or the bins, need
/// more care than a comparison go straight to the bins: subnormal and very large numbers, infinities, NaN, what is
/// outside of the bins' range, and everything on a thread that does not round to nearest.

#include "ExaktScatter_Bins.hpp"

#include <numerics/Exakt_Environment.hpp>
#include <numerics/Exakt_ErrorFree.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The numbers x with 2^low <= |x| < 2^high, none if that are none.
class NormalRange {
  using F = FloatFormat<double>;

 public:
  /// \pre min_exponent <= low, high <= max_exponent
  KOKKOS_FORCEINLINE_FUNCTION constexpr NormalRange(int low, int high)
      : m_first(field(low)), m_count(high > low ? field(high) - m_first : 0) {}

  KOKKOS_FORCEINLINE_FUNCTION bool has(double x) const {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return (bits_of(x) & ~sign) - m_first < m_count;
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t field(int exponent) {
    return static_cast<std::uint64_t>(exponent + F::max_exponent) << (F::precision - 1);
  }
  std::uint64_t m_first, m_count;
};

/// On devices a single one stays in registers.
template <class Space>
inline constexpr int cache_slots = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible ? 64 : 1;

template <class Bins, int Slots>
class BinCache {
  static_assert(Slots > 0 && (Slots & (Slots - 1)) == 0, "Exakt: the number of places in a cache is a power of two");
  using F = FloatFormat<double>;
  // Two numbers below 2^limit have a sum that does not overflow.
  static constexpr int limit = F::max_exponent - 1;

 public:
  explicit KOKKOS_FORCEINLINE_FUNCTION BinCache(Bins const& bins)
      : m_bins(&bins),
        // The lowest bit of a term, and of the error of a product, is one that the bins have.
        m_terms(larger(bins.range.lowest + F::precision - 1, F::min_exponent), smaller(bins.range.highest, limit)),
        m_products(larger(bins.range.lowest, F::min_exponent) + 2 * F::precision, smaller(bins.range.highest, limit)) {
    for (int slot = 0; slot < Slots; ++slot) {
      m_bin[slot] = nobody;
      m_high[slot] = m_low[slot] = 0;
    }
  }

  /// \param x  A double, or what is one exactly: not converted before the environment is known, for a conversion is an
  ///           operation like any other.
  /// \return Whether it was added; if not, the bins are to be asked. Nobody looks at i before.
  template <class Index, class X>
  KOKKOS_FORCEINLINE_FUNCTION bool add(Index i, X x) {
    if (!m_bins->has(i) || !fp_environment_is_default()) [[unlikely]]
      return false;
    auto const term = static_cast<double>(x);
    if (!m_terms.has(term)) [[unlikely]]
      return false;
    add_to_slot(static_cast<std::int64_t>(i), term);
    return true;
  }

  /// The same for the product of two, numbers of at most Bits bits together.
  template <int Bits, class Index, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION bool add_product(Index i, X first, Y second) {
    if (!m_bins->has(i) || !fp_environment_is_default()) [[unlikely]]
      return false;
    auto const x = static_cast<double>(first), y = static_cast<double>(second);
    if constexpr (Bits <= F::precision) {
      double const product = rounded_multiply(x, y);
      if (!m_terms.has(product)) [[unlikely]]
        return false;
      add_to_slot(static_cast<std::int64_t>(i), product);
    } else {
      constexpr NormalRange safe_factors(F::min_exponent, F::max_exponent - F::precision);
      auto const product = two_product(x, y);
      if (!m_products.has(product.value) || !(has_fast_fma || (safe_factors.has(x) && safe_factors.has(y))))
          [[unlikely]]
        return false;
      add_to_slot(static_cast<std::int64_t>(i), product.value);
      if (product.error != 0) add_to_slot(static_cast<std::int64_t>(i), product.error);
    }
    return true;
  }

  KOKKOS_FUNCTION void flush() {
    for (int slot = 0; slot < Slots; ++slot) {
      give(slot);
      m_bin[slot] = nobody;
    }
  }

 private:
  static constexpr std::int64_t nobody = -1;

  static KOKKOS_FORCEINLINE_FUNCTION constexpr int larger(int a, int b) { return a > b ? a : b; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int smaller(int a, int b) { return a < b ? a : b; }

  KOKKOS_FORCEINLINE_FUNCTION void add_to_slot(std::int64_t i, double x) {
    auto const slot = static_cast<int>(i & (Slots - 1));
    if (m_bin[slot] != i) {
      give(slot);
      m_bin[slot] = i;
      m_high[slot] = x;
      m_low[slot] = 0;
      return;
    }
    constexpr NormalRange too_large(limit, F::max_exponent);
    auto const high = two_sum(m_high[slot], x);
    if (too_large.has(high.value)) [[unlikely]]
      return m_bins->add_part(i, x);
    auto const low = two_sum(m_low[slot], high.error);
    m_high[slot] = high.value;
    m_low[slot] = low.value;
    if (low.error != 0) [[unlikely]]
      m_bins->add_part(i, low.error);
  }

  /// In any environment: by bits.
  KOKKOS_FORCEINLINE_FUNCTION void give(int slot) const {
    if (m_bin[slot] == nobody) return;
    m_bins->add_part(m_bin[slot], m_high[slot]);
    if (!is_zero(m_low[slot])) m_bins->add_part(m_bin[slot], m_low[slot]);
  }

  Bins const* m_bins;
  NormalRange m_terms, m_products;
  // Three arrays, not one of three: compilers would write both halves of a sum at once, and the next term to the same
  // bin would wait for the slower one.
  std::int64_t m_bin[Slots];
  double m_high[Slots], m_low[Slots];
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
