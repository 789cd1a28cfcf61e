// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_SCALEDEXACT_HPP
#define EXAKTTEST_SCALEDEXACT_HPP

#include <cmath>
#include <cstdlib>

#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {

/// alpha * S + beta * y in one MPFR number that no operation rounds: three factors need three times the range.
class ScaledExact {
 public:
  ScaledExact(double alpha, Exact const& sum) {
    mpfr_init2(m_value, precision);
    mpfr_set_zero(m_value, 1);
    if (sum.is_finite() && std::isfinite(alpha)) {
      exact(mpfr_mul_d(m_value, sum.finite_part(), alpha, MPFR_RNDN));
    } else {
      m_special = alpha * sum.round<double>().value;
      // The sum may be too small or too large for a double; an infinite alpha asks for its sign only.
      if (sum.is_finite() && !sum.is_zero()) m_special = sum.is_negative() ? -alpha : alpha;
    }
  }
  ~ScaledExact() { mpfr_clear(m_value); }
  ScaledExact(ScaledExact const&) = delete;
  ScaledExact& operator=(ScaledExact const&) = delete;

  ScaledExact& add_product(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) {
      m_special += a * b;
      return *this;
    }
    mpfr_t product;
    mpfr_init2(product, 128);
    mpfr_set_d(product, a, MPFR_RNDN);
    exact(mpfr_mul_d(product, product, b, MPFR_RNDN));
    exact(mpfr_add(m_value, m_value, product, MPFR_RNDN));
    mpfr_clear(product);
    return *this;
  }
  ScaledExact& add_scaled(double alpha, Exact const& sum) {
    ScaledExact const other(alpha, sum);
    m_special += other.m_special;
    exact(mpfr_add(m_value, m_value, other.m_value, MPFR_RNDN));
    return *this;
  }

  template <class R>
  Expected<R> round(Rounding mode = Rounding::to_nearest) const {
    if (m_special != 0) return {static_cast<R>(m_special)};  // an infinity or NaN
    if (mpfr_zero_p(m_value) != 0) return {mode == Rounding::downward ? -R{0} : R{0}};
    mpfr_rnd_t const direction = mode == Rounding::to_nearest    ? MPFR_RNDN
                                 : mode == Rounding::toward_zero ? MPFR_RNDZ
                                 : mode == Rounding::upward      ? MPFR_RNDU
                                                                 : MPFR_RNDD;
    if constexpr (std::is_same_v<R, float>) return {mpfr_get_flt(m_value, direction)};
    if constexpr (std::is_same_v<R, double>) return {mpfr_get_d(m_value, direction)};
  }

 private:
  static constexpr mpfr_prec_t precision = 7000;
  static void exact(int ternary) {
    if (ternary != 0) std::abort();
  }
  mpfr_t m_value;
  double m_special = 0;
};

}  // namespace ExaktTest

#endif
