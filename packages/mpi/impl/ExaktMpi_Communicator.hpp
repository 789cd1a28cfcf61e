// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_COMMUNICATOR_HPP
#define EXAKTMPI_COMMUNICATOR_HPP

/// \file
/// \brief Checks of MPI and of communicators, and the messages of failures. The checks stay on in Release.

#include "../ExaktMpi_Method.hpp"

#include <parallel/Exakt_Region.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

inline std::string full_name(char const* function) { return std::string("Exakt::Mpi::") + function; }

/// What profilers see of a call.
inline Exakt::Impl::Region region_of(char const* function) { return Exakt::Impl::Region(full_name(function)); }

[[noreturn]] inline void refuse(char const* function, std::string const& what) {
  throw std::invalid_argument(full_name(function) + ": " + what);
}

inline void require_success(char const* function, char const* call, int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(full_name(function) + ": " + call + " failed: " + std::string(text, static_cast<std::size_t>(length)),
              code);
}

/// MPI can be called.
inline void require_running(char const* function) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0)
    throw Error(full_name(function) + ": MPI is not initialized; call MPI_Init first", MPI_ERR_OTHER);
  MPI_Finalized(&finalized);
  if (finalized != 0) throw Error(full_name(function) + ": MPI has already been finalized", MPI_ERR_OTHER);
}

/// The ranks to which a result goes: all, or one.
inline constexpr int all_ranks = -1;

/// \brief A communicator on loan from the user: while this lives, its errors come back as codes. Its own error handler,
/// which ends the program unless the user chose another one, returns at the end of the scope.
class Communicator {
 public:
  Communicator(char const* function, MPI_Comm comm) : m_function(function), m_comm(comm) {
    require_running(function);
    if (comm == MPI_COMM_NULL) refuse("comm is MPI_COMM_NULL; it must be a communicator of this rank");
    check("MPI_Comm_get_errhandler", MPI_Comm_get_errhandler(comm, &m_handler));
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    try {
      int between_groups = 0;
      check("MPI_Comm_test_inter", MPI_Comm_test_inter(comm, &between_groups));
      if (between_groups != 0) refuse("comm is an intercommunicator; it must join the ranks of one group");
      check("MPI_Comm_size", MPI_Comm_size(comm, &m_size));
      check("MPI_Comm_rank", MPI_Comm_rank(comm, &m_rank));
    } catch (...) {
      give_back();
      throw;
    }
  }
  ~Communicator() { give_back(); }
  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;

  operator MPI_Comm() const { return m_comm; }
  int size() const { return m_size; }
  int rank() const { return m_rank; }
  /// Whether this rank gets the result.
  bool receives(int root) const { return root == all_ranks || root == m_rank; }

  /// \throws Error  `code` is not MPI_SUCCESS.
  void check(char const* call, int code) const { require_success(m_function, call, code); }

  [[noreturn]] void refuse(std::string const& what) const { Impl::refuse(m_function, what); }

  void require_root(int root) const {
    if (root >= 0 && root < m_size) return;
    refuse("root is " + std::to_string(root) + ", comm has " + std::to_string(m_size) +
           (m_size == 1 ? " rank" : " ranks") + "; root must be from 0 to " + std::to_string(m_size - 1));
  }

 private:
  void give_back() {
    MPI_Comm_set_errhandler(m_comm, m_handler);
    MPI_Errhandler_free(&m_handler);
  }

  char const* m_function;
  MPI_Comm m_comm;
  MPI_Errhandler m_handler = MPI_ERRHANDLER_NULL;
  int m_size = 1, m_rank = 0;
};

/// \brief Reduces in place: afterwards the ranks to which the result goes have it in `buffer`.
template <class T>
void reduce_in_place(Communicator const& comm, T* buffer, int count, MPI_Datatype type, MPI_Op op, int root) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (root == all_ranks) {
    comm.check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, buffer, count, type, op, comm));
  } else if (comm.rank() != root) {
    comm.check("MPI_Reduce", MPI_Reduce(buffer, nullptr, count, type, op, root, comm));
  } else {
    // FIXME(mpich<4.1): 4.0.2 crashes in MPI_Reduce of some KB with MPI_IN_PLACE; otherwise that would do.
    auto const received = std::make_unique<T[]>(static_cast<std::size_t>(count));
    comm.check("MPI_Reduce", MPI_Reduce(buffer, received.get(), count, type, op, root, comm));
    std::copy_n(received.get(), count, buffer);
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
