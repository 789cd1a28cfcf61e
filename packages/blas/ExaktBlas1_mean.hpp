// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_MEAN_HPP
#define EXAKTBLAS1_MEAN_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Mean {
  static constexpr char const* name = "mean";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::mean;

  template <class X>
  static SumOf<X> of(X const& x) {
    return {{x}};
  }
  template <class R>
  static RoundMean<R> round(std::size_t rows, Rounding mode) {
    return {mode, rows};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The mean of the entries of x, the exact sum divided by their number and rounded once: `mean([space,] x)`, or
/// into a View `mean([space,] r, X)`. NaN for no entries.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Mean> mean{};

}  // namespace Exakt

#endif
