// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_WINDOWS_HPP
#define EXAKTSCATTER_WINDOWS_HPP

/// \file
/// \brief Exact sums of a few words each, for terms that are not too different, in front of long ones for the others.
///
///     word 0   | number of a long sum, plus 1 | lowest exponent of the window, plus bias | infinities and NaN |
///              |  48 bits                     |  13 bits                                 |  3 bits            |
///     word 1...   digits, signed words: sum of digit[k] * 2^(lowest + 56 * k)
///
/// The first term of an entry places its window around itself, by a compare-and-swap on word 0. What lies inside of it is
/// one or two integer additions; a term that does not, and what the highest digit loses when it goes round, goes to
/// a long sum, which the entry takes then. A double has 60 bits of room below the first term and 57 above, a float 17
/// and 17. Which term came first does not matter: windows and long sums together are exact.

#include "ExaktScatter_Checks.hpp"
#include "ExaktScatter_Digits.hpp"
#include "ExaktScatter_LongSums.hpp"
#include "ExaktScatter_Refusals.hpp"

#include <Exakt_AtomicAccumulator.hpp>

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T, class MemorySpace>
struct Windows {
  using Format = FloatFormat<T>;
  using Long = LongAccumulator<T>;
  using LongSum = AtomicAccumulator<Long>;

  static constexpr int radix_bits = 56;
  static constexpr int digit_count = Format::precision > 32 ? 3 : 1;
  static constexpr int word_count = digit_count + 1;
  static constexpr int highest =
      radix_bits * (digit_count - 1) + 58;  // terms have room to add up to 2^63 units of a digit
  // Where the leading bit of the first term gets, with its lowest one in the middle of where one addition suffices.
  static constexpr int leading_place = digit_count == 1 ? 40 : 112;
  static constexpr int flag_bits = 3, window_bits = 13;
  // An empty window lies so low that no term is in it.
  static constexpr int bias = 2048;
  static_assert(Format::lsb_exponent + bias > highest && Format::max_exponent + bias < 1 << window_bits);
  // The lowest exponents of windows are between these, which are the same for half_t: all of its numbers fit into one.
  static constexpr int least = Format::lsb_exponent, most = std::max(least, Format::max_exponent - leading_place);
  // The digits, and what the highest one loses, are something that a long sum holds.
  static_assert(least >= Long::lowest_exponent && most + radix_bits * (digit_count - 1) + 64 < Long::highest_exponent);

  using Words = Kokkos::View<Word* [word_count], Kokkos::LayoutRight, MemorySpace>;

  Words words;
  LongSums<MemorySpace, LongSum::word_count> long_sums;
  Kokkos::View<AssemblyReport, MemorySpace> report;

  Windows() = default;
  Windows(std::string const& name, std::int64_t entries, std::int64_t long_sum_count)
      : words(name, static_cast<std::size_t>(entries)), long_sums(name, long_sum_count), report(name + " refusals") {}

  /// All empty, and nothing refused. Waited for.
  template <class Space>
  void clear(Space const& space) const {
    if (!report.data()) return;
    space.fence();
    // In a row: Kokkos fills a View of rank 2 word by word.
    Kokkos::View<Word*, MemorySpace, Kokkos::MemoryUnmanaged> const all(words.data(), words.span());
    Kokkos::deep_copy(space, all, Word{0});
    long_sums.clear(space);
    write_report(space, report, AssemblyReport{});
    space.fence();
  }

  std::size_t memory() const { return words.span() * sizeof(Word) + long_sums.memory(); }

  /// Entry i += x, or -= x if Negated.
  template <bool Negated, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_term(std::int64_t i, X const& x) const {
    if constexpr (std::is_integral_v<X>) {
      auto const parts = integer_parts_of_integer(x);
      add_scaled<64>(i, parts.significand, parts.exponent, parts.negative != Negated);
    } else {
      static_assert(converts_exactly_v<X, T>,
                    "Exakt: a term has the type of the matrix or a narrower one, so that no bit is lost");
      // Zero, subnormal numbers, infinities and NaN are not normal, and no term is in an empty window.
      constexpr int bits = FloatFormat<X>::precision;
      NormalNumber<X> const number(x);
      Word* const words_of_entry = entry(i);
      auto const offset = static_cast<unsigned>(number.exponent() - lowest_of(atomic_load(words_of_entry)));
      if (!number.is_normal() || offset > highest - bits) [[unlikely]]
        return add_rarely<Negated>(i, x);
      add_pieces(words_of_entry, number.significand(), bits, offset, number.is_negative() != Negated);
    }
  }

  /// \param row  Not the number of a row. A handle that was not given any has no report.
  template <class Row>
  EXAKT_NOINLINE_FUNCTION void refuse_row(Row row) const {
    if (report.data()) take_down(&report().outside_of_rows, signed_index(row));
  }

