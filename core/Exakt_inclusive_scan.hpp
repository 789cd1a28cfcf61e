// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_INCLUSIVE_SCAN_HPP
#define EXAKT_INCLUSIVE_SCAN_HPP

#include "parallel/Exakt_Scan.hpp"

namespace Exakt {

/// \brief r(i) := x(0) + ... + x(i), each entry the exact sum, rounded once.
///
/// The sums are kept as two doubles that hold them exactly, or nearly with a proved bound, and in a long accumulator
/// where these do not decide a rounding. Whatever the number of threads, no entry depends on the rounding of another.
///
/// \param space  Where to run; the work is enqueued.
/// \param x      n entries, or n x m: then each column is scanned. Any layout; float, double, or Kokkos' half types.
/// \param r      As many entries, written: of any layout and of any of these types, to which each sum is rounded. It may
///               be x itself.
/// \throws std::invalid_argument  The extents differ, or r overlaps x and is not x.
/// \par Special values  As in SumAccumulator::round, of the terms up to and with i: an infinity or NaN stays to the end, and
///      an exact zero is +0.
/// \par Cost  One pass over x and r; on several threads a second one over x. On devices a Kokkos::parallel_scan of four doubles
///      for each term; some hundred entries that these do not decide are added by teams, and where there are more, all is done
///      again in exact chunks. perf_tests/core/perf_scan.
template <Impl::ExecutionSpace Space, class X, class R>
EXAKT_ABI_TAG void inclusive_scan(Space const& space, X const& x, R const& r) {
  Impl::scan<true>("inclusive_scan", space, x, r);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X, class R>
EXAKT_ABI_TAG void inclusive_scan(X const& x, R const& r) {
  static_assert(Impl::require_views<X, R>());
  Exakt::inclusive_scan(typename X::execution_space(), x, r);  // Kokkos has one in the namespace of some spaces
}

}  // namespace Exakt

#endif
