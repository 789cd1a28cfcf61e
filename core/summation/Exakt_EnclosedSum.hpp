// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENCLOSEDSUM_HPP
#define EXAKT_ENCLOSEDSUM_HPP

/// \file
/// \brief The enclosure: one extraction, one plain sum, and a proof of which way the exact value rounds.
///
/// A rounded result does not need the exact sum: it is enough to know the sum so well that every number as
/// close to it rounds to the same result. A lane keeps a head M, started at C = 1.5 * 2^E with unit u = 2^(E - 52), and
/// a plain sum R of what M leaves. For a term t, and for a product a*b:
///
///     s = M + t;           q = s - M;   r = t - q;             R = R + r;   M = s
///     s = fma(a, b, M);    q = s - M;   r = fma(a, b, -q);     R = R + r;   M = s
///
/// If every s had the sign and exponent of C (checked once per tile), no term was too large, infinite or NaN, and:
/// - q is exact, a multiple of u, |t - q| <= u/2 and |a*b - q| <= u/2; M - C is the exact sum of the q.
/// - r is exact for a term. For a product it is rounded: off by at most 2^-54 u, or 2^-1075 where it underflows.
/// - After k terms |R| <= k*u/2 (1 + 2^-40), so the k-th addition rounds by at most 2^-53 of that. For m terms in a lane,
///   m < 2^12, R is off by less than m(m+1)/2 * 2^-54 (1 + 2^-40) u, and with the r's own errors by less than
///   (m+1)^2 * 2^-54 u.
/// - The R of L lanes, each at most m*u/2 (1 + 2^-40), are added with L - 1 roundings: less than L^2 m * 2^-54 u.
/// - Without fused operations p + e = a*b are taken apart first, and r = (p - q) + e: while M stays in its binade |p| < 2^52 u, whose
///   ulp is at most u/2, so that e adds up to u/4. Then |R| <= k*3u/4, and what the sums of a lane are off by is below
///   (3/4 m(m+1) + m) * 2^-54 u, still less than (m+1)^2 * 2^-54 u. Lanes are added pairwise: less than
///   3/2 L log2(L) m * 2^-54 u.
///
/// So a tile of at most m terms in each of L lanes is known up to
///
///     B = (L (m+1)^2 + L^2 m) * 2^-54 u  +  L m * 2^-1075
///
/// before the data are read; B is a sum of two constants and scales with u. The sums of all tiles are added as two doubles
/// and a bound (Exakt_Enclosure.hpp). If A - B and A + B round to the same number, so does the exact value. If not
/// (cancellation, a near-tie), the sum has to be done exactly. The bits are the same either way.

#include "../Exakt_Accumulator.hpp"
#include "Exakt_Enclosure.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_Enclosure-inl.hpp"

/// Entries of an array of that size behind the n from number i on.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t entries_behind(std::size_t size, std::size_t i, std::size_t n) {
  return size > i + n ? size - (i + n) : 0;
}

/// The terms of a sum, in memory. X is float or double.
template <class X>
struct SumOperations {
  using Long = LongAccumulator<double>;
  static constexpr int levels = std::is_same_v<X, double> ? 3 : 2;
  X const* x;
  std::size_t size = 0;  // of the array from x on, if more is to be read of it

  KOKKOS_INLINE_FUNCTION void add_exactly(Extraction<Long, levels>& extraction, Long& sum, std::size_t i,
                                          std::size_t n) const {
    extraction.add(x + i, n, sum);
  }

