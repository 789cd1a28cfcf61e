// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulate, allreduce, round last: mpirun -n 4 example_13_round_last. A field in blocks, spread over ranks; its energy
// and its mass from an interface that returns doubles, and from one that adds to accumulators.
#include <Exakt.hpp>
#include <ExaktMpi_allreduce.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <vector>

struct Block {
  std::vector<double> density, speed;

  /// The interface as it was: each block rounds, each rank rounds, and MPI adds what is left.
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < density.size(); ++i) sum += 0.5 * density[i] * (speed[i] * speed[i]);
    return sum;
  }

  /// As it should be: the caller brings accumulators, for any number of blocks. A term is one plain expression, rounded as
  /// it stands (compile with -ffp-contract=off); of a product the exact value is added.
  void add_to(Exakt::DotAccumulator<double>& energy, Exakt::SumAccumulator<double>& mass) const {
    for (std::size_t i = 0; i < density.size(); ++i) {
      energy.add_product(0.5 * density[i], speed[i] * speed[i]);
      mass += density[i];
    }
  }
};

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<Block> blocks;
    for (int b = rank; b < 97; b += ranks) {
      Block block;
      for (int i = 0; i < 1000; ++i) {
        int const cell = 1000 * b + i;
        block.density.push_back(1 + cell % 997 / 1000.0);
        block.speed.push_back(cell % 89 == 0 ? 1e6 : 1.0 / (1 + cell % 211));
      }
      blocks.push_back(block);
    }

    double plain = 0;
    for (auto const& block : blocks) plain += block.energy();
    MPI_Allreduce(MPI_IN_PLACE, &plain, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    Exakt::DotAccumulator<double> energy;
    Exakt::SumAccumulator<double> mass;
    for (auto const& block : blocks) block.add_to(energy, mass);
    // Too early: a rounding for each rank, and MPI's order. Exact sums on each rank do not help.
    double early = energy.round();
    MPI_Allreduce(MPI_IN_PLACE, &early, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    Exakt::Mpi::allreduce(MPI_COMM_WORLD, energy, mass);
    if (rank == 0) {
      std::printf("exact: energy %a, mass %a\n", energy.round(), mass.round());
      std::printf("plain: energy %a, rounded on each rank %a\n", plain, early);
    }
  }
  Kokkos::finalize();
  MPI_Finalize();
}
