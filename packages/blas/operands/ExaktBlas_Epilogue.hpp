// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_EPILOGUE_HPP
#define EXAKTBLAS_EPILOGUE_HPP

/// \file
/// \brief What becomes of an exact sum S of products: (alpha * S + beta * y) / divisor, the whole rounded once.

#include "ExaktBlas_Scalars.hpp"

#include <Exakt_LongAccumulator.hpp>
#include <summation/Exakt_CascadedSum.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

using ExactProducts = LongAccumulator<double, 56, Terms::products>;
using ExactScaled = LongAccumulator<double, 56, Terms::scaled_products>;

/// What becomes of an exact sum.
struct Epilogue : Factors {
  template <class R>
  KOKKOS_INLINE_FUNCTION R exactly(ExactProducts const& sum, double y, double divisor) const {
    if (alpha == 1 || alpha == -1) {
      // The accumulator of products has room for one product more.
      ExactProducts total;
      if (alpha == 1) {
        total += sum;
      } else {
        total -= sum;
      }
      return rounded<R>(total, y, divisor);
    }
    ExactScaled total;
    total.add_scaled_sum(sum, alpha);
    return rounded<R>(total, y, divisor);
  }

 private:
  template <class R, class Long>
  KOKKOS_INLINE_FUNCTION R rounded(Long& total, double y, double divisor) const {
    if (reads_y) total.add_product(beta, y);
    return has_divisor ? total.template round_quotient<R>(divisor) : total.template round<R>();
  }
};

#include "../kernels/ExaktBlas_Epilogue-inl.hpp"

/// \brief try_round_row() without a divisor; and, of a sum that two doubles are exactly, what no interval decides: zeros, and
/// ties, which are common where A, x, or the factors have few bits.
template <class R>
KOKKOS_INLINE_FUNCTION bool try_round_sum(Factors const& factors, Enclosure const& sum, double y, R& result) {
  if constexpr (is_float_v<R>) {
    if (try_round_row(factors, sum, y, 1, result)) return true;
    if (bits_of(sum.bound) != 0) return false;
    WideCascade value;
    value.add_product(factors.alpha, sum.high);
    value.add_product(factors.alpha, sum.low);
    if (factors.reads_y) value.add_product(factors.beta, y);
    return try_round(value.enclosure(), result);
  } else {
    return false;
  }
}

/// The same with a divisor whose reciprocal is not known yet.
KOKKOS_FORCEINLINE_FUNCTION IntervalPack interval_of(Epilogue const& epilogue, EnclosurePack const& sum, Pack y,
                                                     Pack divisor) {
  return interval_of(epilogue, sum, y, divisor, broadcast(1) / divisor);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
