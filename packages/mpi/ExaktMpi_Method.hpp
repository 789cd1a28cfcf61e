// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_METHOD_HPP
#define EXAKTMPI_METHOD_HPP

#include <numerics/Exakt_Abi.hpp>

#include <stdexcept>
#include <string>

namespace Exakt::Mpi {

/// \brief How accumulators travel: the two ways of Collange et al. (2015), section 4. The bits are the same.
enum class Method {
  words,        ///< The digits as MPI_INT64_T under the built-in MPI_SUM: any MPI, any network offload.
  accumulators  ///< Whole accumulators under an MPI_Op of our own, which merges them.
};

/// \brief A call to MPI failed, or came before MPI_Init or after MPI_Finalize. The text ends with MPI's own.
class Error : public std::runtime_error {
 public:
  EXAKT_ABI_TAG Error(std::string const& what, int code) : std::runtime_error(what), m_code(code) {}
  EXAKT_TAGGED_COPIES(Error);

  /// \brief What MPI returned; MPI_ERR_OTHER if MPI could not be called.
  EXAKT_ABI_TAG int code() const { return m_code; }

 private:
  int m_code;
};

}  // namespace Exakt::Mpi

#endif
