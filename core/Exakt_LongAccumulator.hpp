// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_LONGACCUMULATOR_HPP
#define EXAKT_LONGACCUMULATOR_HPP

#include "kernels/Exakt_Kernels.hpp"
#include "numerics/Exakt_AddTerm.hpp"
#include "numerics/Exakt_ExactValue.hpp"

#include <cstddef>

namespace Exakt {

/// What an accumulator of T sums: values of T, products of two of them as well (twice the range of exponents), and sums
/// of products times a third (three times the range).
enum class Terms { values, products, scaled_products };

namespace Impl::inline EXAKT_ABI {

/// Of accumulators that are constructed from Terms.
template <class X>
KOKKOS_FUNCTION constexpr bool require_terms_as_template_argument() {
  static_assert(!std::is_same_v<X, Terms>,
                "Exakt: what an accumulator sums is a template argument: SumAccumulator<double>, "
                "DotAccumulator<double>, LongAccumulator<double, 56, Exakt::Terms::products>");
  return true;
}

/// Digits [begin, end) of a long accumulator.
struct DigitRange {
  int begin, end;
  KOKKOS_FUNCTION constexpr int size() const { return end > begin ? end - begin : 0; }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The exact sum of any floating-point numbers of type T, as one very long fixed-point number.
///
/// Kulisch's accumulator in the high-radix carry-save form of Collange, Defour, Graillat and Iakymchuk (2015),
/// section 3.2, who use 56 radix bits and 8 carry bits:
///
///     value = sum of digit[i] * 2^(lowest_exponent + RadixBits * i),   -2^63 <= digit[i] < 2^63
///
///     digit[i]  | sign and carry bits | RadixBits bits of the sum |
///
/// An addition touches the two or three digits under the significand and propagates nothing. It adds less than
/// one unit of 2^RadixBits to each, so `carry_limit` additions fit before a carry pass; they are counted, and the
/// pass comes in time, so no number of additions overflows. All arithmetic is on integers: the processor's
/// rounding mode and flush-to-zero do not matter.
///
/// \tparam T          Type of the terms.
/// \tparam RadixBits  Bits of the sum per digit, 16 to 60. 56 is compact; 32 carries once in 2^31 additions.
/// \tparam terms      Whether products are added too, and whole sums of them times a factor.
///
/// The digits reach 64 bits above the largest term: 2^64 of them fit; of 64-bit integers in a sum of halves, which are larger,
/// 2^16. Doubling by `a += a` can go beyond; from the end of the highest digit on, which depends on RadixBits, the sum is
/// then an infinity of its sign, whatever the direction of rounding.
template <class T, auto RadixBits = 56, Terms terms = Terms::values>
class LongAccumulator : public Impl::ExactValue<LongAccumulator<T, RadixBits, terms>, T> {
  using Format = FloatFormat<T>;
  static constexpr int factors = terms == Terms::values ? 1 : terms == Terms::products ? 2 : 3;

  static_assert(std::is_same_v<decltype(RadixBits), int>,
                "Exakt: the second template argument of LongAccumulator is RadixBits, an int, and Terms the third: "
                "LongAccumulator<double, 56, Exakt::Terms::products>");
  static_assert(RadixBits >= 16 && RadixBits <= 60,
                "RadixBits must leave room for carries and be worth a digit: 16 to 60");

 public:
  static constexpr Terms summed = terms;
  static constexpr int radix_bits = RadixBits;
  static constexpr int lowest_exponent = factors * Format::lsb_exponent;
  static constexpr int highest_exponent = factors * (Format::max_exponent + 1) + 64;  ///< sums stay below 2^this
  /// With a bit more than the range: the highest digit of the lowest sum is above -2^RadixBits, which would be an infinity.
  static constexpr int digit_count = (highest_exponent - lowest_exponent) / RadixBits + 1;

  /// Additions, each of less than 2^RadixBits to any digit, that fit into a digit: limit * 2^RadixBits < 2^63.
  static constexpr std::uint32_t carry_limit =
      RadixBits < 32 ? (std::uint32_t{1} << 31) - 1
                     : static_cast<std::uint32_t>((std::uint64_t{1} << (63 - RadixBits)) - 1);

