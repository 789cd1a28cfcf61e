// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_DOT_HPP
#define EXAKTMPI_DOT_HPP

#include "impl/ExaktMpi_Reduction.hpp"

#include <ExaktBlas1_dot.hpp>

namespace Exakt::Mpi {

/// \brief The sum of x(i) * y(i) over all ranks, rounded once: `dot(comm, [space,] x, y)`.
///
/// No product is rounded, over- or underflows on the way; 0 * inf is NaN. Impl::Reduction describes operands, result,
/// errors and cost.
inline constexpr Impl::Reduction<Exakt::Impl::Dot> dot{};

}  // namespace Exakt::Mpi

#endif
