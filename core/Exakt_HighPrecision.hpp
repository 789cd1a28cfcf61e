// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_HIGHPRECISION_HPP
#define EXAKT_HIGHPRECISION_HPP

#include "Exakt_FixedPoint.hpp"

namespace Exakt {

/// \brief A sum of doubles in a fixed range: exact as long as no term lies outside of it, which the status tells.
///
/// The HP format of Small, Kalia, Nakano and Vashishta (Order-Invariant Real Number Summation, section III): one
/// integer in two's complement.
///
///     value = sum of word[i] * 2^(64 (i - K)),    word[N - 1] is the highest and has the sign
///
/// Conversion and addition are integer arithmetic, so the sum is the same in any order, also when terms were cut off.
/// Other than in the paper a term is not spread over all N words first: it touches the one or two under its
/// significand, and others only for carries. Whatever does not fit is reported, at the paper's three points:
///
///     conversion       |x| >= max_range: the term is left out, is_overflowed(), round() is NaN.
///                      bits below 2^(-64 K): cut off towards zero, is_inexact(), round() is that of the cut terms.
///     addition         |sum| >= max_range: is_overflowed(); overflows are counted, so round() still is right, and
///                      a sum that comes back is as if it had never left. Sums that are merged again and again can
///                      be lost, beyond 2^64 times max_range: is_overflowed() for good, and round() is an infinity.
///                      What is read of a sum from 2^1088 on, its bytes and comparisons too, is an infinity as well.
///     conversion back  rounded once, in any direction; status().result_overflowed and result_underflowed.
///
/// \tparam N  Words of 64 bits. high_precision_size() chooses N and K.
/// \tparam K  How many of them are below the binary point, 0 to N.
template <int N, int K>
class HighPrecision : public Impl::FixedPoint<HighPrecision<N, K>> {
  static_assert(N >= 1 && K >= 0 && K <= N, "HighPrecision<N, K> has N >= 1 words, K of them below the binary point");
  static_assert(K <= 17 && N - K <= 17, "17 words above and 17 words below the binary point hold every double");

  using Base = Impl::FixedPoint<HighPrecision>;
  using Word = Impl::Word;
  friend Base;

 public:
  static constexpr int words = N, fractional_words = K;
  static constexpr int lowest_exponent = -64 * K;
  static constexpr int highest_exponent = 64 * (N - K) - 1, sum_exponent = highest_exponent;

  /// The empty sum.
  EXAKT_ABI_TAG constexpr HighPrecision() = default;

  /// \brief x in this format.
  template <class X>
  requires std::is_arithmetic_v<X> EXAKT_FUNCTION constexpr explicit HighPrecision(X x) { *this += x; }

 private:
  // Words i and i + 1 get a term at a lower offset than this.
  static constexpr int usual_offsets = N > 1 ? 64 * (N - 1) : 64;

  // Without a branch that depends on the term: its sign, and most carries, are random. The significand becomes signed,
  // and so does its upper part, in [-2^62, 2^62] with the carry from the lower one:
  //
  //     term * 2^(offset % 64) = high * 2^64 + low        low goes to word i, high to word i + 1
  //
  // Word i + 1 + high is within [0, 2^64) then, or leaves that by at most 2^62 and takes the other value of the highest
  // bit. If word i + 1 is the highest one, which is signed, an overflow shows in that bit, too. So nothing is left to do
  // where the bit stays as it was; it does for nearly all terms.
  template <class Words, int>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void deposit(std::uint64_t significand, Word sign, unsigned offset) {
    auto const term = static_cast<std::int64_t>((significand ^ sign) - sign);
    auto const i = static_cast<int>(offset / 64);
    Word const low = static_cast<Word>(term) << offset % 64;
    if (i == N - 1) {
      // A term within the range, hence a signed word.
      int const rounds = Impl::add_signed<Words>(&m_words[N - 1], low);
      if (rounds != 0) [[unlikely]]
        this->template count_rounds<Words>(1, rounds < 0);
      return;
    }
    Word* const word = &m_words[i];
    Word const below = Impl::fetch_add_unless_zero<Words>(word, low);
    auto const high = static_cast<Word>((term >> 1) >> ~offset % 64) + (below + low < low ? 1 : 0);
    Word const before = Impl::fetch_add_unless_zero<Words>(word + 1, high);
    if (((before ^ (before + high)) >> 63) != 0) [[unlikely]]
      carry_from<Words>(i + 1, before, high);
  }

