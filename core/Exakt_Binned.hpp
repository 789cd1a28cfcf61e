// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_BINNED_HPP
#define EXAKT_BINNED_HPP

#include "Exakt_LongAccumulator.hpp"
#include "kernels/Exakt_Kernels.hpp"
#include "numerics/Exakt_Environment.hpp"
#include "parallel/Exakt_AtomicWords.hpp"
#include "summation/Exakt_ExtractionTile.hpp"

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
/// for each term loses less than 2^(W (J-Fold+1)) <= max|x| * 2^(-W (Fold - 1)), and the kept sum is rounded once. A bound
/// that was given takes the place of max|x| if it is larger.
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
    int const width = Impl::bit_width(parts.significand), distance = distance_below_top(parts.exponent + width - 1);
    if (distance < 0) {
      FetchAdd::set_bits(&m_flags, Impl::saw_nan);
      return;
    }
    add_slices<FloatFormat<X>::precision, FetchAdd>(parts.significand << (64 - width), distance,
                                                    Word{0} - static_cast<Word>(parts.negative));
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
    using F = FloatFormat<X>;
    using Bits = typename F::bits_type;
    Bits const number = Impl::bits_of(x);
    int const field = static_cast<int>(static_cast<Bits>(number << 1) >> F::precision);
    // A normal number that is not above the top bin: field > 0 is distance < end, where end > 0, as for doubles always.
    constexpr int least_end = Binned().distance_below_top(-F::max_exponent);
    int const end = distance_below_top(-F::max_exponent), distance = end - field;
    if ((least_end > 0 || end > 0) && static_cast<unsigned>(distance) < static_cast<unsigned>(end) &&
        field != F::exponent_field_max) [[likely]] {
      Word const aligned = Word{number} << (64 - F::precision) | Word{1} << 63;
      Word const sign = Impl::sign_word(number);
      add_slices<F::precision, Impl::PlainWords>(aligned, distance, subtract ? ~sign : sign);
    } else {
      add_any(x, subtract);
    }
  }

  /// Infinities and NaN, zeros, subnormal numbers, and terms above all others so far.
  template <class X>
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION constexpr void add_any(X x, bool subtract) {
    if (!Impl::is_finite(x)) {
      m_flags |= flag_of(x, subtract);
      return;
    }
    auto const parts = Impl::integer_parts(x);
    if (parts.significand == 0) return;
    int const width = Impl::bit_width(parts.significand), leading = parts.exponent + width - 1;
    raise_to(bin_of(leading));
    add_slices<FloatFormat<X>::precision, Impl::PlainWords>(parts.significand << (64 - width),
                                                            distance_below_top(leading),
                                                            Word{0} - static_cast<Word>(parts.negative != subtract));
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
      std::size_t const rest = n - begin;
      int const count = static_cast<int>(rest < tile ? rest : tile);
      int const ahead = Impl::terms_ahead(Impl::PrefetchHint::memory, rest < tile ? 0 : rest - tile);
      double const largest = kernels.largest(x, count, ahead);
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

  /// How many bits 2^exponent is below the highest bit of the top bin; negative above it.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int distance_below_top(int exponent) const {
    return bin_bits * m_top + (bin_bits * (1 + lowest_bin) - 1) - exponent;
  }

  /// The slices of a term of `bits` bits, all of them: which ones are zero is random.
  ///
  /// \param aligned   The significand, its leading bit in the highest place.
  /// \param distance  Of the leading bit below the highest bit of the top bin, not negative.
  /// \param sign      All ones or zero.
  template <int bits, class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_slices(Word aligned, int distance, Word sign) {
    constexpr int in_term = (bits + bin_bits - 1 + bin_bits - 1) / bin_bits, count = in_term < Fold ? in_term : Fold;
    static_assert(count == 2 || count == 3);
    int slot = 0;
    if constexpr (count < Fold) {
      // distance / bin_bits, exact below 2^12; and no slot after the last `count`: what is below them is dropped.
      int const bin = static_cast<int>(static_cast<unsigned>(distance) * ((1u << 18) / bin_bits + 1) >> 18);
      slot = bin < Fold - count ? bin : Fold - count;
      distance -= bin_bits * slot;
    }
    // The 128 bits from the highest one of the first slot on. What is shifted by more is below all slots, and so is what
    // is left of it by these shifts.
    Word high = 0, low = 0;
    if constexpr (bin_bits * count < 64) {
      high = aligned >> (distance < 63 ? distance : 63);
    } else {
      static_assert(bin_bits * count < 128);
      auto const shift = static_cast<unsigned>(distance < 127 ? distance : 127);
      Word const upper = aligned >> shift % 64, lower = (aligned << 1) << ~shift % 64;
      high = shift < 64 ? upper : 0;
      low = shift < 64 ? lower : upper;
    }
    Word const a = slice<0>(high, low, sign), b = slice<1>(high, low, sign),
               c = count == 3 ? slice<2>(high, low, sign) : 0;
    if constexpr (std::is_same_v<Words, Impl::PlainWords>) {
      // A slice is far smaller than 2^63: a carry or borrow changes the highest bit of the low word.
      Word changes = add_to_low_word(slot, a) | add_to_low_word(slot + 1, b);
      if constexpr (count == 3) changes |= add_to_low_word(slot + 2, c);
      if ((changes >> 63) != 0) [[unlikely]]
        carry_from<count>(slot, a, b, c);
    } else {
      if (a != 0) add_words<Words>(slot, a, sign);
      if (b != 0) add_words<Words>(slot + 1, b, sign);
      if (c != 0) add_words<Words>(slot + 2, c, sign);
    }
  }

  /// Slice k, with the sign: bits [bin_bits * k, bin_bits * (k + 1)) from the top.
  template <int k>
  static KOKKOS_FORCEINLINE_FUNCTION constexpr Word slice(Word high, Word low, Word sign) {
    constexpr int begin = bin_bits * k, end = begin + bin_bits;
    Word bits = 0;
    if constexpr (end <= 64) {
      bits = high >> (64 - end);
    } else if constexpr (begin < 64) {
      bits = high << (end - 64) | low >> (128 - end);
    } else {
      bits = low >> (128 - end);
    }
    return ((bits & ((Word{1} << bin_bits) - 1)) ^ sign) - sign;
  }

  /// Returns the bits that have changed.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Word add_to_low_word(int slot, Word value) {
    Word const before = Impl::PlainWords::fetch_add(&m_low[slot], value);
    return before ^ (before + value);
  }

  /// Adds to the high words what is due after add_to_low_word().
  template <int count>
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION constexpr void carry_from(int slot, Word a, Word b, Word c) {
    Word const values[] = {a, b, c};
    for (int i = 0; i < count; ++i, ++slot) {
      m_high[slot] += (m_low[slot] < values[i] ? 1 : 0) - (values[i] >> 63);
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
    Word const flags = m_flags;
    m_flags = 0;
    m_flags = flags | Impl::flag_of_infinity(normalized().magnitude().negative);
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
