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

#include <Exakt_LongAccumulator.hpp>
#include <numerics/Exakt_ExponentRange.hpp>
#include <parallel/Exakt_AtomicWords.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What kernels, which cannot throw, have to tell: how many additions were refused, and the lowest index among them.
struct Refusals {
  std::int64_t count = 0, lowest_index = std::numeric_limits<std::int64_t>::max();
};
struct ScatterReport {
  Refusals outside_of_bins, outside_of_range, inexact;
};

template <class T, class MemorySpace, int RadixBits>
struct Bins {
  using Long = LongAccumulator<T, 56, Terms::products>;
  using Words = Kokkos::View<Word**, Kokkos::LayoutLeft, MemorySpace>;
  using Report = Kokkos::View<ScatterReport, MemorySpace>;

  static constexpr int headroom = 64;  // bits above the largest term: 2^64 terms fit
  static constexpr int precision = FloatFormat<T>::precision;
  static constexpr int largest_piece = 62;  // bits that are added to a digit at once
  static constexpr int stride = largest_piece / RadixBits, piece_bits = stride * RadixBits;  // of terms in many pieces
  static constexpr int extra_digits = (64 + RadixBits - 1) / RadixBits;                      // what the top one holds

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

  Words words;
  Report report;
  std::int64_t size = 0;
  std::size_t plane = 0;  // words from one plane to the next
  ExponentRange range = {0, 0};
  int digits = 0;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool has(Index i) const {
    static_assert(std::is_integral_v<Index>, "Exakt: a bin is named by an integer");
    if constexpr (std::is_signed_v<Index>) {
      if (i < 0) return false;
    }
    return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(size);
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_flags(std::int64_t i, Word flags) const {
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
    add_pieces<Bits>(i, significand, offset, negative);
  }

  /// The same for a significand with zeros at its ends, and for sums: they are below 2^highest.
  EXAKT_NOINLINE_FUNCTION void add_near_limits(std::int64_t i, WideProduct significand, int exponent, bool negative,
                                               int highest) const {
    if (significand.high == 0 && significand.low == 0) return;
    for (; exponent < range.lowest && (significand.low & 1) == 0; ++exponent) drop_bits(significand, 1);
    int const length = significand.high != 0 ? 64 + bit_width(significand.high) : bit_width(significand.low);
    if (exponent < range.lowest || exponent + length > highest) {
      refuse(&report().outside_of_range, i);
      return;
    }
    add_pieces<128>(i, significand, exponent - range.lowest, negative);
  }

  /// Adds a sum of terms that fit, which may use the headroom; or a part of one.
  EXAKT_NOINLINE_FUNCTION void add_part(std::int64_t i, double x) const {
    auto const parts = integer_parts(x);
    int const offset = parts.exponent - range.lowest;
    if (offset < 0) {
      add_near_limits(i, {0, parts.significand}, parts.exponent, parts.negative, range.highest + headroom);
    } else {
      add_pieces<FloatFormat<double>::precision>(i, {0, parts.significand}, offset, parts.negative);
    }
  }

  template <class Index>
  EXAKT_NOINLINE_FUNCTION void refuse_index(Index i) const {
    bool const huge = i > 0 && static_cast<std::uint64_t>(i) > static_cast<std::uint64_t>(largest_index);
    refuse(&report().outside_of_bins, huge ? largest_index : static_cast<std::int64_t>(i));
  }

  EXAKT_NOINLINE_FUNCTION void refuse_inexact(std::int64_t i) const { refuse(&report().inexact, i); }

  /// The normalized absolute value of a bin; by all rights its value is finite.
  KOKKOS_FUNCTION BinMagnitude magnitude(std::int64_t i) const {
    constexpr std::int64_t mask = (std::int64_t{1} << RadixBits) - 1;
    BinMagnitude result{{}, range.lowest, false};
    // |digit / 2^RadixBits| + |carry| < 2^63: nothing overflows.
    std::int64_t carry = 0;
    for (int k = 0; k < digits + extra_digits; ++k) {
      std::int64_t const digit = k < digits ? static_cast<std::int64_t>(words(i, k)) : 0;
      std::int64_t const low = (digit & mask) + carry;
      result.digit[k] = static_cast<std::uint64_t>(low & mask);
      carry = (digit >> RadixBits) + (low >> RadixBits);
    }
    result.negative = carry < 0;
    if (result.negative) {
      std::uint64_t borrow = 1;  // -x is the complement of x, plus one
      for (int k = 0; k < digits + extra_digits; ++k) {
        std::uint64_t const digit = (~result.digit[k] & static_cast<std::uint64_t>(mask)) + borrow;
        result.digit[k] = digit & static_cast<std::uint64_t>(mask);
        borrow = digit >> RadixBits;
      }
    }
    return result;
  }

  KOKKOS_FUNCTION Special special(std::int64_t i) const { return special_of(words(i, digits)); }

  template <class R>
  KOKKOS_FUNCTION R round(std::int64_t i, Rounding mode) const {
    if (special(i) != Special::none) return special_value<R>(special(i));
    return round_to<R>(leading_bits(magnitude(i)), mode);
  }

  KOKKOS_FUNCTION Long accumulator(std::int64_t i) const {
    Long sum;
    sum.add_special(special(i));
    auto const value = magnitude(i);
    if (value.leading() + range.lowest >= Long::highest_exponent) {
      sum.add_special(value.negative ? Special::negative_infinity : Special::positive_infinity);
      return sum;
    }
    for (int k = 0; k < digits + extra_digits; ++k) {
      if (value.digit[k] != 0) sum.add_scaled(value.digit[k], range.lowest + RadixBits * k, value.negative);
    }
    return sum;
  }

  /// Adds the whole sum of a normalized accumulator.
  template <class Sum>
  KOKKOS_FUNCTION void add_sum(std::int64_t i, Sum const& sum) const {
    if (sum.special() != Special::none) {
      return set_flags(i, flag_of(sum.special()));
    }
    add_magnitude(i, sum.magnitude());
  }

  /// All of it or nothing: a sum may use the headroom.
  template <class M>
  KOKKOS_FUNCTION void add_magnitude(std::int64_t i, M const& value) const {
    int const leading = value.leading();
    if (leading < 0) return;
    if (value.lowest_exponent + leading >= range.highest + headroom ||
        value.any_below(range.lowest - value.lowest_exponent)) {
      return refuse(&report().outside_of_range, i);
    }
    for (int bit = 0; bit <= leading; bit += 32) {
      add_near_limits(i, {0, value.bits(bit, 32)}, value.lowest_exponent + bit, value.negative,
                      range.highest + headroom);
    }
  }

  /// Adds bin i of other bins; `other` may be these. \pre Nobody else is at bin i.
  KOKKOS_FUNCTION void merge(std::int64_t i, Bins const& other) const {
    if (Word const flags = other.words(i, other.digits); flags != 0) set_flags(i, flags);
    if (special(i) != Special::none) return;
    if (!(range == other.range)) return add_magnitude(i, other.magnitude(i));
    // From the top, so that bins that are added to themselves have been read before a carry reaches them.
    for (int k = digits - 1; k >= 0; --k) {
      if (Word const digit = other.words(i, k); digit != 0) add_to_bin(i, words.data() + i, plane, k, digit);
    }
    // Doubling knows no bounds: a highest digit that might go round the next time is the end.
    constexpr std::int64_t bound = std::int64_t{1} << 61;
    auto const top = static_cast<std::int64_t>(words(i, digits - 1));
    if (top >= bound || top <= -bound) become_infinite(i, top < 0);
  }

 private:
  static constexpr std::int64_t largest_index = std::numeric_limits<std::int64_t>::max();

  static KOKKOS_INLINE_FUNCTION void refuse(Refusals* refusals, std::int64_t index) {
    Kokkos::atomic_fetch_add(&refusals->count, std::int64_t{1});
    for (std::int64_t lowest = atomic_load(&refusals->lowest_index); index < lowest;) {
      std::int64_t const before = Kokkos::atomic_compare_exchange(&refusals->lowest_index, lowest, index);
      if (before == lowest) return;
      lowest = before;
    }
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
    if constexpr (Bits + RadixBits - 1 <= largest_piece) {
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

  /// The digit below `k` went round when `value` was added.
  EXAKT_NOINLINE_FUNCTION void carry(std::int64_t i, int k, Word value) const {
    bool const negative = (value >> 63) != 0;
    Word const unit = with_sign(Word{1} << (64 - RadixBits), negative);
    if (k >= digits ||
        add_to_digit<RadixBits, FetchAdd>([this, i](int index) { return &words(i, index); }, k, digits, unit) != 0) {
      become_infinite(i, negative);
    }
  }

  /// Beyond 2^64 times the largest term: infinite, as the rounded value has been for long, unless the range was the
  /// user's.
  EXAKT_NOINLINE_FUNCTION void become_infinite(std::int64_t i, bool negative) const {
    set_flags(i, flag_of_infinity(negative));
    if (range.highest < range_of(Terms::values).highest) refuse(&report().outside_of_range, i);
  }
};

/// A bin, rounded once to R.
template <class R>
struct RoundBin {
  using result_type = R;
  Rounding mode;
  template <class B>
  KOKKOS_FUNCTION R operator()(B const& bins, std::int64_t i) const {
    return bins.template round<R>(i, mode);
  }
};

/// A bin, exactly.
template <class Long>
struct ReadBin {
  using result_type = Long;
  template <class B>
  KOKKOS_FUNCTION Long operator()(B const& bins, std::int64_t i) const {
    return bins.accumulator(i);
  }
};

/// result(i) := read(bins, first + i).
template <class B, class Read, class Result>
struct ReadBins {
  B bins;
  Read read;
  Result result;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = read(bins, first + i); }
};

template <class B>
struct MergeBins {
  B into, from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { into.merge(i, from); }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
