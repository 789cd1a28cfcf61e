// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::nrm2_squared;

template <class T>
Exact squares_of(std::vector<T> const& x) {
  Exact sum;
  for (T const entry : x) sum.add_product(entry, entry);
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("nrm2_squared over ranks is the sum of all squares, rounded once in every direction", "", double,
                   float) {
  using T = TestType;
  Random random(985);
  EveryCommunicator const comms;
  std::vector<std::vector<T>> all{{}};
  for (auto const& family : short_families<T>()) all.push_back(family.make(random));
  for (auto const& family : long_families<T>()) all.push_back(family.make(random));
  for (auto const& x : all) {
    INFO(x.size() << " entries");
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const part = part_of(x, random_owners(random, x.size(), size_of(comm)), rank_in(comm));
    auto const exact = squares_of(x);
    EXAKT_CHECK_BITS(nrm2_squared(comm, contiguous(part)), exact.template round<T>());
    for (Rounding const mode : every_rounding) {
      INFO(name_of(mode));
      EXAKT_CHECK_BITS(nrm2_squared(comm, Kokkos::DefaultHostExecutionSpace(), strided(part), mode),
                       exact.template round<T>(mode));
    }
  }
}

TEST_CASE("nrm2_squared over ranks has the same bits in hostile environments on one rank and on all") {
  Random random(986);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::vector<double> x(5'000);
  for (double& entry : x) entry = random.value<double>(random.between(-545, -525));  // squares around the smallest
  auto const expected = squares_of(x).round<double>();
  auto const part = contiguous(part_of(x, random_owners(random, x.size(), ranks), rank));
  for (auto const& settings : every_fp_environment())
    for (bool const everywhere : {false, true}) {
      INFO(settings.name << (everywhere ? " on all ranks" : " on the last rank"));
      double actual = 0;
      {
        ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                        ScopedFpEnvironment::Threads::all);
        actual = nrm2_squared(MPI_COMM_WORLD, part);
      }
      EXAKT_CHECK_BITS(actual, expected);
    }
}

TEST_CASE("nrm2_squared refuses a null communicator") {
  CHECK(refusal_of([] { nrm2_squared(MPI_COMM_NULL, HostVector<double>("x", 3)); }) ==
        "Exakt::Mpi::nrm2_squared: comm is MPI_COMM_NULL; it must be a communicator of this rank");
}
