// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXACTVALUE_HPP
#define EXAKT_EXACTVALUE_HPP

/// \file
/// \brief What every accumulator answers about its exact value: written once, for all of them.

#include "Exakt_Magnitude.hpp"

#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What a value is beyond the real numbers.
enum class Special : std::uint8_t { none, positive_infinity, negative_infinity, nan };

/// Which infinities and NaN came into a sum: a set, in the low bits of a word of any width, so that their order does not
/// matter.
inline constexpr std::uint32_t saw_positive_infinity = 1, saw_negative_infinity = 2, saw_nan = 4;

KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t flag_of_infinity(bool negative) {
  return negative ? saw_negative_infinity : saw_positive_infinity;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t flag_of_infinity_or_nan(bool nan, bool negative) {
  return nan ? saw_nan : flag_of_infinity(negative);
}

/// \pre special is not none.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t flag_of(Special special) {
  return flag_of_infinity_or_nan(special == Special::nan, special == Special::negative_infinity);
}

/// What a sum is that saw these: infinities of both signs are NaN.
KOKKOS_FORCEINLINE_FUNCTION constexpr Special special_of(std::uint64_t flags) {
  bool const positive = (flags & saw_positive_infinity) != 0, negative = (flags & saw_negative_infinity) != 0;
  if ((flags & saw_nan) != 0 || (positive && negative)) return Special::nan;
  return positive ? Special::positive_infinity : negative ? Special::negative_infinity : Special::none;
}

/// What the negative of a sum saw. Other flags of the word stay.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION constexpr Word negated_flags(Word flags) {
  constexpr Word infinities = saw_positive_infinity | saw_negative_infinity;
  return (flags & ~infinities) | (flags & saw_positive_infinity) << 1 | (flags & saw_negative_infinity) >> 1;
}

/// Whether an accumulator is exact, or says so if it is not. Binned is neither.
template <class Accumulator>
inline constexpr bool is_exact_sum = true;

/// What a fixed-point sum can lose for good, as a set.
inline constexpr int lost_term = 8, lost_bits = 16, lost_sum = 32, all_losses = lost_term | lost_bits | lost_sum;

template <class Accumulator>
concept tells_losses = requires(Accumulator const& sum) {
  sum.losses();
};

/// What an accumulator has lost, of those that can lose anything.
template <class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION constexpr int losses_of([[maybe_unused]] Accumulator const& sum) {
  if constexpr (tells_losses<Accumulator>) {
    return sum.losses();
  } else {
    return 0;
  }
}

template <class T>
KOKKOS_INLINE_FUNCTION constexpr T special_value(Special special) {
  using F = FloatFormat<T>;
  return special == Special::nan ? from_bits<T>(false, F::quiet_nan)
                                 : from_bits<T>(special == Special::negative_infinity, F::infinity);
}

/// magnitude / divisor for a finite divisor, as IEEE 754 divides: x/0 is infinite, 0/0 NaN.
template <class R, class Magnitude>
KOKKOS_INLINE_FUNCTION constexpr R divide(Special special, Magnitude const& magnitude, IntegerParts const& divisor,
                                          Rounding mode) {
  bool const zero = special == Special::none && magnitude.leading() < 0;
  if (special == Special::nan || (zero && divisor.significand == 0)) return special_value<R>(Special::nan);
  bool const negative =
      (special == Special::none ? magnitude.negative : special == Special::negative_infinity) != divisor.negative;
  if (special != Special::none || divisor.significand == 0) return from_bits<R>(negative, FloatFormat<R>::infinity);
  return round_to<R>(quotient_bits(magnitude, divisor), mode);
}

/// \brief Base of every accumulator (CRTP): rounding and comparison of the exact value.
///
/// `Derived` provides `normalized()`: its exact value as one normalized LongAccumulator.
template <class Derived, class T>
class ExactValue {
  static_assert(has_float_format_v<T>,
                "Exakt: an accumulator sums float or double (or Kokkos' half types); it takes integers as terms, too");

 public:
  using value_type = T;

  /// An accumulator is no number. This conversion is there to say so: to `double x = sum`, and to Kokkos when it calls
  /// a lambda or a functor on `double&` with an accumulator. (Not to integers: programs that print whatever is one ask for that.)
  template <class Number>
  requires std::is_floating_point_v<Number> KOKKOS_FUNCTION operator Number&() const {
    static_assert(!std::is_same_v<Number, Number>,
                  "Exakt: an accumulator is no number: read it by round(), and reduce with a lambda or functor on its "
                  "accumulator, [=](int i, Exakt::ExactSum<double>::value_type& sum) { sum += x(i); }");
    Number* nowhere = nullptr;
    return *nowhere;
  }

