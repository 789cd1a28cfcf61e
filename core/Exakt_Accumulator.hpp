// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ACCUMULATOR_HPP
#define EXAKT_ACCUMULATOR_HPP

#include "numerics/Exakt_ErrorFree.hpp"
#include "summation/Exakt_Extraction.hpp"

namespace Exakt {

namespace Impl::inline EXAKT_ABI {

/// Terms that the buffer of an accumulator holds at most. A template argument, not a constant of the class: where two
/// builds of Kokkos disagree, the types have different names, so that the linker keeps them apart.
///
/// Without devices 80: with 48, 32, 16 and 8, hosts add terms at 0.85, 0.67, 0.45 and 0.28 of the speed. With devices
/// 8, as few as are worth an extraction on the host: kernels on devices leave the buffer alone, and Kokkos reduces such
/// values in shared memory, where size decides how many threads run at once (64 values of 0.4 KB fit into 48 KB, of 1
/// KB 32).
#ifdef EXAKT_HAS_DEVICE
inline constexpr std::size_t buffered_terms = 8;
#else
inline constexpr std::size_t buffered_terms = 80;
#endif

}  // namespace Impl::inline EXAKT_ABI

/// \brief The exact sum of any numbers of type T, and of products of two with Terms::products.
///
/// A LongAccumulator behind a buffer of terms: on hosts `+=` and `add_product` store and count, and a full buffer is
/// extracted (Exakt_Extraction.hpp). To store and count takes no floating-point operation: whatever mode the thread is
/// in, nothing is lost, and no exception raised, before the flush has looked at it. On devices, where registers are
/// better than a buffer, terms go straight to the digits. A trivially copyable value of less than 1 KB, for use in
/// Views, in team scratch memory, as a member.
///
/// \tparam T              float or double; Kokkos' half_t and bhalf_t with Exakt_Half.hpp.
/// \tparam BufferedTerms  Terms that the buffer holds at most; not to be given.
template <class T, Terms terms, std::size_t BufferedTerms = Impl::buffered_terms>
class Accumulator : public Impl::ExactValue<Accumulator<T, terms, BufferedTerms>, T> {
  using Long = LongAccumulator<T, 56, terms>;
  using Filter = Impl::Extraction<Long, (terms == Terms::products ? 3 : 2) + std::is_same_v<T, double>>;
  using Buffered = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr bool products_are_exact = 2 * FloatFormat<T>::precision <= FloatFormat<double>::precision;

 public:
  /// The empty sum. The buffer needs no values.
  EXAKT_FUNCTION Accumulator() : m_count(0) {}

  /// Refused, with a sentence.
  template <class X>
  requires std::is_same_v<X, Terms> EXAKT_FUNCTION explicit Accumulator(X) {
    static_assert(Impl::require_terms_as_template_argument<X>());
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
    EXAKT_IF_ON_HOST((m_long += other.long_form();))
    EXAKT_IF_ON_DEVICE((m_long += other.m_long; other.template add_rest_to<false>(m_long);))
    return *this;
  }

  /// \brief Subtracts the sum in `other` exactly: a sum that was merged is removed without a trace.
  EXAKT_FUNCTION Accumulator& operator-=(Accumulator const& other) {
    EXAKT_IF_ON_HOST((m_long -= other.long_form();))
    EXAKT_IF_ON_DEVICE((m_long -= other.m_long; other.template add_rest_to<true>(m_long);))
    return *this;
  }

  /// \brief Adds the sum in a long accumulator exactly.
  EXAKT_FUNCTION Accumulator& operator+=(Long const& other) {
    m_long += other;
    return *this;
  }

