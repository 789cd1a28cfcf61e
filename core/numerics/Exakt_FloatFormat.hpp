// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FLOATFORMAT_HPP
#define EXAKT_FLOATFORMAT_HPP

/// \file
/// \brief The constants of a floating-point format, and the way from a number to its integer parts and back.

#include "../parallel/Exakt_KokkosCompat.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Exakt {

/// \brief An IEEE 754 binary interchange format, wholly determined by its width, precision and largest exponent.
///
///     | sign | biased exponent | fraction       |      value = +-significand * 2^exponent,
///     |  1   | rest            | precision - 1  |      exponent = lsb_exponent + max(biased, 1) - 1
template <class Bits, int Precision, int MaxExponent>
struct BinaryFormat {
  using bits_type = Bits;

  static constexpr int precision = Precision;           ///< bits of the significand, the hidden one included
  static constexpr int max_exponent = MaxExponent;      ///< of the leading bit of the largest number
  static constexpr int min_exponent = 1 - MaxExponent;  ///< of the leading bit of the smallest normal number
  static constexpr int lsb_exponent = min_exponent - precision + 1;  ///< of the only bit of the smallest number

  static constexpr int width = 8 * static_cast<int>(sizeof(Bits));
  static constexpr Bits sign_mask = static_cast<Bits>(Bits{1} << (width - 1));
  static constexpr Bits hidden_bit = static_cast<Bits>(Bits{1} << (precision - 1));
  static constexpr Bits fraction_mask = static_cast<Bits>(hidden_bit - 1);
  static constexpr Bits infinity = static_cast<Bits>(sign_mask - hidden_bit);  ///< all exponent bits set
  static constexpr Bits quiet_nan = static_cast<Bits>(infinity | (hidden_bit >> 1));
  static constexpr Bits largest = static_cast<Bits>(infinity - 1);  ///< the largest finite number
  static constexpr int exponent_field_max = static_cast<int>(infinity >> (precision - 1));

  static_assert(exponent_field_max == 2 * max_exponent + 1,
                "width, precision and largest exponent contradict each other");
};

namespace Impl::inline EXAKT_ABI {

template <class T>
inline constexpr bool is_float_v = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Whether there is a FloatFormat<T>. Specialized with it; to ask does not instantiate it.
template <class T>
inline constexpr bool has_float_format_v = is_float_v<T>;

}  // namespace Impl::inline EXAKT_ABI

/// \brief The format of `T`: float, double, and whatever specializes it (half and bfloat16 in Exakt_Half.hpp).
///
/// Other types are refused; they get the format of float, so that the refusal is not followed by others.
template <class T>
struct FloatFormat : std::conditional_t<std::is_same_v<T, double>, BinaryFormat<std::uint64_t, 53, 1023>,
                                        BinaryFormat<std::uint32_t, 24, 127>> {
  static_assert(Impl::has_float_format_v<T>,
                "Exakt: numbers are float or double (or Kokkos' half types); convert integers to double, and decide "
                "yourself how to round a long double");
};

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53 &&
                  std::numeric_limits<float>::is_iec559 && std::numeric_limits<float>::digits == 24,
              "Exakt needs float and double as IEEE 754 defines binary32 and binary64");

namespace Impl::inline EXAKT_ABI {

template <class Narrow, class Wide>
constexpr bool converts_exactly() {
  if constexpr (has_float_format_v<Narrow> && has_float_format_v<Wide>) {
    using N = FloatFormat<Narrow>;
    using W = FloatFormat<Wide>;
    return N::precision <= W::precision && N::max_exponent <= W::max_exponent && N::lsb_exponent >= W::lsb_exponent;
  } else {
    return false;
  }
}

/// Every value of `Narrow` is a value of `Wide`: a conversion loses no bit.
template <class Narrow, class Wide>
inline constexpr bool converts_exactly_v = converts_exactly<Narrow, Wide>();

template <class X, class Y = X>
struct Wider
    : std::conditional_t<converts_exactly_v<X, Y>, std::type_identity<Y>,
                         std::conditional_t<converts_exactly_v<Y, X>, std::type_identity<X>,
                                            std::conditional_t<has_float_format_v<X> && has_float_format_v<Y>,
                                                               std::type_identity<float>, std::common_type<X, Y>>>> {};

/// \brief The type of a result from operands of one or two types: the wider one; of half and bfloat16, neither of which
/// holds the other, float; of an integer and a floating-point type, the latter.
///
/// C++'s common type of half_t and double would be half_t: doubles convert to it implicitly, and not back.
template <class... X>
using WiderOf = typename Wider<std::remove_cvref_t<X>...>::type;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr typename FloatFormat<T>::bits_type bits_of(T x) {
  return bit_cast<typename FloatFormat<T>::bits_type>(x);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_negative(T x) {
  return (bits_of(x) & FloatFormat<T>::sign_mask) != 0;
}

/// All ones if the number with these bits is negative, else zero.
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t sign_word(Bits bits) {
  constexpr int width = 8 * static_cast<int>(sizeof(Bits));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::uint64_t{bits} << (64 - width)) >> 63);
}

