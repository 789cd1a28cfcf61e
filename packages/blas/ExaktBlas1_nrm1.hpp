// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_NRM1_HPP
#define EXAKTBLAS1_NRM1_HPP

#include "reduce/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

struct Nrm1 {
  static constexpr char const* name = "nrm1";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::nrm1;

  template <class X>
  static AbsoluteSumOf<X> of(X const& x) {
    return {{{x}}};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The sum of |x(i)|, rounded once: `nrm1([space,] x)`, or into a View `nrm1([space,] r, X)`.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Impl::Nrm1> nrm1{};

}  // namespace Exakt

#endif
