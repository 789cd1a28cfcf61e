// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXACTTERM_HPP
#define EXAKT_EXACTTERM_HPP

/// \file
/// \brief Terms of sums as exact doubles: a number, or the two factors of a product.

#include "../summation/Exakt_ExtractionTile.hpp"

#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// x as a double: exact in every floating-point environment.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double exact_double(T x) {
  using F = FloatFormat<T>;
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    if constexpr (std::is_same_v<T, float>) {
      if (is_zero_or_normal(x)) return static_cast<double>(x);
    }
    if (is_nan(x)) return from_bits<double>(false, FloatFormat<double>::quiet_nan);
    if (!is_finite(x)) return from_bits<double>(is_negative(x), FloatFormat<double>::infinity);
    static_assert(FloatFormat<double>::min_exponent < F::lsb_exponent, "the product is a normal number");
    auto const parts = integer_parts(x);
    double const magnitude =
        static_cast<double>(static_cast<std::int64_t>(parts.significand)) * power_of_two(parts.exponent);
    return parts.negative ? negated(magnitude) : magnitude;
  }
}

/// Both factors of a product.
struct FactorPair {
  double x, y;
};

/// A term added to a sum of any kind.
template <class Sum>
KOKKOS_FORCEINLINE_FUNCTION void add_term(Sum& sum, double term) {
  if constexpr (requires { sum.add_multiple(term); }) {
    sum.add_multiple(term);
  } else {
    sum += term;
  }
}
template <class Sum>
KOKKOS_FORCEINLINE_FUNCTION void add_term(Sum& sum, FactorPair const& term) {
  sum.add_product(term.x, term.y);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