  /// The empty sum.
  EXAKT_ABI_TAG constexpr LongAccumulator() = default;

  /// Does not compile, with a sentence: terms are named by a template argument.
  template <class X>
  requires std::is_same_v<X, Terms> EXAKT_FUNCTION constexpr explicit LongAccumulator(X) {
    static_assert(Impl::require_terms_as_template_argument<X>());
  }

  /// \brief Adds x exactly. X is T, a narrower floating-point type, or any integer type.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr LongAccumulator& operator+=(X x) {
    add_term(x, false);
    return *this;
  }

  /// \brief Subtracts x exactly.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr LongAccumulator& operator-=(X x) {
    add_term(x, true);
    return *this;
  }

  /// \brief Adds the sum in `other` exactly.
  EXAKT_FUNCTION constexpr LongAccumulator& operator+=(LongAccumulator const& other) { return merge(other, 1); }

  /// \brief Subtracts the sum in `other` exactly: a finite sum that was merged is removed without a trace.
  EXAKT_FUNCTION constexpr LongAccumulator& operator-=(LongAccumulator const& other) { return merge(other, -1); }

  /// \brief Adds x * y exactly, neither rounded nor under- or overflowing. X and Y are T or narrower types.
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_product(X x, Y y) {
    add_product(Impl::factor_of<T>(x), Impl::factor_of<T>(y), false);
  }

  /// \brief Subtracts x * y exactly.
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void subtract_product(X x, Y y) {
    add_product(Impl::factor_of<T>(x), Impl::factor_of<T>(y), true);
  }

  /// \brief Adds factor * sum exactly: what `alpha * sum + beta * y` needs to be rounded once.
  ///
  /// \param factor  A T or a number of a narrower type. Infinities, NaN and 0 * inf as among products.
  template <class X>
  EXAKT_FUNCTION constexpr void add_scaled_sum(LongAccumulator<T, RadixBits, Terms::products> const& sum, X factor) {
    static_assert(terms == Terms::scaled_products, "Exakt: a scaled sum needs Terms::scaled_products");
    using Impl::Special;
    auto const value = sum.normalized();
    auto const magnitude = value.magnitude();
    int const leading = magnitude.leading();
    auto const scale = Impl::factor_of<T>(factor);  // not as a T: a conversion may take subnormal floats for zeros
    auto const parts = Impl::integer_parts(scale);
    bool const is_number = value.special() == Special::none;
    bool const sum_is_negative = is_number ? magnitude.negative : value.special() == Special::negative_infinity;
    // Beyond the largest sum of 2^64 products nothing is an ordinary sum any more (see normalize()).
    bool const beyond = is_number && magnitude.lowest_exponent + leading >= value.highest_exponent;
    if (!is_number || beyond || !Impl::is_finite(scale)) {
      bool const zero_times_infinity = (is_number && leading < 0) || (Impl::is_finite(scale) && parts.significand == 0);
      return add_infinity_or_nan(Impl::is_nan(scale) || value.special() == Special::nan || zero_times_infinity,
                                 parts.negative != sum_is_negative);
    }
    if (parts.significand == 0) return;
    bool const negative = parts.negative != sum_is_negative;
    for (int i = 0; i * RadixBits <= leading; ++i) {
      auto const product = Impl::wide_product(magnitude.digit[i], parts.significand);
      int const exponent = magnitude.lowest_exponent + RadixBits * i + parts.exponent;
      if (product.low != 0) add_scaled(product.low, exponent, negative);
      if (product.high != 0) add_scaled(product.high, exponent + 64, negative);
    }
  }

  /// \brief Adds +-significand * 2^exponent; no bit of it below lowest_exponent or beyond the last digit.
  ///
  /// \tparam Bits  Upper bound of the significand's length, which fixes the number of digits touched.
  template <int Bits = 64>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_scaled(std::uint64_t significand, int exponent, bool negative) {
    add_pieces<Bits, 1>(significand, exponent, negative);
  }

