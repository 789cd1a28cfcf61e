// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RECONSTRUCTION_HPP
#define EXAKTBLAS_RECONSTRUCTION_HPP

/// \file
/// \brief From sums of products of residues back to integers; the mathematics is in ExaktBlas_Moduli.hpp.
///
///     sums (int32) --> y_t (bytes), a modulus at a time --> chunks --> carries --> high + low
///                                                                          \--> exactly, where that does not decide

#include "ExaktBlas_BalancedInteger.hpp"
#include "ExaktBlas_Residues.hpp"

namespace Exakt::Impl {

/// \brief y = sum * inverse mod m, as signed bytes.
///
/// |sum * inverse| <= 2^31 * 2^7: the bounds of residues hold (ExaktBlas_Residues.hpp).
///
/// \param size  A multiple of bytes_at_once.
EXAKT_AVX512 inline void reduce_sums(std::int32_t const* sums, std::size_t size, Basis<ByteResidues> const& basis,
                                     int t, std::int8_t* y) {
  ModularReduction<true> const modulo(t);
  double const inverse = basis.inverse[t];
  for (std::size_t i = 0; i < size; i += bytes_at_once) {
    Wide r[packs_of_bytes];
    for (int p = 0; p < packs_of_bytes; ++p)
      r[p] =
          to_doubles(load_as<WideInts>(sums + i + static_cast<std::size_t>(p * wide_lanes))) * inverse + modulo.before;
    store_as(modulo.bytes(r), y + i);
  }
}

/// \brief Sums of some blocks of k, made small before the next block is added: |sum| <= 128 behind.
EXAKT_AVX512 inline void reduce_sums_in_place(std::int32_t* sums, std::size_t size, int t) {
  double const m = moduli<ByteResidues>.as_double[t], reciprocal = moduli<ByteResidues>.reciprocal[t];
  for (std::size_t i = 0; i < size; i += wide_lanes) {
    Wide const sum = to_doubles(load_as<WideInts>(sums + i));
    store_as(__builtin_convertvector(sum - nearest_integer(sum * reciprocal) * m, WideInts), sums + i);
  }
}

inline constexpr double bound_of_reconstruction = 0x1p-98;

/// \brief Integers X as high + low, |X - (high + low)| <= bound_of_reconstruction * |high|; high is 0 for X = 0 only.
///
/// After the carries all chunks but the highest are at most 2^39 in magnitude. Added from the top, a partial sum that
/// is not 0 is at least 2^40 units of the next chunk, so it can neither be smaller than that nor vanish: FastTwoSum
/// finds the at most 7 errors exactly, each at most 2^-53 of a partial sum, which is less than 2 |high|. So |low| <= 7
/// * 2^-52 |high|, and its 7 additions are off by 7 * 7 * 2^-105 |high| < 2^-99 |high|.
///
/// \param y     Of the entries from i on and modulus t at i + t * stride.
/// \param size  A multiple of bytes_at_once.
template <int chunks>
EXAKT_AVX512 void reconstruct(std::int8_t const* y, std::size_t stride, std::size_t size,
                              Basis<ByteResidues> const& basis, double* high, double* low) {
  constexpr int packs = packs_of_bytes;
  for (std::size_t i = 0; i < size; i += bytes_at_once) {
    Wide chunk[packs][chunks] = {}, quotient[packs] = {};
    std::int8_t const* from = y + i;
    for (int t = 0; t < basis.count; ++t, from += stride) {
      WideInts const bytes = load_as<WideInts>(from);
      for (int p = 0; p < packs; ++p) {
        Wide const residue = to_doubles(bytes_of_lane(bytes, p));
        quotient[p] = residue * moduli<ByteResidues>.reciprocal[t] + quotient[p];
        for (int c = 0; c < chunks; ++c) chunk[p][c] = residue * basis.cofactor[t][c] + chunk[p][c];
      }
    }
    for (int p = 0; p < packs; ++p) {
      Wide const z = nearest_integer(quotient[p]);
      for (int c = 0; c < chunks; ++c) chunk[p][c] = chunk[p][c] - z * basis.product[c];
      for (int c = 0; c + 1 < chunks; ++c) {
        Wide const carry = nearest_integer(chunk[p][c] * 0x1p-40);
        chunk[p][c] = chunk[p][c] - carry * 0x1p40;
        chunk[p][c + 1] = chunk[p][c + 1] + carry;
      }
      double unit = 1;
      for (int c = 0; c + 1 < chunks; ++c) unit *= 0x1p40;
      Wide sum = chunk[p][chunks - 1] * unit, rest = {};
      for (int c = chunks - 2; c >= 0; --c) {
        unit *= 0x1p-40;
        Wide const term = chunk[p][c] * unit, next = sum + term;
        rest = rest + (term - (next - sum));
        sum = next;
      }
      store_as(sum, high + i + static_cast<std::size_t>(p * wide_lanes));
      store_as(rest, low + i + static_cast<std::size_t>(p * wide_lanes));
    }
  }
}

EXAKT_AVX512 inline void reconstruct(std::int8_t const* y, std::size_t stride, std::size_t size,
                                     Basis<ByteResidues> const& basis, double* high, double* low) {
  switch (basis.chunks) {
    case 1:
      return reconstruct<1>(y, stride, size, basis, high, low);
    case 2:
      return reconstruct<2>(y, stride, size, basis, high, low);
    case 3:
      return reconstruct<3>(y, stride, size, basis, high, low);
    case 4:
      return reconstruct<4>(y, stride, size, basis, high, low);
    case 5:
      return reconstruct<5>(y, stride, size, basis, high, low);
    case 6:
      return reconstruct<6>(y, stride, size, basis, high, low);
    case 7:
      return reconstruct<7>(y, stride, size, basis, high, low);
    default:
      return reconstruct<ByteResidues::chunks_at_most>(y, stride, size, basis, high, low);
  }
}

/// \brief The integer X of one entry times 2^unit, exactly.
inline ExactProducts exact_integer(std::int8_t const* y, std::size_t entry, std::size_t stride,
                                   Basis<ByteResidues> const& basis, int unit) {
  std::size_t const lane = entry % wide_lanes, pack = entry / wide_lanes % packs_of_bytes;
  y += entry / bytes_at_once * bytes_at_once + packs_of_bytes * lane + pack;
  auto const y_of = [=](int t) { return static_cast<double>(y[static_cast<std::size_t>(t) * stride]); };
  return BalancedInteger<ByteResidues, double>(basis, y_of).scaled(unit);
}

}  // namespace Exakt::Impl

#endif
