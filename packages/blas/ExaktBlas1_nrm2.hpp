// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_NRM2_HPP
#define EXAKTBLAS1_NRM2_HPP

#include "reduce/ExaktBlas_ReductionVerbs.hpp"

namespace Exakt {

/// \brief The Euclidean norm of x: the root of the exact sum of x(i)^2, of complex numbers of |x(i)|^2,
///        rounded once: a real number.
///
/// No square over- or underflows: the norm of (3e200, 4e200) is 5e200, that of (3e-200, 4e-200) is 5e-200.
///
/// Method: an enclosure of the sum, which nearly always proves how it rounds (Ziv's test), else the exact sum.
///
/// \param space  Where to run; waited for.
/// \param x      n entries of any layout, read; float, double, Kokkos' half types, or complex numbers.
/// \param mode   How the exact value is rounded.
/// \return The norm, in the type of x's entries; 0 for no entries. NaN, infinities and the sign of zero as in
///         SumAccumulator::round.
/// \par Cost  One pass over the operands, at the speed of memory; a second one where the sum cancels or is next to a
///      tie.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG auto nrm2(Space const& space, X const& x, Rounding mode = Rounding::to_nearest) {
  return Impl::reduce_to_number<Impl::Nrm2>(space, mode, x);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X>
EXAKT_ABI_TAG auto nrm2(X const& x, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X>());
  return Impl::reduce_to_number<Impl::Nrm2>(typename X::execution_space(), mode, x);
}

/// \brief The same of each column, written to r and rounded to nearest in the type of its entries.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param r      Written: a View of rank 0 for vectors, or one of m entries for multivectors of m columns.
/// \param x      n entries, or n x m, of any layout, read.
/// \throws std::invalid_argument  r does not have an entry for each column, or overlaps an operand.
template <Impl::ExecutionSpace Space, class R, class X>
EXAKT_ABI_TAG void nrm2(Space const& space, R const& r, X const& x) {
  Impl::reduce_to_view<Impl::Nrm2>(space, r, x);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace R, class X>
EXAKT_ABI_TAG void nrm2(R const& r, X const& x) {
  static_assert(Impl::require_views<R, X>());
  Impl::reduce_to_view<Impl::Nrm2>(typename X::execution_space(), r, x);
}

}  // namespace Exakt

#endif
