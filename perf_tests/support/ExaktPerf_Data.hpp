// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_DATA_HPP
#define EXAKTPERF_DATA_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace ExaktPerf {

using Space = Kokkos::DefaultHostExecutionSpace;
using Data = Kokkos::View<double*, Kokkos::HostSpace>;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// \brief n numbers of both signs, their magnitudes spread evenly (log-uniformly) over so many decades.
///
/// The generator of Collange et al. (2015), section 4.3, with signs: a uniform significand and a uniform exponent.
/// With 0 decades all exponents are the same. At most 600 decades, around 1.
Data log_uniform(std::int64_t n, int decades, std::uint64_t seed = 1);

/// \brief n numbers of both signs with all exponents of normal doubles, but for the last 20: no sum overflows.
Data full_range(std::int64_t n);

/// \brief n numbers, half of them the negatives of the others, elsewhere in the array: their sum is 0.
Data cancelling(std::int64_t n, int decades);

}  // namespace ExaktPerf

#endif
