// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys, indices and numbers of bins that 64 bits do not hold: two of them would be one.
#include <Exakt_sum_by_key.hpp>
#include <ExaktScatter_ScatterSum.hpp>
#include <ExaktScatter_ordered_scatter_add.hpp>

#include <cstdint>

#ifdef EXAKT_CORRECTED
using Long = std::int64_t;
#else
using Long = __int128;
#endif

namespace {

template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace>;

}  // namespace

std::size_t add(Vector<Long> const& keys, Vector<double> const& x, Exakt::ScatterSum<double*> const& bins) {
  bins.add(keys(0), x(0));
  Exakt::ordered_scatter_add(Kokkos::DefaultHostExecutionSpace(), keys, x, x, 1);
  return Exakt::sum_by_key(keys, x, keys, x);
}
