// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SEGMENTED_SUM_HPP
#define EXAKT_SEGMENTED_SUM_HPP

#include "parallel/Exakt_Segments.hpp"

namespace Exakt {

/// \brief r(s) := x(offsets(s)) + ... + x(offsets(s + 1) - 1), each sum rounded once; of an empty segment +0.
///
/// The rows of a compressed matrix, the groups of sorted data, the cells of particles in order.
///
/// \param space    Where to run. The offsets are waited for, the sums are enqueued.
/// \param offsets  One more than there are segments, of any integer type, read: they do not decrease, and lie between
///                 0 and x.extent(0). Terms before the first or from the last one on belong to no segment.
/// \param x        The terms, read: of any layout; float, double, or Kokkos' half types.
/// \param r        An entry for each segment, written: of any layout and of any of these types, to which each sum is
///                 rounded. It does not overlap x or offsets.
/// \throws std::invalid_argument  r has not one entry less than offsets, offsets decrease or lie outside of x, or r
///         shares memory with what is read.
/// \par Special values  NaN, infinities and the sign of zero as in SumAccumulator::round.
/// \par Cost  One pass over x. perf_tests/core/perf_segmented_sum.
template <Impl::ExecutionSpace Space, class Offsets, class X, class R>
EXAKT_ABI_TAG void segmented_sum(Space const& space, Offsets const& offsets, X const& x, R const& r) {
  Impl::segmented_sum("segmented_sum", space, offsets, x, r);
}

/// \brief The same on the execution space of x.
template <class Offsets, class X, class R>
EXAKT_ABI_TAG void segmented_sum(Offsets const& offsets, X const& x, R const& r) {
  static_assert(Impl::require_views<Offsets, X, R>());
  segmented_sum(typename X::execution_space(), offsets, x, r);
}

}  // namespace Exakt

#endif
