// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SMALLSUMS_HPP
#define EXAKTBLAS_SMALLSUMS_HPP

/// \file
/// \brief Reductions of few terms by one kernel: what is asked first, before anything that takes longer than that.

#include "ExaktBlas_Compiled.hpp"

#include <numerics/Exakt_Environment.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Whether a kernel of few terms may be asked at all.
template <class T>
bool are_few_terms(std::size_t n, Rounding mode, Compiled::Matrix<T const> const& x) {
  return n <= small_sum && mode == Rounding::to_nearest && x.row_stride == 1;
}

/// \brief The result for n terms next to each other, rounded to nearest, if one kernel decides it.
///
/// Kernels are called by their addresses: no compiler moves them across a look at the environment.
/// \param y  Of dot only. \pre n <= small_sum, in the default floating-point environment.
template <Compiled::Reduction which, class T>
bool try_small_sum(T const* x, [[maybe_unused]] T const* y, std::size_t n, T& result) {
  using Compiled::Reduction;
  SmallSumsOf<T> const& few = kernels();
  int const count = static_cast<int>(n);
  if constexpr (which == Reduction::sum) return few.sum(x, count, result);
  if constexpr (which == Reduction::nrm1) return few.nrm1(x, count, result);
  if constexpr (which == Reduction::nrm2) return few.nrm2(x, count, result);
  if constexpr (which == Reduction::nrm2_squared) return few.dot(x, x, count, result);
  if constexpr (which == Reduction::dot) return few.dot(x, y, count, result);
  return false;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
