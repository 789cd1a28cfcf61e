// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_OPERATION_HPP
#define EXAKTMPI_OPERATION_HPP

/// \file
/// \brief MPI's view of an accumulator as a whole: a datatype of its bytes, and the operation that merges two.

#include "ExaktMpi_Communicator.hpp"

#include <mutex>
#include <type_traits>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief Made at the first use, kept, and freed by MPI_Finalize.
template <class Accumulator>
class Operation {
  static_assert(std::is_trivially_copyable_v<Accumulator>, "Exakt: an accumulator that travels is its bytes");

 public:
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

  static Operation const& get(Communicator const& comm) {
    static std::mutex mutex;
    static Operation kept;
    std::lock_guard const lock(mutex);
    if (kept.op == MPI_OP_NULL) kept.make(comm);
    return kept;
  }

 private:
  void make(Communicator const& comm) {
    comm.check("MPI_Type_contiguous", MPI_Type_contiguous(sizeof(Accumulator), MPI_BYTE, &type));
    comm.check("MPI_Type_commit", MPI_Type_commit(&type));
    constexpr int is_commutative = 1;
    comm.check("MPI_Op_create", MPI_Op_create(&merge, is_commutative, &op));
    // MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF. The key lives as long as the attribute.
    int key = MPI_KEYVAL_INVALID;
    comm.check("MPI_Comm_create_keyval", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &discard, &key, nullptr));
    comm.check("MPI_Comm_set_attr", MPI_Comm_set_attr(MPI_COMM_SELF, key, this));
    comm.check("MPI_Comm_free_keyval", MPI_Comm_free_keyval(&key));
  }

  static int discard(MPI_Comm, int, void* kept, void*) {
    auto& operation = *static_cast<Operation*>(kept);
    int const op_code = MPI_Op_free(&operation.op), type_code = MPI_Type_free(&operation.type);
    return op_code != MPI_SUCCESS ? op_code : type_code;
  }

  /// Called by MPI, whose buffers are aligned for any type of C.
  static void merge(void* in, void* inout, int* count, MPI_Datatype*) {
    auto const* const from = static_cast<Accumulator const*>(in);
    auto* const into = static_cast<Accumulator*>(inout);
    for (int i = 0; i < *count; ++i) into[i] += from[i];
  }
};

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
