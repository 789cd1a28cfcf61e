// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FEWTERMS_HPP
#define EXAKT_FEWTERMS_HPP

/// \file
/// \brief The sum of a handful of doubles, rounded once without integers: what extraction leaves of a short sum.
///
/// Everything here needs the default floating-point environment.

#include "Exakt_Enclosure.hpp"

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// \brief RN(s + c), of which the sum of two doubles is known to be the exact value.
///
/// On hosts: devices may flush floats.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R round_pair(double s, double c) {
  double const sum = std::is_same_v<R, double> ? s + c : add_to_odd(s, c);
  return sum == 0 ? R{0} : static_cast<R>(sum);
}

/// \brief The sum of n > 1 doubles, rounded to nearest, if it is decided. R is float or double.
///
/// Each pass of two_sum moves the sum to the front and keeps the exact value of all (VecSum of Ogita, Rump and Oishi,
/// 2005). If only two terms are left, they are rounded; else the others are a bound.
///
/// \param t  Below 2^990 each. Lost.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_few(double* t, int n, R& result) {
  int const passes = n < 4 ? 2 : 3;
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = n - 1; i > 0; --i) {
      auto const sum = two_sum(t[i - 1], t[i]);
      t[i - 1] = sum.value;
      t[i] = sum.error;
    }
  }
  double rest = 0;
  for (int i = 2; i < n; ++i) rest += magnitude_of(t[i]);
  if (rest == 0) {
    result = round_pair<R>(t[0], t[1]);
    return magnitude_of(t[0]) < 0x1p1000;
  }
  return try_round_near(t[0], t[1], radius_of(rest, t[1]), result);
}

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
