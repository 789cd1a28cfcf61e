// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TERMBUFFER_HPP
#define EXAKT_TERMBUFFER_HPP

/// \file
/// \brief What an accumulator has beside its digits: terms that wait until there are enough of them to be extracted, or
/// nothing.

#include "Exakt_Extraction.hpp"

#include <algorithm>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Terms that the buffer of an accumulator holds at most. A template argument, not a constant of the class: where two
/// builds of Kokkos disagree, the types have different names, so that the linker keeps them apart.
///
/// Without devices 80: with 48, 32, 16 and 8, hosts add terms at 0.85, 0.67, 0.45 and 0.28 of the speed. With devices
/// none: kernels there leave a buffer alone, and Kokkos reduces such values in shared memory, where size decides how
/// many threads run at once: 128 sums of doubles fit into 48 KB, and with a buffer of 8 only 64. On a host so short a
/// buffer takes 7 ns for a value instead of 6 without (a Zen 1); for a product 12 instead of 16, of a wide range 25
/// instead of 18.
#ifdef EXAKT_HAS_DEVICE
inline constexpr std::size_t buffered_terms = 0;
#else
inline constexpr std::size_t buffered_terms = 80;
#endif

/// The filter in front of the digits of an accumulator.
template <class Long>
using FilterOf =
    Extraction<Long, (Long::summed == Terms::products ? 3 : 2) + std::is_same_v<typename Long::value_type, double>>;

/// \brief Terms by the number, on hosts: to store and to count takes no floating-point operation. Whatever mode the thread
/// is in, nothing is lost, and no exception raised, before a flush has looked at it.
///
/// \tparam TermsAtMost  How many make it full, if they leave an accumulator smaller than 1 KB.
template <class Long, std::size_t TermsAtMost>
class TermBuffer {
  using T = typename Long::value_type;
  using Filter = FilterOf<Long>;
  static constexpr bool products_are_exact = 2 * FloatFormat<T>::precision <= FloatFormat<double>::precision;

 public:
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;

  TermBuffer() : m_count(0) {}

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(X x, Long& sum) {
    if (!converts_safely(x)) {
      sum += x;
    } else if constexpr (factors == 2) {
      store(sum, static_cast<Number>(x), Number{1});
    } else {
      store(sum, static_cast<Number>(x));
    }
  }

  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(X x, Y y, Long& sum) {
    if (converts_safely(x) && converts_safely(y)) {
      store(sum, static_cast<Number>(x), static_cast<Number>(y));
    } else {
      sum.add_product(x, y);
    }
  }

  /// Short arrays wait like single terms; the filter takes others as they are.
  template <PrefetchHint hint, class X>
  void add(X const* terms, std::size_t n, Long& sum) {
    if constexpr (factors == 1 && std::is_same_v<X, Number>) {
      if (can_store(n, sum)) return store_array(sum, n, terms);
    }
    m_filter.template add<hint>(terms, n, sum);
  }
  template <PrefetchHint hint, class X, class Y>
  void add_products(X const* x, Y const* y, std::size_t n, Long& sum) {
    if constexpr (std::is_same_v<X, Number> && std::is_same_v<Y, Number>) {
      if (can_store(n, sum)) return store_array(sum, n, x, y);
    }
    m_filter.template add_products<hint>(x, y, n, sum);
  }

  /// False if there is more than what waits, or its enclosure does not decide.
  bool try_round(Long const& sum, Number& result) const {
    if (!sum.is_untouched() || !m_filter.is_empty() || !fp_environment_is_default()) return false;
    SmallSumsOf<Number> const& few = kernels();
    int const count = static_cast<int>(m_count);
    if constexpr (factors == 1) {
      return few.sum(m_terms[0], count, result);
    } else {
      return few.dot(m_terms[0], m_terms[1], count, result);
    }
  }

  /// Adds all that waits.
  void add_to(Long& sum) const {
    Filter filter = m_filter;
    extract(m_count, filter, sum);
    filter.drain(sum);
  }

  /// \brief The same, and nothing waits then.
  /// \return Digits outside of which all those of `sum` are zero, as far as that is known without reading them.
  DigitRange move_to(Long& sum) {
    flush_waiting(sum);
    DigitRange const digits = sum.is_untouched() ? m_filter.digits() : Long::all_digits;
    m_filter.drain(sum);
    return digits;
  }

  void clear() {
    m_count = 0;
    m_filter = Filter();
  }

 private:
  /// A conversion is an operation like any other: it loses subnormal numbers where denormals are zeros.
  template <class X>
  static KOKKOS_FORCEINLINE_FUNCTION bool converts_safely(X x) {
    return std::is_same_v<X, Number> || is_zero_or_normal(x);
  }

