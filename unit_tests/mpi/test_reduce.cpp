// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using A = Exakt::SumAccumulator<double>;

}  // namespace

TEST_CASE("reduce gives the root the exact sum and leaves the others alone") {
  Random random(930);
  auto const& cases = stored_sum_cases<double>(case_factor(), 931);
  for (MPI_Comm const comm : EveryCommunicator()) {
    for (int const root : {0, size_of(comm) - 1}) {
      for (Method const method : every_method) {
        Kokkos::View<A*, Kokkos::HostSpace> const sums("sums", cases.size());
        for (std::size_t i = 0; i < cases.size(); ++i) {
          INFO(cases[i].family);
          auto const owners = random_owners(random, cases[i].terms.size(), size_of(comm));
          A const part = sum_of_part<A>(cases[i].terms, owners, rank_in(comm));
          sums(i) = part;
          A sum = part;
          Exakt::Mpi::reduce(comm, sum, root, method);
          if (rank_in(comm) == root) {
            check_accumulator<double>(sum, cases[i].terms.size(), cases[i].expected);
          } else {
            EXAKT_CHECK(sum == part);
          }
        }
        auto const before = Kokkos::create_mirror(sums);
        Kokkos::deep_copy(before, sums);
        Exakt::Mpi::reduce(comm, sums, root, method);
        for (std::size_t i = 0; i < cases.size(); ++i) {
          INFO(cases[i].family << ", entry " << i);
          if (rank_in(comm) == root) {
            check_accumulator<double>(sums(i), cases[i].terms.size(), cases[i].expected);
          } else {
            EXAKT_CHECK(sums(i) == before(i));
          }
        }
      }
    }
  }
}

TEST_CASE("reduce refuses a root that is no rank") {
  int const ranks = size_of(MPI_COMM_WORLD);
  std::string const n = std::to_string(ranks);
  auto const refusal_for = [](int root) {
    A sum;
    return refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, sum, root); });
  };
  std::string const expected =
      ", comm has " + n + (ranks == 1 ? " rank" : " ranks") + "; root must be from 0 to " + std::to_string(ranks - 1);
  CHECK(refusal_for(ranks) == "Exakt::Mpi::reduce: root is " + n + expected);
  CHECK(refusal_for(-1) == "Exakt::Mpi::reduce: root is -1" + expected);
  CHECK(refusal_for(ranks - 1) == "no refusal");
  CHECK(refusal_for(std::numeric_limits<int>::min()) == "Exakt::Mpi::reduce: root is -1" + expected);
  // Of Views on each rank, or on one that is alone.
  Kokkos::View<A, Kokkos::HostSpace> const single("single");
  Kokkos::View<A*, Kokkos::HostSpace> const many("many", 3);
  for (Method const method : every_method)
    for (int const root : {ranks, -1, std::numeric_limits<int>::min()}) {
      std::string const wanted = "Exakt::Mpi::reduce: root is " + (root == ranks ? n : "-1") + expected;
      CHECK(refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, single, root, method); }) == wanted);
      CHECK(refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, many, root, method); }) == wanted);
    }
}

TEST_CASE("of Views and bins, roots that differ are refused on every rank, and the next call goes well") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  Kokkos::View<A*> const sums("sums", 3);
  Kokkos::View<Exakt::Binned<double, 3>*> const binned("binned", 3);
  Exakt::ScatterSum<double> const bins("bins", 3);
  auto const refusal = [&](auto const& operand, int root, auto... method) {
    return refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, operand, root, method...); });
  };
  std::string const function = "Exakt::Mpi::reduce: ",
                    elsewhere = function + "another rank refused its operands or failed; it says why";
  std::string const differ =
      function + "all ranks must give the same type of accumulators and the same method, and the same root";
  for (int const bad : {ranks, -1})
    for (int const where : {0, ranks - 1}) {
      int const root = rank == where ? bad : 0;
      std::string const expected = rank == where ? function + "root is " + std::to_string(bad) + ", comm has " +
                                                       std::to_string(ranks) + " ranks; root must be from 0 to " +
                                                       std::to_string(ranks - 1)
                                                 : elsewhere;
      for (Method const method : every_method) CHECK(refusal(sums, root, method) == expected);
      CHECK(refusal(bins, root) == expected);
    }
  int const least = std::numeric_limits<int>::min();
  for (int const bad : {least, -1, ranks}) {
    std::string const expected = function + "root is " + std::to_string(bad == least ? -1 : bad) + ", comm has " +
                                 std::to_string(ranks) + " ranks; root must be from 0 to " + std::to_string(ranks - 1);
    for (Method const method : every_method) CHECK(refusal(sums, bad, method) == expected);
    CHECK(refusal(bins, bad) == expected);
  }
  for (Method const method : every_method) CHECK(refusal(sums, rank, method) == differ);
  CHECK(refusal(bins, rank) == function + "all ranks must give the same number and extents of bins, type and root");
  // A method that the sums of one rank do not have.
  CHECK(refusal(binned, 0, rank == 0 ? Method::words : Method::accumulators) ==
        (rank == 0
             ? function +
                   "Method::words needs accumulators with a long accumulator; for this type use Method::accumulators"
             : elsewhere));
  for (Method const method : every_method) CHECK(refusal(sums, ranks - 1, method) == "no refusal");
}
