// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_BALANCEDINTEGER_HPP
#define EXAKTBLAS_BALANCEDINTEGER_HPP

/// \file
/// \brief From residues back to an integer, on every processor; the mathematics is in ExaktBlas_Moduli.hpp.

#include "ExaktBlas_Combination.hpp"
#include "ExaktBlas_Moduli.hpp"

namespace Exakt::Impl {

/// The integer next to x, for |x| < 2^51.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number nearest_whole(Number x) {
  constexpr double magic = 0x1.8p52;
  return (x + magic) - magic;
}

/// x modulo m: an integer of -m/2 ... m/2, below m/2. For integers of which the quotient is below 2^33: what it is
/// rounded by puts the remainder beyond by a few at most.
struct Remainder {
  double m, reciprocal;

  KOKKOS_FORCEINLINE_FUNCTION double operator()(double x) const {
    double const half = 0.5 * m, rest = x - nearest_whole(x * reciprocal) * m;
    double const raised = rest < -half ? rest + m : rest;
    return raised >= half ? raised - m : raised;
  }
};

inline constexpr double bound_of_balanced_sum = 0x1p-96;

/// \brief X = sum of chunk[c] * 2^(chunk_bits * c), all chunks but the highest at most half of what a chunk holds.
///
/// \tparam Number  double, or a pack of doubles, for as many integers.
template <class Kind, class Number>
struct BalancedInteger {
  Number chunk[Kind::chunks_at_most];
  int count;

  /// \param y  y(t) is y_t, a Number. Needs rounding to nearest.
  EXAKT_CALLS_ARGUMENT
  template <class Class>
  KOKKOS_INLINE_FUNCTION BalancedInteger(Basis<Kind> const& basis, Class const& y) : count(basis.chunks) {
    Number quotient{};
    for (int c = 0; c < count; ++c) chunk[c] = Number{};
    for (int t = 0; t < basis.count; ++t) {
      Number const of_t = y(t);
      quotient = quotient + of_t * basis.reciprocal[t];
      for (int c = 0; c < count; ++c) chunk[c] = chunk[c] + of_t * basis.cofactor[t][c];
    }
    Number const z = nearest_whole(quotient);
    for (int c = 0; c < count; ++c) chunk[c] = chunk[c] - z * basis.product[c];
    constexpr double size = static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
    for (int c = 0; c + 1 < count; ++c) {
      Number const carry = nearest_whole(chunk[c] * (1 / size));
      chunk[c] = chunk[c] - carry * size;
      chunk[c + 1] = chunk[c + 1] + carry;
    }
  }

  /// \brief X as high + low, off by at most bound_of_balanced_sum * |high|; high is 0 for X = 0 only.
  ///
  /// Added from the top, a partial sum that is not 0 is at least one unit of its chunk, so it can neither be smaller
  /// than the next one nor vanish: FastTwoSum finds the at most 14 errors exactly, each at most 2^-53 of a partial
  /// sum, which is less than 2 |high|. So |low| <= 14 * 2^-52 |high|, and its additions are off by less than
  /// 14 * 14 * 2^-105 |high| < 2^-97 |high|.
  KOKKOS_INLINE_FUNCTION void add_up(Number& high, Number& low) const {
    double unit = power_of_two(Kind::chunk_bits * (count - 1));
    high = chunk[count - 1] * unit;
    low = Number{};
    for (int c = count - 2; c >= 0; --c) {
      unit *= 1 / static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
      Number const term = chunk[c] * unit, next = high + term;
      low = low + (term - (next - high));
      high = next;
    }
  }

  /// X * 2^unit.
  KOKKOS_INLINE_FUNCTION ExactProducts scaled(int unit) const {
    ExactProducts result;
    for (int c = 0; c < count; ++c) {
      // The highest chunks may lie beyond the accumulator, but then they are zero.
      auto const parts = integer_parts_of_integer(static_cast<std::int64_t>(chunk[c]));
      if (parts.significand != 0) result.add_scaled(parts.significand, unit + Kind::chunk_bits * c, parts.negative);
    }
    return result;
  }
};

}  // namespace Exakt::Impl

#endif
