// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SCAN_HPP
#define EXAKTMPI_SCAN_HPP

/// \file
/// \brief Prefixes over ranks: the exact sum of each part, those of the ranks before, then each part from there on.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_Reduction.hpp"

#include <parallel/Exakt_Scan.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// The sum of the sums of all ranks before this one: one MPI_Exscan of words.
template <class Long>
Long sum_of_ranks_before(Communicator const& comm, Long sum) {
  using Format = Words<Long>;
  Format const format(comm.size());
  int const width = format.per_sum();
  std::int64_t mine[Format::at_most + 1], before[Format::at_most + 1] = {};
  mine[width] = format.prepare(sum);
  format.pack(sum, Long::all_digits, mine);
  comm.check("MPI_Exscan", MPI_Exscan(mine, before, width + 1, MPI_INT64_T, MPI_SUM, comm));
  Long result;
  if (comm.rank() == 0) return result;  // MPI writes nothing there
  format.unpack(before, Long::all_digits, result);
  Format::unpack_special(before[width], result);
  return result;
}

template <bool is_inclusive, class Space, class X, class R>
void scan(char const* function, MPI_Comm comm, Space const& space, X const& x, R const& r) {
  static_assert(X::rank == 1 && R::rank == 1, "Exakt: across ranks vectors are scanned");
  using Starts = typename Exakt::Impl::ScanOn<is_inclusive, Space, X, R>::Starts;
  using Long = typename Starts::non_const_value_type;
  Communicator const ranks(function, comm);
  std::string const verb = std::string("Mpi::") + function;
  Exakt::Impl::in_region("Exakt::" + verb, [&] {
    Long sum;
    agree(ranks, "types of x and r", [&] {
      Exakt::Impl::require_scan<Space>(verb.c_str(), x, r);
      sum = exact_part("Exakt::" + verb + "::sum", space, Exakt::Impl::Sum::of(x), x.extent(0));
      return number_of_types<typename X::non_const_value_type, typename R::non_const_value_type>();
    });
    Long before = sum_of_ranks_before(ranks, sum);
    Starts const start(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::scan"), 1);
    Kokkos::deep_copy(space, start, Kokkos::View<Long*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&before, 1));
    Exakt::Impl::scan_columns<is_inclusive>(space, x, r, start);
    space.fence();
  });
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
