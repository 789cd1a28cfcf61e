// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPANSION_HPP
#define EXAKT_EXPANSION_HPP

#include "Exakt_LongAccumulator.hpp"
#include "kernels/Exakt_Kernels.hpp"
#include "numerics/Exakt_Environment.hpp"
#include "summation/Exakt_Extraction.hpp"

namespace Exakt {

/// \brief The exact sum of numbers of type T: a floating-point expansion of P numbers in front of a LongAccumulator.
///
/// The accumulator "FPEp + Superacc" of Collange et al. (2015), section 3.1, Alg. 3: a term runs down the expansion,
/// each TwoSum leaving its rounding error to the next slot; what the last slot leaves goes to the long accumulator.
/// Here it is exact for every input as well: infinities, NaN and sums near the overflow threshold go past the
/// expansion, and everything does on a thread that does not round to nearest or flushes subnormal numbers.
///
/// On hosts terms wait in a buffer until there are enough for packs, and doubles have an expansion for each lane.
///
/// \tparam P          Slots, 2 to 8. Few are fast for a small range of exponents, many hold a wide one.
/// \tparam EarlyExit  Stop at the first slot that leaves nothing ("FPE8EE" in the paper). On hosts blocks of
///                    doubles stop there in either case.
template <class T, int P, bool EarlyExit = false>
class Expansion : public Impl::ExactValue<Expansion<T, P, EarlyExit>, T> {
  static_assert(P >= 2 && P <= 8, "an expansion has 2 to 8 slots");
  using Long = LongAccumulator<T>;

 public:
  /// The empty sum.
  EXAKT_ABI_TAG constexpr Expansion() = default;

  /// \brief Adds x exactly. X is T, a narrower floating-point type, or any integer type.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION Expansion& operator+=(X x) {
    if constexpr (std::is_integral_v<X>) {
      m_long += x;
    } else {
      static_assert(Impl::converts_exactly_v<X, T>,
                    "Exakt: a term has the accumulator's type or a narrower one, so that no bit is lost");
      EXAKT_IF_ON_DEVICE((add_term(static_cast<T>(x));))
      // A conversion is an operation like any other: it loses subnormal numbers where denormals are zeros.
      EXAKT_IF_ON_HOST((
          if (std::is_same_v<X, T> || Impl::is_zero_or_normal(x)) { buffer(static_cast<T>(x)); } else { m_long += x; }))
    }
    return *this;
  }

