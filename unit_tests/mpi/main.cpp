// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of the tests, between MPI_Init and MPI_Finalize; and what the library says before and after.
#include "ExaktTest_Main.hpp"
#include "ExaktTest_Ranks.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

bool refuses_with(std::string const& expected) {
  Exakt::SumAccumulator<double> sum;
  auto const refusal = ExaktTest::refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum); });
  if (refusal == expected) return true;
  std::printf("expected: %s\ngot:      %s\n", expected.c_str(), refusal.c_str());
  return false;
}

/// A launcher of another MPI starts as many programs of one rank each.
bool has_wanted_ranks() {
  char const* const wanted = std::getenv("EXAKT_TEST_RANKS");
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (wanted == nullptr || std::to_string(ranks) == wanted) return true;
  std::fprintf(stderr, "EXAKT_TEST_RANKS=%s, but MPI_COMM_WORLD has %d ranks\n", wanted, ranks);
  return false;
}

}  // namespace

int main(int argc, char* argv[]) {
  bool as_expected = refuses_with("error: Exakt::Mpi::allreduce: MPI is not initialized; call MPI_Init first");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int const status = has_wanted_ranks() ? ExaktTest::run(argc, argv) : 1;
  MPI_Finalize();
  as_expected = refuses_with("error: Exakt::Mpi::allreduce: MPI has already been finalized") && as_expected;
  return as_expected ? status : 1;
}
