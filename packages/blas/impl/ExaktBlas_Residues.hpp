// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RESIDUES_HPP
#define EXAKTBLAS_RESIDUES_HPP

/// \file
/// \brief Rows of A and columns of B, here both called lines, as integers times a power of two, and their residues.
///
///     entry = X * 2^unit,  |X| <= 2^bits         | top = unit + bits ....... unit | truncated: rounded at the unit
///
/// A line is measured first: bits above all entries, and the last bit that is set anywhere in it. If these are too many
/// bits, the unit is put higher, and entries are rounded to multiples of it: off by at most half a unit.
///
/// An integer of at most 40 L bits is cut into L limbs from the top, X = sum of limb_j * 2^(40 (L - 1 - j)); the first
/// is at most 2^40 in magnitude, the others 2^39. Scaling by powers of two, rounding to an integer and subtracting it
/// are exact here. Of each limb p = 2^(40 (L - 1 - j)) mod m with |p| <= 128 leads to the residue of X:
///
///     |r| = |sum of limb_j * p_j - (m - 1)/2|  <=  5 * 2^47 + 2^7  <  2^50,     a multiple of 1/2, so every sum is
///     exact; q = r / m to the nearest integer, by the reciprocal: off the true quotient by less than 1/2 + 2^50 *
///     2^-53 / m; r - q*m: exact, and at most m/2 + 1/8 in magnitude.
///
/// X - q*m = r - q*m + (m - 1)/2 is an integer between -1/2 - 1/8 and m - 1/2 + 1/8: one of 0 ... m - 1. Where a signed
/// byte is asked for it is made of X + 128, and 128 is subtracted by turning over its highest bit: -128 ... m - 129.
///
/// Four residues together are an integer below 2^32, again exactly.

#include "ExaktBlas_Avx512.hpp"
#include "ExaktBlas_Moduli.hpp"

#include <Exakt_FloatFormat.hpp>
#include <Exakt_Folds.hpp>

namespace Exakt::Impl {

/// A line's integers.
struct LineScale {
  int unit = 0, bits = 0;
  bool is_truncated = false;
  bool is_special = false;  // has infinities or NaN, which no integer stands for

  int top() const { return unit + bits; }

  /// With at most so many bits.
  LineScale truncated_to(int limit) const {
    LineScale result = *this;
    result.is_truncated = bits > limit;
    if (result.is_truncated) {
      result.unit = top() - limit;
      result.bits = limit;
    }
    return result;
  }
};

/// What a line has: its largest magnitude and its lowest bit.
class LineMeasure {
 public:
  /// \param count  A multiple of wide_lanes.
  EXAKT_AVX512 void add(double const* x, std::size_t count) {
    WideIntegers largest = load_as<WideIntegers>(m_largest);
    Wide lowest = load_as<Wide>(m_lowest);
    for (std::size_t i = 0; i < count; i += wide_lanes) {
      WideIntegers const bits = load_as<WideIntegers>(x + i) & ~static_cast<std::int64_t>(F::sign_mask);
      largest = bits > largest ? bits : largest;
      // Without its lowest bit: what is missing is that bit. A power of two is its own.
      WideIntegers const without = bits & (bits - 1);
      Wide const bit =
          (bits & static_cast<std::int64_t>(F::fraction_mask)) == 0 ? (Wide)bits : (Wide)bits - (Wide)without;
      Wide const lower = bit < lowest ? bit : lowest;
      lowest = bits == 0 ? lowest : lower;
    }
    store_as(largest, m_largest);
    store_as(lowest, m_lowest);
  }

  LineScale scale() const {
    std::int64_t largest = 0;
    double lowest = infinite;
    for (int l = 0; l < wide_lanes; ++l) {
      largest = m_largest[l] > largest ? m_largest[l] : largest;
      lowest = m_lowest[l] < lowest ? m_lowest[l] : lowest;
    }
    LineScale result;
    result.is_special = largest >= static_cast<std::int64_t>(F::infinity);
    if (result.is_special || largest == 0) return result;
    auto const last = integer_parts(lowest), first = integer_parts(bit_cast<double>(largest));
    result.unit = last.exponent + bit_width(last.significand) - 1;
    result.bits = first.exponent + bit_width(first.significand) - result.unit;
    return result;
  }

