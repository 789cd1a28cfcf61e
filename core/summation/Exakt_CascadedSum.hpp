// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_CASCADEDSUM_HPP
#define EXAKT_CASCADEDSUM_HPP

/// \file
/// \brief An enclosure of terms of any range, in the registers of a thread: what devices make first of a sum.

#include "../numerics/Exakt_ExactTerm.hpp"
#include "Exakt_Enclosure.hpp"

#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief A sum in some doubles, and a bound of what its roundings come to (SumK of Ogita, Rump and Oishi, Accurate sum
/// and dot product, 2005, with K = levels + 1). Without a branch, and without a look at exponents.
///
///     t + part_0 = part_0' + e,   e + part_1 = part_1' + f,  ...   exactly;    rest' = rest + what is left, rounded
///
/// A product x y is p + q exactly, unless it underflows, and q begins at part_1. So the parts and the rest are off by no
/// more than the roundings of `rest`: at most 2^-53 of each result, and `sizes` adds up the magnitudes of those. Rounded
/// itself, it is more than half of their sum for fewer than 2^52 of them, so the bound is 2^-52 sizes. A product that may
/// have underflowed is off by less than 2^-1073, and counted as one more result of 2^-960.
///
/// Where the last part has room for all bits, there is nothing to round, and the sum is exact: of terms with few bits, whose
/// sums are often ties, and of those that cancel.
///
/// Infinities and NaN, and sums that overflow on the way, leave a NaN in all that follows: such enclosures decide nothing.
/// It needs the default floating-point environment.
template <int levels>
struct Cascade {
  double parts[levels] = {};
  double rest = 0;
  double sizes = 0;

  KOKKOS_FORCEINLINE_FUNCTION void clear() { *this = Cascade(); }

  KOKKOS_FORCEINLINE_FUNCTION Cascade& operator+=(double term) {
    insert<0>(term);
    return *this;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_product(double x, double y) {
    constexpr double may_underflow = 0x1p-960;
    auto const product = two_product(x, y);
    if (magnitude_of(product.value) < may_underflow) {
      if (x != 0 && y != 0) sizes = sizes + may_underflow;
    }
    insert<0>(product.value);
    insert<1>(product.error);
  }

  /// Likewise in the default environment; += holds it, for reductions merge on threads whose environments may be any.
  KOKKOS_FORCEINLINE_FUNCTION void merge(Cascade const& other) {
    sizes = sizes + other.sizes;
    insert_parts(other, std::make_integer_sequence<int, levels>());
    round_in(other.rest);
  }
  KOKKOS_FORCEINLINE_FUNCTION Cascade& operator+=(Cascade const& other) {
    EXAKT_IF_ON_DEVICE((merge(other);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { merge(other); });))
    return *this;
  }

  /// As two doubles, which may take one more rounding. (The product underflows where nothing below 2^-1022 was rounded, for
  /// such sums are exact.)
  KOKKOS_FORCEINLINE_FUNCTION Enclosure enclosure() const {
    double x[levels + 1];
    for (int i = 0; i < levels; ++i) x[i] = parts[i];
    x[levels] = rest;
    // Parts that have cancelled make room for those behind them, one in each turn.
    for (int turn = 1; turn < levels; ++turn) {
      EXAKT_UNROLLED_LOOP
      for (int i = levels; i > 0; --i) {
        auto const sum = two_sum(x[i - 1], x[i]);
        x[i - 1] = sum.value;
        x[i] = sum.error;
      }
    }
    auto const low = two_sum(x[1], x[2]);
    double bound = 0x1p-52 * sizes + magnitude_of(low.error);
    for (int i = 3; i <= levels; ++i) bound = bound + magnitude_of(x[i]);
    return {x[0], low.value, bound * (1 + 0x1p-49)};  // fewer than 16 roundings
  }

 private:
  static_assert(levels >= 2);

  /// rest += term
  KOKKOS_FORCEINLINE_FUNCTION void round_in(double term) {
    rest = rest + term;
    sizes = sizes + magnitude_of(rest);
  }

  /// Adds a number to a part, what that leaves to the next one, and so on.
  template <int first>
  KOKKOS_FORCEINLINE_FUNCTION void insert(double term) {
    EXAKT_UNROLLED_LOOP
    for (int i = first; i < levels; ++i) {
      auto const sum = two_sum(parts[i], term);
      parts[i] = sum.value;
      term = sum.error;
    }
    round_in(term);
  }

  template <int... i>
  KOKKOS_FORCEINLINE_FUNCTION void insert_parts(Cascade const& other, std::integer_sequence<int, i...>) {
    (insert<i>(other.parts[i]), ...);
  }
};

/// What is tried first, and for the sums that it leaves: 212 bits, which most sums that cancel are exact in.
using CascadedSum = Cascade<2>;
using WideCascade = Cascade<4>;

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
