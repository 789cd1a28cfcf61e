// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_BINS_HPP
#define EXAKTSCATTER_BINS_HPP

/// \file
/// \brief The memory of a ScatterSum, and what threads do to it.
///
///     bin i = sum of digit[k] * 2^(lowest + RadixBits * k),    digit[k] a signed word, in plane k of the memory:
///
///     plane 0      | bin 0 | bin 1 | bin 2 | ...       one word each
///     plane 1      | bin 0 | bin 1 | bin 2 | ...
///     ...
///     last plane   | bin 0 | bin 1 | bin 2 | ...       which infinities and NaN came in
///
/// Terms of like magnitude all go to the same few planes, which stay in the caches, however wide the bins are.
///
/// Exact under any concurrency: a digit that goes round is seen by one thread, which gives the next digit the carry
/// (Exakt_AtomicWords.hpp). When the kernel has ended, all carries have been given.

#include "ExaktScatter_Digits.hpp"
#include "ExaktScatter_Refusals.hpp"

#include <Exakt_LongAccumulator.hpp>
#include <numerics/Exakt_ExponentRange.hpp>
#include <parallel/Exakt_AtomicWords.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T, class MemorySpace, int RadixBits>
struct Bins {
  using Long = LongAccumulator<T, 56, Terms::products>;
  using Words = Kokkos::View<Word**, Kokkos::LayoutLeft, MemorySpace>;
  using Report = Kokkos::View<ScatterReport, MemorySpace>;

  static constexpr int headroom = 64;  // bits above the largest term: 2^64 terms fit
  static constexpr int precision = FloatFormat<T>::precision;
  static constexpr int largest_piece = 62;  // bits that are added to a digit at once
  static constexpr int stride = largest_piece / RadixBits, piece_bits = stride * RadixBits;  // of terms in many pieces
  template <int Bits>
  static constexpr bool is_one_piece = Bits + RadixBits - 1 <= largest_piece;  // wherever it begins
  static constexpr int extra_digits = (64 + RadixBits - 1) / RadixBits;        // what the top one holds

  static KOKKOS_FUNCTION constexpr ExponentRange range_of(Terms terms) {
    using F = FloatFormat<T>;
    int const factors = terms == Terms::products ? 2 : 1;
    return {factors * F::lsb_exponent, factors * (F::max_exponent + 1)};
  }
  static constexpr int digits_for(ExponentRange range) {
    return (range.highest - range.lowest + headroom + RadixBits - 1) / RadixBits;
  }
  static constexpr int most_digits = digits_for(range_of(Terms::products)) + extra_digits;
  using BinMagnitude = Magnitude<most_digits, RadixBits>;
  /// Where the digits of a long accumulator end: its sums are below 2^this.
  template <class Sum>
  static constexpr int end_of = (Sum::digit_count * Sum::radix_bits) + Sum::lowest_exponent;

  Words words;
  Report report;
  std::int64_t size = 0;
  std::size_t plane = 0;  // words from one plane to the next
  ExponentRange range = {0, 0};
  int digits = 0;
  PlanesInUse planes;  // where readers look; those that threads add to are in the report

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool has(Index i) const {
    return is_below(i, size);
  }

  /// Bin i += x, or -= x if Negated: a number, an integer, or any exact sum.
  template <bool Negated, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_term(std::int64_t i, X const& x) const {
    if constexpr (requires { x.normalized().magnitude(); }) {
      static_assert(is_exact_sum<X>, "Exakt: bins take exact sums; Binned is reproducible, not exact");
      if ((losses_of(x) & lost_bits) != 0) return refuse_inexact(i);
      add_sum(i, x.normalized(), Negated);
    } else if constexpr (std::is_integral_v<X>) {
      auto const parts = integer_parts_of_integer(x);
      add_scaled<64>(i, {0, parts.significand}, parts.exponent, parts.negative != Negated);
    } else {
      static_assert(converts_exactly_v<X, T>,
                    "Exakt: a term has the type of the bins or a narrower one, so that no bit is lost");
      if constexpr (std::is_same_v<X, T>) {
        NormalNumber<T> const number(x);
        if (!is_usual(number.field())) [[unlikely]]
          return add_unusual<Negated>(i, x);
        add_pieces<precision>(i, {0, number.significand()}, number.exponent() - range.lowest,
                              number.is_negative() != Negated);
      } else {
        add_number<Negated>(i, x);
      }
    }
  }

