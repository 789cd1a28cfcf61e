// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::CrsAssembly;
using Exakt::Mpi::ExchangePlan;
using Place = std::pair<int, std::int64_t>;  // row and column of the whole matrix

template <class T>
using Host = Kokkos::View<T*, Kokkos::HostSpace>;

/// Elements of three nodes, each of one rank, which add a term to each of the nine places; nodes, the rows, are of any ranks.
template <class T>
struct Mesh {
  struct Element {
    int nodes[3];
    int rank;
    std::vector<T> terms;  // nine in each step
  };
  int nodes;
  std::vector<int> owners;
  std::vector<Element> elements;
  std::set<Place> graph;

  Mesh(Random& random, int of_nodes, int of_elements, int steps, Hardness hardness) : nodes(of_nodes) {
    int const ranks = size_of(MPI_COMM_WORLD);
    owners = random_owners(random, static_cast<std::size_t>(nodes), ranks);
    auto const of_ranks = random_owners(random, static_cast<std::size_t>(of_elements), ranks);
    for (int const rank : of_ranks) {
      Element element{{}, rank, {}};
      for (auto& node : element.nodes) node = random.between(0, nodes - 1);
      for (int k = 0; k < 9 * steps; ++k) element.terms.push_back(hard_number<T>(random, hardness));
      elements.push_back(element);
      for (int const row : element.nodes)
        for (int const column : element.nodes) graph.insert({row, column});
    }
  }

  /// f(row, column, term) for the elements of a rank, all of them for -1.
  template <class F>
  void for_each_term(int rank, int step, F const& f) const {
    for (auto const& element : elements) {
      if (rank >= 0 && element.rank != rank) continue;
      for (int k = 0; k < 9; ++k)
        f(element.nodes[k / 3], std::int64_t{element.nodes[k % 3]},
          element.terms[static_cast<std::size_t>(9 * step + k)]);
    }
  }
};

/// The rows of a rank: own ones, whole, and behind them those of others that its elements add to.
template <class T, class Column>
struct AssemblyPart {
  std::vector<int> numbers;
  std::size_t own = 0;
  Host<Column> columns;
  Host<std::size_t> row_map;
  std::map<int, int> row_of;

  AssemblyPart(Mesh<T> const& mesh, Random& random, int rank, std::int64_t distance, int far) {
    for (int row = 0; row < mesh.nodes; ++row)
      if (mesh.owners[static_cast<std::size_t>(row)] == rank) numbers.push_back(row);
    std::shuffle(numbers.begin(), numbers.end(),
                 std::mt19937_64(static_cast<std::uint64_t>(random.between(0, 1 << 20))));
    own = numbers.size();
    std::set<Place> touched;
    mesh.for_each_term(rank, 0, [&](int row, std::int64_t column, T) {
      if (mesh.owners[static_cast<std::size_t>(row)] != rank) touched.insert({row, column});
    });
    for (auto const& place : touched)
      if (numbers.size() == own || numbers.back() != place.first) numbers.push_back(place.first);
    std::vector<Column> all;
    std::vector<std::size_t> map{0};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto const& from = i < own ? mesh.graph : touched;
      std::vector<Column> row;
      for (auto place = from.lower_bound({numbers[i], -1}); place != from.end() && place->first == numbers[i]; ++place)
        row.push_back(static_cast<Column>(place->second * distance));
      if (i % 2 == static_cast<std::size_t>(far)) std::reverse(row.begin(), row.end());
      all.insert(all.end(), row.begin(), row.end());
      map.push_back(all.size());
      row_of[numbers[i]] = static_cast<int>(i);
    }
    columns = Host<Column>("columns", all.size());
    std::copy(all.begin(), all.end(), columns.data());
    row_map = Host<std::size_t>("row map", map.size());
    std::copy(map.begin(), map.end(), row_map.data());
  }

  Host<std::int64_t> rows(std::int64_t distance) const {
    Host<std::int64_t> const result("rows", numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) result(i) = numbers[i] * distance;
    return result;
  }
};

