// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_NRM2_HPP
#define EXAKTBLAS1_NRM2_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Nrm2 {
  static constexpr char const* name = "nrm2";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::nrm2;

  template <class X>
  static ProductsOf<X, X> of(X const& x) {
    return {{x}, {x}};
  }
  template <class R>
  static RoundSqrt<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The Euclidean norm of x, the root of the exact sum of squares rounded once: `nrm2([space,] x)`, or into a
/// View `nrm2([space,] r, X)`.
///
/// No square over- or underflows on the way: the norm of (3e200, 4e200) is 5e200, that of (3e-200, 4e-200) 5e-200.
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Nrm2> nrm2{};

}  // namespace Exakt

#endif
