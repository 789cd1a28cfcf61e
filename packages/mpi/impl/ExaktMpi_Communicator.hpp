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
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The ranks to which a result goes: all, or one, as a caller has named it; no number stands for all then.
inline constexpr int all_ranks = std::numeric_limits<int>::min();
inline int root_of_caller(int root) { return root == all_ranks ? -1 : root; }

/// \brief The error handlers of users while errors of their communicators come back as codes: by several calls at once, where MPI
/// allows that; the last one gives the handler back.
class ReplacedHandlers {
 public:
  /// \return MPI's function that failed, and its code; no function, if none did.
  static std::pair<char const*, int> replace(MPI_Comm comm) {
    std::lock_guard const lock(all().mutex);
    auto& list = all().list;
    if (auto const found = find(comm); found != list.end()) {
      ++found->calls;
      return {nullptr, MPI_SUCCESS};
    }
    list.push_back({comm, MPI_ERRHANDLER_NULL, 1});
    if (int const code = MPI_Comm_get_errhandler(comm, &list.back().handler); code != MPI_SUCCESS) {
      list.pop_back();
      return {"MPI_Comm_get_errhandler", code};
    }
    if (int const code = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); code != MPI_SUCCESS) {
      MPI_Errhandler_free(&list.back().handler);
      list.pop_back();
      return {"MPI_Comm_set_errhandler", code};
    }
    return {nullptr, MPI_SUCCESS};
  }
  static void give_back(MPI_Comm comm) {
    std::lock_guard const lock(all().mutex);
    auto const found = find(comm);
    if (--found->calls > 0) return;
    MPI_Comm_set_errhandler(comm, found->handler);
    MPI_Errhandler_free(&found->handler);
    all().list.erase(found);
  }

 private:
  struct Replaced {
    MPI_Comm comm;
    MPI_Errhandler handler;
    int calls;
  };
  struct All {
    std::mutex mutex;
    std::vector<Replaced> list;
  };
  static All& all() {
    static All& one = *new All;  // never destroyed: MPI may outlive static objects
    return one;
  }
  static std::vector<Replaced>::iterator find(MPI_Comm comm) {
    auto& list = all().list;
    return std::find_if(list.begin(), list.end(), [=](Replaced const& one) { return one.comm == comm; });
  }
};

/// \brief A communicator on loan from the user: while this lives, its errors come back as codes. Its own error handler,
/// which ends the program unless the user chose another one, returns at the end of the scope.
class Communicator {
 public:
  Communicator(char const* function, MPI_Comm comm) : m_function(function), m_comm(comm) {
    require_running(function);
    if (comm == MPI_COMM_NULL) refuse("comm is MPI_COMM_NULL; it must be a communicator of this rank");
    if (auto const [call, code] = ReplacedHandlers::replace(comm); call != nullptr) check(call, code);
    try {
      int between_groups = 0;
      check("MPI_Comm_test_inter", MPI_Comm_test_inter(comm, &between_groups));
      if (between_groups != 0) refuse("comm is an intercommunicator; it must join the ranks of one group");
      check("MPI_Comm_size", MPI_Comm_size(comm, &m_size));
      check("MPI_Comm_rank", MPI_Comm_rank(comm, &m_rank));
    } catch (...) {
      ReplacedHandlers::give_back(comm);
      throw;
    }
  }
  ~Communicator() { ReplacedHandlers::give_back(m_comm); }
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
    if (root == all_ranks || (root >= 0 && root < m_size)) return;
    refuse("root is " + std::to_string(root) + ", comm has " + std::to_string(m_size) +
           (m_size == 1 ? " rank" : " ranks") + "; root must be from 0 to " + std::to_string(m_size - 1));
  }

 private:
  char const* m_function;
  MPI_Comm m_comm;
  int m_size = 1, m_rank = 0;
};

/// What f() throws, for a rank that fails takes part in what comes: the others would wait for it forever.
template <class F>
std::exception_ptr failure_of(F const& f) {
  try {
    f();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// \brief Reduces any number of entries, which MPI counts with an int, in place but for a single receiver.
///
/// \param received  As long as `buffer`, if this rank is the only one to receive; else not used.
/// \return Where the result is, on the ranks to which it goes.
template <class T>
T* reduce_many(Communicator const& comm, T* buffer, T* received, std::size_t n, MPI_Datatype type, MPI_Op op,
               int root) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t at_once = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < n; i += at_once) {
    auto const count = static_cast<int>(std::min(at_once, n - i));
    if (root == all_ranks) {
      comm.check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, buffer + i, count, type, op, comm));
    } else {
      // FIXME(mpich<4.1): 4.0.2 crashes in MPI_Reduce of some KB with MPI_IN_PLACE; otherwise that would do.
      T* const result = comm.rank() == root ? received + i : nullptr;
      comm.check("MPI_Reduce", MPI_Reduce(buffer + i, result, count, type, op, root, comm));
    }
  }
  return comm.rank() == root ? received : buffer;
}
template <class T>
void allreduce_in_place(Communicator const& comm, T* buffer, std::size_t n, MPI_Datatype type, MPI_Op op) {
  static_cast<void>(reduce_many<T>(comm, buffer, nullptr, n, type, op, all_ranks));
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
