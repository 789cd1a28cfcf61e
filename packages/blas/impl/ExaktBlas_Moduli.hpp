// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODULI_HPP
#define EXAKTBLAS_MODULI_HPP

/// \file
/// \brief Integers by their residues: which moduli, how many of them, and the way back (Chinese remainder theorem).
///
/// An integer X with |X| <= 2^bits is known by its residues modulo pairwise coprime m_1 ... m_s once their product M
/// has room for both signs, 2 * 2^bits < M. With M_t = M / m_t and y_t = X * M_t^-1 mod m_t,
///
///     X = sum of y_t * M_t  -  z * M,      z = the integer next to  sum of y_t / m_t.
///
/// Both M_t and M are held in chunks of 40 bits, each a double. With |y_t| <= 128, |z| < s and s <= 41 moduli
///
///     |sum of y_t * chunk| + |z * chunk|  <  41 * 2^47 + 41 * 2^40  <  2^53,
///
/// so every sum of a chunk is an integer that a double holds, whatever the order of its terms, fused or not.
///
/// z is found in doubles: each of the s additions is off by less than 2^-53 * 32, each reciprocal by 2^-53, so the sum
/// by less than 41 * 2^-47 < 2^-41. As |X| / M < 1/2 - 2^-22 (see capacity), the next integer is the right one.

#include <Exakt_KokkosCompat.hpp>

#include <cstddef>

namespace Exakt::Impl {

// Residues are bytes: any byte of the same class serves, 0 ... 255 without a sign, -128 ... 127 with one.
inline constexpr int largest_modulus = 256, least_modulus = 64;
inline constexpr int moduli_at_most = 41, chunk_bits = 40, chunks_at_most = 8;
inline constexpr std::uint64_t chunk_mask = (std::uint64_t{1} << chunk_bits) - 1;

/// The largest pairwise coprime numbers from 256 down, and 2^(40 p) modulo each of them.
struct Moduli {
  static constexpr int powers = 6;
  int count = 0;
  int value[moduli_at_most + 1] = {};
  double as_double[moduli_at_most] = {}, reciprocal[moduli_at_most] = {};
  double power[powers][moduli_at_most] = {};  // between -m/2 and m/2

  constexpr Moduli() {
    for (int m = largest_modulus; m >= least_modulus; --m) {
      bool coprime = true;
      for (int t = 0; t < count; ++t) coprime = coprime && greatest_common_divisor(m, value[t]) == 1;
      if (coprime) value[count++] = m;
    }
    for (int t = 0; t < count; ++t) {
      as_double[t] = value[t];
      reciprocal[t] = 1.0 / value[t];
      std::uint64_t const m = static_cast<std::uint64_t>(value[t]);
      std::uint64_t residue = 1;
      for (int p = 0; p < powers; ++p) {
        power[p][t] = static_cast<double>(residue) - (2 * residue > m ? as_double[t] : 0);
        residue = residue * ((chunk_mask + 1) % m) % m;
      }
    }
  }

  static constexpr int greatest_common_divisor(int a, int b) { return b == 0 ? a : greatest_common_divisor(b, a % b); }
};
inline constexpr Moduli moduli;
static_assert(moduli.count == moduli_at_most);
static_assert(moduli_at_most * ((std::uint64_t{1} << 47) + (std::uint64_t{1} << 40)) < (std::uint64_t{1} << 53),
              "sums of chunks are exact");

/// A non-negative integer in chunks.
struct Chunks {
  std::uint64_t chunk[chunks_at_most] = {};

  constexpr void multiply(std::uint64_t factor) {
    std::uint64_t carry = 0;
    for (auto& digit : chunk) {
      carry += digit * factor;
      digit = carry & chunk_mask;
      carry >>= chunk_bits;
    }
  }
  /// \return The remainder.
  constexpr std::uint64_t divide(std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (int c = chunks_at_most - 1; c >= 0; --c) {
      rest = (rest << chunk_bits) | chunk[c];
      chunk[c] = rest / divisor;
      rest %= divisor;
    }
    return rest;
  }
  constexpr int bits() const {
    int c = chunks_at_most - 1;
    while (c > 0 && chunk[c] == 0) --c;
    return c * chunk_bits + bit_width(chunk[c]);
  }
};

/// How many bits integers may have for `s` moduli: 2^(bits + 1) (1 + 2^-20) <= M, so |X| <= 2^bits is less than
/// M (1/2 - 2^-22).
struct Capacities {
  int bits[moduli_at_most + 1] = {};

  constexpr Capacities() {
    Chunks product;
    product.chunk[0] = 1;
    bits[0] = -1;
    for (int s = 1; s <= moduli_at_most; ++s) {
      product.multiply(static_cast<std::uint64_t>(moduli.value[s - 1]));
      int const length = product.bits();
      Chunks rest = product;
      // The 20 bits behind the leading one: are they all zero?
      for (int shift = length - 21; shift > 0; shift -= shift < 32 ? shift : 32)
        rest.divide(std::uint64_t{1} << (shift < 32 ? shift : 32));
      bool const next_to_power = rest.chunk[0] == std::uint64_t{1} << (length > 21 ? 20 : length - 1);
      bits[s] = length - (next_to_power ? 3 : 2);
    }
  }
};
inline constexpr Capacities capacities;

/// \brief The least number of moduli for integers up to 2^bits in magnitude; more than moduli_at_most if none does.
inline constexpr int moduli_for(int bits) {
  int s = 1;
  while (s <= moduli_at_most && capacities.bits[s] < bits) ++s;
  return s;
}

/// The way back from `count` residues.
struct Basis {
  int count = 0, chunks = 0;
  double inverse[moduli_at_most] = {};  // of M_t modulo m_t, between -m/2 and m/2
  double cofactor[moduli_at_most][chunks_at_most] = {};
  double product[chunks_at_most] = {};

  constexpr Basis() = default;
  constexpr explicit Basis(int s) : count(s) {
    Chunks all;
    all.chunk[0] = 1;
    for (int t = 0; t < s; ++t) all.multiply(static_cast<std::uint64_t>(moduli.value[t]));
    chunks = (all.bits() + chunk_bits - 1) / chunk_bits;
    for (int c = 0; c < chunks; ++c) product[c] = static_cast<double>(all.chunk[c]);
    for (int t = 0; t < s; ++t) {
      auto const m = static_cast<std::uint64_t>(moduli.value[t]);
      Chunks part = all;
      part.divide(m);
      for (int c = 0; c < chunks; ++c) cofactor[t][c] = static_cast<double>(part.chunk[c]);
      std::uint64_t const residue = part.divide(m);
      std::uint64_t candidate = 1;
      while (residue * candidate % m != 1 % m) ++candidate;
      inverse[t] = static_cast<double>(candidate) - (2 * candidate > m ? moduli.as_double[t] : 0);
    }
  }
};

}  // namespace Exakt::Impl

#endif
