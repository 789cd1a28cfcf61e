// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ATOMICACCUMULATOR_HPP
#define EXAKT_ATOMICACCUMULATOR_HPP

#include "Exakt_LongAccumulator.hpp"
#include "parallel/Exakt_AtomicWords.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

/// Words at equal distances. (A lambda in a member function would be named after a class that users name.)
struct StridedWords {
  Word* first;
  std::size_t stride;
  KOKKOS_FORCEINLINE_FUNCTION Word* operator()(int i) const { return first + static_cast<std::size_t>(i) * stride; }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief A long accumulator in memory that many threads add to at once: a handle to its words.
///
/// Method: digits that are signed words, carries found from the old value (Exakt_AtomicWords.hpp). Several
/// accumulators may be interleaved, so that threads that add to the same digits meet less often, and in different banks
/// of a team's scratch memory:
///
///     | digit 0 of a | digit 0 of b | ... | digit 1 of a | digit 1 of b | ...      stride: how many there are
///
/// Zeros are the empty sum. What threads have added is the sum when all of them are done.
///
/// \tparam Long   The long accumulator that it is like.
/// \tparam Words  FetchAdd or CompareAndSwap.
template <class Long, class Words = FetchAdd>
class AtomicAccumulator {
 public:
  static constexpr int radix_bits = Long::radix_bits;
  static constexpr int lowest_exponent = Long::lowest_exponent;
  static constexpr int digit_count = Long::digit_count;
  static constexpr int word_count = digit_count + 1;  ///< the last one: which infinities and NaN came in

  /// \param words   The first word.
  /// \param stride  From one word to the next, in words.
  KOKKOS_FORCEINLINE_FUNCTION AtomicAccumulator(Impl::Word* words, std::size_t stride) : m_words{words, stride} {}

  /// \brief Adds x exactly, of any floating-point type, if it is a multiple of 2^lowest_exponent within the range.
  template <class X>
  EXAKT_INLINE_FUNCTION void add_multiple(X x) {
    Impl::add_multiple(*this, x);
  }

  /// \brief Adds x * y exactly.
  template <class X, class Y>
  EXAKT_INLINE_FUNCTION void add_product(X x, Y y) {
    Impl::add_product(*this, x, y, false);
  }

  /// \brief Adds +-significand * 2^exponent; no bit of it below lowest_exponent or beyond the last digit.
  EXAKT_INLINE_FUNCTION void add_scaled(std::uint64_t significand, int exponent, bool negative) {
    constexpr Impl::Word digit_mask = (Impl::Word{1} << radix_bits) - 1;
    unsigned const offset = static_cast<unsigned>(exponent - lowest_exponent), shift = offset % radix_bits;
    int index = static_cast<int>(offset / radix_bits);
    Impl::Word piece = (significand << shift) & digit_mask;
    for (Impl::Word rest = significand >> (radix_bits - shift);; rest >>= radix_bits) {
      if (piece != 0) add_word(index, Impl::with_sign(piece, negative));
      if (rest == 0) return;
      piece = rest & digit_mask;
      ++index;
    }
  }

  /// \brief An infinity, or a NaN, joins the sum.
  EXAKT_INLINE_FUNCTION void add_infinity_or_nan(bool nan, bool negative) {
    set_flags(Impl::flag_of_infinity_or_nan(nan, negative));
  }

  /// \brief Adds word i of another accumulator; whoever adds all of its words adds its sum.
  EXAKT_INLINE_FUNCTION void merge_word(int i, Impl::Word value) {
    if (value == 0) return;
    if (i == digit_count)
      set_flags(value);
    else
      add_word(i, value);
  }

  /// \brief The sum. \pre Nobody is adding.
  EXAKT_FUNCTION Long sum() const {
    std::int64_t digits[digit_count], carry = 0;
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < digit_count; ++i) {
      // |digit / 2^radix_bits| + |carry| stays far below 2^63.
      auto const digit = static_cast<std::int64_t>(*word(i)), low = (digit & digit_mask) + carry;
      digits[i] = low & digit_mask;
      carry = (digit >> radix_bits) + (low >> radix_bits);
    }
    // The top digit keeps what it carries. Beyond its radix, the sum is more than 2^64 of the largest terms: infinite,
    // see LongAccumulator.
    constexpr std::int64_t bound = std::int64_t{1} << radix_bits;
    std::int64_t& top = digits[digit_count - 1];
    top = carry == 0 || carry == -1 ? top + carry * bound : carry < 0 ? -bound : bound;
    Long result = Long::from_digits(digits, 0, digit_count);
    result.add_special(Impl::special_of(*word(digit_count)));
    return result;
  }

 private:
  static constexpr std::int64_t digit_mask = (std::int64_t{1} << radix_bits) - 1;

  KOKKOS_FORCEINLINE_FUNCTION Impl::Word* word(int i) const { return m_words(i); }

  KOKKOS_FORCEINLINE_FUNCTION void set_flags(Impl::Word flags) { Words::set_bits(word(digit_count), flags); }

  KOKKOS_FORCEINLINE_FUNCTION void add_word(int index, Impl::Word value) {
    int const lost = Impl::add_to_digit<radix_bits, Words>(m_words, index, digit_count, value);
    if (lost != 0) add_infinity_or_nan(false, lost < 0);
  }

  Impl::StridedWords m_words;
};

}  // namespace Exakt

#endif
