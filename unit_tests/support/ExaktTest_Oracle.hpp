// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_ORACLE_HPP
#define EXAKTTEST_ORACLE_HPP

#include <concepts>
#include <cstdint>
#include <vector>

#include <mpfr.h>

#include <Exakt_Rounding.hpp>

#include "ExaktTest_Bits.hpp"

namespace ExaktTest {

using Exakt::Rounding;

inline constexpr Rounding every_rounding[] = {Rounding::to_nearest, Rounding::toward_zero, Rounding::upward,
                                              Rounding::downward};
char const* name_of(Rounding);

/// The exact value of a sum of values and products, in one MPFR number that no operation ever rounds (each ternary
/// value is asserted to be zero), with the interface's rules for NaN and infinities beside it.
///
/// Head room: a product of doubles lies on the grid 2^-2148 and below 2^2048; 4400 bits leave room for 2^200 of them.
/// Must be used in the default floating-point environment: MPFR reads its arguments with floating-point operations.
class Exact {
 public:
  static constexpr mpfr_prec_t precision = 4400;

  Exact();
  ~Exact();
  Exact(Exact const&);
  Exact& operator=(Exact const&);

  Exact& add(double);
  Exact& add(float x) { return add(static_cast<double>(x)); }
  Exact& subtract(double);
  Exact& add_integer(std::int64_t);
  Exact& add_integer(std::uint64_t);
  Exact& add_product(double, double);
  Exact& subtract_product(double, double);
  Exact& add(Exact const&);
  Exact& negate();

  template <class T>
  Exact& add_all(std::vector<T> const& terms) {
    for (T const x : terms) add(static_cast<double>(x));
    return *this;
  }
  template <class T>
  Exact& add_all_products(std::vector<T> const& x, std::vector<T> const& y) {
    for (std::size_t i = 0; i < x.size(); ++i) add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    return *this;
  }

  /// By mpfr_get_d and mpfr_get_flt, which round an exact number once, subnormal results included.
  template <class R>
  Expected<R> round(Rounding mode = Rounding::to_nearest) const;

  /// By exact comparison with every candidate, hence without any rounding that could be wrong twice.
  template <class R>
  Expected<R> round_by_comparison(Rounding mode = Rounding::to_nearest) const;
  template <class R>
  Expected<R> round_quotient(double divisor, Rounding mode = Rounding::to_nearest) const;
  template <class R>
  Expected<R> round_quotient(std::int64_t divisor, Rounding mode = Rounding::to_nearest) const;
  template <class R>
  Expected<R> round_quotient(std::uint64_t divisor, Rounding mode = Rounding::to_nearest) const;
  template <class R>
  Expected<R> round_sqrt(Rounding mode = Rounding::to_nearest) const;

  /// By the product a * b, and the square root of that quotient.
  template <class R>
  Expected<R> round_quotient_by_product(std::uint64_t a, std::uint64_t b, Rounding mode = Rounding::to_nearest) const;
  template <class R>
  Expected<R> round_sqrt_of_quotient(std::uint64_t a, std::uint64_t b, Rounding mode = Rounding::to_nearest) const;

  /// n * products - x * y of finite ones, and n * squares - sum^2.
  static Exact scaled_covariance(Exact const& x, Exact const& y, Exact const& products, std::uint64_t n);
  static Exact scaled_variance(Exact const& sum, Exact const& squares, std::uint64_t n) {
    return scaled_covariance(sum, sum, squares, n);
  }

  /// By the square root of the product a * b of positive ones.
  template <class R>
  Expected<R> round_quotient_by_root(Exact const& a, Exact const& b, Rounding mode = Rounding::to_nearest) const;

  bool is_nan() const { return m_nan || (m_plus_infinity && m_minus_infinity); }
  bool is_finite() const { return !m_nan && !m_plus_infinity && !m_minus_infinity; }
  bool is_zero() const { return is_finite() && mpfr_zero_p(m_value) != 0; }
  bool is_negative() const;
  bool equals(Exact const&) const;

  /// The finite part: what was added apart from NaN and infinities.
  mpfr_srcptr finite_part() const { return m_value; }

 private:
  void add_special(double);
  template <class R>
  Expected<R> round_quotient_by(mpfr_srcptr divisor, Rounding) const;

  mpfr_t m_value;
  bool m_nan = false, m_plus_infinity = false, m_minus_infinity = false;
};

template <class T>
Exact exact_sum(std::vector<T> const& terms) {
  return Exact().add_all(terms);
}

template <class T>
Exact exact_dot(std::vector<T> const& x, std::vector<T> const& y) {
  return Exact().add_all_products(x, y);
}

}  // namespace ExaktTest

#endif
