// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_EPILOGUE_HPP
#define EXAKTBLAS_EPILOGUE_HPP

/// \file
/// \brief What becomes of an exact sum S of products: (alpha * S + beta * y) / divisor, the whole rounded once.

#include "ExaktBlas_Scalars.hpp"

#include <Exakt_LongAccumulator.hpp>
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

/// \brief One part of alpha * S + beta * y for complex numbers.
///
/// Multiplied out as (a + bi)(c + di) = (ac - bd) + (ad + bc)i, infinities and NaN included.
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> combine_complex(Factor const& alpha, ExactProducts const& real_sum,
                                                          ExactProducts const& imaginary_sum, Factor const& beta,
                                                          double real_y, double imaginary_y) {
  ExactScaled real, imaginary;
  real.add_scaled_sum(real_sum, alpha.real);
  imaginary.add_scaled_sum(imaginary_sum, alpha.real);
  if (alpha.is_complex) {
    real.add_scaled_sum(imaginary_sum, negated(alpha.imaginary));
    imaginary.add_scaled_sum(real_sum, alpha.imaginary);
  }
  if (!beta.is_zero()) {
    real.add_product(beta.real, real_y);
    imaginary.add_product(beta.real, imaginary_y);
    if (beta.is_complex) {
      real.subtract_product(beta.imaginary, imaginary_y);
      imaginary.add_product(beta.imaginary, real_y);
    }
  }
  return {real.template round<R>(), imaginary.template round<R>()};
}

#include "../kernels/ExaktBlas_Epilogue-inl.hpp"

/// The same with a divisor whose reciprocal is not known yet.
KOKKOS_FORCEINLINE_FUNCTION IntervalPack interval_of(Epilogue const& epilogue, EnclosurePack const& sum, Pack y,
                                                     Pack divisor) {
  return interval_of(epilogue, sum, y, divisor, broadcast(1) / divisor);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
