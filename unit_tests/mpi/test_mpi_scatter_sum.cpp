// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter.hpp>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ScatterSum;
using Exakt::Terms;

/// Terms that all ranks know, each of one rank and one bin, the bins of any rank counted in a row.
template <class T>
struct Contributions {
  std::size_t count;
  std::vector<T> terms;
  std::vector<std::size_t> bins;
  std::vector<int> owners;

  Contributions(Random& random, std::size_t of_bins, std::size_t n, Hardness hardness) : count(of_bins) {
    for (std::size_t k = 0; k < n; ++k) {
      terms.push_back(hard_number<T>(random, hardness));
      bins.push_back(random.between<std::size_t>(0, count - 1));
    }
    owners = random_owners(random, n, size_of(MPI_COMM_WORLD));
  }

  std::vector<Exact> expected() const {
    std::vector<Exact> sums(count);
    for (std::size_t k = 0; k < terms.size(); ++k) sums[bins[k]].add(terms[k]);
    return sums;
  }

  /// add(bin, term) for each of this rank.
  template <class Add>
  void add_own(Add const& add) const {
    for (std::size_t k = 0; k < terms.size(); ++k)
      if (owners[k] == rank_in(MPI_COMM_WORLD)) add(bins[k], terms[k]);
  }
};

template <class T, class Round>
void check_bins(std::vector<Exact> const& expected, Round const& round) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("bin " << i);
    EXAKT_CHECK_BITS(round(i, Exakt::Rounding::to_nearest), expected[i].template round<T>());
    EXAKT_CHECK_BITS(round(i, Exakt::Rounding::upward), expected[i].template round<T>(Exakt::Rounding::upward));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("allreduce of a ScatterSum of any rank: each bin is the exact sum of all ranks'", "", double,
                   float) {
  using T = TestType;
  Random random(9300);
  EveryCommunicator const comms;
  for (Hardness const hardness : every_hardness) {
    INFO(name_of(hardness));
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    Contributions<T> const given(random, 60, 400, hardness);
    auto const expected = given.expected();

    ScatterSum<T> const row("row", 60);
    given.add_own([&](std::size_t i, T x) { row.add(i, x); });
    Exakt::Mpi::allreduce(comm, row);
    check_bins<T>(expected, [&](std::size_t i, auto mode) { return row.round(i, mode); });

    ScatterSum<T* [3]> forces("forces", 20, Terms::values);
    given.add_own([&](std::size_t i, T x) { forces.add(i / 3, i % 3, x); });
    Exakt::Mpi::allreduce(comm, forces);
    check_bins<T>(expected, [&](std::size_t i, auto mode) { return forces.round(i / 3, i % 3, mode); });

    ScatterSum<T**, Kokkos::DefaultExecutionSpace, 32> const table("table", 4, 15);
    given.add_own([&](std::size_t i, T x) { table.add(i / 15, i % 15, x); });
    Exakt::Mpi::allreduce(comm, table);
    check_bins<T>(expected, [&](std::size_t i, auto mode) { return table.round(i / 15, i % 15, mode); });
  }
}

TEST_CASE("reduce of a ScatterSum leaves the bins of the other ranks as they are") {
  Random random(9301);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (int const root : {0, ranks - 1}) {
    Contributions<double> const given(random, 10, 200, Hardness::every_exponent);
    ScatterSum<double> const bins("bins", 10);
    std::vector<Exact> own(10);
    given.add_own([&](std::size_t i, double x) {
      bins.add(i, x);
      own[i].add(x);
    });
    Exakt::Mpi::reduce(MPI_COMM_WORLD, bins, root);
    check_bins<double>(rank == root ? given.expected() : own,
                       [&](std::size_t i, auto mode) { return bins.round(i, mode); });
  }
}

TEST_CASE("allreduce of more bins than one message holds, with an exponent range that differs between ranks") {
  int const n = 16'384 + 16'384 + 7, ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  ScatterSum<double> const bins("bins", n, Exakt::ExponentRange{-10 - rank % 2, 30});
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) { bins.add(i, i * 0.5 + rank); });
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
  for (int const i : {0, 1, 16'383, 16'384, 16'385, 32'767, 32'768, n - 1})
    CHECK(bins.round(i) == ranks * 0.5 * i + ranks * (ranks - 1) / 2);
  // They are exact sums as before.
  bins.add(16'384, -1.0);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
  CHECK(bins.round(16'384) == ranks * (ranks * 0.5 * 16'384 + ranks * (ranks - 1) / 2 - 1));
}

TEST_CASE("a sum that has no digits on one rank is refused where it is read there, however many bins there are") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD), n = 3 * 16'384;
  ScatterSum<double> const bins("bins", n, Exakt::ExponentRange{rank == 0 ? 0 : -10, 20});
  bins.add(0, rank == 0 ? 1.0 : 0x1p-10);
  bins.add(n - 1, 1.0);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
  if (rank == 0 && ranks > 1) {
    CHECK(refusal_of([&] { bins.round(n - 1); }).find("did not fit its exponent range") != std::string::npos);
  } else {
    CHECK(bins.round(0) == 1 + (ranks - 1) * 0x1p-10);
    CHECK(bins.round(n - 1) == ranks);
  }
  bins.clear();
  bins.add(1, 1.0);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
  CHECK(bins.round(1) == ranks);
}