  /// The carry, if there is one, of the signed `amount` that was added to word[i] as it was `before`.
  template <class Words>
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION constexpr void carry_from(int i, Word before, Word amount) {
    int rounds = Impl::went_round(before, amount);
    if (i < N - 1) {
      Word const carry = (before + amount < amount ? 1 : 0) - (amount >> 63);  // 1, 0 or -1
      if (carry == 0) return;
      while (++i < N - 1) {
        if (Words::fetch_add(&m_words[i], carry) != (carry == 1 ? ~Word{0} : 0)) return;
      }
      rounds = Impl::went_round(Words::fetch_add(&m_words[i], carry), carry);
    }
    if (rounds != 0) this->template count_rounds<Words>(1, rounds < 0);
  }

  template <class Words>
  EXAKT_FUNCTION constexpr void merge(HighPrecision const& other, bool negative) {
    bool carry = false;
    for (int i = 0; i < N; ++i) carry = add_word<Words>(i, other.m_words[i], carry, negative);
    if (other.m_rounds != 0) this->template count_rounds<Words>(other.m_rounds, negative);
  }

  /// word[i] += piece + carry, or -= ; returns the carry (borrow) out of it.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool add_word(int i, Word piece, bool carry, bool negative) {
    Word const amount = piece + static_cast<Word>(carry);
    if (i < N - 1) {
      if (amount == 0) return carry;  // nothing, or 2^64: a carry and nothing else
      Word const before = Words::fetch_add(&m_words[i], Impl::with_sign(amount, negative));
      return negative ? before < amount : before + amount < amount;
    }
    // The highest word is signed. It gets `piece`, read as signed, plus the carry, or minus both: a number in
    // [-2^63, 2^63], of which only 2^63 is no signed word and reads as -2^63, 2^64 too low.
    if (amount == 0 && !carry) return false;
    Word const added = Impl::with_sign(amount, negative);
    constexpr Word half = Word{1} << 63;
    bool const too_low = added == half && (negative ? !carry : carry);
    int const rounds = Impl::went_round(Words::fetch_add(&m_words[i], added), added) + (too_low ? 1 : 0);
    if (rounds != 0) this->template count_rounds<Words>(1, rounds < 0);
    return false;
  }

  template <class Long>
  EXAKT_FUNCTION constexpr void add_to(Long& sum) const {
    for (int i = 0; i < N - 1; ++i) {
      if (m_words[i] != 0) sum.add_scaled(m_words[i], lowest_exponent + 64 * i, false);
    }
    auto const add_signed = [&](Word word, int i) {
      bool const is_below_zero = (word >> 63) != 0;
      if (word != 0) sum.add_scaled(Impl::with_sign(word, is_below_zero), lowest_exponent + 64 * i, is_below_zero);
    };
    add_signed(m_words[N - 1], N - 1);
    add_signed(m_rounds, N);
  }

  Word m_words[N] = {};
  Word m_rounds = 0;  // signed: how often the highest word went round, in units of 2^(64 N) of the lowest
  Word m_flags = 0;
};

/// N and K of HighPrecision<N, K>.
struct HighPrecisionSize {
  int N, K;
};

/// \brief The smallest HighPrecision<N, K> that holds `count` terms of a range, and their sum, without loss.
///
/// `exponent_range(x)` finds the range of data; where it is known, N and K are constants of the program:
/// `constexpr auto size = high_precision_size({-40, 12}, 1'000'000); HighPrecision<size.N, size.K> sum;`
EXAKT_ABI_TAG constexpr HighPrecisionSize high_precision_size(ExponentRange range, std::uint64_t count) {
  auto const words_for = [](int bits) { return bits > 0 ? (bits + 63) / 64 : 0; };
  int const fractional = words_for(-range.lowest);
  int const whole = words_for(range.highest + Impl::ceil_log2(count) + 1);
  return {fractional + whole > 0 ? fractional + whole : 1, fractional};
}

}  // namespace Exakt

#endif