  /// Entry i += sum, from any thread.
  KOKKOS_FUNCTION void add_sum(std::int64_t i, Long const& sum) const {
    Long const normalized = sum.normalized();
    if (normalized.special() != Special::none) {
      FetchAdd::set_bits(entry(i), flag_of(normalized.special()));
      return;
    }
    auto const value = normalized.magnitude();
    int const leading = value.leading();
    if (leading < 0) return;
    // An empty entry gets the window in which most of the sum is: lower than for one term, if the sum has lower bits.
    int lowest_bit = 0;
    while (value.bits(lowest_bit, 1) == 0) lowest_bit += value.bits(lowest_bit, 32) == 0 ? 32 : 1;
    int const depth = leading - lowest_bit, deepest = highest - 2;
    int const place = depth < leading_place ? leading_place : depth < deepest ? depth : deepest;
    int const exponent = value.lowest_exponent;
    placed(entry(i), atomic_load(entry(i)), exponent + leading + leading_place - place);
    for (int bit = 0; bit <= leading; bit += 32) {
      std::uint64_t const piece = value.bits(bit, 32);
      if (piece != 0) add_scaled<32>(i, piece, exponent + bit, value.negative);
    }
  }

  /// Entry i becomes the empty sum; a long sum that it has stays with it. \pre Nobody else is at entry i.
  KOKKOS_FUNCTION void clear_entry(std::int64_t i) const {
    Word* const words_of_entry = entry(i);
    std::int64_t const number = number_of(words_of_entry[0]);
    words_of_entry[0] &= ~(flags | window);
    for (int k = 1; k < word_count; ++k) words_of_entry[k] = 0;
    if (number < 0) return;
    Word* const long_sum = long_sums.words_of(number);
    for (int k = 0; k < LongSum::word_count; ++k) long_sum[k] = 0;
  }

  /// The exact value of entry i, when nobody is adding.
  KOKKOS_FUNCTION Long accumulator(std::int64_t i) const {
    Word const head = *entry(i);
    Long sum;
    if (number_of(head) >= 0) sum = LongSum(long_sums.words_of(number_of(head)), 1).sum();
    sum.add_special(special_of(head & flags));
    auto const value = window_of(i);
    for (int k = 0; k < digit_count + 2; ++k) {
      if (value.digit[k] != 0) sum.add_scaled(value.digit[k], value.lowest_exponent + radix_bits * k, value.negative);
    }
    return sum;
  }

  /// Entry i, rounded once to R. \pre The default floating-point environment
  template <class R>
  KOKKOS_FUNCTION R round(std::int64_t i, Rounding mode) const {
    Word const head = *entry(i);
    if (number_of(head) >= 0) return accumulator(i).template round<R>(mode);
    if ((head & flags) != 0) return special_value<R>(special_of(head & flags));
    if constexpr (digit_count == 3) {
      Word const* const digits = entry(i) + 1;
      if (digits[2] == 0) {  // most entries
        WideInteger sum;
        sum.add(digits[0], 0);
        sum.add(digits[1], radix_bits);
        return sum.round<R>(lowest_of(head), mode);
      }
    }
    return round_to<R>(leading_bits(window_of(i)), mode);
  }

 private:
  /// Any term, above all the first one of an entry.
  template <bool Negated, class X>
  EXAKT_NOINLINE_FUNCTION void add_rarely(std::int64_t i, X x) const {
    if (!is_finite(x)) {
      FetchAdd::set_bits(entry(i), flag_of_infinity_or_nan(is_nan(x), is_negative(x) != Negated));
      return;
    }
    auto const parts = integer_parts(x);
    add_scaled<FloatFormat<X>::precision>(i, parts.significand, parts.exponent, parts.negative != Negated);
  }

  static constexpr Word flags = (Word{1} << flag_bits) - 1, window = ((Word{1} << window_bits) - 1) << flag_bits;

  KOKKOS_FORCEINLINE_FUNCTION Word* entry(std::int64_t i) const { return words.data() + i * word_count; }

