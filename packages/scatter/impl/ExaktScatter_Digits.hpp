// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_DIGITS_HPP
#define EXAKTSCATTER_DIGITS_HPP

/// \file
/// \brief Digits that are signed words, as threads have left them, as one integer.

#include <numerics/Exakt_Magnitude.hpp>
#include <numerics/Exakt_WideProduct.hpp>

#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What a normal number is made of, without a look whether it is one.
template <class T>
class NormalNumber {
  using F = FloatFormat<T>;

 public:
  explicit KOKKOS_FORCEINLINE_FUNCTION constexpr NormalNumber(T x) : m_bits(bits_of(x)) {}

  /// 1 to 2 * max_exponent for normal numbers.
  KOKKOS_FORCEINLINE_FUNCTION constexpr unsigned field() const {
    return static_cast<unsigned>((m_bits & F::infinity) >> (F::precision - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_normal() const { return field() - 1 < 2 * F::max_exponent; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t significand() const {
    return (m_bits & F::fraction_mask) | F::hidden_bit;
  }
  /// Of the lowest bit of the significand.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int exponent() const { return exponent_of(field()); }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int exponent_of(unsigned field) {
    return static_cast<int>(field) - 1 + F::lsb_exponent;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_negative() const { return (m_bits & F::sign_mask) != 0; }

 private:
  typename F::bits_type m_bits;
};

/// +-significand * 2^offset in the units of a number of digits of RadixBits bits: what of it falls into each.
template <int RadixBits>
struct TermDigits {
  std::uint64_t significand;
  int offset;
  bool negative;

  KOKKOS_FUNCTION constexpr int lowest() const { return offset / RadixBits; }
  /// The digit of its leading bit. \pre significand != 0
  KOKKOS_FUNCTION constexpr int highest() const { return (offset + bit_width(significand) - 1) / RadixBits; }

  KOKKOS_FUNCTION constexpr std::int64_t operator()(int k) const {
    int const position = RadixBits * k - offset;  // of the lowest bit of the digit in the significand
    if (position >= 64 || position <= -RadixBits) return 0;
    std::uint64_t const bits = position >= 0 ? significand >> position : significand << -position;
    auto const digit = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << RadixBits) - 1));
    return negative ? -digit : digit;
  }
};

/// An integer of 128 bits in two's complement: a few digits together, which is what most bins hold.
struct WideInteger {
  std::uint64_t high = 0, low = 0;

  /// += digit * 2^shift. \pre 0 <= shift < 64
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add(std::uint64_t digit, int shift) {
    std::uint64_t const below = digit << shift;
    low += below;
    // The sign goes on into the high word: a shift by 63 - shift and one more, for 64 are too many for an operator.
    high += static_cast<std::uint64_t>(static_cast<std::int64_t>(digit) >> (63 - shift) >> 1) + (low < below ? 1 : 0);
  }

  /// Times 2^exponent, rounded once. \pre Its absolute value is below 2^126; the default floating-point environment
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION constexpr R round(int exponent, Rounding mode) const {
    if constexpr (std::is_same_v<R, double>) {
      // 64 leading bits, the lowest of which says whether there is more: 62 and more of them are significant, so it is
      // below the middle between two doubles, and the conversion rounds correctly. The power of two is exact, the
      // product a normal number.
      bool const is_short = high == std::uint64_t{0} - (low >> 63);
      int const dropped = is_short ? 0 : bit_width(high ^ (std::uint64_t{0} - (high >> 63))) + 1;
      int const scale = exponent + dropped;
      if (mode == Rounding::to_nearest && scale > -1000 && scale < 900) [[likely]] {
        std::uint64_t leading = low;
        if (!is_short) {
          bool const more = (low << (64 - dropped)) != 0;
          leading = high << (64 - dropped) | low >> dropped | (more ? 1 : 0);
        }
        return static_cast<double>(static_cast<std::int64_t>(leading)) *
               from_bits<double>(false, static_cast<std::uint64_t>(scale + 1023) << 52);
      }
    }
    bool const negative = (high >> 63) != 0;
    std::uint64_t const mask = std::uint64_t{0} - static_cast<std::uint64_t>(negative);
    std::uint64_t const lower = (low ^ mask) - mask, upper = (high ^ mask) + (negative && lower == 0 ? 1 : 0);
    if (upper == 0) return round_to<R>({lower, exponent, negative, false}, mode);
    int const dropped = bit_width(upper);  // 1 to 63
    std::uint64_t const more = lower << (64 - dropped);
    return round_to<R>({upper << (64 - dropped) | lower >> dropped, exponent + dropped, negative, more != 0}, mode);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
