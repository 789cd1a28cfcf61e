// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_NRM2_SQUARED_HPP
#define EXAKTBLAS1_NRM2_SQUARED_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Nrm2Squared {
  static constexpr char const* name = "nrm2_squared";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::nrm2_squared;

  template <class X>
  static ProductsOf<X, X> of(X const& x) {
    return {{x}, {x}};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The sum of x(i)^2, rounded once: `nrm2_squared([space,] x)`, or into a View `nrm2_squared([space,] r, X)`.
///
/// No square over- or underflows on the way. Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Nrm2Squared> nrm2_squared{};

}  // namespace Exakt

#endif
