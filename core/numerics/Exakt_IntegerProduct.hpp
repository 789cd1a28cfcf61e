// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_INTEGERPRODUCT_HPP
#define EXAKT_INTEGERPRODUCT_HPP

/// \file
/// \brief Products of floating-point numbers in integers, without a branch: none leaves a range, none needs a fused
/// multiply-add, and the floating-point environment does not matter.

#include "Exakt_FloatFormat.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief +- x * y * 2^(exponent() + lsb_exponent), where the factors are finite.
///
/// \tparam X, Y  Types of the factors, whose lowest bits lsb_exponent depends on.
template <class X, class Y>
struct IntegerProduct {
  static constexpr int lsb_exponent = FloatFormat<X>::lsb_exponent + FloatFormat<Y>::lsb_exponent - 2;
  static constexpr int exponent_bits = 12;  // 2 to 2 * 2046 for doubles

  std::uint64_t x, y;      // significands
  std::uint64_t key;       // exponent, and the sign above it
  std::uint64_t specials;  // bit 11: a factor is infinite or NaN

  KOKKOS_FORCEINLINE_FUNCTION IntegerProduct(X a, Y b) : IntegerProduct(Factor(a), Factor(b)) {}

  static constexpr std::uint64_t special_flag = 1 << 11;

 private:
  struct Factor {
    std::uint64_t significand, exponent, negative, special;

    template <class T>
    KOKKOS_FORCEINLINE_FUNCTION explicit Factor(T t) {
      using F = FloatFormat<T>;
      constexpr std::uint64_t largest_field = F::exponent_field_max;
      std::uint64_t const bits = bits_of(t), field = (bits >> (F::precision - 1)) & largest_field;
      // A mask, as comparisons of packs give it.
      std::uint64_t const without_hidden_bit = field == 0 ? ~std::uint64_t{0} : 0;
      significand = (bits & F::fraction_mask) | (F::hidden_bit & ~without_hidden_bit);
      exponent = field - without_hidden_bit;
      negative = bits >> (F::width - 1);
      special = field + (special_flag - largest_field);
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION IntegerProduct(Factor const& a, Factor const& b)
      : x(a.significand),
        y(b.significand),
        key((a.exponent + b.exponent) | (a.negative ^ b.negative) << exponent_bits),
        specials(a.special | b.special) {}
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
