// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FIXEDPOINT_HPP
#define EXAKT_FIXEDPOINT_HPP

/// \file
/// \brief What HighPrecision and Hallberg have in common: fixed-point sums of a range that the user chooses.

#include "Exakt_LongAccumulator.hpp"
#include "numerics/Exakt_Environment.hpp"
#include "numerics/Exakt_ExponentRange.hpp"
#include "parallel/Exakt_AtomicWords.hpp"
#include "summation/Exakt_ExtractionTile.hpp"

namespace Exakt {

/// \brief What a fixed-point sum could not hold, at each of the three points where that may happen.
struct FixedPointStatus {
  bool term_overflowed;     ///< conversion: a term beyond the range was left out, and round() is NaN since
  bool term_underflowed;    ///< conversion: bits of a term below the last word were cut off
  bool sum_overflowed;      ///< addition: the sum is beyond the range; up to 2^64 times the range it is not lost, and
                            ///< round() and what follows are right; then it is an infinity of its sign for good
  bool result_overflowed;   ///< conversion back: the sum rounds to an infinity
  bool result_underflowed;  ///< conversion back: the sum rounds to a subnormal number or zero, inexactly
};

namespace Impl::inline EXAKT_ABI {

/// \brief Base of the fixed-point sums (CRTP). `Derived` names its range and adds integers:
///
///     lowest_exponent, highest_exponent   terms are multiples of 2^lowest (else cut off), and below 2^highest
///     sum_exponent                        sums of magnitude 2^sum_exponent and more are beyond the range
///     deposit<Words, bits>(significand, sign, offset)     a term that fits: a significand of up to `bits` <= 63 bits,
///                                                         its sign as a word of all ones or zeros, and its exponent
///                                                         less the lowest one
///     usual_offsets                                       offsets for which deposit is at its fastest
///     merge<Words>(other, negative)                       another sum; not its flags
///     add_to(wide)                                        the sum, into a long accumulator
///     m_rounds, m_flags
template <class Derived>
class FixedPoint : public ExactValue<Derived, double> {
  // Twice the range of doubles: wide enough for every digit of every format, carries above the top included.
  using Wide = LongAccumulator<double, 56, Terms::products>;
  using Long = LongAccumulator<double>;

 public:
  /// \brief Adds x. X is double, float, or any integer type.
  template <class X>
  requires std::is_arithmetic_v<X> KOKKOS_FORCEINLINE_FUNCTION constexpr Derived& operator+=(X x) {
    add_term<PlainWords>(x, false);
    return derived();
  }

  /// \brief Subtracts x.
  template <class X>
  requires std::is_arithmetic_v<X> KOKKOS_FORCEINLINE_FUNCTION constexpr Derived& operator-=(X x) {
    add_term<PlainWords>(x, true);
    return derived();
  }

