// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_HISTOGRAM_HPP
#define EXAKTSCATTER_HISTOGRAM_HPP

/// \file
/// \brief The kernel that adds the weight of a number to its bin.

#include "../ExaktScatter_ScatterCache.hpp"

#include <Exakt_Reducer.hpp>
#include <numerics/Exakt_BinOf.hpp>
#include <parallel/Exakt_HostCopies.hpp>
#include <parallel/Exakt_OperandChecks.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The weights of some entries.
template <class Space, class X, class Weights, class Edges, class Bins>
struct AddWeights {
  /// Hosts combine the terms of a thread; threads of a device read neighbours.
  static constexpr std::int64_t at_once = runs_on_host<Space> ? 4096 : 1;

  X x;
  Weights weights;
  Edges edges;
  Bins bins;
  std::int64_t n;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t block) const {
    std::int64_t const begin = block * at_once, end = n - begin < at_once ? n : begin + at_once;
    if constexpr (runs_on_host<Space>) {
      ScatterCache<Bins> cache(bins);
      add(begin, end, cache);
    } else {
      add(begin, end, bins);
    }
  }

 private:
  template <class To>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t begin, std::int64_t end, To& to) const {
    for (std::int64_t i = begin; i < end; ++i) {
      auto const k = static_cast<std::size_t>(i);
      std::int64_t const bin = bin_of(exact_double(x(k)), edges);
      if (bin >= 0) to.add(bin, weights(k));
    }
  }
};

/// \throws std::invalid_argument  unless there are edges, none of them NaN, each at least the one before.
template <class Space, class Edges>
void require_ascending_edges(char const* function, Space const& space, Edges const& edges) {
  std::size_t const count = edges.extent(0);
  if (count < 2)
    refuse_scatter(function, "edges has " + counted_entries(static_cast<std::int64_t>(count)) + "; a bin needs two");
  auto const here = entries_on_host(space, edges);
  for (std::size_t i = 1; i < count; ++i) {
    double const before = exact_double(here(i - 1)), edge = exact_double(here(i));
    if (!(before <= edge))
      refuse_scatter(function, "edges(" + std::to_string(i - 1) + ") is " + number_in_message(before) + ", edges(" +
                                   std::to_string(i) + ") is " + number_in_message(edge) + "; edges must ascend");
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