TEST_CASE("allreduce of a ScatterSum: no bins, infinities on one rank, sums that cancel across ranks") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  ScatterSum<double> const none("none", 0), made_of_nothing;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, none);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, made_of_nothing);
  ScatterSum<double> const bins("bins", 3);
  bins.add(0, rank == 0 ? 1e300 : rank == ranks - 1 ? -1e300 : 0.0);
  if (rank == ranks - 1) bins.add(1, std::numeric_limits<double>::infinity());
  bins.add(2, rank == 0 ? 1e308 : 1.0);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
  CHECK(bins.round(0) == (ranks == 1 ? 1e300 : 0));
  CHECK(bins.round(1) == std::numeric_limits<double>::infinity());
  CHECK(bins.round(2) == 1e308);
  bins.subtract(2, 1e308);
  CHECK(bins.round(2) == ranks - 1);
}

TEST_CASE("allreduce of a ScatterSum in hostile environments on one rank and on all") {
  Random random(9302);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Contributions<double> const given(random, 700, 3'000, Hardness::tiny);
  auto const expected = given.expected();
  for (auto const& settings : every_fp_environment())
    for (bool const everywhere : {false, true}) {
      INFO(settings.name << (everywhere ? " on all ranks" : " on the last rank"));
      ScatterSum<double> const bins("bins", 700);
      given.add_own([&](std::size_t i, double x) { bins.add(i, x); });
      {
        ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                        ScopedFpEnvironment::Threads::all);
        Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins);
      }
      check_bins<double>(expected, [&](std::size_t i, auto mode) { return bins.round(i, mode); });
    }
}

TEST_CASE("a ScatterSum that differs between ranks, or has refused additions, is refused on every rank") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  ScatterSum<double> const bins("bins", 2);
  bins.add(1, 1.0);
  if (rank == ranks - 1) bins.add(2, 1.0);
  auto const refusal = refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins); });
  INFO(refusal);
  CHECK(refusal.find(rank == ranks - 1
                         ? "ScatterSum::accumulators_to: \"bins\" has 2 bins, and was asked for 1 addition to others"
                         : "allreduce: another rank refused its operands or failed; it says why") != std::string::npos);
  if (rank != ranks - 1) CHECK(bins.round(1) == 1);

  ScatterSum<double>::accumulator_type sum;
  Kokkos::View<ScatterSum<double>::accumulator_type*, Kokkos::HostSpace> const sums(&sum, 1);
  ScatterSum<double> const one("one", 1);
  CHECK(refusal_of([&] { one.accumulators_to(1, sums); }) ==
        "Exakt::ScatterSum::accumulators_to: \"one\" has 1 bin, there are no bins from 1 to 1");
  CHECK(refusal_of([&] { one.assign(-1, sums); }) ==
        "Exakt::ScatterSum::assign: \"one\" has 1 bin, there are no bins from -1 to -1");

  if (ranks == 1) return;
  ScatterSum<double> const uneven("uneven", rank == 0 ? 3 : 4);
  ScatterSum<double* [2]> const turned("turned", rank == 0 ? 3 : 4);
  std::string const expected =
      "Exakt::Mpi::allreduce: all ranks must give the same number and extents of bins, type and root";
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, uneven); }) == expected);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, turned); }) == expected);
  ScatterSum<double**> const as_many("as_many", rank == 0 ? 2 : 3, rank == 0 ? 6 : 4);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, as_many); }) == expected);
  CHECK(refusal_of([&] {
          if (rank == 0) {
            Exakt::Mpi::allreduce(MPI_COMM_WORLD, ScatterSum<float>("bins", 2));
          } else {
            Exakt::Mpi::allreduce(MPI_COMM_WORLD, ScatterSum<double>("bins", 2));
          }
        }) == expected);
  CHECK(refusal_of([&] {
          Exakt::Mpi::reduce(MPI_COMM_WORLD, ScatterSum<double>("bins", 2), ranks);
        }).find("root is " + std::to_string(ranks)) != std::string::npos);
}
