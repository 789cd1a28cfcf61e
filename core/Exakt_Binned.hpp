// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_BINNED_HPP
#define EXAKT_BINNED_HPP

#include "Exakt_LongAccumulator.hpp"
#include "kernels/Exakt_Kernels.hpp"
#include "numerics/Exakt_Environment.hpp"
#include "parallel/Exakt_AtomicWords.hpp"
#include "summation/Exakt_ExtractionLevels.hpp"

namespace Exakt {

/// \brief NOT exact: a reproducible sum, the same bits for any order and partition of the terms, in 2*Fold words
/// (and two for which they are).
///
/// The K-fold indexed sum of Demmel and Nguyen (Parallel Reproducible Summation, IEEE Transactions on Computers 64(7),
/// 2015), in integer arithmetic. The exponents are divided, once and for all, into bins of `bin_bits` bits, and every
/// term into the slices that lie in them. Kept are the sums of the slices in the top Fold bins: those from the bin of
/// the largest magnitude downwards.
///
///     ... | bin J+1 | bin J | bin J-1 | ... | bin J-Fold+1 | dropped ...      max|x| in [2^(W J), 2^(W (J+1)))
///
/// A slice depends on its term alone, and whatever was added below bin J-Fold+1 is dropped when J becomes known: the
/// state depends on the set of terms, not on their order. Each bin has a sum of 128 bits, and no carry passes
/// between bins, so no number of terms overflows. Sums that are merged with themselves can: one of more than 2^85
/// terms becomes an infinity of its sign.
///
/// With W = bin_bits and n terms, the error of round() is less than
///
///     n * max|x| * 2^(-W (Fold - 1))  +  half an ulp of the result
///
/// for each term loses less than 2^(W (J-Fold+1)) <= max|x| * 2^(-W (Fold - 1)), and the kept sum is rounded once.
/// (Demmel and Nguyen round the last slice to nearest, which halves the first part, and round the kept sum more than
/// once, which adds several ulp.) So it is as good as exact for well-conditioned sums of like magnitudes, and says
/// nothing about sums that cancel by more than W (Fold - 1) bits: there use any other accumulator.
///
/// Infinities and NaN as in SumAccumulator. Two sums are equal if their kept values are.
///
/// \tparam T     double (W = 40) or float (W = 13).
/// \tparam Fold  Bins kept, 2 to 8; 3 is usual: 80 bits below the largest term of doubles.
template <class T, int Fold = 3>
class Binned : public Impl::ExactValue<Binned<T, Fold>, T> {
  static_assert(Fold >= 2 && Fold <= 8, "Binned<T, Fold> keeps 2 to 8 bins");
  static_assert(Impl::is_float_v<T>, "Exakt: Binned sums float or double");
  using Format = FloatFormat<T>;
  using Word = Impl::Word;
  using Wide = LongAccumulator<T, 56, Terms::products>;  // bins reach beyond the range of T on both sides

 public:
  static constexpr int fold = Fold;
  static constexpr int bin_bits = std::is_same_v<T, double> ? 40 : 13;  ///< W, as in the paper

  /// The empty sum.
  EXAKT_ABI_TAG constexpr Binned() = default;

  /// \brief The empty sum, with the bins that terms of magnitude `bound` and below need: the second pass of two.
  ///
  /// The first pass finds bound = max|x|; the result is that of one pass. Only so are there atomic additions.
  EXAKT_FUNCTION constexpr explicit Binned(T bound) { raise(bound); }

  /// \brief Adds x, a T or a narrower type.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Binned& operator+=(X x) {
    add_term(x, false);
    return *this;
  }

