// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_MEAN_HPP
#define EXAKTBLAS1_MEAN_HPP

#include "reduce/ExaktBlas_ReductionVerbs.hpp"

namespace Exakt {

/// \brief The mean of the entries of x: their exact sum divided by their number, rounded once; of complex
///        numbers each part.
///
/// Method: an enclosure of the sum, which nearly always proves how it rounds (Ziv's test), else the exact sum.
///
/// \param space  Where to run; waited for.
/// \param x      n entries of any layout, read; float, double, Kokkos' half types, or complex numbers.
/// \param mode   How the exact value is rounded.
/// \return The mean, in the type of x's entries; NaN for no entries. NaN, infinities and the sign of zero as in
///         SumAccumulator::round.
/// \par Cost  One pass over the operands, at the speed of memory; a second one where the sum cancels or is next to a
///      tie.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto mean(Space const& space, X const& x, Rounding mode = Rounding::to_nearest) {
  return Impl::reduce_to_number<Impl::Mean>(space, mode, x);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X>
EXAKT_ABI_TAG auto mean(X const& x, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X>());
  return Impl::reduce_to_number<Impl::Mean>(typename X::execution_space(), mode, x);
}

/// \brief The same of each column, written to r and rounded to nearest in the type of its entries.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param r      Written: a View of rank 0 for vectors, or one of m entries for multivectors of m columns.
/// \param x      n entries, or n x m, of any layout, read.
/// \throws std::invalid_argument  r does not have an entry for each column, or overlaps an operand.
template <Impl::ExecutionSpace Space, class R, class X>
EXAKT_ABI_TAG void mean(Space const& space, R const& r, X const& x) {
  Impl::reduce_to_view<Impl::Mean>(space, r, x);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace R, class X>
EXAKT_ABI_TAG void mean(R const& r, X const& x) {
  static_assert(Impl::require_views<R, X>());
  Impl::reduce_to_view<Impl::Mean>(typename X::execution_space(), r, x);
}

}  // namespace Exakt

#endif
