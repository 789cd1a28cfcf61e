// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_DISTRIBUTION_HPP
#define EXAKTMPI_DISTRIBUTION_HPP

namespace Exakt::Mpi {

/// \brief How a matrix is spread over the ranks.
enum class Distribution {
  rows,    ///< A rank has some of the rows, whole.
  columns  ///< A rank has some of the columns, whole.
};

}  // namespace Exakt::Mpi

#endif
