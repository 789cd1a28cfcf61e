// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_NRM2_HPP
#define EXAKTMPI_NRM2_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_nrm2.hpp>

namespace Exakt::Mpi {

/// \brief The Euclidean norm of x over all ranks, the root of the exact global sum of squares rounded once: `nrm2(comm,
/// [space,] x)`.
///
/// Impl::Reduction describes operands, result, errors and cost.
inline constexpr Impl::Reduction<Exakt::Impl::Nrm2> nrm2{};

}  // namespace Exakt::Mpi

#endif
