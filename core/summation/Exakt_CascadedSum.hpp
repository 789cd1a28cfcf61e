// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_CASCADEDSUM_HPP
#define EXAKT_CASCADEDSUM_HPP

/// \file
/// \brief An enclosure of terms of any range, in the registers of a thread: what devices make first of a sum.

#include "../numerics/Exakt_ExactTerm.hpp"
#include "Exakt_Enclosure.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief A sum in three doubles, and a bound of what its roundings come to (SumK of Ogita, Rump and Oishi, Accurate sum
/// and dot product, 2005, with K = 3). Without a branch, and without a look at exponents.
///
///     t + high = high' + e,   low + e = low' + f    exactly;    rest' = rest + f, rounded
///
/// A product x y is p + q exactly, unless it underflows, and q goes to `low` likewise. So high + low + rest is off by no more
/// than the roundings of `rest` and of what is added to it: at most 2^-53 of each result, and `sizes` adds up the
/// magnitudes of those. Rounded itself, it is more than half of their sum for fewer than 2^52 of them, so the bound is
/// 2^-52 sizes. A product that may have underflowed is off by less than 2^-1073, and counted as one more result of 2^-960.
///
/// Where `low` has room for all bits, there is nothing to round, and the sum is exact: of terms with few bits, whose sums
/// are often ties, and of those that cancel.
///
/// Infinities and NaN, and sums that overflow on the way, leave a NaN in all that follows: such enclosures decide nothing.
/// It needs the default floating-point environment.
struct CascadedSum {
  double high = 0, low = 0, rest = 0;
  double sizes = 0;

  KOKKOS_FORCEINLINE_FUNCTION void clear() { *this = CascadedSum(); }

  KOKKOS_FORCEINLINE_FUNCTION CascadedSum& operator+=(double term) {
    auto const [sum, e] = two_sum(high, term);
    auto const [tail, f] = two_sum(low, e);
    high = sum;
    low = tail;
    round_in(f);
    return *this;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_product(double x, double y) {
    constexpr double may_underflow = 0x1p-960;
    auto const product = two_product(x, y);
    if (magnitude_of(product.value) < may_underflow) {
      if (x != 0 && y != 0) sizes = sizes + may_underflow;
    }
    auto const [sum, e] = two_sum(high, product.value);
    high = sum;
    add_to_low(e, product.error);
  }

  /// Likewise in the default environment; += holds it, for reductions merge on threads whose environments may be any.
  KOKKOS_FORCEINLINE_FUNCTION void merge(CascadedSum const& other) {
    auto const [sum, e] = two_sum(high, other.high);
    high = sum;
    sizes = sizes + other.sizes;
    round_in(other.rest);
    add_to_low(e, other.low);
  }
  KOKKOS_FORCEINLINE_FUNCTION CascadedSum& operator+=(CascadedSum const& other) {
    EXAKT_IF_ON_DEVICE((merge(other);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { merge(other); });))
    return *this;
  }

  /// As two doubles, which may take one more rounding. (The product underflows where nothing below 2^-1022 was rounded, for
  /// such sums are exact.)
  KOKKOS_FORCEINLINE_FUNCTION Enclosure enclosure() const {
    auto const [tail, f] = two_sum(low, rest);
    auto const [sum, e] = two_sum(high, tail);
    auto const [all, g] = two_sum(e, f);
    return {sum, all, 0x1p-52 * sizes + magnitude_of(g)};
  }

 private:
  /// rest += term
  KOKKOS_FORCEINLINE_FUNCTION void round_in(double term) {
    rest = rest + term;
    sizes = sizes + magnitude_of(rest);
  }

  /// low += a + b
  KOKKOS_FORCEINLINE_FUNCTION void add_to_low(double a, double b) {
    auto const [some, f] = two_sum(low, a);
    auto const [all, g] = two_sum(some, b);
    low = all;
    double const both = f + g;
    sizes = sizes + magnitude_of(both);
    round_in(both);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
