// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As pages.cpp, between ranks.
#include <Exakt.hpp>
#include <ExaktMpi.hpp>
#include <ExaktScatter.hpp>

namespace {

void sums(MPI_Comm comm, Exakt::DotAccumulator<double>& energy, Exakt::SumAccumulator<double>& mass) {
  Exakt::Mpi::allreduce(comm, energy, mass);
}

struct Graph {
  Kokkos::View<std::size_t*> row_map;
  Kokkos::View<int*> entries;
};

void assembly(MPI_Comm comm, Graph const& graph, Kokkos::View<std::int64_t*> row_numbers, int own_rows, int elements,
              Kokkos::View<int*> row, Kokkos::View<int*> column, Kokkos::View<double*> x, Kokkos::View<double*> values) {
  Exakt::CrsAssembly<double> S(graph);                                 // own rows, and behind them those of others
  Exakt::Mpi::ExchangePlan const plan(comm, S, row_numbers, own_rows); // once
  Kokkos::parallel_for(elements, KOKKOS_LAMBDA(int e) { S.add(row(e), column(e), x(e)); });
  Exakt::Mpi::exchange(comm, S, plan);
  S.round_to(values);                                                  // own rows: the bits of an assembly on one rank
}

}  // namespace

void samples_of_pages_with_ranks(MPI_Comm comm) {
  Exakt::DotAccumulator<double> energy;
  Exakt::SumAccumulator<double> mass;
  sums(comm, energy, mass);
  assembly(comm, {}, {}, 0, 0, {}, {}, {}, {});
}