  /// \brief Subtracts x.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Binned& operator-=(X x) {
    add_term(x, true);
    return *this;
  }

  /// \brief Adds n numbers, each a T or a narrower type: what adding them one by one gives. On hosts and for Fold <= 4 at
  /// the speed of vector units.
  template <class X>
  EXAKT_FUNCTION void add(X const* numbers, std::size_t n) {
    if constexpr (Impl::is_float_v<X> && Fold <= 4) {
      EXAKT_IF_ON_HOST((Impl::in_default_environment([&] { add_tiles(numbers, n); });))
      EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i)* this += numbers[i];))
    } else {
      for (std::size_t i = 0; i < n; ++i) *this += numbers[i];
    }
  }

  /// \brief Adds the terms that `other` has seen.
  EXAKT_FUNCTION constexpr Binned& operator+=(Binned const& other) {
    Binned const source = other;  // `other` may be *this
    raise_to(source.m_top);
    for (int i = 0; i < Fold; ++i) {
      int const slot = m_top - (source.m_top - i);
      if (slot < Fold) add_words<Impl::PlainWords>(slot, source.m_low[i], source.m_high[i]);
    }
    m_flags |= source.m_flags;
    constexpr std::int64_t bound = std::int64_t{1} << 61;  // two bins below it fit, and all terms that will ever come
    for (Word const word : m_high) {
      auto const high = static_cast<std::int64_t>(word);
      if (high >= bound || high <= -bound) become_infinite();
    }
    return *this;
  }

  /// \brief Makes room for terms of magnitude `bound` and below: they will not move the bins. As a term, it drops bins.
  EXAKT_FUNCTION constexpr void raise(T bound) {
    if (!Impl::is_finite(bound) || Impl::is_zero(bound)) return;
    auto const parts = Impl::integer_parts(bound);
    raise_to(bin_of(parts.exponent + Impl::bit_width(parts.significand) - 1));
  }

  /// \brief Adds x to what other threads may be adding to at the same time.
  ///
  /// \pre raise() or the constructor was given a magnitude not below |x|: if not, round() is NaN from now on.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void atomic_add(X x) {
    static_assert(Impl::converts_exactly_v<X, T>,
                  "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
    if (!Impl::is_finite(x)) {
      FetchAdd::set_bits(&m_flags, flag_of(x, false));
      return;
    }
    auto const parts = Impl::integer_parts(x);
    if (parts.significand == 0) return;
    if (bin_of(parts.exponent + Impl::bit_width(parts.significand) - 1) > m_top) {
      FetchAdd::set_bits(&m_flags, Impl::saw_nan);
      return;
    }
    add_slices<FloatFormat<X>::precision, FetchAdd>(parts, parts.negative);
  }

  /// \brief Back to the empty sum.
  EXAKT_FUNCTION constexpr void clear() { *this = Binned(); }

  /// \brief The kept sum in its long accumulator, normalized.
  EXAKT_FUNCTION constexpr Wide normalized() const {
    Wide sum;
    for (int i = 0; i < Fold; ++i) {
      int const exponent = bin_bits * (m_top - i + lowest_bin);
      if (m_low[i] != 0) sum.add_scaled(m_low[i], exponent, false);
      bool const is_below_zero = (m_high[i] >> 63) != 0;
      if (m_high[i] != 0) sum.add_scaled(Impl::with_sign(m_high[i], is_below_zero), exponent + 64, is_below_zero);
    }
    sum.add_special(Impl::special_of(m_flags));
    return sum.normalized();
  }

 private:
  /// The bin of the lowest bit of all; bins are counted from there, so that their numbers are not negative.
  static constexpr int lowest_bin = (Format::lsb_exponent - bin_bits + 1) / bin_bits;
  static constexpr int nothing = Fold - 1;  // the lowest top: no kept bin has a negative number

  static KOKKOS_FORCEINLINE_FUNCTION constexpr int bin_of(int exponent) {
    return static_cast<int>(static_cast<unsigned>(exponent - bin_bits * lowest_bin) / bin_bits);
  }

  template <class X>
  static EXAKT_FUNCTION constexpr Word flag_of(X x, bool subtract) {
    return Impl::flag_of_infinity_or_nan(Impl::is_nan(x), Impl::is_negative(x) != subtract);
  }

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_term(X x, bool subtract) {
    static_assert(Impl::converts_exactly_v<X, T>,
                  "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
    if (!Impl::is_finite(x)) {
      m_flags |= flag_of(x, subtract);
      return;
    }
    auto const parts = Impl::integer_parts(x);
    if (parts.significand == 0) return;
    // The leading bit of a normal number, else at most that: a bin too high would be one dropped too early.
    int const first = parts.exponent + FloatFormat<X>::precision - 1;
    if (bin_of(first) > m_top) raise_to(bin_of(parts.exponent + Impl::bit_width(parts.significand) - 1));
    add_slices<FloatFormat<X>::precision, Impl::PlainWords>(parts, parts.negative != subtract);
  }

  /// Tiles that stay in a cache: their largest magnitude first, which places the bins.
  template <class X>
  void add_tiles(X const* numbers, std::size_t n) {
    static_assert(Impl::converts_exactly_v<X, T>,
                  "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
    Impl::KernelsOf<X> const& kernels = Impl::kernels();
    constexpr std::size_t tile = Impl::extraction_tile_size;
    for (std::size_t begin = 0; begin < n; begin += tile) {
      X const* const x = numbers + begin;
      int const count = static_cast<int>(n - begin < tile ? n - begin : tile);
      double const largest = kernels.largest(x, count);
      std::int64_t units[Fold];
      bool known = Impl::is_finite(largest);
      if (known) {
        raise(static_cast<T>(largest));
        known = kernels.slice(x, count, bin_bits * (m_top + lowest_bin), bin_bits, Fold, units);
      }
      for (int f = 0; f < Fold && known; ++f)
        add_words<Impl::PlainWords>(f, static_cast<Word>(units[f]), units[f] < 0 ? ~Word{0} : Word{0});
      for (int i = 0; i < count && !known; ++i) *this += x[i];
    }
  }

  /// The slices of a term whose leading bit is in bin m_top or below.
  template <int Bits, class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_slices(Impl::IntegerParts const& x, bool negative) {
    constexpr int slices = (Bits + bin_bits - 1 + bin_bits - 1) / bin_bits;  // that a significand may lie in
    constexpr Word mask = (Word{1} << bin_bits) - 1;
    int const bin = bin_of(x.exponent), shift = x.exponent - bin_bits * (bin + lowest_bin);
    Word rest = x.significand;
    for (int i = 0; i < slices; ++i) {
      Word const slice = (i == 0 ? rest << shift : rest) & mask;
      rest >>= i == 0 ? bin_bits - shift : bin_bits;
      int const slot = m_top - (bin + i);
      if (slice != 0 && slot < Fold) {
        add_words<Words>(slot, Impl::with_sign(slice, negative), negative ? ~Word{0} : Word{0});
      }
    }
  }

  /// Adds the signed high * 2^64 + low to a bin.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_words(int slot, Word low, Word high) {
    Word const before = low == 0 ? 0 : Words::fetch_add(&m_low[slot], low);
    high += before + low < before ? 1 : 0;
    if (high != 0) Words::fetch_add(&m_high[slot], high);
  }

  EXAKT_FUNCTION constexpr void raise_to(int top) {
    int const by = top - m_top;
    if (by <= 0) return;
    for (int i = Fold - 1; i >= 0; --i) {
      m_low[i] = i >= by ? m_low[i - by] : 0;
      m_high[i] = i >= by ? m_high[i - by] : 0;
    }
    m_top = top;
  }

  EXAKT_FUNCTION constexpr void become_infinite() {
    if (m_flags == 0) m_flags = Impl::flag_of_infinity(normalized().magnitude().negative);
    for (int i = 0; i < Fold; ++i) m_low[i] = m_high[i] = 0;
  }

  Word m_low[Fold] = {}, m_high[Fold] = {};  // a signed integer of 128 bits for each bin, from the top
  int m_top = nothing;                       // the bin of the largest magnitude
  Word m_flags = 0;
};

namespace Impl::inline EXAKT_ABI {

template <class T, int Fold>
inline constexpr bool is_exact_sum<Binned<T, Fold>> = false;

}  // namespace Impl::inline EXAKT_ABI

/// \brief `*sum += x` for a sum that other threads may be adding to at the same time, and that knows of a bound.
template <class T, int Fold, class X>
KOKKOS_FORCEINLINE_FUNCTION void atomic_add(Binned<T, Fold>* sum, X x) {
  sum->atomic_add(x);
}

}  // namespace Exakt

#endif
