// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Residues of integers, and integers from residues, for any type of numbers: packs in the kernels, single doubles on
// devices and where an entry stands alone (gemm/ozaki/ExaktBlas_BalancedInteger.hpp). gemm/ozaki/ExaktBlas_Moduli.hpp
// has the mathematics.
//
// Included inside a namespace that has, for its Numbers x, y and a double f,
//
//     multiply_add(x, f, y)       x * f + y, fused or not: nothing below depends on that
//     scaled(x, f)                x * f
//     every<Number>(f)            f in every lane
//     where_less(x, f, y, z)      y where x < f, else z

/// The integer next to x * factor, for |x * factor| < 2^51. Needs rounding to nearest.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number nearest_whole(Number x, double factor = 1) {
  Number const magic = every<Number>(0x1.8p52);
  return multiply_add(x, factor, magic) - magic;
}

/// x modulo m: an integer of -m/2 ... m/2, below m/2. For integers of which the quotient is below 2^41: what it is
/// rounded by, 2^-52 of it, puts the remainder beyond by that times m at most.
struct Remainder {
  double m, reciprocal;

  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION Number operator()(Number x) const {
    double const half = 0.5 * m;
    Number const rest = multiply_add(nearest_whole(x, reciprocal), -m, x);
    Number const raised = where_less(rest, -half, rest + every<Number>(m), rest);
    return where_less(raised, half, raised, raised - every<Number>(m));
  }
};

/// The next limb, from the top, of what is left of an integer (residue_of()).
template <class Kind, class Number>
KOKKOS_FORCEINLINE_FUNCTION Number next_limb(Number& rest) {
  constexpr double size_of_limb = static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
  Number const limb = nearest_whole(rest);
  rest = scaled(rest - limb, size_of_limb);
  return limb;
}

/// \brief The residue of an integer of several limbs.
///
/// An integer X of at most L chunks is cut into limbs from the top, X = sum of limb_j * 2^(chunk_bits (L - 1 - j)); the
/// first is at most 2^chunk_bits in magnitude, the others half of that. Scaling by powers of two, rounding to a whole
/// number and subtracting it are exact here. Of each limb p = 2^(chunk_bits (L - 1 - j)) mod m leads to the residue:
///
///     |sum of limb_j * p_j|  <=  8 * 2^28 * 2^20  =  2^51 (doubles),    5 * 2^40 * 2^7  <  2^50 (bytes),
///     6 * 2^36 * 2^11  <  2^50 (words).
///
/// \param rest   X * 2^(-chunk_bits (L - 1)).
/// \param power  2^(chunk_bits * j) modulo m.
template <class Kind, class Number>
KOKKOS_FORCEINLINE_FUNCTION Number residue_of(Number rest, int limbs, double const* power, Remainder const& modulo) {
  Number residue = every<Number>(0);
  for (int j = limbs - 1; j >= 0; --j) residue = multiply_add(next_limb<Kind>(rest), power[j], residue);
  return modulo(residue);
}

/// y = sum * inverse modulo m.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number reduced_sum(Number sum, double inverse, Remainder const& modulo) {
  return modulo(scaled(modulo(sum), inverse));
}

/// \brief X = sum of chunk[c] * 2^(chunk_bits * c), all chunks but the highest at most half of what a chunk holds.
///
/// \tparam chunks  As many as the basis has, where that is known to the compiler; else 0.
template <class Kind, class Number, int chunks = 0>
struct BalancedInteger {
  Number chunk[chunks == 0 ? Kind::chunks_at_most : chunks];
  int count_of_chunks;

  KOKKOS_FORCEINLINE_FUNCTION int count() const { return chunks == 0 ? count_of_chunks : chunks; }

  /// \param y  y(t) is y_t, a Number. Needs rounding to nearest.
  EXAKT_CALLS_ARGUMENT
  template <class Class>
  KOKKOS_FORCEINLINE_FUNCTION BalancedInteger(Basis<Kind> const& basis, Class const& y)
      : count_of_chunks(basis.chunks) {
    Number quotient = every<Number>(0);
    for (int c = 0; c < count(); ++c) chunk[c] = every<Number>(0);
    for (int t = 0; t < basis.count; ++t) {
      Number const of_t = y(t);
      quotient = multiply_add(of_t, basis.reciprocal[t], quotient);
      for (int c = 0; c < count(); ++c) chunk[c] = multiply_add(of_t, basis.cofactor[t][c], chunk[c]);
    }
    Number const z = nearest_whole(quotient);
    for (int c = 0; c < count(); ++c) chunk[c] = multiply_add(z, -basis.product[c], chunk[c]);
    constexpr double size = static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
    for (int c = 0; c + 1 < count(); ++c) {
      Number const carry = nearest_whole(chunk[c], 1 / size);
      chunk[c] = multiply_add(carry, -size, chunk[c]);
      chunk[c + 1] = chunk[c + 1] + carry;
    }
  }

  /// \brief X as high + low, off by at most bound_of_balanced_sum * |high|; high is 0 for X = 0 only.
  ///
  /// Added from the top, a partial sum that is not 0 is at least one unit of its chunk, so it can neither be smaller
  /// than the next one nor vanish: FastTwoSum finds the at most 14 errors exactly, each at most 2^-53 of a partial
  /// sum, which is less than 2 |high|. So |low| <= 14 * 2^-52 |high|, and its additions are off by less than
  /// 14 * 14 * 2^-105 |high| < 2^-97 |high|.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(Number& high, Number& low) const {
    constexpr double step = 1 / static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
    double unit = power_of_two(Kind::chunk_bits * (count() - 1));
    high = scaled(chunk[count() - 1], unit);
    low = every<Number>(0);
    for (int c = count() - 2; c >= 0; --c) {
      unit *= step;
      Number const term = scaled(chunk[c], unit), next = high + term;
      low = low + (term - (next - high));
      high = next;
    }
  }
};
