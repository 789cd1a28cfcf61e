// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_LONGENCLOSURE_HPP
#define EXAKT_LONGENCLOSURE_HPP

/// \file
/// \brief The enclosure: one extraction, one plain sum, and a proof of which way the exact value rounds.
///
/// Who only wants the rounded result need not add exactly: it is enough to know the sum so well that every number as
/// close to it rounds to the same result. A lane keeps a head M, started at C = 1.5 * 2^E with unit u = 2^(E - 52), and
/// a plain sum R of what M leaves. For a term t, and for a product a*b:
///
///     s = M + t;           q = s - M;   r = t - q;             R = R + r;   M = s
///     s = fma(a, b, M);    q = s - M;   r = fma(a, b, -q);     R = R + r;   M = s
///
/// If every s had the sign and exponent of C (checked once per tile), no term was too large, infinite or NaN, and:
/// - q is exact, a multiple of u, |t - q| <= u/2 and |a*b - q| <= u/2; M - C is the exact sum of the q.
/// - r is exact for a term. For a product it is rounded: off by at most 2^-54 u, or 2^-1075 where it underflows.
/// - After k terms |R| <= k*u/2 (1 + 2^-40), so the k-th addition rounds by at most 2^-53 of that. For m terms in a
/// lane,
///   m < 2^12, R is off by less than m(m+1)/2 * 2^-54 (1 + 2^-40) u, with the r's own errors less than (m+1)^2 * 2^-54
///   u.
/// - The R of L lanes, each at most m*u/2 (1 + 2^-40), are added with L - 1 roundings: less than L^2 m * 2^-54 u.
///
/// So a tile of at most m terms in each of L lanes is known up to
///
///     B = (L (m+1)^2 + L^2 m) * 2^-54 u  +  L m * 2^-1075
///
/// before the data are read; B is a sum of two constants and scales with u. The sum A of all tiles, in an exact
/// accumulator, is the exact value up to the sum of the B. If A - B and A + B round to the same number, so does the
/// exact value. If not (cancellation, a near-tie), the sum has to be done exactly. The bits are the same either way.

#include "../Exakt_Accumulator.hpp"
#include "Exakt_Enclosure.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_Enclosure-inl.hpp"

/// The terms of a sum, in memory. X is float or double.
template <class X>
struct SumOperations {
  using Long = LongAccumulator<double>;
  static constexpr int levels = std::is_same_v<X, double> ? 3 : 2;
  X const* x;

  KOKKOS_INLINE_FUNCTION void add_exactly(Extraction<Long, levels>& extraction, Long& sum, std::size_t i,
                                          std::size_t n) const {
    extraction.add(x + i, n, sum);
  }

  // The terms [i, i + count) by the compiled kernels, on hosts.
  static bool has_enclosure() { return true; }
  bool enclose_tile(std::size_t i, int count, int unit, EnclosedTile& tile) const {
    return kernels_of_terms().enclose_tile(x + i, count, unit, tile);
  }
  double largest(std::size_t i, int count) const { return kernels_of_terms().largest(x + i, count); }
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const { return kernels_of_terms().enclose(x + i, n, sum); }
  template <int Levels>
  bool extract(std::size_t i, int count, int e, std::int64_t (&units)[Levels]) const {
    return kernels_of_terms().extract(x + i, count, 0, Levels, e, Long::lowest_exponent, units);
  }

 protected:
  static KernelsOf<X> const& kernels_of_terms() { return kernels(); }
};

/// The same for |x|.
template <class X>
struct AbsoluteOperations : SumOperations<X> {
  using typename SumOperations<X>::Long;
  KOKKOS_INLINE_FUNCTION void add_exactly(Extraction<Long, SumOperations<X>::levels>& extraction, Long& sum,
                                          std::size_t i, std::size_t n) const {
    X magnitudes[256];
    while (n > 0) {
      std::size_t const count = n < 256 ? n : 256;
      for (std::size_t j = 0; j < count; ++j)
        magnitudes[j] = is_negative(this->x[i + j]) ? negated(this->x[i + j]) : this->x[i + j];
      extraction.add(magnitudes, count, sum);
      i += count;
      n -= count;
    }
  }
  bool enclose_tile(std::size_t i, int count, int unit, EnclosedTile& tile) const {
    return this->kernels_of_terms().enclose_tile_of_magnitudes(this->x + i, count, unit, tile);
  }
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const {
    return this->kernels_of_terms().enclose_magnitudes(this->x + i, n, sum);
  }
  template <int Levels>
  bool extract(std::size_t, int, int, std::int64_t (&)[Levels]) const {
    return false;  // magnitudes do not cancel, and few of their sums are ties
  }
};

/// The same for x * y.
template <class X, class Y>
struct ProductOperations {
  using Long = LongAccumulator<double, 56, Terms::products>;
  static constexpr int levels = 4;
  X const* x;
  Y const* y;

  KOKKOS_INLINE_FUNCTION void add_exactly(Extraction<Long, levels>& extraction, Long& sum, std::size_t i,
                                          std::size_t n) const {
    extraction.add_products(x + i, y + i, n, sum);
  }

  static bool has_enclosure() { return kernels_of_products().enclose_tile != nullptr; }
  bool enclose_tile(std::size_t i, int count, int unit, EnclosedTile& tile) const {
    return kernels_of_products().enclose_tile(x + i, y + i, count, unit, tile);
  }
  double largest(std::size_t i, int count) const { return kernels_of_products().largest(x + i, y + i, count); }
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const {
    return has_enclosure() && kernels_of_products().enclose(x + i, y + i, n, sum);
  }
  template <int Levels>
  bool extract(std::size_t i, int count, int e, std::int64_t (&units)[Levels]) const {
    return kernels_of_products().extract(x + i, y + i, count, 0, Levels, e, Long::lowest_exponent, units);
  }