/// Assembles in some steps with an exchange after each, under some environment, and compares all entries.
template <class T, class Column>
void check_exchange(Random& random, Mesh<T> const& mesh, int steps, std::int64_t distance, MPI_Comm comm,
                    FpSettings const& settings) {
  int const rank = rank_in(comm);
  // Everyone draws alike, whatever rank it has in comm.
  int const far = random.between(0, 2);
  AssemblyPart<T, Column> const part(mesh, random, rank, distance, far);
#if defined(EXAKT_EMULATE_DEVICE)
  auto const long_sums = static_cast<std::int64_t>(part.columns.extent(0)) + 1;  // kernels of devices cannot allocate
#else
  std::int64_t const long_sums = 0;
#endif
  CrsAssembly<T, Kokkos::HostSpace> const assembly(part.row_map, part.columns, "stiffness", long_sums);
  Host<T> const values("values", part.columns.extent(0));
  std::map<Place, Exact> expected;
  {
    ScopedFpEnvironment const scope(settings, ScopedFpEnvironment::Threads::all);
    ExchangePlan const plan(comm, assembly, part.rows(distance), part.own);
    CHECK(plan.sent_entries() == part.columns.extent(0) - part.row_map(part.own));
    for (int step = 0; step < steps; ++step) {
      mesh.for_each_term(rank, step, [&](int row, std::int64_t column, T x) {
        assembly.add(part.row_of.at(row), column * distance, x);
      });
      if (step == 1)
        Exakt::Mpi::exchange(comm, assembly, part.rows(distance), part.own);
      else
        Exakt::Mpi::exchange(comm, assembly, plan);
    }
  }
  for (int step = 0; step < steps; ++step)
    mesh.for_each_term(-1, step, [&](int row, std::int64_t column, T x) { expected[{row, column * distance}].add(x); });
  for (auto const mode : every_rounding) {
    assembly.round_to(values, mode);
    for (std::size_t i = 0; i < part.numbers.size(); ++i)
      for (std::size_t k = part.row_map(i); k < part.row_map(i + 1); ++k) {
        Place const place{part.numbers[i], static_cast<std::int64_t>(part.columns(k))};
        INFO("row " << place.first << ", column " << place.second << (i < part.own ? "" : ", of another rank"));
        EXAKT_CHECK_BITS(values(k),
                         i < part.own ? expected[place].template round<T>(mode) : Exact().template round<T>(mode));
      }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("exchange of an assembly: owners have the exact sum of all ranks, for any distribution", "", double,
                   float) {
  using T = TestType;
  Random random(9400);
  EveryCommunicator const comms;
  for (Hardness const hardness : every_hardness)
    for (int repetition = 0; repetition < 2; ++repetition) {
      INFO(name_of(hardness) << ", mesh " << repetition);
      MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
      Mesh<T> const mesh(random, repetition == 0 ? 3 : 24, repetition == 0 ? 1 : 50, 3, hardness);
      check_exchange<T, int>(random, mesh, 3, 1, comm, every_fp_environment()[0]);
      if constexpr (std::is_same_v<T, double>)
        check_exchange<T, std::int64_t>(random, mesh, 2, std::int64_t{1} << 50, comm, every_fp_environment()[0]);
    }
}

#if defined(EXAKT_EMULATE_DEVICE)
TEST_CASE("exchange: what the owner has no long sums for is refused there, and said by what reads it") {
  constexpr int columns = 3'000;  // more than are merged at once
  int const rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  // Row 0 is the one of rank 0; the others have a row of their own as well.
  std::size_t const rows = rank == 0 ? 1 : 2;
  Host<std::size_t> const map("map", rows + 1);
  Host<int> const places("places", rows * columns);
  Host<std::int64_t> const numbers("numbers", rows);
  for (std::size_t i = 0; i < rows; ++i) {
    map(i + 1) = (i + 1) * columns;
    numbers(i) = i + 1 == rows ? 0 : rank;
    for (std::size_t j = 0; j < columns; ++j) places(i * columns + j) = static_cast<int>(j);
  }
  CrsAssembly<double, Kokkos::HostSpace> const assembly(map, places, "wide", rank == 0 ? 1 : 2 * columns);
  auto const add = [&](int j) {
    for (double const x : {0x1p900, 1.0, 0x1p-900}) assembly.add(static_cast<int>(rows) - 1, j, x);
  };
  Host<double> const values("values", rows * columns);
  ExchangePlan const plan(MPI_COMM_WORLD, assembly, numbers, 1);
  if (rank > 0)
    for (int j = 0; j < columns; ++j) add(j);
  Exakt::Mpi::exchange(MPI_COMM_WORLD, assembly, plan);
  if (rank == 0 && ranks > 1) {
    CHECK_THROWS_AS(assembly.round_to(values), std::invalid_argument);
    assembly.clear();
  }
  // And goes on.
  if (rank > 0) assembly.add(1, 7, 0.5);
  Exakt::Mpi::exchange(MPI_COMM_WORLD, assembly, plan);
  assembly.round_to(values);
  if (rank == 0) EXAKT_CHECK_BITS(values(7), 0.5 * (ranks - 1));
}
#endif

TEST_CASE("exchange of an assembly of more entries than are converted at once, and of none") {
  Random random(9401);
  Mesh<double> const none(random, 4, 0, 1, Hardness::none), large(random, 300, 1'500, 1, Hardness::cancelling);
  check_exchange<double, int>(random, none, 1, 1, MPI_COMM_WORLD, every_fp_environment()[0]);
  check_exchange<double, int>(random, large, 1, 1, MPI_COMM_WORLD, every_fp_environment()[0]);
  CrsAssembly<double, Kokkos::HostSpace> const made_of_nothing{Host<int>(), Host<int>()};
  Exakt::Mpi::exchange(MPI_COMM_WORLD, made_of_nothing, Host<int>(), 0);
}

TEST_CASE("exchange of an assembly in hostile environments on one rank and on all") {
  Random random(9402);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (auto const& settings : every_fp_environment())
    for (bool const everywhere : {false, true}) {
      INFO(settings.name << (everywhere ? " on all ranks" : " on the last rank"));
      Mesh<double> const mesh(random, 12, 20, 2, Hardness::tiny);
      check_exchange<double, int>(random, mesh, 2, 1, MPI_COMM_WORLD,
                                  everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0]);
    }
}

namespace {

/// A row that is rank 0's, of columns 0, 1, ..., and a part of it on every other rank; rank 0 has an own row more.
struct SharedRow {
  int rank = rank_in(MPI_COMM_WORLD);
  Host<int> row_map{"row map", rank == 0 ? 3u : 2u}, columns{"columns", rank == 0 ? 4u : 3u},
      rows{"rows", rank == 0 ? 2u : 1u};
  std::size_t own = rank == 0 ? 2 : 0;

  SharedRow() {
    for (int k = 0; k < 3; ++k) columns(static_cast<std::size_t>(k)) = k;
    row_map(1) = 3;
    rows(0) = 7;
    if (rank > 0) return;
    row_map(2) = 4;
    rows(1) = 9;
  }
  CrsAssembly<double, Kokkos::HostSpace> assembly() const { return {row_map, columns, "shared"}; }
  std::string refusal() const {
    return refusal_of([&] { ExchangePlan(MPI_COMM_WORLD, assembly(), rows, own); });
  }
};

}  // namespace

TEST_CASE("exchange of infinities, NaN, sums that cancel across ranks, and sums beyond the largest number") {
  int const rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  SharedRow const shared;
  auto const assembly = shared.assembly();
  constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  for (int repetition = 0; repetition < 2; ++repetition) {
    assembly.clear();
    assembly.add(0, 0, rank == ranks - 1 ? infinity : 1.0);
    assembly.add(0, 1, rank == 0 ? 1e300 : rank == ranks - 1 ? -1e300 : 0x1p-1074);
    assembly.add(0, 2, largest);
    if (repetition == 1 && rank == 0) assembly.subtract(0, 0, infinity);
    Exakt::Mpi::exchange(MPI_COMM_WORLD, assembly, shared.rows, shared.own);
    if (rank == 0)
      for (int k = 1; k < ranks; ++k) assembly.subtract(0, 2, largest);
    Host<double> const values("values", shared.columns.extent(0));
    assembly.round_to(values);
    if (rank > 0) {
      for (std::size_t k = 0; k < 3; ++k) EXAKT_CHECK_BITS(values(k), 0.0);
    } else {
      EXAKT_CHECK_BITS(values(0), Expected<double>{repetition == 0 ? infinity : std::nan("")});
      EXAKT_CHECK_BITS(values(1), ranks == 1 ? 1e300 : (ranks - 2) * 0x1p-1074);
      EXAKT_CHECK_BITS(values(2), largest);
      EXAKT_CHECK_BITS(values(3), 0.0);
    }
  }
}

TEST_CASE("an exchange that cannot be right is refused on every rank") {
  int const rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  std::string const elsewhere = "another rank refused its operands or failed; it says why";
  std::string const plan = "Exakt::Mpi::ExchangePlan: ", exchange = "Exakt::Mpi::exchange: ";
  {
    SharedRow shared;
    if (rank == 0) shared.own = 3;
    CHECK(shared.refusal() ==
          plan + (rank == 0 ? "the assembly has 2 rows, there are 2 numbers of rows, of which the first 3 "
                              "are this rank's own; each row has a number"
                            : elsewhere));
    shared.own = 0;
    CHECK(shared.refusal().find("this rank has a part of row 7 of the matrix, which no rank owns") !=
          std::string::npos);
  }
  {
    SharedRow shared;
    if (rank == 0) shared.rows(1) = -1;
    CHECK(shared.refusal() == plan + (rank == 0
                                          ? "this rank has row -1 of the matrix; numbers of rows are not negative, "
                                            "and below 2^62"
                                          : elsewhere));
    Host<std::int64_t> const large("rows", shared.rows.extent(0));
    for (std::size_t i = 0; i < large.extent(0); ++i)
      large(i) = rank == 0 ? (std::int64_t{1} << 62) - 1 + static_cast<std::int64_t>(i) : 7;
    CHECK(refusal_of([&] { ExchangePlan(MPI_COMM_WORLD, shared.assembly(), large, shared.own); }) ==
          plan + (rank == 0 ? "this rank has row 4611686018427387904 of the matrix; numbers of rows are not negative, "
                              "and below 2^62"
                            : elsewhere));
    if (rank == 0) shared.rows(1) = 7;
    auto const twice = shared.refusal();
    CHECK((twice == plan + elsewhere ||
           twice == plan + "row 7 of the matrix is given by rank 0 and by rank 0; one must have it"));
  }
  {
    SharedRow const shared;
    auto const assembly = shared.assembly();
    ExchangePlan const its_plan(MPI_COMM_WORLD, assembly, shared.rows, shared.own);
    assembly.add(0, 1, 2.0);
    if (rank == ranks - 1) assembly.add(5, 0, 1.0);
    auto const refusal = refusal_of([&] { Exakt::Mpi::exchange(MPI_COMM_WORLD, assembly, its_plan); });
    CHECK((rank == ranks - 1 ? refusal.find("\"shared\" has") != std::string::npos : refusal == exchange + elsewhere));
    Host<double> const values("values", shared.columns.extent(0));
    if (rank < ranks - 1) {
      assembly.round_to(values);
      CHECK(values(1) == 2);  // nothing was taken away
    }
    CrsAssembly<double, Kokkos::HostSpace> const other{Host<int>("row map", 2), Host<int>()};
    CHECK(refusal_of([&] { Exakt::Mpi::exchange(MPI_COMM_WORLD, other, its_plan); }) ==
          exchange + "the assembly has 1 rows and 0 entries, that of the plan " + (rank == 0 ? "2 and 4" : "1 and 3") +
              "; they must have the same graph");
    // As many entries, in other rows.
    Host<int> const row_map("row map", rank == 0 ? 2 : 3), columns("columns", shared.columns.extent(0));
    for (std::size_t k = 0; k < columns.extent(0); ++k) columns(k) = static_cast<int>(k);
    for (std::size_t i = 1; i < row_map.extent(0); ++i) row_map(i) = static_cast<int>(columns.extent(0));
    CrsAssembly<double, Kokkos::HostSpace> const in_other_rows{row_map, columns};
    CHECK(refusal_of([&] { Exakt::Mpi::exchange(MPI_COMM_WORLD, in_other_rows, its_plan); }) ==
          exchange +
              (rank == 0 ? "the assembly has 1 rows and 4 entries, that of the plan 2 and 4"
                         : "the assembly has 2 rows and 3 entries, that of the plan 1 and 3") +
              "; they must have the same graph");
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    if (ranks > 1)
      CHECK(refusal_of([&] { Exakt::Mpi::exchange(alone, assembly, its_plan); }) ==
            exchange + "the plan was made for rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                ", this is rank 0 of 1");
    MPI_Comm_free(&alone);
  }
  if (ranks == 1) return;
  {
    SharedRow shared;
    if (rank == 1) shared.columns(2) = 11;
    CHECK(shared.refusal() ==
          plan + (rank == 0
                      ? "rank 1 has an entry in column 11 of row 7 of the matrix, and its owner, rank 0, does not; the "
                        "graph of the owner must have all entries of its rows"
                      : elsewhere));
    SharedRow both;
    if (rank == 1) both.own = 1;
    auto const twice = both.refusal();
    CHECK((twice == plan + elsewhere ||
           twice == plan + "row 7 of the matrix is given by rank 0 and by rank 1; one must have it"));
  }
  Host<int> const map("row map", 1);
  CHECK(
      refusal_of([&] {
        if (rank == 0)
          Exakt::Mpi::exchange(MPI_COMM_WORLD, CrsAssembly<float, Kokkos::HostSpace>{map, Host<int>()}, Host<int>(), 0);
        else
          Exakt::Mpi::exchange(MPI_COMM_WORLD, CrsAssembly<double, Kokkos::HostSpace>{map, Host<int>()}, Host<int>(),
                               0);
      }) == plan + "all ranks must give the same type of terms");
}
