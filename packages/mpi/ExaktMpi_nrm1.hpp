// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_NRM1_HPP
#define EXAKTMPI_NRM1_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_nrm1.hpp>

namespace Exakt::Mpi {

/// \brief The sum of |x(i)| over all ranks, rounded once: `nrm1(comm, [space,] x)`.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Exakt::Impl::Nrm1> nrm1{};

}  // namespace Exakt::Mpi

#endif
