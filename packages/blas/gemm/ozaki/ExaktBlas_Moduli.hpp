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
/// Both M_t and M are held in chunks, each a double, of so many bits that sums of chunks are integers that a double
/// holds, whatever the order of their terms, fused or not. Doubles have |y_t| <= m / 2, words (m + 1) / 2, so |z| < s.
/// Bytes have |y_t| <= 128, which is more than m / 2 for all moduli but the first; 128 / m_1 + ... + 128 / m_41 < 38, so
/// |z| <= 38:
///
///     bytes, 40 bits:    |sum of y_t * chunk| + |z * chunk|  <  41 * 2^47 + 41 * 2^40  <  2^53
///     words, 36 bits:                                        <  26 * 2^47 + 26 * 2^36  <  2^53
///     doubles, 28 bits:                                      <  20 * 2^48 + 20 * 2^28  <  2^53
///
/// z is found in doubles: sums are below 64, so each of the s additions is off by at most 2^-53 * 32, and each quotient
/// by less than 2^-50: the sum by less than 41 * 2^-47 < 2^-41. As |X| / M < 1/2 - 2^-22 (see Capacities), the next
/// integer is the right one.

#include <parallel/Exakt_KokkosCompat.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace Exakt::Impl::inline EXAKT_ABI {

/// For units that multiply bytes and add in 32 bits. Any byte of the same class serves, 0 ... 255 without a sign,
/// -128 ... 127 with one.
struct ByteResidues {
  using Integer = std::int8_t;
  static constexpr int largest_modulus = 256, moduli_at_most = 41;
  static constexpr int chunk_bits = 40, chunks_at_most = 8, limbs_at_most = 5;
};

/// For units that multiply words of 16 bits in pairs and add in 32: a sum of 2^9 products of two residues, each at most
/// 2047 in magnitude, is below 2^31.
struct WordResidues {
  using Integer = std::int16_t;
  static constexpr int largest_modulus = 4093, moduli_at_most = 26;
  static constexpr int chunk_bits = 36, chunks_at_most = 9, limbs_at_most = 6;
};

/// For doubles: a sum of 2^13 products of two residues, each at most 2^20 in magnitude, is an integer that they hold.
struct DoubleResidues {
  static constexpr int largest_modulus = (1 << 21) - 1, moduli_at_most = 20;
  static constexpr int chunk_bits = 28, chunks_at_most = 15, limbs_at_most = 8;
};

/// The largest pairwise coprime numbers from largest_modulus down, and 2^(chunk_bits * p) modulo each of them.
template <class Kind>
struct Moduli {
  static constexpr int powers = Kind::limbs_at_most + 1;
  int count = 0;
  int value[Kind::moduli_at_most] = {};
  double as_double[Kind::moduli_at_most] = {}, reciprocal[Kind::moduli_at_most] = {};
  double power[powers][Kind::moduli_at_most] = {};  // between -m/2 and m/2

  constexpr Moduli() {
    for (int m = Kind::largest_modulus; count < Kind::moduli_at_most && m > 1; --m) {
      bool coprime = true;
      for (int t = 0; t < count; ++t) coprime = coprime && std::gcd(m, value[t]) == 1;
      if (coprime) value[count++] = m;
    }
    for (int t = 0; t < count; ++t) {
      as_double[t] = value[t];
      reciprocal[t] = 1.0 / value[t];
      std::uint64_t const m = static_cast<std::uint64_t>(value[t]);
      std::uint64_t residue = 1;
      for (int p = 0; p < powers; ++p) {
        power[p][t] = static_cast<double>(residue) - (2 * residue > m ? as_double[t] : 0);
        residue = residue * ((std::uint64_t{1} << Kind::chunk_bits) % m) % m;
      }
    }
  }
};
template <class Kind>
inline constexpr Moduli<Kind> moduli;
static_assert(moduli<ByteResidues>.count == 41 && moduli<WordResidues>.count == 26 &&
              moduli<DoubleResidues>.count == 20);
static_assert(41 * ((std::uint64_t{1} << 47) + (std::uint64_t{1} << 40)) < (std::uint64_t{1} << 53) &&
                  26 * ((std::uint64_t{1} << 47) + (std::uint64_t{1} << 36)) < (std::uint64_t{1} << 53) &&
                  20 * ((std::uint64_t{1} << 48) + (std::uint64_t{1} << 28)) < (std::uint64_t{1} << 53),
              "sums of chunks are exact");
static_assert(
    [] {
      double sum = 0;
      for (double const reciprocal : moduli<ByteResidues>.reciprocal) sum += 128 * reciprocal;
      return sum < 38;
    }(),
    "z is small");

