// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_BINOF_HPP
#define EXAKT_BINOF_HPP

#include "Exakt_ExactTerm.hpp"

#include <cstddef>
#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The bin b with edges(b) <= x < edges(b + 1), where the last one has its upper edge, too; -1 for a NaN and for
/// what lies outside of all.
///
/// \pre The default floating-point environment: comparisons are to see subnormal numbers. At least two edges.
template <class Edges>
KOKKOS_INLINE_FUNCTION std::int64_t bin_of(double x, Edges const& edges) {
  auto const edge = [&](std::int64_t i) { return exact_double(edges(static_cast<std::size_t>(i))); };
  std::int64_t low = 0, high = static_cast<std::int64_t>(edges.extent(0)) - 1;
  if (!(x >= edge(0)) || !(x <= edge(high))) return -1;
  if (x == edge(high)) return high - 1;
  while (high - low > 1) {  // edges(low) <= x < edges(high)
    std::int64_t const middle = low + (high - low) / 2;
    if (x >= edge(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
