// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SUM_HPP
#define EXAKTMPI_SUM_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_sum.hpp>

namespace Exakt::Mpi {

/// \brief The sum of the entries of x of all ranks, rounded once: `sum(comm, [space,] x)`.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Exakt::Impl::Sum> sum{};

}  // namespace Exakt::Mpi

#endif