/// By its bits: a comparison takes subnormal numbers for zeros where denormals are zeros. Clang 19 makes one of this,
/// unless it does not know that these are a number's bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_zero(T x) {
  auto magnitude = static_cast<typename FloatFormat<T>::bits_type>(bits_of(x) & ~FloatFormat<T>::sign_mask);
#if defined(__clang__) && !defined(EXAKT_DEVICE_SOURCE)
  if (!__builtin_is_constant_evaluated()) __asm__("" : "+r"(magnitude));
#endif
  return magnitude == 0;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_finite(T x) {
  using F = FloatFormat<T>;
  return (bits_of(x) & F::infinity) != F::infinity;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_nan(T x) {
  using F = FloatFormat<T>;
  return static_cast<typename F::bits_type>(bits_of(x) & ~F::sign_mask) > F::infinity;
}

/// Zero or normal: also where subnormal operands are taken for zeros, and signaling NaN trapped, it converts exactly.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_zero_or_normal(T x) {
  using F = FloatFormat<T>;
  using Bits = typename F::bits_type;
  auto const exponent = static_cast<Bits>(bits_of(x) & F::infinity);
  return static_cast<Bits>(exponent - F::hidden_bit) < F::infinity - F::hidden_bit || is_zero(x);
}

/// A finite number in integers: +-significand * 2^exponent.
struct IntegerParts {
  std::uint64_t significand;
  int exponent;
  bool negative;
};

/// \pre x is finite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr IntegerParts integer_parts(T x) {
  using F = FloatFormat<T>;
  auto const bits = bits_of(x);
  int const biased = static_cast<int>((bits & F::infinity) >> (F::precision - 1));
  int const normal = biased != 0;
  auto const hidden = static_cast<std::uint64_t>(normal) << (F::precision - 1);
  return {static_cast<std::uint64_t>(bits & F::fraction_mask) | hidden, F::lsb_exponent + biased - normal,
          (bits & F::sign_mask) != 0};
}

/// x < 0, which compilers warn of where it is always false.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_below_zero([[maybe_unused]] I x) {
  if constexpr (std::is_signed_v<I>) {
    return x < 0;
  } else {
    return false;
  }
}

/// An integer of any type as sign and magnitude, without a branch: signs are often random.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr IntegerParts integer_parts_of_integer(I x) {
  static_assert(sizeof(I) <= sizeof(std::uint64_t), "integers of up to 64 bits");
  // Modulo 2^64: negating it is safe for the smallest integer too. NOLINTNEXTLINE(bugprone-signed-char-misuse): a number
  auto const bits = static_cast<std::uint64_t>(x);
  bool const negative = is_below_zero(x);
  std::uint64_t const mask = std::uint64_t{0} - static_cast<std::uint64_t>(negative);
  return {(bits ^ mask) - mask, 0, negative};
}

/// -x by its bits: exact for every number, in every environment.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T negated(T x) {
  using F = FloatFormat<T>;
  return bit_cast<T>(static_cast<typename F::bits_type>(bits_of(x) ^ F::sign_mask));
}

/// Integers that 64 bits hold: with GNU's extensions there are longer ones, of which conversions would lose bits.
template <class X>
inline constexpr bool is_integer_v = std::is_integral_v<X> && sizeof(X) <= sizeof(std::uint64_t);

/// A factor as a floating-point number, exactly: integers become a T that holds all values of their type.
template <class T, class X>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto factor_of(X x) {
  if constexpr (std::is_integral_v<X>) {
    static_assert(std::numeric_limits<X>::digits <= FloatFormat<T>::precision,
                  "Exakt: an integer factor has at most as many bits as a significand, so that no bit is lost");
    return static_cast<T>(x);
  } else {
    static_assert(converts_exactly_v<X, T>,
                  "Exakt: a factor has the accumulator's type or a narrower one, so that no bit is lost");
    return x;
  }
}

/// The number with these bits (sign excluded) and this sign.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T from_bits(bool negative, typename FloatFormat<T>::bits_type magnitude) {
  using F = FloatFormat<T>;
  return bit_cast<T>(static_cast<typename F::bits_type>(negative ? magnitude | F::sign_mask : magnitude));
}

}  // namespace Impl::inline EXAKT_ABI
}  // namespace Exakt

#endif
