// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXPONENTRANGE_HPP
#define EXAKT_EXPONENTRANGE_HPP

#include "../parallel/Exakt_Operand.hpp"
#include "Exakt_FloatFormat.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace Exakt {

/// \brief Where terms lie: all are multiples of 2^lowest, and their magnitudes are below 2^highest.
struct ExponentRange {
  int lowest, highest;

  friend EXAKT_FUNCTION constexpr bool operator==(ExponentRange const& a, ExponentRange const& b) {
    return a.lowest == b.lowest && a.highest == b.highest;
  }
};

namespace Impl::inline EXAKT_ABI {

/// No term at all, as the neutral element of joined().
inline constexpr ExponentRange no_exponents{1 << 20, -(1 << 20)};

KOKKOS_INLINE_FUNCTION constexpr ExponentRange joined(ExponentRange const& a, ExponentRange const& b) {
  return {a.lowest < b.lowest ? a.lowest : b.lowest, a.highest > b.highest ? a.highest : b.highest};
}

/// Of one number; zeros, infinities and NaN are nowhere.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr ExponentRange exponents_of(T x) {
  if (!is_finite(x) || is_zero(x)) return no_exponents;
  auto const parts = integer_parts(x);
  std::uint64_t const lowest_bit = parts.significand & (~parts.significand + 1);
  return {parts.exponent + bit_width(lowest_bit) - 1, parts.exponent + bit_width(parts.significand)};
}

template <class V>
struct JoinExponents {
  using value_type = ExponentRange;
  V x;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, ExponentRange& range) const {
    range = joined(range, exponents_of(x(i)));
  }
  KOKKOS_INLINE_FUNCTION void init(ExponentRange& range) const { range = no_exponents; }
  KOKKOS_INLINE_FUNCTION void join(ExponentRange& into, ExponentRange const& from) const { into = joined(into, from); }
  // FIXME(kokkos<4): older versions call join on volatile references to values of one thread.
  KOKKOS_INLINE_FUNCTION void join(ExponentRange volatile& into, ExponentRange const volatile& from) const {
    join(const_cast<ExponentRange&>(into), const_cast<ExponentRange const&>(from));
  }
};

/// The least e >= 0 with 2^e >= n.
constexpr int ceil_log2(std::uint64_t n) { return n < 2 ? 0 : bit_width(n - 1); }

}  // namespace Impl::inline EXAKT_ABI

/// \brief The narrowest range for the entries of x; {0, 0} if all are zero, infinite or NaN.
///
/// \param space  Where to run; waited for.
/// \param x      A vector of floating-point numbers, read.
/// \par Cost  One pass over x.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG ExponentRange exponent_range(Space const& space, X const& x) {
  static_assert(Impl::require_views<X>());
  static_assert(Impl::require_entries<typename X::non_const_value_type>());
  static_assert(X::rank == 1, "Exakt: exponent_range takes a vector, a View of rank 1");
  ExponentRange range = Impl::no_exponents;
  if (x.extent(0) > 0) {
    Kokkos::parallel_reduce("Exakt::exponent_range",
                            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, x.extent(0)),
                            Impl::JoinExponents<X>{x}, range);
  }
  return range == Impl::no_exponents ? ExponentRange{0, 0} : range;
}

/// \brief The same on the execution space of x.
template <class X>
EXAKT_ABI_TAG ExponentRange exponent_range(X const& x) {
  static_assert(Impl::require_views<X>());
  return exponent_range(typename X::execution_space(), x);
}

}  // namespace Exakt

#endif
