// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_SCATTERCACHE_HPP
#define EXAKTSCATTER_SCATTERCACHE_HPP

#include "ExaktScatter_ScatterSum.hpp"
#include "impl/ExaktScatter_BinCache.hpp"

namespace Exakt {

/// \brief What one thread adds to a ScatterSum, combined before the atomic operations: the same bits as without.
///
/// Method: for the bins that the thread added to lately, an expansion of two numbers each (Exakt_Expansion.hpp), which
/// is added to its bin when another one needs the place, and at the end.
///
///     Kokkos::parallel_for(chunks, KOKKOS_LAMBDA(int c) {
///       Exakt::ScatterCache cache(bins);
///       for (int j = begin(c); j < end(c); ++j) cache.add(index(j), x(j));
///     });
///
/// In a team each thread makes its own, in front of the TeamThreadRange whose body adds to it.
///
/// Bins, terms, refusals and the result are those of the ScatterSum; others may add to it directly at the same time.
///
/// \tparam Sum    A ScatterSum.
/// \tparam Slots  Places for bins, a power of two; bin i has place i mod Slots. On devices a single one stays in
///                registers.
///
/// \par Cost  An addition takes a third of the time of ScatterSum::add while its bin has a place (few bins, or runs of
/// terms for one), and a quarter more where it finds the place taken each time. 24 bytes a place.
template <class Sum, int Slots = Impl::cache_slots<typename Sum::execution_space>>
class ScatterCache {
  static_assert(Sum::rank == 1, "Exakt: a ScatterCache is for bins of rank 1");
  using T = typename Sum::value_type;
  template <class X>
  static constexpr bool is_cached = (std::is_floating_point_v<T> && std::is_same_v<X, T>) ||
                                    (std::is_same_v<T, double> && std::is_same_v<X, float>);

 public:
  /// Nothing in it. \param bins  Outlives the cache.
  explicit KOKKOS_FORCEINLINE_FUNCTION ScatterCache(Sum const& bins) : m_bins(bins), m_cache(bins.m_bins.bins) {}
  ScatterCache(Sum const&&) = delete;
  ScatterCache(ScatterCache const&) = delete;  // what is in it is to be added once
  ScatterCache& operator=(ScatterCache const&) = delete;
  EXAKT_FUNCTION ~ScatterCache() { flush(); }

  /// \brief Bin i += x, exactly. Terms, refusals, infinities and NaN as for ScatterSum::add.
  template <class Index, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(Index i, X const& x) {
    if constexpr (is_cached<X>) {
      if (m_cache.add(i, x)) return;
    } else if constexpr (std::is_integral_v<X>) {
      constexpr auto exact = std::uint64_t{1} << FloatFormat<double>::precision;
      if (Impl::integer_parts_of_integer(x).significand < exact && m_cache.add(i, x)) return;
    }
    m_bins.add(i, x);
  }

  /// \brief Bin i += x * y, exactly, as by ScatterSum::add_product.
  template <class Index, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Index i, X const& x, Y const& y) {
    if constexpr (is_cached<X> && is_cached<Y>) {
      constexpr int bits = FloatFormat<X>::precision + FloatFormat<Y>::precision;
      if (m_cache.template add_product<bits>(i, x, y)) return;
    }
    m_bins.add_product(i, x, y);
  }

  /// \brief The bins get everything that was added so far; the destructor does the same.
  EXAKT_FUNCTION void flush() { m_cache.flush(); }

 private:
  Sum const& m_bins;
  Impl::BinCache<typename Sum::Bins, Slots> m_cache;
};

}  // namespace Exakt

#endif