  template <class... Factor>
  KOKKOS_FORCEINLINE_FUNCTION void store(Long& sum, Factor... factor) {
    std::size_t i = 0;
    ((m_terms[i++][m_count] = factor), ...);
    if (++m_count == capacity) [[unlikely]] {
      flush(sum);
      m_count = 0;  // here, so that the counter may live in a register
    }
  }

  /// Whether an array waits: if it is short, or fits and is the first of all, which may be the only one.
  bool can_store(std::size_t n, Long const& sum) const {
    constexpr std::size_t short_array = capacity / 2;
    return n <= short_array || (n < capacity && m_count == 0 && m_filter.is_empty() && sum.is_untouched());
  }

  template <class... Factors>
  void store_array(Long& sum, std::size_t n, Factors const*... factor) {
    if (n >= capacity - m_count) flush_waiting(sum);
    std::size_t i = 0;
    ((std::copy_n(factor, n, m_terms[i++] + m_count)), ...);
    m_count += n;
  }

  void flush_waiting(Long& sum) {
    if (m_count > 0) extract(m_count, m_filter, sum);
    m_count = 0;
  }

  /// Not inlined: a lambda of a user that grows too large is not inlined itself, which costs more than half of the
  /// speed.
  EXAKT_NOINLINE_FUNCTION void flush(Long& sum) { extract(capacity, m_filter, sum); }

  KOKKOS_FORCEINLINE_FUNCTION void extract(std::size_t count, Filter& filter, Long& sum) const {
    constexpr auto hint = PrefetchHint::cache;
    if constexpr (factors == 1) {
      filter.template add<hint>(m_terms[0], count, sum);
    } else if constexpr (!products_are_exact) {
      filter.template add_products<hint>(m_terms[0], m_terms[1], count, sum);
    } else if (fp_environment_is_default()) {
      double products[capacity];
      for (std::size_t i = 0; i < count; ++i)
        products[i] = static_cast<double>(m_terms[0][i]) * static_cast<double>(m_terms[1][i]);
      filter.template add<hint>(products, count, sum);
    } else if constexpr (std::is_same_v<T, Number>) {
      add_each_product(m_terms[0], m_terms[1], static_cast<int>(count), sum);
    } else {  // halves: what waits is zero or normal, and converts back in any environment
      for (std::size_t i = 0; i < count; ++i)
        sum.add_product(static_cast<T>(m_terms[0][i]), static_cast<T>(m_terms[1][i]));
    }
  }

  // A value, or the factors of a product, in arrays of their own.
  static constexpr std::size_t factors = Long::summed == Terms::products ? 2 : 1;
  static constexpr std::size_t room =
      (1023 - sizeof(Long) - sizeof(Filter) - sizeof(std::size_t)) / (factors * sizeof(Number)) / 8 * 8;
  static constexpr std::size_t capacity = room < TermsAtMost ? room : TermsAtMost;
  static_assert(capacity >= 8 && capacity <= small_sum);

  Filter m_filter;
  std::size_t m_count;  // of a register's width: an index without a conversion
  Number m_terms[factors][capacity];
};

/// \brief No buffer, where a program has devices: terms go straight to the digits. Arrays have a filter on hosts, for as
/// long as the call.
template <class Long>
class NoTermBuffer {
 public:
  using Number = void;

  template <class X>
  static KOKKOS_FORCEINLINE_FUNCTION void add(X x, Long& sum) {
    sum += x;
  }
  template <class X, class Y>
  static KOKKOS_FORCEINLINE_FUNCTION void add_product(X x, Y y, Long& sum) {
    sum.add_product(x, y);
  }

  template <PrefetchHint hint, class X>
  KOKKOS_INLINE_FUNCTION void add(X const* terms, std::size_t n, Long& sum) {
    EXAKT_IF_ON_HOST((FilterOf<Long> filter(m_guess); filter.template add<hint>(terms, n, sum); drain(filter, sum);))
    EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i) sum += terms[i];))
  }
  template <PrefetchHint hint, class X, class Y>
  KOKKOS_INLINE_FUNCTION void add_products(X const* x, Y const* y, std::size_t n, Long& sum) {
    EXAKT_IF_ON_HOST(
        (FilterOf<Long> filter(m_guess); filter.template add_products<hint>(x, y, n, sum); drain(filter, sum);))
    EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i) sum.add_product(x[i], y[i]);))
  }

  static KOKKOS_FUNCTION void add_to(Long& /*sum*/) {}
  static KOKKOS_FUNCTION DigitRange move_to(Long& sum) { return sum.digits_in_use(); }
  KOKKOS_FUNCTION void clear() { m_guess = {}; }

 private:
  void drain(FilterOf<Long>& filter, Long& sum) {
    filter.drain(sum);
    m_guess = filter.guess();
  }

  typename FilterOf<Long>::Guess m_guess;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