  static KOKKOS_FORCEINLINE_FUNCTION constexpr int lowest_of(Word head) {
    return static_cast<int>((head & window) >> flag_bits) - bias;
  }
  /// -1 for none.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t number_of(Word head) {
    return static_cast<std::int64_t>(head >> (flag_bits + window_bits)) - 1;
  }

  KOKKOS_FUNCTION Magnitude<digit_count + 2, radix_bits> window_of(std::int64_t i) const {
    Word const* const digits = entry(i) + 1;
    return magnitude_of_digits<digit_count + 2, radix_bits>(
        lowest_of(*entry(i)), digit_count, [digits](int k) { return digits[k]; }, NoExtraDigits());
  }

  /// Adds +-significand * 2^exponent, a significand of at most Bits bits.
  template <int Bits>
  KOKKOS_FORCEINLINE_FUNCTION void add_scaled(std::int64_t i, std::uint64_t significand, int exponent,
                                              bool negative) const {
    Word* const words_of_entry = entry(i);
    if constexpr (Bits <= highest) {
      Word head = atomic_load(words_of_entry);
      if ((head & window) == 0 && significand != 0) head = placed(words_of_entry, head, exponent + Bits - 1);
      auto const offset = static_cast<unsigned>(exponent - lowest_of(head));
      if (offset <= highest - Bits) [[likely]]
        return add_pieces(words_of_entry, significand, Bits, offset, negative);
    } else if (significand != 0) {
      placed(words_of_entry, atomic_load(words_of_entry), exponent + bit_width(significand) - 1);
    }
    add_outside(i, significand, exponent, negative);
  }

  /// Word 0 with a window, which a term whose leading bit has this exponent places if no other has.
  KOKKOS_FORCEINLINE_FUNCTION Word placed(Word* words_of_entry, Word head, int leading) const {
    // An integer may be beyond all numbers of a half type.
    int const wanted = leading - leading_place, lowest = wanted < least ? least : wanted > most ? most : wanted;
    while ((head & window) == 0) {
      Word const with_window = head | static_cast<Word>(lowest + bias) << flag_bits;
      Word const before = Kokkos::atomic_compare_exchange(words_of_entry, head, with_window);
      head = before == head ? with_window : before;
    }
    return head;
  }

  /// A term that is not in the window, or is by the zeros at its ends only.
  EXAKT_NOINLINE_FUNCTION void add_outside(std::int64_t i, std::uint64_t significand, int exponent,
                                           bool negative) const {
    if (significand == 0) return;
    int const zeros = bit_width(significand & (~significand + 1)) - 1;
    significand >>= zeros;
    exponent += zeros;
    int const length = bit_width(significand), offset = exponent - lowest_of(atomic_load(entry(i)));
    if (offset >= 0 && offset + length <= highest) {
      // The highest digit has bits above its radix: what begins there is a multiple of its unit all the same.
      constexpr int last = radix_bits * (digit_count - 1);
      int const above = offset > last ? offset - last : 0;
      add_pieces(entry(i), significand << above, length + above, static_cast<unsigned>(offset - above), negative);
    } else {
      add_to_long_sum(i, significand, exponent, negative);
    }
  }

  /// \pre offset + length <= highest, so that what does not fit into digit k has a digit k + 1
  KOKKOS_FORCEINLINE_FUNCTION void add_pieces(Word* words_of_entry, std::uint64_t significand, int length,
                                              unsigned offset, bool negative) const {
    unsigned const k = offset / radix_bits, shift = offset % radix_bits;
    if (static_cast<int>(shift) + length <= 62) {
      add_word(words_of_entry, k, with_sign(significand << shift, negative));
    } else {
      unsigned const first = radix_bits - shift;
      Word const low = (significand & ((Word{1} << first) - 1)) << shift;
      if (low != 0) add_word(words_of_entry, k, with_sign(low, negative));
      add_word(words_of_entry, k + 1, with_sign(significand >> first, negative));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_word(Word* words_of_entry, unsigned k, Word value) const {
    if (went_round(FetchAdd::fetch_add(words_of_entry + 1 + k, value), value) != 0) [[unlikely]]
      carry(words_of_entry, static_cast<int>(k) + 1, (value >> 63) != 0);
  }

  /// The digit below `k` went round.
  EXAKT_NOINLINE_FUNCTION void carry(Word* words_of_entry, int k, bool negative) const {
    if (k < digit_count) {
      Word const unit = with_sign(Word{1} << (64 - radix_bits), negative);
      auto const digit = [words_of_entry](int index) { return words_of_entry + 1 + index; };
      if (add_to_digit<radix_bits, FetchAdd>(digit, k, digit_count, unit) == 0) return;
    }
    int const exponent = lowest_of(atomic_load(words_of_entry)) + radix_bits * (digit_count - 1) + 64;
    add_to_long_sum((words_of_entry - words.data()) / word_count, 1, exponent, negative);
  }

  KOKKOS_FUNCTION void add_to_long_sum(std::int64_t i, std::uint64_t significand, int exponent, bool negative) const {
    Word head = atomic_load(entry(i));
    for (std::int64_t taken = -1; number_of(head) < 0;) {
      // Where one addition was left out the sums are refused: looking for room takes time, and is of no use.
      if (taken < 0 && atomic_load(&report().without_memory.count) == 0) taken = long_sums.take(i);
      if (taken < 0) return take_down(&report().without_memory, i);
      Word const numbered = head | static_cast<Word>(taken + 1) << (flag_bits + window_bits);
      Word const before = Kokkos::atomic_compare_exchange(entry(i), head, numbered);
      head = before == head ? numbered : before;
    }
    LongSum(long_sums.words_of(number_of(head)), 1).add_scaled(significand, exponent, negative);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
