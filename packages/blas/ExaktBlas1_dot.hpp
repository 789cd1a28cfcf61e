// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_DOT_HPP
#define EXAKTBLAS1_DOT_HPP

#include "reduce/ExaktBlas_ReductionVerbs.hpp"

namespace Exakt {

/// \brief The sum of x(i) * y(i), rounded once.
///
/// No product is rounded, overflows or underflows; 0 * inf is NaN. Of complex numbers it is the sum of
/// conj(x(i)) * y(i), as in Kokkos Kernels; its real and its imaginary part are rounded once each.
///
/// Method: an enclosure of the sum, which nearly always proves how it rounds (Ziv's test), else the exact sum.
///
/// \param space  Where to run; waited for.
/// \param x, y   n entries each, of any layout, read; float, double, or Kokkos' half types, also mixed, or complex
///               numbers of float and double.
/// \param mode   How the exact value is rounded.
/// \return The sum, in the wider type of the two; 0 for no entries. NaN, infinities and the sign of zero as in
///         SumAccumulator::round.
/// \throws std::invalid_argument  x and y differ in length.
/// \par Cost  One pass over the operands, at the speed of memory; a second one where the sum cancels or is next to a
///      tie.
template <Impl::ExecutionSpace Space, class X, class Y>
EXAKT_ABI_TAG auto dot(Space const& space, X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  return Impl::reduce_to_number<Impl::Dot>(space, mode, x, y);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X, class Y>
EXAKT_ABI_TAG auto dot(X const& x, Y const& y, Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X, Y>());
  return Impl::reduce_to_number<Impl::Dot>(typename X::execution_space(), mode, x, y);
}

/// \brief The same of each column, written to r and rounded to nearest in the type of its entries.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param r      Written: a View of rank 0 for vectors, or one of m entries for multivectors of m columns.
/// \param x, y   n entries, or n x m, of any layout, read.
/// \throws std::invalid_argument  x and y differ in shape, r does not have an entry for each column, or overlaps an
///          operand.
template <Impl::ExecutionSpace Space, class R, class X, class Y>
EXAKT_ABI_TAG void dot(Space const& space, R const& r, X const& x, Y const& y) {
  Impl::reduce_to_view<Impl::Dot>(space, r, x, y);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace R, class X, class Y>
EXAKT_ABI_TAG void dot(R const& r, X const& x, Y const& y) {
  static_assert(Impl::require_views<R, X, Y>());
  Impl::reduce_to_view<Impl::Dot>(typename X::execution_space(), r, x, y);
}

}  // namespace Exakt

#endif