  /// \brief Subtracts x exactly.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION Expansion& operator-=(X x) {
    if constexpr (std::is_integral_v<X>) {
      m_long -= x;
      return *this;
    } else {
      return *this += Impl::negated(x);
    }
  }

  /// \brief Adds n numbers exactly. X is T, a narrower floating-point type, or any integer type.
  template <class X>
  EXAKT_FUNCTION void add(X const* numbers, std::size_t n) {
    if constexpr (std::is_same_v<X, T>) {
      EXAKT_IF_ON_HOST((add_blocks(numbers, n);))
      EXAKT_IF_ON_DEVICE((for (std::size_t i = 0; i < n; ++i)* this += numbers[i];))
    } else {
      for (std::size_t i = 0; i < n; ++i) *this += numbers[i];
    }
  }

  /// \brief Adds the sum in `other` exactly.
  EXAKT_FUNCTION Expansion& operator+=(Expansion const& other) {
    m_long += other.long_form();
    return *this;
  }

  /// \brief Subtracts the sum in `other` exactly: a sum that was merged is removed without a trace.
  EXAKT_FUNCTION Expansion& operator-=(Expansion const& other) {
    m_long -= other.long_form();
    return *this;
  }

  /// \brief Adds the sum in a long accumulator exactly.
  EXAKT_FUNCTION Expansion& operator+=(Long const& other) {
    m_long += other;
    return *this;
  }

  /// \brief Back to the empty sum.
  EXAKT_FUNCTION constexpr void clear() { *this = Expansion(); }

  /// \brief The sum in a long accumulator takes the place of this one.
  EXAKT_FUNCTION constexpr void assign(Long const& sum) {
    clear();
    m_long = sum;
  }

  /// \brief Moves everything into the long accumulator, which is returned: to be read, or to be replaced as by
  /// assign().
  EXAKT_FUNCTION constexpr Long& to_long_accumulator() {
    assign(long_form());
    return m_long;
  }

  /// \brief The exact sum in its long accumulator.
  EXAKT_FUNCTION constexpr Long long_form() const {
    Long sum = m_long;
    for (T const slot : m_slots)
      if (!Impl::is_zero(slot)) sum += slot;
    for (int i = 0; i < m_count; ++i) sum += m_buffer[i];
    return sum;
  }

  /// \brief The same, normalized.
  EXAKT_FUNCTION constexpr Long normalized() const { return long_form().normalized(); }

 private:
  static constexpr int lanes = std::is_same_v<T, double> ? Impl::expansion_lanes_at_most : 1;

  // As many terms as keep the whole below 1 KB, in multiples of eight, and at most 64.
  static constexpr std::size_t room = (1023 - sizeof(Long) - P * lanes * sizeof(T) - sizeof(int)) / sizeof(T) / 8 * 8;
  static constexpr int capacity = room < 64 ? static_cast<int>(room) : 64;
  static_assert(capacity >= 8);

  KOKKOS_FORCEINLINE_FUNCTION void buffer(T x) {
    m_buffer[m_count] = x;
    if (++m_count == capacity) [[unlikely]] {
      flush();
      m_count = 0;  // here, so that the counter may live in a register
    }
  }

  /// Not inlined: a lambda of a user that grows too large is not inlined itself.
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION void flush() { add_blocks(m_buffer, capacity); }

  EXAKT_ABI_TAG void add_blocks(T const* numbers, std::size_t n) {
    for (std::size_t done = 0; done < n; done += Impl::expansion_block) {
      int const count = static_cast<int>(n - done < Impl::expansion_block ? n - done : Impl::expansion_block);
      if (!Impl::fp_environment_is_default()) {
        Impl::add_each(numbers + done, count, m_long);
      } else {
        add_block(numbers + done, count);
      }
    }
  }

  EXAKT_ABI_TAG void add_block(double const* numbers, int count) {
    double left[Impl::expansion_block + lanes];
    int const rests = Impl::kernels().expand(numbers, count, P, m_slots, left);
    if (rests < 0) {
      Impl::add_each(numbers, count, m_long);
    } else {
      Impl::add_each(left, rests, m_long);
    }
  }
  EXAKT_ABI_TAG void add_block(float const* numbers, int count) {
    for (int i = 0; i < count; ++i) add_term(numbers[i]);
  }

  /// \pre The default floating-point environment.
  KOKKOS_FORCEINLINE_FUNCTION void add_term(T x) {
    // |slot 0| stays below 2^(max_exponent - 1), so no TwoSum on it overflows. Slot i+1 receives at most half an ulp of
    // slot i each time: it would take 2^precision terms to bring slot 1 there. Infinities and NaN fail the comparison.
    constexpr T limit = Impl::from_bits<T>(false, FloatFormat<T>::infinity - 2 * FloatFormat<T>::hidden_bit);
    auto first = two_sum(m_slots[0], x);
    if (!(limit > first.value && first.value > -limit)) {
      m_long += x;
      return;
    }
    m_slots[0] = first.value;
    T residue = first.error;
    for (int i = 1; i < P; ++i) {
      if (EarlyExit && residue == T{0}) return;
      auto const next = two_sum(m_slots[i], residue);
      m_slots[i] = next.value;
      residue = next.error;
    }
    if (residue != T{0}) m_long += residue;
  }

  // The slots of all lanes, then the next ones. Here and there values of one expansion may be taken for those of lanes, as
  // an object goes to a device or to a processor with other registers: the sum of all of them is the same.
  T m_slots[P * lanes] = {};
  Long m_long;
  int m_count = 0;
  T m_buffer[capacity] = {};
};

}  // namespace Exakt

#endif