 private:
  static KernelsOf<X, Y> const& kernels_of_products() { return kernels(); }
};

/// \brief A sum known up to a bound; adds what Operations describes.
template <class Operations>
class LongEnclosure {
  using Long = typename Operations::Long;
  using F = FloatFormat<double>;

 public:
  /// \brief Adds the terms [begin, begin + n) of the source.
  KOKKOS_INLINE_FUNCTION void add(Operations const& operations, std::size_t begin, std::size_t n) {
    bool const trusted = may_enclose();
    for (std::size_t i = 0; i < n; i += enclosure_tile_size) {
      int const count = n - i < enclosure_tile_size ? static_cast<int>(n - i) : enclosure_tile_size;
      if (!trusted || !add_tile(operations, begin + i, count)) {
        operations.add_exactly(m_extraction, m_sum, begin + i, static_cast<std::size_t>(count));
      }
    }
  }

  /// \brief Adds what `other` knows.
  KOKKOS_INLINE_FUNCTION LongEnclosure& operator+=(LongEnclosure const& other) {
    m_sum += other.sum();
    // A thread that rounds in its own way must not add bounds.
    m_bound = fp_environment_is_default() ? m_bound + other.m_bound : unbounded;
    return *this;
  }

  KOKKOS_FUNCTION void clear() { *this = LongEnclosure(); }

  /// \brief Whether all numbers within the bound lead to the same result: then it is that of the exact value.
  ///
  /// \param round  A function of an accumulator, monotonic in its value: a rounding, a rounded quotient or square root.
  EXAKT_CALLS_ARGUMENT
  template <class Round, class R>
  KOKKOS_INLINE_FUNCTION bool try_round(Round const& round, R& result) const {
    Long low = sum();
    result = round(low);
    if (bits_of(m_bound) == 0) return true;
    // A thread that takes subnormal bounds for zero, or rounds them in its own way, must not decide.
    if (!fp_environment_is_default() || !(m_bound < unbounded)) return false;
    Long high = low;
    low -= m_bound;
    low -= m_bound * bound_of_roundings;
    high += m_bound;
    high += m_bound * bound_of_roundings;
    return bits_of(round(low)) == bits_of(result) && bits_of(round(high)) == bits_of(result);
  }

  /// \brief A: the exact value lies within bound() of it.
  KOKKOS_INLINE_FUNCTION Long sum() const {
    LongEnclosure copy = *this;
    copy.drain();
    copy.m_extraction.drain(copy.m_sum);
    return copy.m_sum;
  }

  /// \brief B, for who decides elsewhere, with integers only; an infinity if nothing is known.
  KOKKOS_INLINE_FUNCTION Long bound() const {
    Long bound;
    if (bits_of(m_bound) == 0) return bound;
    if (fp_environment_is_default() && m_bound < unbounded) {
      bound += m_bound;
      bound += m_bound * bound_of_roundings;
    } else {
      bound.add_special(Special::positive_infinity);
    }
    return bound;
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION bool may_enclose() {
    EXAKT_IF_ON_HOST((return Operations::has_enclosure() && fp_environment_is_default();))
    EXAKT_IF_ON_DEVICE((return false;))
  }

  /// \pre may_enclose()
  KOKKOS_FORCEINLINE_FUNCTION bool add_tile([[maybe_unused]] Operations const& operations,
                                            [[maybe_unused]] std::size_t begin, [[maybe_unused]] int count) {
    EXAKT_IF_ON_HOST((if (m_exponent != unknown && enclose_next_tile(operations, begin, count)) return true;
                      int const e = exponent_above(operations.largest(begin, count));
                      if (e == m_exponent || e + level_head > F::max_exponent) return false; drain(); m_exponent = e;
                      return enclose_next_tile(operations, begin, count);))
    EXAKT_IF_ON_DEVICE((return false;))
  }

  bool enclose_next_tile(Operations const& operations, std::size_t begin, int count) {
    EnclosedTile tile;
    if (!operations.enclose_tile(begin, count, level_unit(m_exponent, 0, F::lsb_exponent), tile)) return false;
    m_units += tile.units;
    m_sum += tile.rest;
    m_bound += tile.bound;
    // Heads that hardly move are too large for the terms, and the bound with them.
    bool const needlessly_large = tile.units > -(1 << 20) && tile.units < (1 << 20);
    if (++m_tiles >= extraction_tiles_at_once || needlessly_large) drain();
    if (needlessly_large) m_exponent = unknown;
    return true;
  }

  KOKKOS_INLINE_FUNCTION void drain() {
    auto const parts = integer_parts_of_integer(m_units);
    if (parts.significand != 0)
      m_sum.add_scaled(parts.significand, level_unit(m_exponent, 0, F::lsb_exponent), parts.negative);
    m_units = 0;
    m_tiles = 0;
  }

  static constexpr int unknown = 1 << 14;
  static constexpr double unbounded = 0x1p1000;
  // The bounds were added with roundings of their own: fewer than 2^40 of them, 2^-53 each.
  static constexpr double bound_of_roundings = 0x1p-10;

  Long m_sum;
  Extraction<Long, Operations::levels> m_extraction;  // of the tiles that were added exactly
  double m_bound = 0;
  std::int64_t m_units = 0;
  int m_tiles = 0;
  int m_exponent = unknown;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
