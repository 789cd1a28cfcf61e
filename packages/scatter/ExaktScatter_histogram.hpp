// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_HISTOGRAM_VERB_HPP
#define EXAKTSCATTER_HISTOGRAM_VERB_HPP

#include "impl/ExaktScatter_Histogram.hpp"

#include <parallel/Exakt_Loop.hpp>

namespace Exakt {

/// \brief r(b) := the sum of the weights(i) with edges(b) <= x(i) < edges(b + 1), rounded once; the last bin has its upper
/// edge, too.
///
/// Method: a ScatterSum, a bin each; any thread adds to any bin.
///
/// \param space    Where to run; waited for.
/// \param x        n entries of any layout, read; float, double, or Kokkos' half types. NaN, and what lies outside of all
///                 bins, is left out.
/// \param weights  A weight for each entry, read: float or double.
/// \param edges    m + 1 numbers that ascend, read; at least two. Equal ones make an empty bin,
///                 but for the last bin: it has every x that is its upper edge.
/// \param r        m entries, written: of any floating-point type, to which each sum is rounded.
/// \param mode     The direction of the roundings.
/// \throws std::invalid_argument  x and weights differ in length, edges is not one longer than r, is NaN somewhere or does not
///         ascend, or r shares memory with another operand. Nothing is written then.
/// \par Special values  Of weights as in SumAccumulator::round, each bin by itself.
/// \par Cost  One pass over x and the weights, with a bisection of the edges for each; 320 bytes of memory for a bin.
template <Impl::ExecutionSpace Space, class X, class Weights, class Edges, class R>
EXAKT_ABI_TAG void histogram(Space const& space, X const& x, Weights const& weights, Edges const& edges, R const& r,
                             Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_operand<Space, X>() && Impl::require_operand<Space, Weights>() &&
                Impl::require_operand<Space, Edges>() && Impl::require_operand<Space, R>() &&
                Impl::require_output<R>());
  static_assert(X::rank == 1 && Weights::rank == 1 && Edges::rank == 1 && R::rank == 1,
                "Exakt: x, weights, edges and r are vectors, Views of rank 1");
  using T = typename Weights::non_const_value_type;
  static_assert(Impl::is_float_v<T>, "Exakt: weights are float or double");
  auto const function = "histogram";
  Impl::Region const region("Exakt::histogram");
  Impl::require_same_shape(function, x, weights, "weights");
  if (edges.extent(0) != r.extent(0) + 1)
    Impl::refuse_shapes(function, "r", r, "edges", edges, "edges must have one entry more than r");
  Impl::require_no_overlap(function, "r", r, "x", x);
  Impl::require_no_overlap(function, "r", r, "weights", weights);
  Impl::require_no_overlap(function, "r", r, "edges", edges);
  Impl::in_default_environment([&] { Impl::require_ascending_edges(function, space, edges); });
  using Bins =
      ScatterSum<std::conditional_t<std::is_same_v<typename R::non_const_value_type, double>, double, T>, Space>;
  Bins const bins("Exakt::histogram", static_cast<std::int64_t>(r.extent(0)), Terms::values);
  using Add = Impl::AddWeights<Space, X, Weights, Edges, Bins>;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Impl::loop("Exakt::histogram::add", space, (n + Add::at_once - 1) / Add::at_once, Add{x, weights, edges, bins, n});
  bins.round_to(space, r, mode);
}

/// \brief The same on the execution space of x.
template <Impl::NoExecutionSpace X, class Weights, class Edges, class R>
EXAKT_ABI_TAG void histogram(X const& x, Weights const& weights, Edges const& edges, R const& r,
                             Rounding mode = Rounding::to_nearest) {
  static_assert(Impl::require_views<X, Weights, Edges, R>());
  histogram(typename X::execution_space(), x, weights, edges, r, mode);
}

}  // namespace Exakt

#endif
