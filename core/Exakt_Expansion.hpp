// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPANSION_HPP
#define EXAKT_EXPANSION_HPP

#include "Exakt_LongAccumulator.hpp"
#include "kernels/Exakt_Kernels.hpp"
#include "numerics/Exakt_Environment.hpp"
#include "summation/Exakt_TermBuffer.hpp"

namespace Exakt {

namespace Impl::inline EXAKT_ABI {

/// Terms of an expansion that wait, or none.
template <class T, int Capacity>
struct WaitingTerms {
  int count = 0;
  T terms[Capacity] = {};
};
struct NothingWaits {};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The exact sum of numbers of type T: a floating-point expansion of P numbers in front of a LongAccumulator.
///
/// The accumulator "FPEp + Superacc" of Collange et al. (2015), section 3.1, Alg. 3: a term runs down the expansion,
/// each TwoSum leaving its rounding error to the next slot; what the last slot leaves goes to the long accumulator.
/// Here it is exact for every input as well: infinities, NaN and sums near the overflow threshold go past the
/// expansion, and everything does on a thread that does not round to nearest or flushes subnormal numbers.
///
/// Terms wait in a buffer until there are enough for packs, and doubles have an expansion for each lane. Where Kokkos has
/// a backend for devices there is one expansion and no buffer: terms run down it there, and on the host, where it would
/// take a look at the environment for each, they go straight to the long accumulator.
///
/// \tparam T          float or double.
/// \tparam P          Slots, 2 to 8. Few are fast for a small range of exponents, many hold a wide one.
/// \tparam EarlyExit  Stop at the first slot that leaves nothing ("FPE8EE" in the paper). On hosts blocks of
///                    doubles stop there in either case.
/// \tparam BufferedTerms  As of Accumulator; not to be given.
template <class T, int P, bool EarlyExit = false, std::size_t BufferedTerms = Impl::buffered_terms>
class Expansion : public Impl::ExactValue<Expansion<T, P, EarlyExit, BufferedTerms>, T> {
  static_assert(P >= 2 && P <= 8, "an expansion has 2 to 8 slots");
  static_assert(Impl::is_float_v<T>, "Exakt: Expansion sums float or double");
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
      EXAKT_IF_ON_DEVICE((add_on_device(static_cast<T>(x));))
      EXAKT_IF_ON_HOST((add_on_host(x);))
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
      EXAKT_IF_ON_HOST((add_array(numbers, n);))
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

  /// \brief Subtracts the sum in `other` exactly: a finite sum that was merged is removed without a trace.
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
    EXAKT_ROLLED_LOOP
    for (T const slot : m_slots)
      if (!Impl::is_zero(slot)) sum += slot;
    if constexpr (has_buffer) {
      for (int i = 0; i < m_buffer.count; ++i) sum += m_buffer.terms[i];
    }
    return sum;
  }

  /// \brief The same, normalized.
  EXAKT_FUNCTION constexpr Long normalized() const { return long_form().normalized(); }

 private:
  static constexpr bool has_buffer = BufferedTerms > 0;
  static constexpr int lanes_of_packs = std::is_same_v<T, double> ? Impl::expansion_lanes_at_most : 1;
  static constexpr int lanes = has_buffer ? lanes_of_packs : 1;

  // As many terms as keep the whole below 1 KB, in multiples of eight, and at most 64.
  static constexpr std::size_t room = (1023 - sizeof(Long) - P * lanes * sizeof(T) - sizeof(int)) / sizeof(T) / 8 * 8;
  static constexpr int capacity = room < 64 ? static_cast<int>(room) : 64;
  static_assert(capacity >= 8);

  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_on_host(X x) {
    // A conversion is an operation like any other: it loses subnormal numbers where denormals are zeros.
    if (has_buffer && (std::is_same_v<X, T> || Impl::is_zero_or_normal(x))) {
      buffer(static_cast<T>(x));
    } else {
      m_long += x;
    }
  }

  /// Options of device compilers may make zeros of subnormal floats. Sums and errors of multiples of the smallest normal
  /// number are none.
  KOKKOS_FORCEINLINE_FUNCTION void add_on_device(T x) {
    using F = FloatFormat<T>;
    constexpr auto smallest = F::precision * F::hidden_bit;  // its last bit is that number
    if (std::is_same_v<T, double> || static_cast<typename F::bits_type>(Impl::bits_of(x) & ~F::sign_mask) >= smallest)
      add_term(x);
    else
      m_long += x;
  }

  KOKKOS_FORCEINLINE_FUNCTION void buffer([[maybe_unused]] T x) {
    if constexpr (has_buffer) {
      m_buffer.terms[m_buffer.count] = x;
      if (++m_buffer.count == capacity) [[unlikely]] {
        flush();
        m_buffer.count = 0;  // here, so that the counter may live in a register
      }
    }
  }

  /// Not inlined: a lambda of a user that grows too large is not inlined itself.
  EXAKT_ABI_TAG EXAKT_NOINLINE_FUNCTION void flush() { add_array(m_buffer.terms, capacity); }

  EXAKT_ABI_TAG void add_array(T const* numbers, std::size_t n) {
    if constexpr (lanes == lanes_of_packs) {
      add_blocks(numbers, n, m_slots);
    } else {
      T slots[P * lanes_of_packs] = {};
      add_blocks(numbers, n, slots);
      for (T const slot : slots)
        if (!Impl::is_zero(slot)) m_long += slot;
    }
  }

  EXAKT_ABI_TAG void add_blocks(T const* numbers, std::size_t n, T* slots) {
    for (std::size_t done = 0; done < n; done += Impl::expansion_block) {
      int const count = static_cast<int>(n - done < Impl::expansion_block ? n - done : Impl::expansion_block);
      if (!Impl::fp_environment_is_default()) {
        Impl::add_each(numbers + done, count, m_long);
      } else {
        add_block(numbers + done, count, slots);
      }
    }
  }

  EXAKT_ABI_TAG void add_block(double const* numbers, int count, double* slots) {
    double left[Impl::expansion_block + lanes_of_packs];
    int const rests = Impl::kernels().expand(numbers, count, P, slots, left);
    if (rests < 0) {
      Impl::add_each(numbers, count, m_long);
    } else {
      Impl::add_each(left, rests, m_long);
    }
  }
  EXAKT_ABI_TAG void add_block(float const* numbers, int count, float* /*slots*/) {
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
  // an object goes to a processor with other registers: the sum of all of them is the same.
  T m_slots[P * lanes] = {};
  Long m_long;
  std::conditional_t<has_buffer, Impl::WaitingTerms<T, capacity>, Impl::NothingWaits> m_buffer;
};

}  // namespace Exakt

#endif
