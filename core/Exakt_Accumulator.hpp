// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ACCUMULATOR_HPP
#define EXAKT_ACCUMULATOR_HPP

#include "numerics/Exakt_ErrorFree.hpp"
#include "summation/Exakt_TermBuffer.hpp"

namespace Exakt {

/// \brief The exact sum of any numbers of type T, and of products of two with Terms::products.
///
/// A LongAccumulator behind a buffer of terms: `+=` and `add_product` store and count, and a full buffer is extracted
/// (Exakt_Extraction.hpp). Where Kokkos has a backend for devices there is no buffer, and terms go straight to the
/// digits. A trivially copyable value of less than 1 KB, for use in Views, in team scratch memory, as a member.
///
/// \tparam T              float or double; Kokkos' half_t and bhalf_t with Exakt_Half.hpp.
/// \tparam BufferedTerms  Terms that the buffer holds at most; not to be given.
template <class T, Terms terms, std::size_t BufferedTerms = Impl::buffered_terms>
class Accumulator : public Impl::ExactValue<Accumulator<T, terms, BufferedTerms>, T> {
  using Long = LongAccumulator<T, 56, terms>;
  static constexpr bool has_buffer = BufferedTerms > 0;
  using Buffer = std::conditional_t<has_buffer, Impl::TermBuffer<Long, BufferedTerms>, Impl::NoTermBuffer<Long>>;

 public:
  /// The empty sum.
  EXAKT_FUNCTION Accumulator() {}  // NOLINT(modernize-use-equals-default): that one gives the terms values

  /// Refused, with a sentence.
  template <class X>
  requires std::is_same_v<X, Terms> EXAKT_FUNCTION explicit Accumulator(X) {
    static_assert(Impl::require_terms_as_template_argument<X>());
  }

  /// So are numbers in place of a sum.
  template <class X>
  requires std::is_arithmetic_v<X> EXAKT_FUNCTION explicit Accumulator(X) { static_assert(require_no_number<X>()); }
  template <class X>
  requires std::is_arithmetic_v<X> EXAKT_FUNCTION Accumulator& operator=(X) {
    static_assert(require_no_number<X>());
    return *this;
  }

  /// \brief Adds x exactly. X is T, a narrower floating-point type, or any integer type.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION Accumulator& operator+=(X x) {
    if constexpr (std::is_integral_v<X>) {
      m_long += x;
    } else {
      add_term(x);
    }
    return *this;
  }

