// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_DEMOKERNELS_HPP
#define EXAKTTOOL_DEMOKERNELS_HPP

#include "ExaktTool_DemoData.hpp"

#include <array>
#include <optional>
#include <vector>

namespace Exakt::Tool {

/// The same sum (or mean) by ordinary addition and exactly.
struct DemoValues {
  double plain_double, exact_double;
  float plain_float, exact_float;
};

/// Sums in the order of the indices, on one thread.
DemoValues sum_in_order(DemoData const& data, std::vector<std::size_t> const& order);

constexpr std::size_t demo_data_sets = 2;

/// What Kokkos with some number of threads made of the data.
struct DemoParallel {
  std::array<DemoValues, demo_data_sets> values;
  double plain_speed;    ///< Kokkos::parallel_reduce with Kokkos' own sum; elements per second
  double reducer_speed;  ///< Kokkos::parallel_reduce with ExactSum
  double bulk_speed;     ///< whole blocks of the array at once, as exakt sum does
};

/// \brief Runs Kokkos with so many threads, in a process of its own: Kokkos starts once in the life of a process.
/// \return Nothing if this Kokkos cannot have so many threads.
/// \throws Failure  That process failed.
std::optional<DemoParallel> sum_in_parallel(std::array<DemoData, demo_data_sets> const& sets, unsigned threads);

}  // namespace Exakt::Tool

#endif
