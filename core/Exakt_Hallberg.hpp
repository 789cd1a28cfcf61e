// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_HALLBERG_HPP
#define EXAKT_HALLBERG_HPP

#include "Exakt_FixedPoint.hpp"

namespace Exakt {

/// \brief A sum of doubles in a fixed range: exact as long as no term lies outside of it, which the status tells.
///
/// The format of Hallberg and Adcroft (An order-invariant real-to-integer conversion sum, 2014), as eq. (1) of Small et
/// al. gives it:
///
///     value = sum of digit[i] * 2^(M (i - N/2)),    each digit a signed integer of 64 bits
///
/// A term adds less than 2^M to a digit, so 2^(63 - M) terms need no carries at all. Other than in the papers nothing
/// happens when there are more: a digit that goes round is seen, and a carry given to the next.
///
/// A term that does not fit, a sum that leaves the range, and a result that over- or underflows are reported as
/// described at HighPrecision: is_overflowed(), is_inexact(), status().
///
/// \tparam N  Digits; the binary point is below digit N/2, rounded down. hallberg_size() chooses N and M.
/// \tparam M  Bits of the sum per digit, 2 to 62.
template <int N, int M>
class Hallberg : public Impl::FixedPoint<Hallberg<N, M>> {
  static_assert(M >= 2 && M <= 62, "Hallberg<N, M> has 2 to 62 bits of the sum per digit, so that carries have room");
  static_assert(N >= 1 && M * (N - N / 2) <= 1152 && M * (N / 2) <= 1152,
                "about 1100 bits on each side hold every double");

  using Base = Impl::FixedPoint<Hallberg>;
  using Word = Impl::Word;
  friend Base;

 public:
  static constexpr int digits = N, digit_bits = M, precision_bits = N * M;
  static constexpr std::uint64_t max_summands = std::uint64_t{1} << (63 - M);  ///< without any carry
  static constexpr int lowest_exponent = -M * (N / 2);
  static constexpr int highest_exponent = M * (N - N / 2);
  static constexpr int sum_exponent = highest_exponent + 63 - M;  ///< the highest digit has carry bits, too

  /// The empty sum.
  EXAKT_ABI_TAG constexpr Hallberg() = default;

  /// \brief x in this format.
  template <class X>
  requires std::is_arithmetic_v<X> EXAKT_FUNCTION constexpr explicit Hallberg(X x) { *this += x; }

 private:
  static constexpr int usual_offsets = M * N;  // all of them

  // Where a significand lies in three digits at most, without a branch that depends on the term: its sign, and how many
  // of the three are zero, is random.
  template <class Words, int bits>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void deposit(std::uint64_t significand, Word sign, unsigned offset) {
    // index = offset / M: the reciprocal is too large by 2^(6 - 18) / M at most, the product by less than 1 / M.
    constexpr unsigned reciprocal = (1u << 18) / M + 1;
    static_assert(M < 1 << 6 && M * N < 1 << 12);
    unsigned const index = offset * reciprocal >> 18, shift = offset - M * index;
    auto i = static_cast<int>(index);
    Word const first = significand << shift;
    Word rest = significand >> (M - shift);
    constexpr int most = (bits + M - 1 + M - 1) / M;
    if (most <= 3 && i + most <= N) [[likely]] {
      add_piece<Words>(i, first, sign);
      if constexpr (most >= 2) add_piece<Words>(i + 1, rest, sign);
      if constexpr (most == 3) add_piece<Words>(i + 2, rest >> M, sign);
    } else {
      add_piece<Words>(i, first, sign);
      for (; rest != 0; rest >>= M) add_piece<Words>(++i, rest, sign);
    }
  }

  /// Adds the lowest M bits of `bits` to a digit, or subtracts them.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_piece(int i, Word bits, Word sign) {
    add_digit<Words>(i, ((bits & ((Word{1} << M) - 1)) ^ sign) - sign);
  }

  template <class Words>
  EXAKT_FUNCTION constexpr void merge(Hallberg const& other, bool negative) {
    constexpr Word half = Word{1} << 63;
    for (int i = 0; i < N; ++i) {
      Word const digit = other.m_digits[i];
      if (digit == half && negative) {
        add_digit<Words>(i, half - 1);  // 2^63 is no signed word: in two steps
        add_digit<Words>(i, 1);
      } else if (digit != 0) {
        add_digit<Words>(i, Impl::with_sign(digit, negative));
      }
    }
    if (other.m_rounds != 0) this->template count_rounds<Words>(other.m_rounds, negative);
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_digit(int i, Word value) {
    int const rounds = Impl::add_signed<Words>(&m_digits[i], value);
    if (rounds != 0) [[unlikely]]
      carry_from<Words>(i, rounds);
  }

  /// Gives the next digit, or the count of rounds, what digit i lost when it went round once.
  template <class Words>
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION constexpr void carry_from(int i, int rounds) {
    if (i < N - 1) {
      Word const carry = Impl::with_sign(Word{1} << (64 - M), rounds < 0);
      rounds = Impl::add_to_digit<M, Words>([this](int index) { return &m_digits[index]; }, i + 1, N, carry);
    }
    if (rounds != 0) this->template count_rounds<Words>(1, rounds < 0);
  }

  template <class Long>
  EXAKT_FUNCTION constexpr void add_to(Long& sum) const {
    auto const add_signed = [&](Word word, int exponent) {
      bool const is_below_zero = (word >> 63) != 0;
      if (word != 0) sum.add_scaled(Impl::with_sign(word, is_below_zero), exponent, is_below_zero);
    };
    for (int i = 0; i < N; ++i) add_signed(m_digits[i], lowest_exponent + M * i);
    add_signed(m_rounds, lowest_exponent + M * (N - 1) + 64);
  }

  Word m_digits[N] = {};  // signed
  Word m_rounds = 0;      // signed: how often the highest digit went round, in units of 2^64 of it
  Word m_flags = 0;
};

/// N and M of Hallberg<N, M>.
struct HallbergSize {
  int N, M;
};

/// \brief The Hallberg<N, M> with the largest M that adds `count` terms of a range without any carry, and an even
/// number of digits that hold them without loss.
///
/// `exponent_range(x)` finds the range of data.
EXAKT_ABI_TAG constexpr HallbergSize hallberg_size(ExponentRange range, std::uint64_t count) {
  int const carries = Impl::ceil_log2(count);
  int const M = carries < 1 ? 62 : carries > 61 ? 2 : 63 - carries;
  int const needed = range.highest > -range.lowest ? range.highest : -range.lowest;
  int const half = needed > 0 ? (needed + M - 1) / M : 1;
  return {2 * half, M};
}

}  // namespace Exakt

#endif