  /// \brief Adds x exactly, of any type, if it is a multiple of 2^lowest_exponent within the range, as products are.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_multiple(X x) {
    if constexpr (Impl::converts_exactly_v<X, T>) {
      *this += x;
    } else {
      Impl::add_multiple(*this, x);
    }
  }

  /// \brief Back to the empty sum.
  EXAKT_FUNCTION constexpr void clear() { *this = LongAccumulator(); }

  /// \brief Propagates all carries: digits in [0, 2^RadixBits), the highest one signed. The same value has the same
  /// digits.
  EXAKT_FUNCTION constexpr void normalize() {
    std::int64_t carry = 0;
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < digit_count - 1; ++i) {
      std::int64_t const digit = m_digits[i] + carry;
      carry = digit >> RadixBits;
      m_digits[i] = digit & static_cast<std::int64_t>(digit_mask);
    }
    std::int64_t& top = m_digits[digit_count - 1];
    top += carry;
    m_units = 1;
    constexpr std::int64_t bound = std::int64_t{1} << RadixBits;
    if (top >= bound || top <= -bound) {
      m_special |= Impl::flag_of_infinity(top < 0);
      EXAKT_ROLLED_LOOP
      for (auto& digit : m_digits) digit = 0;
    }
  }

  /// \brief Gives the carries of all digits to their neighbours, once and all at the same time: units() <= 2.
  ///
  /// Digits above the leading one are zero then, other than those of a negative number that was normalized.
  EXAKT_FUNCTION constexpr void carry() {
    constexpr int top = digit_count - 1;
    constexpr std::int64_t bound = std::int64_t{1} << RadixBits;
    // With 32 bits and more a carry is at most one unit of the digit that receives it.
    std::int64_t const last = RadixBits < 32 ? bound : m_digits[top] + (m_digits[top - 1] >> RadixBits);
    if (last >= bound || last <= -bound) {
      normalize();
    } else {
      std::int64_t carries[digit_count] = {};
      EXAKT_ROLLED_LOOP
      for (int i = 0; i < top; ++i) carries[i + 1] = m_digits[i] >> RadixBits;
      EXAKT_ROLLED_LOOP
      for (int i = 0; i < top; ++i) m_digits[i] = (m_digits[i] & static_cast<std::int64_t>(digit_mask)) + carries[i];
      m_digits[top] = last;
      m_units = 2;
    }
    if (m_digits[top] == -1) take_sign_back();
  }

  /// \brief The same value, normalized.
  EXAKT_FUNCTION constexpr LongAccumulator normalized() const {
    LongAccumulator copy = *this;
    copy.normalize();
    return copy;
  }

  // For the other mechanisms of the library; not needed for summing.

  /// \brief What round() needs of the value, found in the digits in use as they are; false if it is no number, or comes close
  /// to the end of the range.
  EXAKT_FUNCTION constexpr bool try_leading_bits(Impl::TruncatedReal& leading) const {
    if (m_special != 0) return false;
    int begin = 0, end = digit_count;
    EXAKT_ROLLED_LOOP
    while (begin < end && m_digits[begin] == 0) ++begin;
    EXAKT_ROLLED_LOOP
    while (end > begin && m_digits[end - 1] == 0) --end;
    if (begin == end) {
      leading = {};
      return true;
    }
    // Most sums have few digits, and an array for all of them takes as long to fill as those to read.
    constexpr int few = 8;
    return end - begin <= few ? leading_bits_of<few>(begin, end, leading)
                              : leading_bits_of<digit_count>(begin, end, leading);
  }

  /// \brief Whether nothing has been added since it was made or cleared.
  EXAKT_FUNCTION constexpr bool is_untouched() const { return m_units == 0 && m_special == 0; }

  static constexpr Impl::DigitRange all_digits{0, digit_count}, no_digits{digit_count, 0};

  /// \brief Digits outside of which all are zero, as far as that is known without reading them.
  EXAKT_FUNCTION constexpr Impl::DigitRange digits_in_use() const {
    if (is_untouched()) return no_digits;  // as a value: devices do not have the constants as objects
    return all_digits;
  }

  EXAKT_FUNCTION constexpr std::int64_t digit(int i) const { return m_digits[i]; }

  /// \brief A bound of all digits: |digit(i)| <= units() * 2^RadixBits.
  EXAKT_FUNCTION constexpr std::uint32_t units() const { return m_units; }

  /// \brief The value whose digits from `begin` to `end - 1` are given, and all others zero.
  ///
  /// \pre |digits[i]| <= carry_limit * 2^RadixBits, as for the sums of other accumulators' digits whose units() add up
  ///      to no more.
  EXAKT_FUNCTION static constexpr LongAccumulator from_digits(std::int64_t const* digits, int begin, int end) {
    LongAccumulator result;
    result.replace_digits(digits, begin, end);
    return result;
  }

  /// \brief The digits from `begin` to `end - 1` become those given, as in from_digits; the others stay.
  EXAKT_FUNCTION constexpr void replace_digits(std::int64_t const* digits, int begin, int end) {
    EXAKT_ROLLED_LOOP
    for (int i = begin; i < end; ++i) m_digits[i] = digits[i - begin];
    m_units = carry_limit;
  }

  /// \brief The digits, with room for so many additions of less than 2^RadixBits to each: for code that adds to them.
  /// \pre additions < carry_limit, for a normalized number is one unit of 2^RadixBits already.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t* digits_with_room_for(std::uint32_t additions) {
    if (m_units > carry_limit - additions) {
      carry();
      if (m_units > carry_limit - additions) normalize();
    }
    m_units += additions;
    return m_digits;
  }

  /// \brief An infinity, or a NaN, joins the sum.
  EXAKT_FUNCTION constexpr void add_infinity_or_nan(bool nan, bool negative) {
    m_special |= Impl::flag_of_infinity_or_nan(nan, negative);
  }

  /// \brief The same for a value that `special()` has returned.
  EXAKT_FUNCTION constexpr void add_special(Impl::Special special) {
    if (special != Impl::Special::none) m_special |= Impl::flag_of(special);
  }

  // The members below need a normalized accumulator.

  EXAKT_FUNCTION constexpr Impl::Special special() const { return Impl::special_of(m_special); }

  EXAKT_FUNCTION constexpr auto magnitude() const {
    LongAccumulator copy = *this;
    bool const negative = m_digits[digit_count - 1] < 0;
    if (negative) {
      EXAKT_ROLLED_LOOP
      for (auto& digit : copy.m_digits) digit = -digit;
      copy.normalize();
    }
    Impl::Magnitude<digit_count, RadixBits> result{{}, lowest_exponent, negative};
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < digit_count; ++i) result.digit[i] = static_cast<std::uint64_t>(copy.m_digits[i]);
    return result;
  }

  EXAKT_FUNCTION constexpr bool same_digits(LongAccumulator const& other) const {
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < digit_count; ++i) {
      if (m_digits[i] != other.m_digits[i]) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t digit_mask = (std::uint64_t{1} << RadixBits) - 1;

  /// \pre Digits outside of [begin, end), which are at most Digits, are zero.
  template <int Digits>
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool leading_bits_of(int begin, int end, Impl::TruncatedReal& leading) const {
    std::int64_t const* const digits = m_digits + begin;
    auto const magnitude = Impl::magnitude_of_digits<Digits + (64 + RadixBits - 1) / RadixBits, RadixBits>(
        lowest_exponent + RadixBits * begin, end - begin, [&](int k) { return digits[k]; }, Impl::NoExtraDigits());
    if (magnitude.leading() + RadixBits * begin >= RadixBits * digit_count - 1) return false;
    leading = Impl::leading_bits(magnitude);
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_piece(unsigned index, std::uint64_t piece, std::int64_t sign) {
    m_digits[index] += (static_cast<std::int64_t>(piece) ^ sign) - sign;
  }

  /// \tparam certain  Pieces that are added without a look at them; the others only if they are not zero, for there may
  ///                  be no digit for them. (The second piece of a term always has one: the headroom is wider than a
  ///                  digit.)
  template <int Bits, int certain>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_pieces(std::uint64_t significand, int exponent, bool negative) {
    // From the lowest bit of digit `index`, the significand spans Bits + RadixBits - 1 bits at most.
    constexpr int pieces = (Bits + RadixBits - 1 + RadixBits - 1) / RadixBits;
    unsigned const offset = static_cast<unsigned>(exponent - lowest_exponent);
    unsigned const index = offset / RadixBits, shift = offset % RadixBits;
    std::int64_t const sign = -static_cast<std::int64_t>(negative);
    reserve(1);
    add_piece(index, (significand << shift) & digit_mask, sign);
    significand >>= RadixBits - shift;
    for (int i = 1; i < pieces; ++i) {
      if (i >= certain && significand == 0) break;
      add_piece(index + i, significand & digit_mask, sign);
      significand >>= RadixBits;
    }
  }

  /// The highest digit is -1: a sign with nothing but ones below it goes back into the leading digit.
  EXAKT_FUNCTION constexpr void take_sign_back() {
    int leading = digit_count - 1;
    m_digits[leading] = 0;
    while (leading > 0 && m_digits[leading - 1] == static_cast<std::int64_t>(digit_mask)) m_digits[--leading] = 0;
    if (leading > 0) {
      m_digits[leading - 1] -= std::int64_t{1} << RadixBits;
    } else {
      m_digits[0] = -1;
    }
  }

  /// Room for `units` more additions. Invariant: |digit[i]| <= m_units * 2^RadixBits.
  KOKKOS_FORCEINLINE_FUNCTION constexpr void reserve(std::uint32_t units) {
    if (m_units > carry_limit - units) normalize();
    m_units += units;
  }

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_term(X x, bool subtract) {
    if constexpr (std::is_integral_v<X>) {
      auto const parts = Impl::integer_parts_of_integer(x);
      add_scaled(parts.significand, parts.exponent, parts.negative != subtract);
    } else {
      static_assert(Impl::converts_exactly_v<X, T>,
                    "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
      if (!Impl::is_finite(x)) return add_infinity_or_nan(Impl::is_nan(x), Impl::is_negative(x) != subtract);
      auto const parts = Impl::integer_parts(x);
      add_pieces<FloatFormat<X>::precision, 2>(parts.significand, parts.exponent, parts.negative != subtract);
    }
  }

  template <class X, class Y>
  EXAKT_FUNCTION constexpr void add_product(X x, Y y, bool subtract) {
    static_assert(terms != Terms::values,
                  "Exakt: this accumulator sums values only; use DotAccumulator, or Terms::products");
    Impl::add_product(*this, x, y, subtract);
  }

  EXAKT_FUNCTION constexpr LongAccumulator& merge(LongAccumulator const& other, std::int64_t factor) {
    if (other.m_units <= carry_limit - m_units) return add_digits(other, factor);
    LongAccumulator const source = other.normalized();
    normalize();
    return add_digits(source, factor);
  }

  /// Whether the caller's own loop is as fast as a call of the kernel: on few digits, and on wide registers.
#if defined(__AVX2__)
  static constexpr bool merges_in_place = true;
#else
  static constexpr bool merges_in_place = digit_count < 16;
#endif

  KOKKOS_FORCEINLINE_FUNCTION constexpr void add_each_digit(LongAccumulator const& other, std::int64_t factor) {
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < digit_count; ++i) m_digits[i] += factor * other.m_digits[i];
  }

  /// `other` may be *this.
  EXAKT_FUNCTION constexpr LongAccumulator& add_digits(LongAccumulator const& other, std::int64_t factor) {
    if (merges_in_place || __builtin_is_constant_evaluated()) {  // NOLINT(bugprone-branch-clone): on hosts another
      add_each_digit(other, factor);
    } else {
      EXAKT_IF_ON_HOST((Impl::kernels().merge_digits(m_digits, other.m_digits, digit_count, factor < 0);))
      EXAKT_IF_ON_DEVICE((add_each_digit(other, factor);))
    }
    m_units += other.m_units;
    m_special |= factor < 0 ? Impl::negated_flags(other.m_special) : other.m_special;
    return *this;
  }

  std::int64_t m_digits[digit_count] = {};
  std::uint32_t m_units = 0;    // bound of all digits, in units of 2^RadixBits
  std::uint32_t m_special = 0;  // which infinities and NaN came in
};

}  // namespace Exakt

#endif
