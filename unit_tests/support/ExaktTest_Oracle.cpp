// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Oracle.hpp"

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ExaktTest {

/// A scratch number: 256 bits hold every product and square of a candidate (at most 53 + 1 bits) by a candidate or by a
/// 64 bit divisor. Not of this file alone, for lambdas of members, which are not either, keep references to it.
class Scratch {
 public:
  Scratch() { mpfr_init2(m_value, 256); }
  ~Scratch() { mpfr_clear(m_value); }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  operator mpfr_ptr() { return m_value; }

 private:
  mpfr_t m_value;
};

namespace {

// Stays on in every build type: an oracle that rounds is worse than none.
void must_hold(bool condition, char const* what) {
  if (condition) return;
  std::fprintf(stderr, "The MPFR oracle is broken: %s\n", what);
  std::abort();
}

void must_be_exact(int ternary) { must_hold(ternary == 0, "an operation that must be exact rounded"); }

mpfr_rnd_t to_mpfr(Rounding mode) {
  switch (mode) {
    case Rounding::to_nearest:
      return MPFR_RNDN;
    case Rounding::toward_zero:
      return MPFR_RNDZ;
    case Rounding::upward:
      return MPFR_RNDU;
    case Rounding::downward:
      return MPFR_RNDD;
  }
  must_hold(false, "unknown rounding mode");
  return MPFR_RNDN;
}

/// The non-negative finite values of R in order: rank 0 is zero, rank 1 the smallest subnormal number, ...; the rank
/// after the largest finite value is 2^max_exponent, which is what rounding compares with at the overflow threshold.
template <class R>
void set_to_rank(mpfr_ptr x, std::uint64_t rank) {
  constexpr int digits = std::numeric_limits<R>::digits;
  constexpr std::uint64_t hidden_bit = std::uint64_t{1} << (digits - 1);
  constexpr int lowest_exponent = std::numeric_limits<R>::min_exponent - digits;
  std::uint64_t const biased_exponent = rank / hidden_bit;
  std::uint64_t const fraction = rank % hidden_bit;
  if (biased_exponent == 0)
    must_be_exact(mpfr_set_ui_2exp(x, fraction, lowest_exponent, MPFR_RNDN));
  else
    must_be_exact(
        mpfr_set_ui_2exp(x, hidden_bit + fraction, lowest_exponent + static_cast<int>(biased_exponent) - 1, MPFR_RNDN));
}

/// Rounds a non-negative number, known only through comparison(x) = the sign of (number - x), to R. The mode is the one
/// for the magnitude. Bisection finds the neighbours below and above; only the comparison with their midpoint is left.
template <class R, class Comparison>
R round_magnitude(Comparison const& comparison, Rounding mode) {
  constexpr std::uint64_t infinity = std::bit_cast<BitsOf<R>>(std::numeric_limits<R>::infinity());
  Scratch x, above;
  std::uint64_t low = 0, high = infinity;
  while (high - low > 1) {
    std::uint64_t const middle = low + (high - low) / 2;
    set_to_rank<R>(x, middle);
    (comparison(x) >= 0 ? low : high) = middle;
  }
  auto const from_rank = [](std::uint64_t rank) { return std::bit_cast<R>(static_cast<BitsOf<R>>(rank)); };
  set_to_rank<R>(x, low);
  if (comparison(x) == 0) return from_rank(low);
  if (mode == Rounding::upward) return from_rank(high);
  if (mode != Rounding::to_nearest) return from_rank(low);
  set_to_rank<R>(above, high);
  must_be_exact(mpfr_add(x, x, above, MPFR_RNDN));
  must_be_exact(mpfr_div_2ui(x, x, 1, MPFR_RNDN));
  int const side = comparison(x);
  if (side != 0) return from_rank(side < 0 ? low : high);
  return from_rank(low % 2 == 0 ? low : high);
}

template <class R>
R exact_zero(Rounding mode) {
  return mode == Rounding::downward ? -R{0} : R{0};
}

Rounding mode_for_magnitude(Rounding mode, bool negative) {
  if (!negative) return mode == Rounding::downward ? Rounding::toward_zero : mode;
  if (mode == Rounding::upward) return Rounding::toward_zero;
  return mode == Rounding::downward ? Rounding::upward : mode;
}

}  // namespace

char const* name_of(Rounding mode) {
  switch (mode) {
    case Rounding::to_nearest:
      return "to nearest";
    case Rounding::toward_zero:
      return "toward zero";
    case Rounding::upward:
      return "upward";
    case Rounding::downward:
      return "downward";
  }
  return "?";
}

Exact::Exact() {
  must_hold(mpfr_get_emin() < -1'000'000 && mpfr_get_emax() > 1'000'000, "MPFR's exponent range is narrow");
  mpfr_init2(m_value, precision);
  mpfr_set_zero(m_value, +1);
}

Exact::~Exact() { mpfr_clear(m_value); }

Exact::Exact(Exact const& other) : Exact() { *this = other; }

Exact& Exact::operator=(Exact const& other) {
  must_be_exact(mpfr_set(m_value, other.m_value, MPFR_RNDN));
  m_nan = other.m_nan;
  m_plus_infinity = other.m_plus_infinity;
  m_minus_infinity = other.m_minus_infinity;
  return *this;
}

void Exact::add_special(double x) {
  if (std::isnan(x))
    m_nan = true;
  else
    (x > 0 ? m_plus_infinity : m_minus_infinity) = true;
}

Exact& Exact::add(double x) {
  if (std::isfinite(x))
    must_be_exact(mpfr_add_d(m_value, m_value, x, MPFR_RNDN));
  else
    add_special(x);
  return *this;
}

Exact& Exact::subtract(double x) { return add(-x); }

Exact& Exact::add_integer(std::int64_t x) {
  must_be_exact(mpfr_add_si(m_value, m_value, x, MPFR_RNDN));
  return *this;
}

Exact& Exact::add_integer(std::uint64_t x) {
  must_be_exact(mpfr_add_ui(m_value, m_value, x, MPFR_RNDN));
  return *this;
}

Exact& Exact::add_product(double x, double y) {
  if (std::isfinite(x) && std::isfinite(y)) {
    Scratch product;
    must_be_exact(mpfr_set_d(product, x, MPFR_RNDN));
    must_be_exact(mpfr_mul_d(product, product, y, MPFR_RNDN));
    must_be_exact(mpfr_add(m_value, m_value, product, MPFR_RNDN));
  } else {
    // x * y cannot round here: with a factor that is not finite it is NaN or an infinity.
    add_special(x * y);
  }
  return *this;
}

Exact& Exact::subtract_product(double x, double y) { return add_product(-x, y); }

Exact& Exact::add(Exact const& other) {
  must_be_exact(mpfr_add(m_value, m_value, other.m_value, MPFR_RNDN));
  m_nan |= other.m_nan;
  m_plus_infinity |= other.m_plus_infinity;
  m_minus_infinity |= other.m_minus_infinity;
  return *this;
}

Exact& Exact::negate() {
  must_be_exact(mpfr_neg(m_value, m_value, MPFR_RNDN));
  std::swap(m_plus_infinity, m_minus_infinity);
  return *this;
}

bool Exact::is_negative() const {
  if (is_nan()) return false;
  if (!is_finite()) return m_minus_infinity;
  return mpfr_sgn(m_value) < 0;
}

bool Exact::equals(Exact const& other) const {
  if (is_nan() || other.is_nan()) return is_nan() && other.is_nan();
  if (!is_finite() || !other.is_finite())
    return m_plus_infinity == other.m_plus_infinity && m_minus_infinity == other.m_minus_infinity;
  return mpfr_equal_p(m_value, other.m_value) != 0;
}

template <class R>
Expected<R> Exact::round(Rounding mode) const {
  must_hold(std::fegetround() == FE_TONEAREST, "it is asked in a hostile floating-point environment");
  if (is_nan()) return {std::numeric_limits<R>::quiet_NaN()};
  if (!is_finite()) return {m_plus_infinity ? std::numeric_limits<R>::infinity() : -std::numeric_limits<R>::infinity()};
  if (is_zero()) return {exact_zero<R>(mode)};
  if constexpr (std::same_as<R, double>)
    return {mpfr_get_d(m_value, to_mpfr(mode))};
  else
    return {mpfr_get_flt(m_value, to_mpfr(mode))};
}

template <class R>
Expected<R> Exact::round_by_comparison(Rounding mode) const {
  return round_quotient<R>(std::uint64_t{1}, mode);
}

// Zeros, infinities and NaN as in IEEE 754 division, except that an exact zero has the sign of the interface.
template <class R>
Expected<R> Exact::round_quotient_by(mpfr_srcptr divisor, Rounding mode) const {
  R const infinity = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  bool const negative = is_negative() != (mpfr_signbit(divisor) != 0);
  if (is_nan() || mpfr_nan_p(divisor)) return {nan};
  if (mpfr_inf_p(divisor)) return {is_finite() ? exact_zero<R>(mode) : nan};
  if (!is_finite()) return {negative ? -infinity : infinity};
  if (mpfr_zero_p(divisor)) return {is_zero() ? nan : negative ? -infinity : infinity};
  if (is_zero()) return {exact_zero<R>(mode)};
  Scratch product;
  // |value| / |divisor| against x is |value| against x * |divisor|.
  auto const comparison = [&](mpfr_ptr x) {
    must_be_exact(mpfr_mul(product, x, divisor, MPFR_RNDN));
    return mpfr_cmpabs(m_value, product);
  };
  R const magnitude = round_magnitude<R>(comparison, mode_for_magnitude(mode, negative));
  return {negative ? -magnitude : magnitude};
}

template <class R>
Expected<R> Exact::round_quotient(double divisor, Rounding mode) const {
  Scratch number;
  must_be_exact(mpfr_set_d(number, divisor, MPFR_RNDN));
  return round_quotient_by<R>(number, mode);
}

template <class R>
Expected<R> Exact::round_quotient(std::int64_t divisor, Rounding mode) const {
  Scratch number;
  must_be_exact(mpfr_set_si(number, divisor, MPFR_RNDN));
  return round_quotient_by<R>(number, mode);
}

template <class R>
Expected<R> Exact::round_quotient(std::uint64_t divisor, Rounding mode) const {
  Scratch number;
  must_be_exact(mpfr_set_ui(number, divisor, MPFR_RNDN));
  return round_quotient_by<R>(number, mode);
}

template <class R>
Expected<R> Exact::round_sqrt(Rounding mode) const {
  if (is_nan() || is_negative()) return {std::numeric_limits<R>::quiet_NaN()};
  if (!is_finite() || is_zero()) return round<R>(mode);
  Scratch square;
  // The square root of the value against x >= 0 is the value against x * x.
  auto const comparison = [&](mpfr_ptr x) {
    must_be_exact(mpfr_sqr(square, x, MPFR_RNDN));
    return mpfr_cmp(m_value, square);
  };
  return {round_magnitude<R>(comparison, mode_for_magnitude(mode, false))};
}

template <class R>
Expected<R> Exact::round_quotient_by_product(std::uint64_t a, std::uint64_t b, Rounding mode) const {
  Scratch number;
  must_be_exact(mpfr_set_ui(number, a, MPFR_RNDN));
  must_be_exact(mpfr_mul_ui(number, number, b, MPFR_RNDN));
  return round_quotient_by<R>(number, mode);
}

template <class R>
Expected<R> Exact::round_sqrt_of_quotient(std::uint64_t a, std::uint64_t b, Rounding mode) const {
  must_hold(is_finite() && !is_negative() && a > 0 && b > 0, "the root of what is not a positive number is asked for");
  if (is_zero()) return round<R>(mode);
  Scratch square;
  // The square root of value / (a b) against x >= 0 is the value against x * x * a * b.
  auto const comparison = [&](mpfr_ptr x) {
    must_be_exact(mpfr_sqr(square, x, MPFR_RNDN));
    must_be_exact(mpfr_mul_ui(square, square, a, MPFR_RNDN));
    must_be_exact(mpfr_mul_ui(square, square, b, MPFR_RNDN));
    return mpfr_cmp(m_value, square);
  };
  return {round_magnitude<R>(comparison, mode_for_magnitude(mode, false))};
}

Exact Exact::scaled_covariance(Exact const& x, Exact const& y, Exact const& products, std::uint64_t n) {
  must_hold(x.is_finite() && y.is_finite() && products.is_finite(),
            "the covariance of what is not finite is asked for");
  Exact result, subtracted;
  must_be_exact(mpfr_mul_ui(result.m_value, products.m_value, n, MPFR_RNDN));
  must_be_exact(mpfr_mul(subtracted.m_value, x.m_value, y.m_value, MPFR_RNDN));
  must_be_exact(mpfr_sub(result.m_value, result.m_value, subtracted.m_value, MPFR_RNDN));
  return result;
}

template <class R>
Expected<R> Exact::round_quotient_by_root(Exact const& a, Exact const& b, Rounding mode) const {
  must_hold(is_finite() && a.is_finite() && b.is_finite() && mpfr_sgn(a.m_value) > 0 && mpfr_sgn(b.m_value) > 0,
            "the quotient by a root of what is not positive is asked for");
  if (is_zero()) return {exact_zero<R>(mode)};
  mpfr_t square, product, other;
  mpfr_inits2(2 * precision + 256, square, product, other, static_cast<mpfr_ptr>(nullptr));
  must_be_exact(mpfr_sqr(square, m_value, MPFR_RNDN));
  must_be_exact(mpfr_mul(product, a.m_value, b.m_value, MPFR_RNDN));
  // |value| / sqrt(a b) against x >= 0 is value^2 against x * x * a * b.
  auto const comparison = [&](mpfr_ptr x) {
    must_be_exact(mpfr_mul(other, product, x, MPFR_RNDN));
    must_be_exact(mpfr_mul(other, other, x, MPFR_RNDN));
    return mpfr_cmp(square, other);
  };
  R const magnitude = round_magnitude<R>(comparison, mode_for_magnitude(mode, is_negative()));
  mpfr_clears(square, product, other, static_cast<mpfr_ptr>(nullptr));
  return {is_negative() ? -magnitude : magnitude};
}

template Expected<double> Exact::round_quotient_by_root<double>(Exact const&, Exact const&, Rounding) const;
template Expected<float> Exact::round_quotient_by_root<float>(Exact const&, Exact const&, Rounding) const;
template Expected<double> Exact::round_quotient_by_product<double>(std::uint64_t, std::uint64_t, Rounding) const;
template Expected<float> Exact::round_quotient_by_product<float>(std::uint64_t, std::uint64_t, Rounding) const;
template Expected<double> Exact::round_sqrt_of_quotient<double>(std::uint64_t, std::uint64_t, Rounding) const;
template Expected<float> Exact::round_sqrt_of_quotient<float>(std::uint64_t, std::uint64_t, Rounding) const;
template Expected<double> Exact::round<double>(Rounding) const;
template Expected<float> Exact::round<float>(Rounding) const;
template Expected<double> Exact::round_by_comparison<double>(Rounding) const;
template Expected<float> Exact::round_by_comparison<float>(Rounding) const;
template Expected<double> Exact::round_quotient<double>(double, Rounding) const;
template Expected<double> Exact::round_quotient<double>(std::int64_t, Rounding) const;
template Expected<double> Exact::round_quotient<double>(std::uint64_t, Rounding) const;
template Expected<float> Exact::round_quotient<float>(double, Rounding) const;
template Expected<float> Exact::round_quotient<float>(std::int64_t, Rounding) const;
template Expected<float> Exact::round_quotient<float>(std::uint64_t, Rounding) const;
template Expected<double> Exact::round_sqrt<double>(Rounding) const;
template Expected<float> Exact::round_sqrt<float>(Rounding) const;

}  // namespace ExaktTest
