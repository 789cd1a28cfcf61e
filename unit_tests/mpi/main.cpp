// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of the tests, between MPI_Init and MPI_Finalize; and what the library says before and after.
#include "ExaktTest_Main.hpp"
#include "ExaktTest_Ranks.hpp"

#include <cstdio>

namespace {

bool refuses_with(std::string const& expected) {
  Exakt::SumAccumulator<double> sum;
  auto const refusal = ExaktTest::refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum); });
  if (refusal == expected) return true;
  std::printf("expected: %s\ngot:      %s\n", expected.c_str(), refusal.c_str());
  return false;
}

}  // namespace

int main(int argc, char* argv[]) {
  bool as_expected = refuses_with("error: Exakt::Mpi::allreduce: MPI is not initialized; call MPI_Init first");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int const status = ExaktTest::run(argc, argv);
  MPI_Finalize();
  as_expected = refuses_with("error: Exakt::Mpi::allreduce: MPI has already been finalized") && as_expected;
  return status != 0 || !as_expected ? 1 : 0;
}
