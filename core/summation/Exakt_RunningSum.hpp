// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_RUNNINGSUM_HPP
#define EXAKT_RUNNINGSUM_HPP

/// \file
/// \brief A sum that is rounded after each term.

#include "../numerics/Exakt_ExactTerm.hpp"
#include "Exakt_Enclosure.hpp"
#include "Exakt_Extraction.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/Exakt_Scan-inl.hpp"

/// \brief The sum of the terms so far: two doubles as long as these are exact, and a long accumulator beside them from
/// then on.
///
/// Invariant: either the enclosure has no bound, and is the sum; or m_sum is the sum, and the enclosure encloses it.
class RunningSum {
 public:
  using Long = LongAccumulator<double>;

  /// Terms that are scanned at once, at most: their scratch memory is on the stack.
  template <bool on_host>
  static constexpr int tile_size = on_host ? 2048 : 16;

  RunningSum() = default;
  KOKKOS_FUNCTION explicit RunningSum(Long const& sum) : m_sum(sum) { enclose(); }

  /// \brief Adds the terms, at most `size`, and rounds the sum after each of them; r may not be x.
  /// \pre The default floating-point environment.
  template <int size, class R>
  KOKKOS_INLINE_FUNCTION void scan(double const* x, int count, R* r) {
    if (m_special != Special::none) return scan_special(x, count, r);
    int undecided[size];
    Enclosure after = m_enclosure;
    int const rejected = scan_by_enclosure<size>(x, count, after, r, undecided);
    if (rejected == 0 && bits_of(after.bound) == 0) {
      m_enclosure = after;
      return;
    }
    if (bits_of(m_enclosure.bound) == 0) {
      m_sum.clear();
      m_sum += m_enclosure.high;
      m_sum += m_enclosure.low;
    }
    int done = 0;
    for (int i = 0; i < rejected; ++i) {
      add(x + done, undecided[i] + 1 - done);
      done = undecided[i] + 1;
      r[undecided[i]] = m_sum.template round<R>();
    }
    add(x + done, count - done);
    enclose();
  }

  /// \brief The sum so far, rounded.
  template <class R>
  KOKKOS_INLINE_FUNCTION R round() const {
    if (bits_of(m_enclosure.bound) != 0) return m_sum.template round<R>();
    Long sum;
    sum += m_enclosure.high;
    sum += m_enclosure.low;
    return sum.template round<R>();
  }

 private:
  /// What the compiled kernel does on hosts, if there is one for R; an accumulator rounds for half types.
  template <int size, class R>
  static KOKKOS_FORCEINLINE_FUNCTION int scan_by_enclosure(double const* x, int count, Enclosure& sum, R* r,
                                                           int* undecided) {
    if constexpr (is_float_v<R>) {
      if (sum.bound < 0x1p1000) {
        EXAKT_IF_ON_HOST((ScanKernelOf<R> const& kernel = kernels(); return kernel.scan(x, count, sum, r, undecided);))
        EXAKT_IF_ON_DEVICE((return scan_terms<size>(x, count, sum, r, undecided);))
      }
    }
    for (int i = 0; i < count; ++i) undecided[i] = i;
    return count;
  }

  KOKKOS_INLINE_FUNCTION void add(double const* x, int count) {
    constexpr int worth_an_extraction = 32;
    if (count < worth_an_extraction) {
      for (int i = 0; i < count; ++i) m_sum += x[i];
    } else {
      Extraction<Long, 3> extraction;
      extraction.add<PrefetchHint::cache>(x, static_cast<std::size_t>(count), m_sum);
      extraction.drain(m_sum);
    }
  }

  /// m_sum as two doubles and a bound of what they leave.
  KOKKOS_INLINE_FUNCTION void enclose() {
    m_sum.normalize();
    m_special = m_sum.special();
    m_enclosure = Enclosure{0, 0, HUGE_VAL};
    if (m_special != Special::none) return;
    double const high = m_sum.template round<double>();
    if (!(magnitude_of(high) < 0x1p1000)) return;
    Long rest = m_sum;
    rest -= high;
    double const low = rest.template round<double>();
    rest -= low;
    // Above the last bit of doubles a rounding is off by less than 2^-53 of its result, and below it by nothing.
    bool const is_exact = rest == Long();
    m_enclosure = {high, low, is_exact ? 0 : magnitude_of(low) * 0x1p-52};
  }

  /// A NaN or an infinity is in the sum: what else is hardly matters.
  template <class R>
  KOKKOS_INLINE_FUNCTION void scan_special(double const* x, int count, R* r) {
    for (int i = 0; i < count; ++i) {
      if (!is_finite(x[i])) {
        m_sum += x[i];
        m_special = m_sum.special();
      }
      r[i] = special_value<R>(m_special);
    }
  }

  Long m_sum;
  Enclosure m_enclosure = {0, 0, 0};
  Special m_special = Special::none;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
