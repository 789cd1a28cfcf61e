// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXQUOTIENT_HPP
#define EXAKTBLAS_COMPLEXQUOTIENT_HPP

/// \file
/// \brief The quotient of exact complex sums and a complex number, each part of the exact quotient rounded once.
///
///     x + yi    (xc + yd) + (yc - xd)i
///     ------ =  ----------------------     dividend and norm are exact: nothing over- or underflows on the way
///     c + di          c^2 + d^2
///
/// Infinities and NaN are what this, multiplied out, makes of them: where a divisor is zero both parts are NaN.

#include "../operands/ExaktBlas_Complex.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Below, at or above zero, of a sum of finite numbers.
template <class Long>
KOKKOS_INLINE_FUNCTION int sign_of(Long const& sum) {
  auto const magnitude = sum.normalized().magnitude();
  return magnitude.leading() < 0 ? 0 : magnitude.negative ? -1 : 1;
}

/// \brief dividend / norm, rounded once, for a norm that is not negative.
///
/// Method: a quotient by the leading bits of the norm tells the result, or two neighbours; then the sign of the exact
/// 2 * dividend - (lower + upper) * norm decides.
template <class R>
EXAKT_NOINLINE_FUNCTION R divide_by_norm(ExactScaled const& dividend, ExactProducts const& norm) {
  using F = FloatFormat<R>;
  auto const x = dividend.normalized();
  auto const y = norm.normalized();
  auto const magnitude = x.magnitude();
  auto const divisor = leading_bits(y.magnitude());
  if (x.special() != Special::none || y.special() != Special::none || divisor.significand == 0) {
    // Of a divisor that is infinite or zero the dividend is infinite, NaN, or zero.
    bool const is_number = x.special() == Special::none ? magnitude.leading() >= 0 : x.special() != Special::nan;
    bool const is_infinite = is_number && y.special() == Special::none;
    bool const negative = x.special() == Special::none ? magnitude.negative : x.special() == Special::negative_infinity;
    return is_infinite ? from_bits<R>(negative, F::infinity) : special_value<R>(Special::nan);
  }
  if (magnitude.leading() < 0) return exact_zero<R>(Rounding::to_nearest);

  // 62 bits s of the norm are less than it by less than 2^-61 of it; the quotient of the dividend by them is below Q + 1
  // units, Q < 2^62, and the exact one above Q - 2.
  int const given_up = bit_width(divisor.significand) > 62 ? bit_width(divisor.significand) - 62 : 0;
  auto const quotient =
      quotient_bits(magnitude, IntegerParts{divisor.significand >> given_up, divisor.exponent + given_up, false});
  R const lower = round_to<R>({quotient.significand - 3, quotient.exponent, false, true}, Rounding::to_nearest);
  R const upper = round_to<R>({quotient.significand, quotient.exponent, false, true}, Rounding::to_nearest);
  R result = lower;
  if (bits_of(lower) != bits_of(upper)) {
    // The number above the largest one would be a unit more.
    double const below = exact_double(lower);
    double const gap =
        is_finite(upper) ? exact_double(upper) - below : below - exact_double(from_bits<R>(false, F::largest - 1));
    ExactScaled rest;
    rest += x;
    rest += x;
    if (magnitude.negative) {
      ExactScaled turned;
      turned -= rest;
      rest = turned;
    }
    for (double const factor : {below, below, gap}) rest.add_scaled_sum(y, -factor);
    int const sign = sign_of(rest);
    bool const lower_is_odd = (bits_of(lower) & 1) != 0;
    if (sign > 0 || (sign == 0 && lower_is_odd)) result = upper;
  }
  return magnitude.negative ? negated(result) : result;
}

/// \brief Both parts of the quotient of exact sums and a number.
template <class R>
KOKKOS_INLINE_FUNCTION void divide_by_complex(ExactProducts const (&dividend)[2], double real, double imaginary,
                                              R (&results)[2]) {
  ExactProducts norm;
  norm.add_product(real, real);
  norm.add_product(imaginary, imaginary);
  for (int part = 0; part < 2; ++part) {
    ExactScaled total;
    total.add_scaled_sum(dividend[part], real);
    total.add_scaled_sum(dividend[1 - part], part == 0 ? imaginary : negated(imaginary));
    results[part] = divide_by_norm<R>(total, norm);
  }
}

/// \brief A part of the quotient from enclosures of the dividend; false where they do not decide.
///
/// With p + p' = x*c, q + q' = y*d, s + e = p + q, all exact, the dividend is s + t, t = e + p' + q' + x'*c + y'*d, for
/// sums x + x' and y + y' within their bounds. Computed, t is off by less than 2^-50 of the sum of magnitudes. The norm
/// is n + m, likewise, within 2^-100 n. For any quotient q0 the exact one is
///
///     q0 + (s - q0*n + t - q0*m) / (n + m),    q0 = s / n rounded: the remainder s - q0*n is exact or rounded once.
///
/// Roundings of the correction are covered by 2^-48 of its terms. Everything stays far from the ends of the range.
template <class R>
KOKKOS_INLINE_FUNCTION bool try_divide_by_complex(Enclosure const (&dividend)[2], double real, double imaginary,
                                                  int part, R& result) {
  constexpr double least = 0x1p-200, most = 0x1p200;
  auto const is_fit = [](double x) { return is_zero(x) || (magnitude_of(x) > least && magnitude_of(x) < most); };
  Enclosure const &x = dividend[part], &y = dividend[1 - part];
  double const c = real, d = part == 0 ? imaginary : -imaginary;
  double const bound = x.bound * magnitude_of(c) + y.bound * magnitude_of(d);
  if (!is_fit(x.high) || !is_fit(y.high) || !is_fit(c) || !is_fit(d) || !(bound < most)) return false;
  auto const p = two_product(x.high, c), q = two_product(y.high, d);
  auto const s = two_sum(p.value, q.value);
  double const x_low = x.low * c, y_low = y.low * d;
  double const t = s.error + (p.error + q.error) + (x_low + y_low);
  double const size_of_t =
      magnitude_of(s.error) + magnitude_of(p.error) + magnitude_of(q.error) + magnitude_of(x_low) + magnitude_of(y_low);
  auto const cc = two_product(c, c), dd = two_product(d, d);
  auto const n = two_sum(cc.value, dd.value);
  double const m = n.error + (cc.error + dd.error);
  double const quotient = s.value / n.value;
  if (!(magnitude_of(quotient) > 0x1p-500) || !(n.value > 0)) return false;
  auto const product = two_product(quotient, n.value);
  double const remainder = (s.value - product.value) - product.error, other = quotient * m;
  double const correction = (remainder + (t - other)) / n.value;
  double const radius =
      ((bound * (1 + 0x1p-40) + 0x1p-48 * (magnitude_of(remainder) + size_of_t + magnitude_of(other)) +
        0x1p-98 * magnitude_of(s.value)) +
       0x1p-1000) /
          n.value * (1 + 0x1p-40) +
      0x1p-49 * magnitude_of(correction);
  if (!(radius < most)) return false;
  return round_between(quotient + (correction - radius), quotient + (correction + radius), result);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