  /// \brief Adds n numbers of such a type: what adding them one by one gives. On hosts floating-point numbers are
  /// extracted, tile by tile, where no bit of theirs is below the range.
  template <class X>
  requires std::is_arithmetic_v<X> EXAKT_FUNCTION void add(X const* numbers, std::size_t n) {
    if constexpr (is_float_v<X>) {
      EXAKT_IF_ON_HOST((in_default_environment([&] { add_tiles(numbers, n); });))
      EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i)* this += numbers[i];))
    } else {
      for (std::size_t i = 0; i < n; ++i) *this += numbers[i];
    }
  }

  /// \brief Adds the sum in `other`, and what is known of it.
  KOKKOS_FUNCTION constexpr Derived& operator+=(Derived const& other) {
    add_sum<PlainWords>(other, false);
    return derived();
  }

  /// \brief Subtracts the sum in `other`: a sum that was merged is removed without a trace, but for its flags.
  KOKKOS_FUNCTION constexpr Derived& operator-=(Derived const& other) {
    add_sum<PlainWords>(other, true);
    return derived();
  }

  /// \brief Adds the sum in a long accumulator, as a term: it overflows or is cut off like one.
  KOKKOS_FUNCTION constexpr Derived& operator+=(Long const& other) {
    Long const sum = other.normalized();
    if (sum.special() != Special::none) {
      set_flags<PlainWords>(flag_of(sum.special()));
      return derived();
    }
    auto const magnitude = sum.magnitude();
    int const leading = magnitude.leading();
    if (leading < 0) return derived();
    if (magnitude.lowest_exponent + leading >= Derived::highest_exponent) {
      set_flags<PlainWords>(saw_large_term);
      return derived();
    }
    for (int bit = 0; bit <= leading; bit += 32) {
      add_finite<PlainWords>(magnitude.bits(bit, 32), magnitude.lowest_exponent + bit, magnitude.negative);
    }
    return derived();
  }

  /// \brief The sum in a long accumulator, which may be one of terms, beyond the range of each.
  static KOKKOS_FUNCTION constexpr Derived of_sum(Long const& sum) {
    Derived result;
    Long const value = sum.normalized();
    auto const magnitude = value.magnitude();
    int const leading = magnitude.leading(), highest = Derived::highest_exponent - 1,
              below = highest - magnitude.lowest_exponent;
    if (value.special() != Special::none || leading < below) return result += value;
    for (int bit = 0; bit < below; bit += 32) {
      int const count = smaller(32, below - bit);
      result.template add_finite<PlainWords>(magnitude.bits(bit, count), magnitude.lowest_exponent + bit,
                                             magnitude.negative);
    }
    // Of what is above, the multiples of the largest power of two, which no bit is lost of.
    Derived multiple;
    multiple.template add_finite<PlainWords>(1, highest, magnitude.negative);
    for (int bit = below; bit <= leading; ++bit) {
      if (magnitude.bits(bit, 1) != 0) result += multiple;
      if (bit < leading) multiple += multiple;
    }
    return result;
  }

  /// \brief Adds x, a number or a sum, to what other threads may be adding to at the same time.
  ///
  /// \tparam Words  FetchAdd, or CompareAndSwap as in the paper.
  template <class Words = FetchAdd, class X>
  KOKKOS_FORCEINLINE_FUNCTION void atomic_add(X const& x) {
    if constexpr (std::is_arithmetic_v<X>) {
      add_term<Words>(x, false);
    } else {
      static_assert(std::is_same_v<X, Derived>, "Exakt: a term is a number or a sum of the same format");
      add_sum<Words>(x, false);
    }
  }

  /// \brief Back to the empty sum, all flags down.
  KOKKOS_FUNCTION constexpr void clear() { derived() = Derived(); }

  /// \brief A term or the sum is beyond the range. (A larger sum that comes back is not, unless it had been lost.)
  KOKKOS_FUNCTION constexpr bool is_overflowed() const {
    return (flags() & (saw_large_term | saw_lost_sum)) != 0 || sum_is_beyond_range(wide().magnitude());
  }

  /// \brief Bits of a term were cut off: the sum is one of truncated terms, each by less than 2^lowest_exponent.
  KOKKOS_FUNCTION constexpr bool is_inexact() const { return (flags() & saw_small_term) != 0; }

  /// \brief All that went wrong so far, and what would when the sum is rounded to R, in the same direction.
  template <class R = double>
  KOKKOS_FUNCTION constexpr FixedPointStatus status(Rounding mode = Rounding::to_nearest) const {
    using F = FloatFormat<R>;
    auto const magnitude = wide().magnitude();
    R const rounded = this->template round<R>(mode);
    bool const is_subnormal = static_cast<typename F::bits_type>(bits_of(rounded) & ~F::sign_mask) < F::hidden_bit;
    bool const sum_is_finite = (flags() & ~(saw_small_term | saw_large_term)) == 0;
    return {(flags() & saw_large_term) != 0, is_inexact(),
            (flags() & saw_lost_sum) != 0 || sum_is_beyond_range(magnitude),
            sum_is_finite && !Impl::is_nan(rounded) && !Impl::is_finite(rounded),
            sum_is_finite && is_subnormal && magnitude.any_below(F::lsb_exponent - magnitude.lowest_exponent)};
  }

  /// \brief Whether `count` terms of this range, and their sum, fit without loss.
  static constexpr bool holds(ExponentRange range, std::uint64_t count) {
    return range.lowest >= Derived::lowest_exponent && range.highest <= Derived::highest_exponent &&
           range.highest + ceil_log2(count) <= Derived::sum_exponent;
  }

  // For the other mechanisms of the library: what has been lost for good.
  KOKKOS_FUNCTION constexpr int losses() const { return static_cast<int>(flags() & all_losses); }
  KOKKOS_FUNCTION constexpr void add_losses(int losses) {
    set_flags<PlainWords>(static_cast<Word>(losses & all_losses));
  }

  /// \brief The sum in its long accumulator, normalized; NaN if a term was left out, an infinity if the sum is beyond that
  /// accumulator, from 2^1088 on. It does not tell what has been lost.
  KOKKOS_FUNCTION constexpr Long normalized() const {
    Long result;
    if (Special const special = special_of(flags()); special != Special::none) {
      result.add_special(special);
      return result;  // whatever the words are
    }
    auto const magnitude = wide().magnitude();
    int const leading = magnitude.leading();
    if (leading >= 0 && magnitude.lowest_exponent + leading >= Long::highest_exponent) {
      result.add_special(magnitude.negative ? Special::negative_infinity : Special::positive_infinity);
    } else {
      // Doubles are multiples of 2^Long::lowest_exponent, hence so is their sum.
      for (int bit = Long::lowest_exponent - magnitude.lowest_exponent; bit <= leading; bit += 32) {
        std::uint64_t const part = magnitude.bits(bit, 32);
        if (part != 0) result.add_scaled(part, magnitude.lowest_exponent + bit, magnitude.negative);
      }
    }
    return result.normalized();
  }

 protected:
  template <class Words, class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_term(X x, bool subtract) {
    if constexpr (std::is_integral_v<X>) {
      auto const parts = integer_parts_of_integer(x);
      add_finite<Words>(parts.significand, parts.exponent, parts.negative != subtract);
    } else {
      static_assert(converts_exactly_v<X, double>,
                    "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
      using F = FloatFormat<X>;
      using Bits = typename F::bits_type;
      // The exponent field of a term at offset 0; fields of normal numbers that fit, in one comparison.
      constexpr int origin = Derived::lowest_exponent - F::lsb_exponent + 1;
      constexpr int offsets = Derived::highest_exponent - Derived::lowest_exponent - F::precision + 1;
      constexpr int first = origin > 1 ? origin : 1;
      constexpr int end = smaller(origin + smaller(offsets, Derived::usual_offsets), F::exponent_field_max);
      Bits const number = bits_of(x);
      int const field = static_cast<int>(static_cast<Bits>(number << 1) >> F::precision);
      if (first < end && static_cast<unsigned>(field - first) < static_cast<unsigned>(end - first)) [[likely]] {
        Word const sign = sign_word(number) ^ (Word{0} - static_cast<Word>(subtract));
        derived().template deposit<Words, F::precision>((number & F::fraction_mask) | F::hidden_bit, sign,
                                                        static_cast<unsigned>(field - origin));
      } else {
        add_any<Words>(x, subtract);
      }
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_sum(Derived const& other, bool subtract) {
    Derived const source = other;  // `other` may be *this
    if ((source.m_flags & saw_lost_sum) == 0) derived().template merge<Words>(source, subtract);
    set_flags<Words>(subtract ? negated_flags(source.m_flags) : source.m_flags);
  }

  /// \brief Counts how often the highest word went round: adds the signed `count`, or subtracts it.
  ///
  /// 2^63 times are as many as can be counted. Terms do not go so far, merged sums do: the sum is lost then, and an
  /// infinity of its sign. Of several threads the one that sees the count go round first gives the sign.
  template <class Words>
  KOKKOS_FUNCTION constexpr void count_rounds(Word count, bool negative) {
    Word const added = with_sign(count, negative);
    bool const too_low = negative && count == Word{1} << 63;  // 2^63 is no signed word and reads as -2^63
    int const lost = went_round(Words::fetch_add(&derived().m_rounds, added), added) + (too_low ? 1 : 0);
    if (lost == 0 || (Words::set_bits(&derived().m_flags, saw_lost_sum) & saw_lost_sum) != 0) return;
    set_flags<Words>(flag_of_infinity(lost < 0));
  }

 private:
  // Beside the flags of infinities and NaN.
  static constexpr Word saw_large_term = lost_term, saw_small_term = lost_bits, saw_lost_sum = lost_sum;

  KOKKOS_FORCEINLINE_FUNCTION constexpr Derived& derived() { return static_cast<Derived&>(*this); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr Derived const& derived() const { return static_cast<Derived const&>(*this); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr Word flags() const { return derived().m_flags; }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void set_flags(Word flags) {
    if (flags != 0) Words::set_bits(&derived().m_flags, flags);
  }

  template <class X>
  void add_tiles(X const* numbers, std::size_t n) {
    constexpr std::size_t most = extraction_tile_size;
    for (std::size_t begin = 0; begin < n; begin += most) {
      std::size_t const count = n - begin < most ? n - begin : most;
      TermTile<X> const tile(numbers + begin, static_cast<int>(count),
                             terms_ahead(PrefetchHint::memory, n - begin - count));
      int const e = exponent_above_all(tile);
      if (add_extracted<3>(tile, e) || add_extracted<6>(tile, e)) continue;
      for (int i = 0; i < tile.size(); ++i) *this += tile.data()[i];
    }
  }

  /// The sum of a tile in units of some levels, which are within the range, as it is itself; else false.
  template <int Levels, class X>
  bool add_extracted(TermTile<X> const& tile, int e) {
    constexpr int lowest = FloatFormat<double>::lsb_exponent, bits_of_count = bit_width(extraction_tile_size);
    if (e + bits_of_count > Derived::highest_exponent || level_unit(e, Levels - 1, lowest) < Derived::lowest_exponent)
      return false;
    std::int64_t units[Levels];
    if (!extract(tile, e, lowest, units)) return false;
    for (int k = 0; k < Levels; ++k) {
      auto const parts = integer_parts_of_integer(units[k]);
      add_finite<PlainWords>(parts.significand, level_unit(e, k, lowest), parts.negative);
    }
    return true;
  }

  static constexpr int smaller(int a, int b) { return a < b ? a : b; }

  template <class Words, class X>
  EXAKT_NOINLINE_FUNCTION constexpr void add_any(X x, bool subtract) {
    if (!Impl::is_finite(x)) {
      return set_flags<Words>(flag_of_infinity_or_nan(Impl::is_nan(x), is_negative(x) != subtract));
    }
    auto const parts = integer_parts(x);
    add_finite<Words>(parts.significand, parts.exponent, parts.negative != subtract);
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_finite(std::uint64_t significand, int exponent, bool negative) {
    // The first comparison is enough for nearly all terms: a significand of full length.
    if (exponent + 64 > Derived::highest_exponent && exponent + bit_width(significand) > Derived::highest_exponent &&
        significand != 0) {
      set_flags<Words>(saw_large_term);
      return;
    }
    if (exponent < Derived::lowest_exponent) {
      int const below = Derived::lowest_exponent - exponent;
      std::uint64_t const kept = below < 64 ? significand >> below : 0;
      if (below >= 64 ? significand != 0 : (kept << below) != significand) set_flags<Words>(saw_small_term);
      significand = kept;
      exponent = Derived::lowest_exponent;
    }
    if (significand == 0) return;
    Word const sign = Word{0} - static_cast<Word>(negative);
    auto offset = static_cast<unsigned>(exponent - Derived::lowest_exponent);
    if ((significand >> 63) != 0) {  // an integer of 64 bits: in two steps
      derived().template deposit<Words, 63>(significand & 0xffffffffu, sign, offset);
      significand >>= 32;
      offset += 32;
    }
    derived().template deposit<Words, 63>(significand, sign, offset);
  }

  KOKKOS_FUNCTION constexpr Wide wide() const {
    Wide sum;
    derived().add_to(sum);
    return sum.normalized();
  }

  template <class Magnitude>
  static KOKKOS_FUNCTION constexpr bool sum_is_beyond_range(Magnitude const& magnitude) {
    return magnitude.leading() >= 0 && magnitude.lowest_exponent + magnitude.leading() >= Derived::sum_exponent;
  }

  /// A term that was left out is a NaN.
  static KOKKOS_FUNCTION constexpr Special special_of(Word flags) {
    return (flags & saw_large_term) != 0 ? Special::nan : Impl::special_of(flags);
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief `*sum += x` for a fixed-point sum that other threads may be adding to at the same time; x is a number or a
/// sum.
template <class Words = FetchAdd, class A, class X>
requires std::is_base_of_v<Impl::FixedPoint<A>, A> KOKKOS_FORCEINLINE_FUNCTION void atomic_add(A* sum, X const& x) {
  sum->template atomic_add<Words>(x);
}

}  // namespace Exakt

#endif
