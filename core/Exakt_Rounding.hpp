// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ROUNDING_HPP
#define EXAKT_ROUNDING_HPP

/// \file
/// \brief The one rounding: from an exact value, known as far as it matters, to a floating-point number.
///
/// Integer arithmetic only, so that neither the rounding mode of the processor nor flush-to-zero has a say.

#include "numerics/Exakt_FloatFormat.hpp"

namespace Exakt {

/// The rounding directions of IEEE 754; to_nearest breaks ties to even.
enum class Rounding { to_nearest, toward_zero, upward, downward };

namespace Impl::inline EXAKT_ABI {

/// As much of a real number as a rounding can ask for: +-(significand + rest) * 2^exponent, 0 <= rest < 1.
///
/// Whoever makes one with a rest puts at least `precision + 1` bits into the significand, unless the exponent is
/// already below the last bit of the format. 64-bit significands satisfy this for every format up to 62 bits.
struct TruncatedReal {
  std::uint64_t significand;
  int exponent;
  bool negative;
  bool has_rest;  ///< rest > 0 ("sticky")
};

/// Where a real number lies between the neighbours `kept` and `kept + 1` (in units of the result's last bit).
struct Position {
  std::uint64_t kept;
  bool upper_half;   ///< at or above the middle
  bool below_exact;  ///< some bit below the middle bit is set

  KOKKOS_FUNCTION constexpr bool is_exact() const { return !upper_half && !below_exact; }
  KOKKOS_FUNCTION constexpr bool is_halfway() const { return upper_half && !below_exact; }
  KOKKOS_FUNCTION constexpr bool is_above_half() const { return upper_half && below_exact; }
  KOKKOS_FUNCTION constexpr bool is_odd() const { return (kept & 1) != 0; }
};

/// \pre shift >= 0, the number of bits to give up.
KOKKOS_INLINE_FUNCTION constexpr Position position_at(TruncatedReal const& x, int shift) {
  if (shift == 0) return {x.significand, false, x.has_rest};
  if (shift > 64) return {0, false, x.significand != 0 || x.has_rest};
  std::uint64_t const half = std::uint64_t{1} << (shift - 1);
  return {shift == 64 ? 0 : x.significand >> shift, (x.significand & half) != 0,
          (x.significand & (half - 1)) != 0 || x.has_rest};
}

KOKKOS_INLINE_FUNCTION constexpr bool rounds_away(Position const& at, bool negative, Rounding mode) {
  switch (mode) {
    case Rounding::toward_zero:
      return false;
    case Rounding::upward:
      return !negative && !at.is_exact();
    case Rounding::downward:
      return negative && !at.is_exact();
    case Rounding::to_nearest:
      break;
  }
  return at.is_above_half() || (at.is_halfway() && at.is_odd());
}

template <class T>
KOKKOS_INLINE_FUNCTION constexpr T overflowed(bool negative, Rounding mode) {
  using F = FloatFormat<T>;
  bool const stays_finite = mode == Rounding::toward_zero || (mode == Rounding::upward && negative) ||
                            (mode == Rounding::downward && !negative);
  return from_bits<T>(negative, stays_finite ? F::largest : F::infinity);
}

/// An exact zero has no sign of its own: +0, or -0 when rounding downward.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T exact_zero(Rounding mode) {
  return from_bits<T>(mode == Rounding::downward, 0);
}

/// \brief The number of type T that `x` rounds to, by IEEE 754: subnormal results and overflow included.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T round_to(TruncatedReal const& x, Rounding mode) {
  using F = FloatFormat<T>;
  if (x.significand == 0 && !x.has_rest) return exact_zero<T>(mode);

  // The exponent of the result's last bit: `precision` bits below the leading one, but not below the format.
  int const wanted = x.exponent + bit_width(x.significand) - F::precision;
  int const last = wanted < F::lsb_exponent ? F::lsb_exponent : wanted;
  if (last > F::max_exponent - F::precision + 1) return overflowed<T>(x.negative, mode);

  // last < x.exponent: the significand is short, hence exact (see TruncatedReal), and has room to move up.
  Position const at = last < x.exponent ? Position{x.significand << (x.exponent - last), false, false}
                                        : position_at(x, last - x.exponent);
  std::uint64_t const rounded = at.kept + (rounds_away(at, x.negative, mode) ? 1 : 0);

  // A normal `rounded` carries its hidden bit into the exponent field, which is therefore one lower here; a carry
  // to 2^precision moves the field up by one, and from the largest number to infinity, as it should be.
  std::uint64_t const field = static_cast<std::uint64_t>(last - F::lsb_exponent) << (F::precision - 1);
  auto const bits = static_cast<typename F::bits_type>(field + rounded);
  return bits >= F::infinity ? overflowed<T>(x.negative, mode) : from_bits<T>(x.negative, bits);
}

}  // namespace Impl::inline EXAKT_ABI
}  // namespace Exakt

#endif
