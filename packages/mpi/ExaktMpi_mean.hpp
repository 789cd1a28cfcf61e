// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MEAN_HPP
#define EXAKTMPI_MEAN_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_mean.hpp>

namespace Exakt::Mpi {

/// \brief The mean of the entries of x of all ranks, the exact global sum divided by the global count and rounded once:
/// `mean(comm, [space,] x)`.
///
/// NaN for no entries. Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Exakt::Impl::Mean> mean{};

}  // namespace Exakt::Mpi

#endif
