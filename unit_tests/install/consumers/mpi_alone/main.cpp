// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktMpi_allreduce.hpp>

#include <Exakt_Accumulator.hpp>
#include <Exakt_Version.hpp>

#include <cstdio>
#include <string_view>

static_assert(std::string_view(EXAKT_VERSION) == EXPECTED_VERSION);
static_assert(EXAKT_VERSION_MAJOR == EXPECTED_MAJOR);
static_assert(EXAKT_VERSION_MINOR == EXPECTED_MINOR);
static_assert(EXAKT_VERSION_PATCH == EXPECTED_PATCH);

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Exakt::SumAccumulator<double> sum;
  if (rank == 0) {
    sum += 1e16;
    sum += 1;
  } else {
    sum -= 1e16;
  }
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum);
  if (rank == 0) std::printf("1e16 + 1 - 1e16 = %g\n", sum.round());
  MPI_Finalize();
  return sum.round() == 1 ? 0 : 1;
}
