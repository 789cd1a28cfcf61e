// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transform_sum and transform_dot across ranks.
#include <stdexcept>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::transform_dot;
using Exakt::Mpi::transform_sum;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// The terms of every family of hard sums.
template <class T>
std::vector<std::vector<T>> all_terms(Random& random) {
  std::vector<std::vector<T>> all{{}};
  for (auto const& family : short_families<T>()) all.push_back(family.make(random));
  for (auto const& family : long_families<T>()) all.push_back(family.make(random));
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("transform_sum over ranks is the sum of all terms, rounded once in every direction", "", double,
                   float) {
  using T = TestType;
  Random random(980);
  EveryCommunicator const comms;
  for (auto const& terms : all_terms<T>(random)) {
    INFO(terms.size() << " terms");
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const part = contiguous(part_of(terms, random_owners(random, terms.size(), size_of(comm)), rank_in(comm)));
    auto const exact = exact_sum(terms);
    int const n = static_cast<int>(part.extent(0));
    auto const term = [=](int i) { return part(i); };
    EXAKT_CHECK_BITS(transform_sum(comm, HostSpace(), n, term), exact.template round<T>());
    for (Rounding const mode : every_rounding) {
      INFO(name_of(mode));
      EXAKT_CHECK_BITS(transform_sum(comm, Kokkos::RangePolicy<HostSpace>(0, n), term, mode),
                       exact.template round<T>(mode));
    }
  }
}

TEMPLATE_TEST_CASE("transform_dot over ranks is the sum of all products, rounded once in every direction", "", double,
                   float) {
  using T = TestType;
  Random random(981);
  for (auto const& family : short_product_families<T>()) {
    INFO(family.name);
    auto const terms = family.make(random);
    auto const owners = random_owners(random, terms.size(), size_of(MPI_COMM_WORLD));
    auto const x = contiguous(part_of(terms.x, owners, rank_in(MPI_COMM_WORLD)));
    auto const y = contiguous(part_of(terms.y, owners, rank_in(MPI_COMM_WORLD)));
    auto const exact = exact_dot(terms.x, terms.y);
    auto const n = x.extent(0);
    auto const pair = [=](std::size_t i) { return Kokkos::make_pair(x(i), y(i)); };
    EXAKT_CHECK_BITS(transform_dot(MPI_COMM_WORLD, HostSpace(), n, pair), exact.template round<T>());
    for (Rounding const mode : every_rounding) {
      INFO(name_of(mode));
      EXAKT_CHECK_BITS(transform_dot(MPI_COMM_WORLD, HostSpace(), n, pair, mode), exact.template round<T>(mode));
    }
  }
}

TEST_CASE("transform_sum over ranks takes ranges of two dimensions, and asks again what no enclosure decides") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  using Policy = Kokkos::MDRangePolicy<HostSpace, Kokkos::Rank<2>>;
  // Each rank has its share of rows; what all ranks have but the last one cancels but for 2^-200.
  auto const sum = transform_sum(MPI_COMM_WORLD, Policy({0, 0}, {300, 4}), [=](int i, int j) {
    double const x = (i % 2 == 0 ? 1 : -1) * (0.1 + i / 2 * 4 + j);
    return rank == ranks - 1 && i == 299 && j == 3 ? x + 0 : x;
  });
  EXAKT_CHECK_BITS(sum, 0.0);
  auto const rest = transform_sum(MPI_COMM_WORLD, HostSpace(), 3, [=](int i) {
    return i == 0 ? 1e100 : i == 1 ? -1e100 : 0x1p-200;
  });
  EXAKT_CHECK_BITS(rest, ranks * 0x1p-200);
  // Infinities make every enclosure unknown.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXAKT_CHECK_BITS(transform_sum(MPI_COMM_WORLD, HostSpace(), rank == 0 ? 1 : 0, [=](int) { return infinity; }),
                   infinity);
  EXAKT_CHECK_BITS(transform_sum(MPI_COMM_WORLD, HostSpace(), -1, [=](int) { return infinity; }), 0.0);
  // Overflow on the way only.
  EXAKT_CHECK_BITS(transform_sum(MPI_COMM_WORLD, HostSpace(), 3, [=](int i) { return i == 0 ? -1e308 : 0.5e308; }),
                   0.0);
}

TEST_CASE(
    "transform_sum and transform_dot over ranks have the same bits in hostile environments on one rank and on all") {
  Random random(982);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const n = 2'000;
  for (Hardness const hardness : {Hardness::none, Hardness::tiny, Hardness::every_exponent}) {
    ProductTerms<double> terms;
    for (std::size_t i = 0; i < n; ++i)
      terms.push_back(hard_number<double>(random, hardness), random.value<double>(random.between(-3, 3)));
    auto const owners = random_owners(random, n, ranks);
    auto const x = contiguous(part_of(terms.x, owners, rank)), y = contiguous(part_of(terms.y, owners, rank));
    auto const sum = exact_sum(terms.x).round<double>(), dot = exact_dot(terms.x, terms.y).round<double>();
    for (auto const& settings : every_fp_environment())
      for (bool const everywhere : {false, true}) {
        INFO(name_of(hardness) << ", " << settings.name << (everywhere ? " on all ranks" : " on the last rank"));
        double actual_sum = 0, actual_dot = 0;
        {
          ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                          ScopedFpEnvironment::Threads::all);
          actual_sum = transform_sum(MPI_COMM_WORLD, HostSpace(), x.extent(0), [=](std::size_t i) { return x(i); });
          actual_dot = transform_dot(MPI_COMM_WORLD, HostSpace(), x.extent(0),
                                     [=](std::size_t i) { return Kokkos::make_pair(x(i), y(i)); });
        }
        EXAKT_CHECK_BITS(actual_sum, sum);
        EXAKT_CHECK_BITS(actual_dot, dot);
      }
  }
}

#ifndef EXAKT_EMULATE_DEVICE  // whose functions do not throw
TEST_CASE("a function that throws on one rank leaves no other waiting") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  bool const is_last = rank == ranks - 1;
  // One term: no other thread would catch it.
  auto const refusal = refusal_of([&] {
    transform_sum(MPI_COMM_WORLD, HostSpace(), 1, [=](int) {
      if (is_last) throw std::runtime_error("no term here");
      return 1.0;
    });
  });
  CHECK(refusal == (is_last ? "error: no term here"
                            : "Exakt::Mpi::transform_sum: 1 of " + std::to_string(ranks) +
                                  " ranks refused their operands or failed; they say why"));
  EXAKT_CHECK_BITS(transform_sum(MPI_COMM_WORLD, HostSpace(), 1, [](int) { return 1.0; }), 1.0 * ranks);
  CHECK(refusal_of([] { transform_dot(MPI_COMM_NULL, 0, [](int) { return Kokkos::make_pair(1.0, 1.0); }); }) ==
        "Exakt::Mpi::transform_dot: comm is MPI_COMM_NULL; it must be a communicator of this rank");
}
#endif