/// A non-negative integer in chunks.
template <class Kind>
struct Chunks {
  static constexpr std::uint64_t mask = (std::uint64_t{1} << Kind::chunk_bits) - 1;
  std::uint64_t chunk[Kind::chunks_at_most] = {};

  constexpr void multiply(std::uint64_t factor) {
    std::uint64_t carry = 0;
    for (auto& digit : chunk) {
      carry += digit * factor;
      digit = carry & mask;
      carry >>= Kind::chunk_bits;
    }
  }
  /// \param divisor  At most 2^24.
  /// \return The remainder.
  constexpr std::uint64_t divide(std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (int c = Kind::chunks_at_most - 1; c >= 0; --c) {
      rest = (rest << Kind::chunk_bits) | chunk[c];
      chunk[c] = rest / divisor;
      rest %= divisor;
    }
    return rest;
  }
  constexpr int bits() const {
    int c = Kind::chunks_at_most - 1;
    while (c > 0 && chunk[c] == 0) --c;
    return c * Kind::chunk_bits + bit_width(chunk[c]);
  }
};

/// How many bits integers may have for `s` moduli: 2^(bits + 1) (1 + 2^-20) <= M, so |X| <= 2^bits is less than
/// M (1/2 - 2^-22).
template <class Kind>
struct Capacities {
  int bits[Kind::moduli_at_most + 1] = {};

  constexpr Capacities() {
    Chunks<Kind> product;
    product.chunk[0] = 1;
    bits[0] = -1;
    for (int s = 1; s <= Kind::moduli_at_most; ++s) {
      product.multiply(static_cast<std::uint64_t>(moduli<Kind>.value[s - 1]));
      int const length = product.bits();
      auto rest = product;
      // The 20 bits behind the leading one: are they all zero?
      for (int shift = length - 21; shift > 0; shift -= shift < 24 ? shift : 24)
        rest.divide(std::uint64_t{1} << (shift < 24 ? shift : 24));
      bool const next_to_power = rest.chunk[0] == std::uint64_t{1} << (length > 21 ? 20 : length - 1);
      bits[s] = length - (next_to_power ? 3 : 2);
    }
  }
};
template <class Kind>
inline constexpr Capacities<Kind> capacities;

/// \brief The least number of moduli for integers up to 2^bits in magnitude; more than there are if none does.
template <class Kind>
constexpr int moduli_for(int bits) {
  int s = 1;
  while (s <= Kind::moduli_at_most && capacities<Kind>.bits[s] < bits) ++s;
  return s;
}

/// The way back from `count` residues.
template <class Kind>
struct Basis {
  int count = 0, chunks = 0;
  double reciprocal[Kind::moduli_at_most] = {};
  double inverse[Kind::moduli_at_most] = {};  // of M_t modulo m_t, between -m/2 and m/2
  double cofactor[Kind::moduli_at_most][Kind::chunks_at_most] = {};
  double product[Kind::chunks_at_most] = {};

  constexpr Basis() = default;
  constexpr explicit Basis(int s) : count(s) {
    Chunks<Kind> all;
    all.chunk[0] = 1;
    for (int t = 0; t < s; ++t) all.multiply(static_cast<std::uint64_t>(moduli<Kind>.value[t]));
    chunks = (all.bits() + Kind::chunk_bits - 1) / Kind::chunk_bits;
    for (int c = 0; c < chunks; ++c) product[c] = static_cast<double>(all.chunk[c]);
    for (int t = 0; t < s; ++t) {
      int const m = moduli<Kind>.value[t];
      reciprocal[t] = moduli<Kind>.reciprocal[t];
      auto part = all;
      part.divide(static_cast<std::uint64_t>(m));
      for (int c = 0; c < chunks; ++c) cofactor[t][c] = static_cast<double>(part.chunk[c]);
      int const found = inverse_modulo(static_cast<std::int64_t>(part.divide(static_cast<std::uint64_t>(m))), m);
      inverse[t] = found - (2 * found > m ? moduli<Kind>.as_double[t] : 0);
    }
  }

 private:
  /// Between 0 and m - 1, by Euclid's algorithm.
  static constexpr int inverse_modulo(std::int64_t x, std::int64_t m) {
    std::int64_t a = m, b = x, of_a = 0, of_b = 1;  // a = of_a * x modulo m, b = of_b * x
    while (b != 0) {
      std::int64_t const q = a / b, rest = a - q * b, of_rest = of_a - q * of_b;
      a = b;
      b = rest;
      of_a = of_b;
      of_b = of_rest;
    }
    return static_cast<int>(of_a < 0 ? of_a + m : of_a);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
