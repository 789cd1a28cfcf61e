// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_COMPLEXQUOTIENT_HPP
#define EXAKTTEST_COMPLEXQUOTIENT_HPP

/// \file
/// \brief Triangular systems of real or complex numbers, and each part of each unknown as it has to be, by MPFR.

#include "ExaktTest_Expressions.hpp"

#include <cmath>

namespace ExaktTest {

/// (x*a + y*b) / (a*a + b*b), rounded once: a part of the quotient of a sum and a number.
template <class R>
Expected<R> quotient_by_norm(Exact const& x, Exact const& y, double a, double b) {
  if (!x.is_finite() || !y.is_finite() || !std::isfinite(a) || !std::isfinite(b) || (a == 0 && b == 0)) {
    // Multiplied out: an infinity over a finite norm is one, if nothing is NaN; every other case is NaN.
    double const dividend = ScaledExact(a, x).add_scaled(b, y).round<double>().value;
    bool const is_infinity =
        std::isinf(dividend) && (!x.is_finite() || !y.is_finite()) && std::isfinite(a) && std::isfinite(b);
    return {is_infinity ? static_cast<R>(dividend) : std::numeric_limits<R>::quiet_NaN()};
  }
  // A quotient that is no tie differs from every tie in one of its first 8000 bits: 2 * dividend - tie * norm is a
  // multiple of 2^-5000 below 2^3100, if it is not zero.
  mpfr_t dividend, other, norm;
  for (auto* const number : {&dividend, &other, &norm}) mpfr_init2(*number, 16000);
  bool exact = mpfr_mul_d(dividend, x.finite_part(), a, MPFR_RNDN) == 0;
  exact = mpfr_mul_d(other, y.finite_part(), b, MPFR_RNDN) == 0 && exact;
  exact = mpfr_add(dividend, dividend, other, MPFR_RNDN) == 0 && exact;
  mpfr_set_d(norm, a, MPFR_RNDN);
  exact = mpfr_sqr(norm, norm, MPFR_RNDN) == 0 && exact;
  mpfr_set_d(other, b, MPFR_RNDN);
  exact = mpfr_sqr(other, other, MPFR_RNDN) == 0 && exact;
  exact = mpfr_add(norm, norm, other, MPFR_RNDN) == 0 && exact;
  EXAKT_CHECK(exact);
  R result = 0;
  if (mpfr_zero_p(dividend) == 0) {
    mpfr_div(dividend, dividend, norm, MPFR_RNDZ);
    if constexpr (std::is_same_v<R, float>) {
      result = mpfr_get_flt(dividend, MPFR_RNDN);
    } else {
      result = mpfr_get_d(dividend, MPFR_RNDN);
    }
  }
  for (auto* const number : {&dividend, &other, &norm}) mpfr_clear(*number);
  return {result};
}

/// A system: op(A), where it has entries, and the order of its unknowns.
template <class Z>
struct System {
  std::size_t n;
  std::function<std::optional<Number>(std::size_t, std::size_t)> entry;
  bool goes_down, has_ones;
  Number alpha;

  /// Replaces b by the solution, one column of it.
  void check(Table<Z> const& b, std::size_t column, std::function<Z(std::size_t)> const& actual) const {
    using R = typename PartsOf<Z>::Real;
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const i = goes_down ? step : n - 1 - step;
      ExactSums sums;
      sums.add_product(alpha, Number(b(i, column)));
      for (std::size_t j = 0; j < n; ++j) {
        if (goes_down ? j >= i : j <= i) continue;
        if (auto const a = entry(i, j)) {
          Number negative = *a;
          negative.real = -negative.real;
          negative.imaginary = -negative.imaginary;
          // The unknowns as they are: each is right, given those before.
          sums.add_product(negative, Number(actual(j)));
        }
      }
      Z const result = actual(i);
      if (has_ones) {
        check_parts_of(result, sums.real.round<R>(), sums.imaginary.round<R>());
        continue;
      }
      Number const divisor = *entry(i, i);
      if (divisor.is_complex) {
        check_parts_of(result, quotient_by_norm<R>(sums.real, sums.imaginary, divisor.real, divisor.imaginary),
                       quotient_by_norm<R>(sums.imaginary, sums.real, divisor.real, -divisor.imaginary));
      } else {
        check_parts_of(result, sums.real.round_quotient<R>(divisor.real),
                       sums.imaginary.round_quotient<R>(divisor.real));
      }
    }
  }
};

}  // namespace ExaktTest

#endif