  // The terms [i, i + n) by the compiled kernels, on hosts.
  static bool has_enclosure() { return true; }
  double largest(std::size_t i, int count) const { return kernels_of_terms().largest(x + i, count, 0); }
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const {
    return kernels_of_terms().enclose(x + i, n, entries_behind(size, i, n), sum);
  }
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
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const {
    return this->kernels_of_terms().enclose_magnitudes(this->x + i, n, entries_behind(this->size, i, n), sum);
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
  std::size_t size = 0;  // as above

  KOKKOS_INLINE_FUNCTION void add_exactly(Extraction<Long, levels>& extraction, Long& sum, std::size_t i,
                                          std::size_t n) const {
    extraction.add_products(x + i, y + i, n, sum);
  }

  static bool has_enclosure() { return kernels_of_products().enclose != nullptr; }
  double largest(std::size_t i, int count) const { return kernels_of_products().largest(x + i, y + i, count, 0); }
  bool enclose(std::size_t i, std::size_t n, Enclosure& sum) const {
    return has_enclosure() && kernels_of_products().enclose(x + i, y + i, n, entries_behind(size, i, n), sum);
  }
  template <int Levels>
  bool extract(std::size_t i, int count, int e, std::int64_t (&units)[Levels]) const {
    return kernels_of_products().extract(x + i, y + i, count, 0, Levels, e, Long::lowest_exponent, units);
  }

 private:
  static KernelsOf<X, Y> const& kernels_of_products() { return kernels(); }
};

/// \brief Whether `round`, a function of an accumulator that is monotonic in its value, makes one result of all numbers
/// within `radius` of `value`: then it is that of the exact value.
EXAKT_CALLS_ARGUMENT
template <class Long, class Round, class R>
KOKKOS_INLINE_FUNCTION bool try_round(Long const& value, Long const& radius, Round const& round, R& result) {
  Long low = value, high = value;
  low -= radius;
  high += radius;
  result = round(low);
  return bits_of(result) == bits_of(round(high));
}

/// \brief A sum known up to a bound, as a reduction over threads takes it. Unknown for good with the first terms of which
/// no enclosure is known: those that are not finite, or nearly as large as doubles can be.
struct EnclosedSum {
  // The bounds were added with roundings of their own: fewer than 2^40 of them, 2^-53 each.
  static constexpr double bound_of_roundings = 0x1p-10;

  Enclosure sum = empty_sum();

  /// By its bits, for the environment may be that of a user; NaN is unknown as well.
  KOKKOS_FUNCTION bool is_known() const { return bits_of(sum.bound) < FloatFormat<double>::infinity; }
  KOKKOS_FUNCTION void clear() { sum = empty_sum(); }

  /// \brief Adds the terms [begin, begin + n), on hosts. \pre The default floating-point environment.
  template <class Operations>
  KOKKOS_INLINE_FUNCTION void add([[maybe_unused]] Operations const& operations, [[maybe_unused]] std::size_t begin,
                                  [[maybe_unused]] std::size_t n) {
    EXAKT_IF_ON_HOST(
        (if (!is_known()) return; Enclosure some; operations.enclose(begin, n, some); add_enclosure(sum, some);))
  }

  /// \brief Adds what `other` knows. Reductions merge on threads whose floating-point environments may be any.
  KOKKOS_INLINE_FUNCTION EnclosedSum& operator+=(EnclosedSum const& other) {
    in_default_environment([&] { add_enclosure(sum, other.sum); });
    return *this;
  }

  /// \brief A and B: the exact value lies within B of A. \pre is_known(), in the default floating-point environment.
  template <class Long>
  Long value() const {
    Long result;
    result += sum.high;
    result += sum.low;
    return result;
  }
  template <class Long>
  Long radius() const {
    Long result;
    result += sum.bound;
    result += sum.bound * bound_of_roundings;
    return result;
  }
};

/// The exact sum of terms; added and merged as an EnclosedSum is.
template <class Operations>
class Exactly {
  using Long = typename Operations::Long;

 public:
  KOKKOS_INLINE_FUNCTION void add(Operations const& operations, std::size_t begin, std::size_t n) {
    operations.add_exactly(m_extraction, m_sum, begin, n);
  }
  KOKKOS_INLINE_FUNCTION Exactly& operator+=(Exactly const& other) {
    m_sum += other.sum();
    return *this;
  }
  KOKKOS_FUNCTION void clear() { *this = Exactly(); }

  KOKKOS_INLINE_FUNCTION Long sum() const {
    Exactly copy = *this;
    copy.m_extraction.drain(copy.m_sum);
    return copy.m_sum;
  }

 private:
  Long m_sum;
  Extraction<Long, Operations::levels> m_extraction;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