  /// \brief Subtracts x exactly.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION Accumulator& operator-=(X x) {
    if constexpr (std::is_integral_v<X>) {
      m_long -= x;
    } else {
      add_term(Impl::negated(x));
    }
    return *this;
  }

  /// \brief Adds the sum in `other` exactly.
  EXAKT_FUNCTION Accumulator& operator+=(Accumulator const& other) {
    m_long += other.in_digits();
    return *this;
  }

  /// \brief Subtracts the sum in `other` exactly: a finite sum that was merged is removed without a trace.
  EXAKT_FUNCTION Accumulator& operator-=(Accumulator const& other) {
    m_long -= other.in_digits();
    return *this;
  }

  /// \brief Adds the sum in a long accumulator exactly.
  EXAKT_FUNCTION Accumulator& operator+=(Long const& other) {
    m_long += other;
    return *this;
  }

  /// Refused, with a sentence: sums of another type.
  template <Impl::IsExactValue Other>
  EXAKT_FUNCTION Accumulator& operator+=(Other) {
    static_assert(require_own_type<Other>());
    return *this;
  }
  template <Impl::IsExactValue Other>
  EXAKT_FUNCTION Accumulator& operator-=(Other) {
    static_assert(require_own_type<Other>());
    return *this;
  }

  /// \brief Adds n numbers exactly, at the speed of SIMD extraction. X is T or a narrower type.
  template <Impl::PrefetchHint hint = Impl::PrefetchHint::memory, class X>
  EXAKT_FUNCTION void add(X const* numbers, std::size_t n) {
    if constexpr (Impl::is_float_v<X>) {
      static_assert(Impl::converts_exactly_v<X, T>,
                    "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
      m_buffer.template add<hint>(numbers, n, m_long);
    } else {
      for (std::size_t i = 0; i < n; ++i) *this += numbers[i];
    }
  }

  /// \brief Adds x * y exactly, neither rounded nor under- or overflowing. X and Y are T or narrower types.
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(X x, Y y) {
    static_assert(terms == Terms::products, "Exakt: SumAccumulator sums values only; use DotAccumulator for products");
    add_factors(Impl::factor_of<T>(x), Impl::factor_of<T>(y));
  }

  /// \brief Subtracts x * y exactly.
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_product(X x, Y y) {
    static_assert(terms == Terms::products, "Exakt: SumAccumulator sums values only; use DotAccumulator for products");
    add_factors(Impl::negated(Impl::factor_of<T>(x)), Impl::factor_of<T>(y));
  }

  /// \brief Adds the dot product of n pairs exactly. X and Y are T or narrower types.
  template <Impl::PrefetchHint hint = Impl::PrefetchHint::memory, class X, class Y>
  EXAKT_FUNCTION void add_products(X const* x, Y const* y, std::size_t n) {
    if constexpr (Impl::is_float_v<X> && Impl::is_float_v<Y> && std::is_same_v<T, double>) {
      m_buffer.template add_products<hint>(x, y, n, m_long);
    } else {
      for (std::size_t i = 0; i < n; ++i) add_product(x[i], y[i]);
    }
  }

  /// \brief The exact value rounded once to R: ExactValue::round(). A few terms, as long as they are all in the buffer, take
  /// no long accumulator.
  template <class R = T>
  EXAKT_FUNCTION R round(Rounding mode = Rounding::to_nearest) const {
    if constexpr (std::is_same_v<R, typename Buffer::Number>) {
      R result;
      if (mode == Rounding::to_nearest && m_buffer.try_round(m_long, result)) return result;
    }
    return Impl::ExactValue<Accumulator, T>::template round<R>(mode);
  }

  /// \brief Back to the empty sum. Also makes a valid accumulator of raw memory, as team scratch is.
  EXAKT_FUNCTION void clear() {
    m_long.clear();
    m_buffer.clear();
  }

  /// \brief The sum in a long accumulator takes the place of this one.
  EXAKT_FUNCTION void assign(Long const& sum) {
    m_long = sum;
    m_buffer.clear();
  }

  /// \brief Moves everything into the long accumulator, which is returned: to be read, or to be replaced as by
  /// assign().
  EXAKT_FUNCTION Long& to_long_accumulator() {
    Impl::DigitRange digits{};
    return to_long_accumulator(digits);
  }

  /// \brief The same.
  /// \param digits  Takes digits outside of which all are zero, as far as that is known without reading them: of a sum
  ///                that was all in the buffer and the filter, those that these were moved to.
  EXAKT_FUNCTION Long& to_long_accumulator(Impl::DigitRange& digits) {
    digits = m_buffer.move_to(m_long);
    return m_long;
  }

  /// \brief The exact sum in its long accumulator.
  EXAKT_FUNCTION Long long_form() const {
    Long sum = m_long;
    m_buffer.add_to(sum);
    return sum;
  }

  /// \brief The same, normalized.
  EXAKT_FUNCTION Long normalized() const { return long_form().normalized(); }

 private:
  template <class Other>
  KOKKOS_FUNCTION static constexpr bool require_own_type() {
    static_assert(!std::is_same_v<Other, Other>,
                  "Exakt: an accumulator takes the sums of those of its own type; what may hold products "
                  "(DotAccumulator<T>, bins.accumulator(i) of a ScatterSum<T>) is added to a DotAccumulator<T>");
    return true;
  }
  template <class X>
  KOKKOS_FUNCTION static constexpr bool require_no_number() {
    static_assert(
        !std::is_same_v<X, X>,
        "Exakt: an accumulator begins as the empty sum, `SumAccumulator<double> sum;`, and is empty again after "
        "sum.clear(); numbers are added by +=");
    return true;
  }

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_term(X x) {
    static_assert(Impl::converts_exactly_v<X, T>,
                  "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
    m_buffer.add(x, m_long);
  }

  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_factors(X x, Y y) {
    m_buffer.add_product(x, y, m_long);
  }

  /// All of the sum, copied only if some of it waits.
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) in_digits() const {
    if constexpr (has_buffer) {
      return long_form();
    } else {
      return (m_long);
    }
  }

  Long m_long;
  Buffer m_buffer;
};

/// \brief The exact sum of numbers of type T.
template <class T>
using SumAccumulator = Accumulator<T, Terms::values>;

/// \brief The exact sum of numbers of type T and of products of two of them.
template <class T>
using DotAccumulator = Accumulator<T, Terms::products>;

}  // namespace Exakt

#endif
