// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SPMV_HPP
#define EXAKTMPI_SPMV_HPP

#include "ExaktMpi_SpmvPlan.hpp"
#include "impl/ExaktMpi_HaloTranspose.hpp"

namespace Exakt::Mpi {

/// \brief y := alpha*op(A)*x + beta*y for a sparse matrix whose rows are spread over the ranks, the whole right side rounded
/// once per entry: the same bits for any number of ranks, any partition of rows and of x, and any order of the entries
/// of a row.
///
///     Exakt::Mpi::SpmvPlan const plan(comm, A, n);                  // once
///     Exakt::Mpi::spmv(comm, "N", alpha, A, x, beta, y, plan);      // in each step
///
/// Method: each rank sends its neighbours the entries of x that their rows need, as they are, and does Exakt::spmv. With
/// the transpose, entries of A in columns of other ranks go there, each with the x of its row. So each sum is of one rank.
///
/// \param comm   All its ranks call, with the same types.
/// \param space  Where to run; waited for.
/// \param mode   "N", "T", "C" or "H": op(A) is A, its transpose, its conjugate, its conjugate transpose. The same on all
///               ranks.
/// \param alpha  As for Exakt::spmv; if zero, A and x are not read and nothing is exchanged. The same on all ranks.
/// \param A      This rank's rows, of the graph that the plan was made of, which has the columns: those of A
///               are not read again. There may be none. Its values are read, and may be others in each call.
/// \param x      The entries of x that this rank has in the plan, in its order (with modes T and H at least an entry for
///               each row of A on this rank); or, of rank 2, a vector per column. Read.
/// \param beta   Factor of y; if zero, y is not read. The same on all ranks.
/// \param y      At least an entry for each row of A on this rank (with modes T and H those that this rank has in the
///               plan), of the rank of x, read and written; complex if anything else is. It overlaps nothing. Entries
///               behind the last row stay as they are.
/// \param plan   Made on the same ranks.
/// \throws std::invalid_argument  On every rank, if on one extents or numbers of entries disagree, mode is unknown or
///                                y overlaps x or A; if what must be the same is not. Nothing was written.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  Exakt::spmv of this rank's rows, a copy of its x, a message of three words among all ranks, and one to each
///            neighbour. Memory for this rank's x and what it receives, kept by the plan. Modes T and H also copy the
///            values of A, into memory that the plan keeps, and send two messages; the first of them makes the structure
///            of the transpose, of 8 bytes for each entry of A, with some all-to-all messages.
template <Exakt::Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y, class MemorySpace>
EXAKT_ABI_TAG void spmv(MPI_Comm comm, Space const& space, ModeLetter mode, F const& alpha, A const& a, X const& x,
                        G const& beta, Y const& y, SpmvPlan<MemorySpace> const& plan) {
  static_assert(Exakt::Impl::require_sparse_operand<Space, A>());
  static_assert(Exakt::Impl::require_operand<Space, X, Exakt::Impl::RealOf>() &&
                Exakt::Impl::require_operand<Space, Y, Exakt::Impl::RealOf>() && Exakt::Impl::require_output<Y>());
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y are both vectors, or both have a vector per column");
  static_assert(
      Kokkos::SpaceAccessibility<Space, MemorySpace>::accessible,
      "Exakt: the execution space must reach the memory of the plan, which is that of the values of its matrix");
  Impl::Communicator const ranks("spmv", comm);
  auto& state = Impl::StateOfPlan::of(plan);
  auto const scale = Exakt::Impl::factor(alpha), old_scale = Exakt::Impl::factor(beta);
  Exakt::Impl::in_region("Exakt::Mpi::spmv", [&] {
    Impl::agree(ranks, Impl::same_in_spmv, [&] {
      Impl::require_spmv_operands(ranks, state, mode, a, x, y);
      Impl::Checksum same;
      same.add(mode.is('N') ? 0 : mode.is('T') ? 1 : mode.is('C') ? 2 : 3);
      Impl::add(same, scale);
      Impl::add(same, old_scale);
      same.add(Impl::column_count_of(x));
      same.add_types<typename std::decay_t<decltype(a.values)>::non_const_value_type, Impl::EntryOf<X>,
                     Impl::EntryOf<Y>>();
      return same.value();
    });
    bool const is_transposed = mode.is('T') || mode.is('H');
    if (scale.is_zero()) {
      Exakt::Impl::scale_entries("Exakt::Mpi::spmv", space, old_scale,
                                 Exakt::Impl::first_rows(y, (is_transposed ? state.own : state.rows) * state.block));
    } else if (is_transposed) {
      space.fence();
      Impl::multiply_distributed_transpose(ranks, space, state, mode, alpha, a, x, beta, y);
    } else {
      space.fence();
      Impl::multiply_distributed_rows(ranks, space, state, mode, alpha, a, x, beta, y);
    }
    space.fence();
  });
}

/// \brief The same on the execution space of the values of A.
template <class F, class A, class X, class G, class Y, class MemorySpace>
EXAKT_ABI_TAG void spmv(MPI_Comm comm, ModeLetter mode, F const& alpha, A const& a, X const& x, G const& beta,
                        Y const& y, SpmvPlan<MemorySpace> const& plan) {
  static_assert(Exakt::Impl::CompressedRows<A>,
                "Exakt: a sparse matrix has the members graph.row_map, graph.entries, values and numCols(), as "
                "KokkosSparse::CrsMatrix has them; of Views take Exakt::crs_matrix(row_map, entries, values, columns)");
  spmv(comm, typename std::decay_t<decltype(a.values)>::execution_space(), mode, alpha, a, x, beta, y, plan);
}

}  // namespace Exakt::Mpi

#endif