  /// FIXME(kokkos<4): without a reducer, older versions join volatile values of one thread.
  template <class Into>
  requires std::is_same_v<Into, Derived volatile>
  friend KOKKOS_INLINE_FUNCTION void operator+=(Into& into, Derived const volatile& from) {
    const_cast<Derived&>(into) += const_cast<Derived const&>(from);
  }

  /// \brief The exact value, rounded once to `R`; never by way of another type.
  ///
  /// NaN if any term was NaN, infinities of both signs came in, or 0 * inf; an infinity if one came in.
  /// An exact zero is +0, or -0 when rounding downward.
  template <class R = T>
  KOKKOS_FUNCTION constexpr R round(Rounding mode = Rounding::to_nearest) const {
    if constexpr (requires { derived().long_form(); }) {
      return derived().long_form().template round<R>(mode);
    } else if constexpr (requires(TruncatedReal & leading) { derived().try_leading_bits(leading); }) {
      TruncatedReal leading{};
      if (derived().try_leading_bits(leading)) return round_to<R>(leading, mode);
    }
    auto const value = derived().normalized();
    if (value.special() != Special::none) return special_value<R>(value.special());
    return round_to<R>(leading_bits(value.magnitude()), mode);
  }

  /// \brief The exact value divided by `divisor`, the exact quotient rounded once to `R`: with a count, the mean.
  ///
  /// \param divisor  A floating-point number or an integer, taken exactly. Infinities and divisors of zero are as in
  ///                 IEEE 754 division: 0/0 is NaN, so the mean of nothing is. A quotient of zero is +0, or -0 when
  ///                 rounding downward.
  template <class R = T, class D>
  KOKKOS_FUNCTION constexpr R round_quotient(D divisor, Rounding mode = Rounding::to_nearest) const {
    auto const value = derived().normalized();
    if constexpr (std::is_integral_v<D>) {
      return divide<R>(value.special(), value.magnitude(), integer_parts_of_integer(divisor), mode);
    } else {
      bool const undefined = Impl::is_nan(divisor) || value.special() == Special::nan;
      if (Impl::is_finite(divisor) && !undefined) {
        return divide<R>(value.special(), value.magnitude(), integer_parts(divisor), mode);
      }
      return undefined || value.special() != Special::none ? special_value<R>(Special::nan) : exact_zero<R>(mode);
    }
  }

  /// \brief The square root of the exact value, rounded once to `R`; NaN for a negative value.
  template <class R = T>
  KOKKOS_FUNCTION constexpr R round_sqrt(Rounding mode = Rounding::to_nearest) const {
    auto const value = derived().normalized();
    if (value.special() == Special::positive_infinity) return special_value<R>(Special::positive_infinity);
    auto const magnitude = value.magnitude();
    if (value.special() != Special::none || (magnitude.negative && magnitude.leading() >= 0))
      return special_value<R>(Special::nan);
    return round_to<R>(square_root_bits(magnitude), mode);
  }

  KOKKOS_FUNCTION constexpr bool is_nan() const { return derived().normalized().special() == Special::nan; }
  KOKKOS_FUNCTION constexpr bool is_finite() const { return derived().normalized().special() == Special::none; }

  /// \brief The exact values are equal, whatever the paths that led there. Two NaN are equal: this compares states.
  friend KOKKOS_FUNCTION constexpr bool operator==(Derived const& a, Derived const& b) {
    auto const x = a.normalized(), y = b.normalized();
    return x.special() == y.special() && (x.special() != Special::none || x.same_digits(y));
  }

  /// Refused, with a sentence.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  friend KOKKOS_FUNCTION constexpr bool operator==(Derived const&, Number) {
    static_assert(!std::is_same_v<Number, Number>,
                  "Exakt: an accumulator is no number: compare sum.round() with numbers, and sums with sums");
    return false;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION constexpr Derived const& derived() const { return static_cast<Derived const&>(*this); }
};

/// The accumulators of the library.
template <class A>
concept IsExactValue = std::is_base_of_v<ExactValue<A, typename A::value_type>, A>;

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