  /// Bin i += x * y, or -= x * y.
  template <bool Negated, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_term(std::int64_t i, X const& x, Y const& y) const {
    auto const u = factor_of<T>(x);
    auto const v = factor_of<T>(y);
    auto const a = integer_parts(u), b = integer_parts(v);
    bool const negative = (a.negative != b.negative) != Negated;
    if (!is_finite(u) || !is_finite(v)) {
      bool const zero_times_infinity = a.significand == 0 || b.significand == 0;
      return add_infinity_or_nan(i, is_nan(u) || is_nan(v) || zero_times_infinity, negative);
    }
    if (a.significand == 0 || b.significand == 0) return;
    constexpr int bits =
        FloatFormat<std::decay_t<decltype(u)>>::precision + FloatFormat<std::decay_t<decltype(v)>>::precision;
    add_scaled<bits>(i, wide_product(a.significand, b.significand), a.exponent + b.exponent, negative);
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_flags(std::int64_t i, Word flags) const {
    if ((atomic_load(&report().planes.flags) & flags) != flags) FetchAdd::set_bits(&report().planes.flags, flags);
    FetchAdd::set_bits(&words(i, digits), flags);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_infinity_or_nan(std::int64_t i, bool nan, bool negative) const {
    set_flags(i, flag_of_infinity_or_nan(nan, negative));
  }

  /// Adds +-(high * 2^64 + low) * 2^exponent, a significand of at most Bits bits; reports it if it does not fit.
  template <int Bits>
  KOKKOS_FORCEINLINE_FUNCTION void add_scaled(std::int64_t i, WideProduct significand, int exponent,
                                              bool negative) const {
    int const offset = exponent - range.lowest;
    if (offset < 0 || exponent + Bits > range.highest) [[unlikely]] {
      return add_near_limits(i, significand, exponent, negative, range.highest);
    }
    use_planes<Bits>(offset, Bits);
    add_pieces<Bits>(i, significand, offset, negative);
  }

  /// The same for a significand with zeros at its ends, and for sums: they are below 2^highest.
  EXAKT_NOINLINE_FUNCTION void add_near_limits(std::int64_t i, WideProduct significand, int exponent, bool negative,
                                               int highest) const {
    if (significand.high == 0 && significand.low == 0) return;
    for (; exponent < range.lowest && (significand.low & 1) == 0; ++exponent) drop_bits(significand, 1);
    int const length = significand.high != 0 ? 64 + bit_width(significand.high) : bit_width(significand.low);
    if (exponent < range.lowest || exponent + length > highest) {
      take_down(&report().outside_of_range, i);
      return;
    }
    use_planes<128>(exponent - range.lowest, length);
    add_pieces<128>(i, significand, exponent - range.lowest, negative);
  }

  /// Adds a sum of terms that fit, which may use the headroom; or a part of one.
  EXAKT_NOINLINE_FUNCTION void add_part(std::int64_t i, double x) const {
    auto const parts = integer_parts(x);
    int const offset = parts.exponent - range.lowest;
    if (offset < 0) {
      add_near_limits(i, {0, parts.significand}, parts.exponent, parts.negative, range.highest + headroom);
    } else {
      constexpr int bits = FloatFormat<double>::precision;
      use_planes<bits>(offset, bits);
      add_pieces<bits>(i, {0, parts.significand}, offset, parts.negative);
    }
  }

  /// \param i  Not an index of a bin. A handle that was not given any has no report.
  template <class Index>
  EXAKT_NOINLINE_FUNCTION void refuse_index(Index i) const {
    if (report.data()) take_down(&report().outside_of_bins, signed_index(i));
  }

  EXAKT_NOINLINE_FUNCTION void refuse_inexact(std::int64_t i) const { take_down(&report().inexact, i); }

  /// The normalized absolute value of a bin; by all rights its value is finite.
  KOKKOS_FUNCTION BinMagnitude magnitude(std::int64_t i) const {
    return magnitude_of_digits<most_digits, RadixBits>(
        range.lowest, digits, [this, i](int k) { return digit_of(i, k); }, NoExtraDigits());
  }

  /// Without a look at planes that nobody added to.
  KOKKOS_FORCEINLINE_FUNCTION Word digit_of(std::int64_t i, int k) const {
    return k >= planes.lowest && k <= planes.highest ? words(i, k) : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION Word flags_of(std::int64_t i) const {
    return planes.flags != 0 ? atomic_load(&words(i, digits)) : 0;
  }

  KOKKOS_FUNCTION Special special(std::int64_t i) const { return special_of(flags_of(i)); }

  template <class R>
  KOKKOS_FUNCTION R round(std::int64_t i, Rounding mode) const {
    if (special(i) != Special::none) return special_value<R>(special(i));
    return round_digits<R>(i, {0, 0, false}, mode);
  }

  /// Bin i, without infinities and NaN, plus `extra`, rounded once. \pre extra has no bits beyond the digits of the bin
  template <class R>
  KOKKOS_FUNCTION R round_digits(std::int64_t i, TermDigits<RadixBits> extra, Rounding mode) const {
    // Most bins have only a few digits that are not zero. Where all are few, none is looked for.
    auto first = static_cast<int>(planes.lowest), last = static_cast<int>(planes.highest);
    constexpr int most = 62 / RadixBits;
    if (last - first > most) {
      while (last >= first && words(i, last) == 0) --last;
      while (first < last && words(i, first) == 0) ++first;
    }
    if (last < first) {
      if (extra.significand == 0) return exact_zero<R>(mode);
      first = last = extra.lowest();
    }
    if (extra.significand != 0 && extra.lowest() < first) first = extra.lowest();
    int const place = extra.significand != 0 ? extra.offset - RadixBits * first : 0;
    if (last - first <= most && place < 64) [[likely]] {
      WideInteger sum;
      for (int k = first; k <= last; ++k) sum.add(words(i, k), RadixBits * (k - first));
      sum.add(with_sign(extra.significand, extra.negative), place);
      return sum.round<R>(range.lowest + RadixBits * first, mode);
    }
    if (extra.significand != 0 && extra.highest() > last) last = extra.highest();
    constexpr int few = 128 / RadixBits + 2;
    if (last - first < few) {
      extra.offset -= RadixBits * first;
      return round_to<R>(leading_bits(magnitude_of_digits<few + extra_digits, RadixBits>(
                             range.lowest + RadixBits * first, last - first + 1,
                             [this, i, first](int k) { return words(i, first + k); }, extra)),
                         mode);
    }
    return round_to<R>(leading_bits(magnitude_of_digits<most_digits, RadixBits>(
                           range.lowest, digits, [this, i](int k) { return digit_of(i, k); }, extra)),
                       mode);
  }

  /// The exact value of bin i plus `before`, rounded once.
  template <class R>
  KOKKOS_FUNCTION R round_with(std::int64_t i, R before, Rounding mode) const {
    if (!is_finite(before)) {
      return special_value<R>(special_of(flags_of(i) | flag_of_infinity_or_nan(is_nan(before), is_negative(before))));
    }
    auto const parts = integer_parts(before);
    if (special(i) != Special::none || parts.significand == 0) return round<R>(i, mode);
    int const offset = parts.exponent - range.lowest;
    if (offset >= 0 && offset + bit_width(parts.significand) <= RadixBits * digits)
      return round_digits<R>(i, {parts.significand, offset, parts.negative}, mode);
    // A number that the bins have no digits for. Neither of half and bfloat16 holds the other.
    using Both = std::conditional_t<converts_exactly_v<T, R>, R, double>;
    using Wide = std::conditional_t<converts_exactly_v<R, T>, Long, LongAccumulator<Both, 56, Terms::products>>;
    Wide sum = accumulator<Wide>(i);
    sum += before;
    return sum.template round<R>(mode);
  }

  template <class Sum = Long>
  KOKKOS_FUNCTION Sum accumulator(std::int64_t i) const {
    Sum sum;
    sum.add_special(special(i));
    auto const value = magnitude(i);
    if (value.leading() + range.lowest >= end_of<Sum>) {
      sum.add_special(value.negative ? Special::negative_infinity : Special::positive_infinity);
      return sum;
    }
    for (int k = 0; k < digits + extra_digits; ++k) {
      if (value.digit[k] != 0) sum.add_scaled(value.digit[k], range.lowest + RadixBits * k, value.negative);
    }
    return sum;
  }

  /// Adds, or subtracts, the whole sum of a normalized accumulator.
  template <class Sum>
  KOKKOS_FUNCTION void add_sum(std::int64_t i, Sum const& sum, bool negated) const {
    if (sum.special() != Special::none) {
      Word const flag = flag_of(sum.special());
      return set_flags(i, negated ? negated_flags(flag) : flag);
    }
    auto value = sum.magnitude();
    value.negative = value.negative != negated;
    add_magnitude(i, value);
  }

  /// All of it or nothing: a sum may use the headroom.
  template <class M>
  KOKKOS_FUNCTION void add_magnitude(std::int64_t i, M const& value) const {
    int const leading = value.leading();
    if (leading < 0) return;
    if (value.lowest_exponent + leading >= range.highest + headroom ||
        value.any_below(range.lowest - value.lowest_exponent)) {
      return take_down(&report().outside_of_range, i);
    }
    for (int bit = 0; bit <= leading; bit += 32) {
      add_near_limits(i, {0, value.bits(bit, 32)}, value.lowest_exponent + bit, value.negative,
                      range.highest + headroom);
    }
  }

  /// Adds bin i of other bins, from any thread; `other` may be these. \pre Nobody else is at bin i of `other`.
  KOKKOS_FUNCTION void merge(std::int64_t i, Bins const& other) const {
    if (Word const flags = other.flags_of(i); flags != 0) set_flags(i, flags);
    if (special(i) != Special::none) return;
    if (!(range == other.range)) return add_magnitude(i, other.magnitude(i));
    // From the top, so that bins that are added to themselves have been read before a carry reaches them.
    for (auto k = static_cast<int>(other.planes.highest); k >= other.planes.lowest; --k) {
      if (Word const digit = other.words(i, k); digit != 0) {
        use_planes_to(k, k);
        add_to_bin(i, words.data() + i, plane, k, digit);
      }
    }
    // Doubling knows no bounds: the end is a highest digit that might go round the next time, or a bin that a long
    // accumulator might not hold, with a bit to spare for the carries of the digits below.
    int const place = end_of<Long> - 1 - (range.lowest + RadixBits * (digits - 1));
    std::int64_t const bound = std::int64_t{1} << (place < 61 ? place : 61);
    auto const top = static_cast<std::int64_t>(atomic_load(&words(i, digits - 1)));
    if (top >= bound || top <= -bound) become_infinite(i, top < 0);
  }

 private:
  template <bool Negated, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_number(std::int64_t i, X x) const {
    if (!is_finite(x)) return add_infinity_or_nan(i, is_nan(x), is_negative(x) != Negated);
    auto const parts = integer_parts(x);
    add_scaled<FloatFormat<X>::precision>(i, {0, parts.significand}, parts.exponent, parts.negative != Negated);
  }

  /// Whether a term of this exponent field is normal, and all of it in the exponent range and in planes in use.
  KOKKOS_FORCEINLINE_FUNCTION bool is_usual(unsigned field) const {
    Word const usual = atomic_load(&report().planes.usual_terms);
    return field - static_cast<unsigned>(usual) < static_cast<unsigned>(usual >> 32);
  }

  /// Any term, after which terms of its exponent are usual, if they can be.
  template <bool Negated>
  EXAKT_NOINLINE_FUNCTION void add_unusual(std::int64_t i, T x) const {
    add_number<Negated>(i, x);
    NormalNumber<T> const number(x);
    if (!number.is_normal() || number.exponent() < range.lowest || number.exponent() + precision > range.highest)
      return;
    update_atomically(&report().planes.usual_terms, [field = number.field()](Word before) {
      unsigned first = field, end = field + 1;
      if (before != 0) {
        auto const first_before = static_cast<unsigned>(before),
                   end_before = first_before + static_cast<unsigned>(before >> 32);
        first = first_before < first ? first_before : first;
        end = end_before > end ? end_before : end;
      }
      return Word{end - first} << 32 | first;
    });
  }

  /// \pre 0 < count < 64
  static KOKKOS_FORCEINLINE_FUNCTION void drop_bits(WideProduct& x, int count) {
    x.low = (x.low >> count) | (x.high << (64 - count));
    x.high >>= count;
  }

  template <int Bits>
  KOKKOS_FORCEINLINE_FUNCTION void add_pieces(std::int64_t i, WideProduct x, int offset, bool negative) const {
    // In registers, for after an atomic operation everything else is read anew, which takes as long as half of one.
    Word* const bin = words.data() + i;
    std::size_t const step = plane;
    int k = static_cast<unsigned>(offset) / RadixBits;
    int const shift = static_cast<unsigned>(offset) % RadixBits;
    if constexpr (is_one_piece<Bits>) {
      if (x.low != 0) add_to_bin(i, bin, step, k, with_sign(x.low << shift, negative));
    } else {
      prefetch(bin + static_cast<std::size_t>(k + stride) * step);  // an atomic operation lets no miss overlap another
      int const first = piece_bits - shift;
      Word const piece = (x.low & ((Word{1} << first) - 1)) << shift;
      drop_bits(x, first);
      if (piece != 0) add_to_bin(i, bin, step, k, with_sign(piece, negative));
      while (x.high != 0 || x.low != 0) {
        k += stride;
        bool const is_last = x.high == 0 && (x.low >> largest_piece) == 0;
        Word const next = is_last ? x.low : x.low & ((Word{1} << piece_bits) - 1);
        if (next != 0) add_to_bin(i, bin, step, k, with_sign(next, negative));
        if (is_last) return;
        drop_bits(x, piece_bits);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to_bin(std::int64_t i, Word* bin, std::size_t step, int k, Word value) const {
    Word* const digit = bin + static_cast<std::size_t>(k) * step;
    if (went_round(FetchAdd::fetch_add(digit, value), value) != 0) [[unlikely]]
      carry(i, k + 1, value);
  }

  /// Before add_pieces<Bits> of `length` bits from bit `offset` on.
  template <int Bits>
  KOKKOS_FORCEINLINE_FUNCTION void use_planes(int offset, int length) const {
    int const first = offset / RadixBits;
    use_planes_to(first, is_one_piece<Bits> ? first : (offset + length - 1) / RadixBits);
  }

  KOKKOS_FORCEINLINE_FUNCTION void use_planes_to(int first, int last) const {
    PlanesInUse const& in_use = report().planes;
    if (first < atomic_load(&in_use.lowest) || last > atomic_load(&in_use.highest)) [[unlikely]]
      use_new_planes(first, last);
  }

  EXAKT_NOINLINE_FUNCTION void use_new_planes(int first, int last) const {
    lower_to(&report().planes.lowest, first);
    raise_to(&report().planes.highest, last < digits ? last : digits - 1);
  }

  /// The digit below `k` went round when `value` was added.
  EXAKT_NOINLINE_FUNCTION void carry(std::int64_t i, int k, Word value) const {
    bool const negative = (value >> 63) != 0;
    Word const unit = with_sign(Word{1} << (64 - RadixBits), negative);
    if (k >= digits || add_to_digit<RadixBits, FetchAdd>(
                           [this, i](int index) {
                             use_planes_to(index, index);
                             return &words(i, index);
                           },
                           k, digits, unit) != 0) {
      become_infinite(i, negative);
    }
  }

  /// Beyond 2^64 times the largest term: infinite, as the rounded value has been for long, unless the range was the
  /// user's.
  EXAKT_NOINLINE_FUNCTION void become_infinite(std::int64_t i, bool negative) const {
    set_flags(i, flag_of_infinity(negative));
    if (range.highest < range_of(Terms::values).highest) take_down(&report().outside_of_range, i);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
