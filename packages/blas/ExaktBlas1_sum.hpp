// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_SUM_HPP
#define EXAKTBLAS1_SUM_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Sum {
  static constexpr char const* name = "sum";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::sum;

  template <class X>
  static SumOf<X> of(X const& x) {
    return {{x}};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The sum of the entries of x, rounded once: `sum([space,] x)`, or into a View `sum([space,] r, X)`.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Sum> sum{};

}  // namespace Exakt

#endif