 private:
  using F = FloatFormat<double>;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  std::int64_t m_largest[wide_lanes] = {};
  double m_lowest[wide_lanes] = {infinite, infinite, infinite, infinite, infinite, infinite, infinite, infinite};
};

/// A modulus, and what is subtracted and added around a reduction; see above.
template <bool is_signed>
struct ModularReduction {
  double m, reciprocal, before, behind;

  EXAKT_AVX512_INLINE explicit ModularReduction(int t)
      : m(moduli<ByteResidues>.as_double[t]),
        reciprocal(moduli<ByteResidues>.reciprocal[t]),
        before((is_signed ? 128 : 0) - (m - 1) / 2),
        behind((m - 1) / 2 * (1 + 0x1p8 + 0x1p16 + 0x1p24)) {}

  /// \param r  X + before, each of 32.
  EXAKT_AVX512_INLINE WideQuartets bytes(Wide const* r) const {
    Wide rest[packs_of_bytes];
    for (int p = 0; p < packs_of_bytes; ++p) rest[p] = r[p] - nearest_integer(r[p] * reciprocal) * m;
    Wide const low = rest[1] * 0x1p8 + rest[0], high = rest[3] * 0x1p8 + rest[2];
    WideQuartets const four = to_integers((high * 0x1p16 + low) + behind);
    return is_signed ? four ^ 0x80808080u : four;
  }
};

/// \brief The residues of a piece of a line for the first `count` moduli<ByteResidues>.
///
/// \param x         `size` entries, a multiple of bytes_at_once.
/// \param residues  Of the entries from i on, modulo the t-th number, at i + t * stride.
template <int limbs, bool is_signed>
EXAKT_AVX512 void write_residues(double const* x, std::size_t size, LineScale const& line, int count,
                                 std::uint8_t* residues, std::size_t stride) {
  // Two factors, for one may be beyond the range. What underflows is far below the unit.
  int const shift = -(line.unit + ByteResidues::chunk_bits * (limbs - 1)), half = shift / 2;
  double const factor = power_of_two(half), other_factor = power_of_two(shift - half);
  for (std::size_t i = 0; i < size; i += bytes_at_once) {
    Wide limb[packs_of_bytes][limbs];
    for (int p = 0; p < packs_of_bytes; ++p) {
      Wide rest = (load_as<Wide>(x + i + static_cast<std::size_t>(p * wide_lanes)) * factor) * other_factor;
      for (int j = 0; j < limbs; ++j) {
        limb[p][j] = nearest_integer(rest);
        rest = (rest - limb[p][j]) * 0x1p40;
      }
    }
    std::uint8_t* to = residues + i;
    for (int t = 0; t < count; ++t, to += stride) {
      ModularReduction<is_signed> const modulo(t);
      Wide r[packs_of_bytes];
      for (int p = 0; p < packs_of_bytes; ++p) {
        r[p] = limb[p][limbs - 1] + modulo.before;
        for (int j = 0; j < limbs - 1; ++j) r[p] = limb[p][j] * moduli<ByteResidues>.power[limbs - 1 - j][t] + r[p];
      }
      store_as(modulo.bytes(r), to);
    }
  }
}

template <bool is_signed>
EXAKT_AVX512 void write_residues(double const* x, std::size_t size, LineScale const& line, int count,
                                 std::uint8_t* residues, std::size_t stride) {
  switch ((line.bits + ByteResidues::chunk_bits - 1) / ByteResidues::chunk_bits) {
    case 0:
    case 1:
      return write_residues<1, is_signed>(x, size, line, count, residues, stride);
    case 2:
      return write_residues<2, is_signed>(x, size, line, count, residues, stride);
    case 3:
      return write_residues<3, is_signed>(x, size, line, count, residues, stride);
    case 4:
      return write_residues<4, is_signed>(x, size, line, count, residues, stride);
    default:
      return write_residues<ByteResidues::limbs_at_most, is_signed>(x, size, line, count, residues, stride);
  }
}

}  // namespace Exakt::Impl

#endif
