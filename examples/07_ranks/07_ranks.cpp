// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy of a cooling rod, on any number of ranks: mpirun -n 4 example_07_ranks. The plain energies depend on how
// many ranks there are, the exact ones do not.
#include <ExaktMpi.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>

using Temperatures = Kokkos::View<double*>;

void simulate(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);

  // u_t = u_xx on n cells between two cold ends, by explicit steps. A rank has the cells [begin, end) and computes as
  // many around them as its own will depend on: nobody has to ask a neighbour.
  int const n = 100'000, steps = 30;
  int const begin = static_cast<int>(static_cast<long>(n) * rank / ranks);
  int const end = static_cast<int>(static_cast<long>(n) * (rank + 1) / ranks);
  int const first = std::max(begin - steps, 0), last = std::min(end + steps, n);
  Temperatures u("u", last - first), next("next", last - first);
  Kokkos::parallel_for(
      last - first, KOKKOS_LAMBDA(int i) {
        int const cell = first + i;
        u(i) = cell == n / 3 ? 1e9 : 1.0 / (1 + cell % 1000);
      });

  for (int step = 0; step <= steps; ++step) {
    if (step % 10 == 0) {
      auto const own = Kokkos::subview(u, std::pair<int, int>(begin - first, end - first));
      double plain = 0;
      Kokkos::parallel_reduce(
          end - begin, KOKKOS_LAMBDA(int i, double& sum) { sum += own(i) * own(i); }, plain);
      MPI_Allreduce(MPI_IN_PLACE, &plain, 1, MPI_DOUBLE, MPI_SUM, comm);

      double const energy = Exakt::Mpi::dot(comm, own, own);
      if (rank == 0) std::printf("step %2d: energy %.17g (plain: %.17g)\n", step, energy, plain);
    }
    Kokkos::parallel_for(
        last - first, KOKKOS_LAMBDA(int i) {
          double const left = i > 0 ? u(i - 1) : 0, right = i + 1 < last - first ? u(i + 1) : 0;
          next(i) = u(i) + 0.25 * (left - 2 * u(i) + right);
        });
    std::swap(u, next);
  }
}

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  simulate(MPI_COMM_WORLD);
  Kokkos::finalize();
  MPI_Finalize();
}
