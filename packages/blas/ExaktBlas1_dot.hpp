// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_DOT_HPP
#define EXAKTBLAS1_DOT_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Dot {
  static constexpr char const* name = "dot";
  static constexpr int operands = 2;
  static constexpr auto compiled = Compiled::Reduction::dot;

  template <class X, class Y>
  static ProductsOf<X, Y> of(X const& x, Y const& y) {
    return {{x}, {y}};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }

  static constexpr bool takes_complex_numbers = true;

  template <class R, class Space, class X, class Y>
  static Kokkos::complex<R> complex(Space const& space, Rounding mode, X const& x, Y const& y) {
    ComplexProductsOf<X, Y> terms{x, y, false};
    auto const part = [&] {
      return reduce_vector<R>("Exakt::dot::accumulate", space, terms, terms.terms(), RoundValue<R>{mode});
    };
    R const real = part();
    terms.imaginary = true;
    return {real, part()};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The sum of x(i) * y(i), rounded once: `dot([space,] x, y)`, or into a View `dot([space,] r, X, Y)`.
///
/// No product is rounded, over- or underflows on the way; 0 * inf is NaN. Of complex numbers it is the sum of
/// conj(x(i)) * y(i), as in Kokkos Kernels, real and imaginary part rounded once each. Impl::Reduction describes
/// operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Dot> dot{};

}  // namespace Exakt

#endif