  /// \brief Adds n numbers exactly, at the speed of SIMD extraction. X is T or a narrower type.
  template <Impl::PrefetchHint hint = Impl::PrefetchHint::memory, class X>
  EXAKT_FUNCTION void add(X const* numbers, std::size_t n) {
    if constexpr (Impl::is_float_v<X>) {
      static_assert(Impl::converts_exactly_v<X, T>,
                    "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
      EXAKT_IF_ON_HOST((m_extraction.template add<hint>(numbers, n, m_long);))
      EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i) m_long += numbers[i];))
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
      EXAKT_IF_ON_HOST((m_extraction.template add_products<hint>(x, y, n, m_long);))
      EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i) m_long.add_product(x[i], y[i]);))
    } else {
      for (std::size_t i = 0; i < n; ++i) add_product(x[i], y[i]);
    }
  }

  /// \brief The exact value rounded once to R: ExactValue::round(). A few terms, as long as they are all in the buffer, take
  /// no long accumulator.
  template <class R = T>
  EXAKT_FUNCTION R round(Rounding mode = Rounding::to_nearest) const {
    if constexpr (std::is_same_v<R, Buffered>) {
      EXAKT_IF_ON_HOST((R result; if (mode == Rounding::to_nearest && try_round_buffer(result)) return result;))
    }
    return Impl::ExactValue<Accumulator, T>::template round<R>(mode);
  }

  /// \brief Back to the empty sum. Also makes a valid accumulator of raw memory, as team scratch is.
  EXAKT_FUNCTION void clear() {
    m_long.clear();
    m_count = 0;
    m_extraction = Filter();
  }

  /// \brief The sum in a long accumulator takes the place of this one.
  EXAKT_FUNCTION void assign(Long const& sum) {
    m_long = sum;
    m_count = 0;
    m_extraction = Filter();
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
    EXAKT_IF_ON_HOST((digits = gather();))
    EXAKT_IF_ON_DEVICE(
        (add_rest_to<false>(m_long); m_count = 0; m_extraction = Filter(); digits = m_long.digits_in_use();))
    return m_long;
  }

  /// \brief The exact sum in its long accumulator.
  EXAKT_FUNCTION Long long_form() const {
    Long sum = m_long;
    EXAKT_IF_ON_HOST((Filter extraction = m_extraction; flush(m_count, extraction, sum); extraction.drain(sum);))
    EXAKT_IF_ON_DEVICE((add_rest_to<false>(sum);))
    return sum;
  }

  /// \brief The same, normalized.
  EXAKT_FUNCTION Long normalized() const { return long_form().normalized(); }

 private:
  // A value, or the factors of a product, in arrays of their own.
  static constexpr std::size_t factors = terms == Terms::products ? 2 : 1;

  // As many terms as keep the whole below 1 KB, in multiples of eight.
  static constexpr std::size_t room =
      (1023 - sizeof(Long) - sizeof(Filter) - sizeof(std::size_t)) / (factors * sizeof(Buffered)) / 8 * 8;
  static constexpr std::size_t capacity = room < BufferedTerms ? room : BufferedTerms;
  static_assert(capacity >= 8 && capacity <= Impl::small_sum);

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_term(X x) {
    static_assert(Impl::converts_exactly_v<X, T>,
                  "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
    EXAKT_IF_ON_DEVICE((m_long += x;))
    EXAKT_IF_ON_HOST((
        if (converts_safely(x)) {
          if constexpr (factors == 2)
            buffer(static_cast<Buffered>(x), Buffered{1});
          else
            buffer(static_cast<Buffered>(x));
        } else { m_long += x; }))
  }

  /// A conversion is an operation like any other: it loses subnormal numbers where denormals are zeros.
  template <class X>
  static KOKKOS_FORCEINLINE_FUNCTION bool converts_safely(X x) {
    return std::is_same_v<X, Buffered> || Impl::is_zero_or_normal(x);
  }

  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_factors(X x, Y y) {
    EXAKT_IF_ON_DEVICE((m_long.add_product(x, y);))
    EXAKT_IF_ON_HOST((
        if (converts_safely(x) && converts_safely(y)) {
          buffer(static_cast<Buffered>(x), static_cast<Buffered>(y));
        } else { m_long.add_product(x, y); }))
  }

  template <class... Factor>
  KOKKOS_FORCEINLINE_FUNCTION void buffer(Factor... factor) {
    std::size_t i = 0;
    ((m_buffer[i++][m_count] = factor), ...);
    if (++m_count == capacity) [[unlikely]] {
      flush();
      m_count = 0;  // here, so that the counter may live in a register
    }
  }

  /// False if there is more than the buffer, or its enclosure does not decide.
  EXAKT_ABI_TAG bool try_round_buffer(Buffered& result) const {
    if (!m_long.is_untouched() || !m_extraction.is_empty() || !Impl::fp_environment_is_default()) return false;
    Impl::SmallSumsOf<Buffered> const& few = Impl::kernels();
    int const count = static_cast<int>(m_count);
    if constexpr (factors == 1) {
      return few.sum(m_buffer[0], count, result);
    } else {
      return few.dot(m_buffer[0], m_buffer[1], count, result);
    }
  }

  /// Not inlined: a lambda of a user that grows too large is not inlined itself, which costs more than half of the
  /// speed.
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION void flush() { flush(capacity, m_extraction, m_long); }

  KOKKOS_FORCEINLINE_FUNCTION void flush(std::size_t count, Filter& extraction, Long& sum) const {
    constexpr auto hint = Impl::PrefetchHint::cache;
    if constexpr (factors == 1) {
      extraction.template add<hint>(m_buffer[0], count, sum);
    } else if constexpr (!products_are_exact) {
      extraction.template add_products<hint>(m_buffer[0], m_buffer[1], count, sum);
    } else if (Impl::fp_environment_is_default()) {
      double products[capacity];
      for (std::size_t i = 0; i < count; ++i)
        products[i] = static_cast<double>(m_buffer[0][i]) * static_cast<double>(m_buffer[1][i]);
      extraction.template add<hint>(products, count, sum);
    } else {
      Impl::add_each_product(m_buffer[0], m_buffer[1], static_cast<int>(count), sum);
    }
  }

  /// to_long_accumulator() on hosts.
  EXAKT_ABI_TAG Impl::DigitRange gather() {
    if (m_count > 0) flush(m_count, m_extraction, m_long);
    m_count = 0;
    Impl::DigitRange const digits = m_long.is_untouched() ? m_extraction.digits() : Long::all_digits;
    m_extraction.drain(m_long);
    return digits;
  }

  /// On devices: adds, or subtracts, what a host has left beside the digits.
  template <bool negates>
  KOKKOS_INLINE_FUNCTION void add_rest_to(Long& sum) const {
    EXAKT_ROLLED_LOOP
    for (std::size_t k = 0; k < m_count; ++k) {
      Buffered const x = negates ? Impl::negated(m_buffer[0][k]) : m_buffer[0][k];
      if constexpr (factors == 2) {
        sum.add_product(x, m_buffer[1][k]);
      } else {
        sum += x;
      }
    }
    if (m_extraction.is_empty()) return;
    Filter extraction = m_extraction;
    Long rest;
    extraction.drain(rest);
    if constexpr (negates) {
      sum -= rest;
    } else {
      sum += rest;
    }
  }

  Long m_long;
  Filter m_extraction;
  std::size_t m_count;  // of a register's width: an index without a conversion
  Buffered m_buffer[factors][capacity];
};

/// \brief The exact sum of numbers of type T.
template <class T>
using SumAccumulator = Accumulator<T, Terms::values>;

/// \brief The exact sum of numbers of type T and of products of two of them.
template <class T>
using DotAccumulator = Accumulator<T, Terms::products>;

}  // namespace Exakt

#endif
