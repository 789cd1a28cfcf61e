// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several accumulators in one message; one, and Views of them, are in test_allreduce.cpp.
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::allreduce;

/// Terms of every exponent, and now and then infinities and NaN.
ProductTerms<double> hard_terms(Random& random, Hardness hardness, std::size_t n) {
  ProductTerms<double> terms;
  for (std::size_t i = 0; i < n; ++i)
    terms.push_back(hard_number<double>(random, hardness), hard_number<double>(random, Hardness::none));
  return terms;
}

/// A program's own: it merges, and that is all.
struct Counter {
  long count = 0;
  Counter& operator+=(Counter const& other) {
    count += other.count;
    return *this;
  }
};

}  // namespace

TEST_CASE("accumulators of different types that travel together are reduced each for itself") {
  using Sum = Exakt::SumAccumulator<double>;
  using Dot = Exakt::DotAccumulator<double>;
  using Long = Exakt::LongAccumulator<double, 28>;
  Random random(990);
  EveryCommunicator const comms;
  for (std::uint64_t i = 0; i < 3 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
      std::size_t const n = random.between<std::size_t>(0, 300);
      auto const terms = hard_terms(random, hardness, n);
      auto const owners = random_owners(random, n, size_of(comm));
      auto const x = part_of(terms.x, owners, rank_in(comm)), y = part_of(terms.y, owners, rank_in(comm));
      Sum sum;
      Dot dot;
      Long negated;
      Exakt::SumAccumulator<float> singles;
      for (std::size_t k = 0; k < x.size(); ++k) {
        sum += x[k];
        dot.add_product(x[k], y[k]);
        negated -= x[k];
        singles += static_cast<float>(y[k]);
      }
      allreduce(comm, sum, dot, negated, singles);
      Exact exact, products, difference, others;
      for (std::size_t k = 0; k < n; ++k) {
        exact.add(terms.x[k]);
        products.add_product(terms.x[k], terms.y[k]);
        difference.subtract(terms.x[k]);
        others.add(static_cast<float>(terms.y[k]));
      }
      EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
      EXAKT_CHECK_BITS(dot.round(), products.round<double>());
      EXAKT_CHECK_BITS(negated.round(), difference.round<double>());
      EXAKT_CHECK_BITS(singles.round(), others.round<float>());
      allreduce(comm, sum, sum);  // one variable twice: still one sum
      Exact repeated;
      for (int r = 0; r < size_of(comm); ++r) repeated.add(exact);
      EXAKT_CHECK_BITS(sum.round(), repeated.round<double>());
    }
}

TEST_CASE("accumulators that are no long ones travel together as well, whole") {
  using Sum = Exakt::SumAccumulator<double>;
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Sum sum;
  Exakt::HighPrecision<4, 2> fixed;
  Counter counter{rank + 1};
  sum += 0x1p60 * (rank + 1);
  sum += 0x1p-60;
  fixed += 0.25 * (rank + 1);
  allreduce(MPI_COMM_WORLD, sum, fixed, counter);
  int const all = ranks * (ranks + 1) / 2;
  Exact exact;
  exact.add(0x1p60 * all).add(0x1p-60 * ranks);
  EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
  sum -= 0x1p60 * all;
  EXAKT_CHECK_BITS(sum.round(), 0x1p-60 * ranks);
  EXAKT_CHECK_BITS(fixed.round(), 0.25 * all);
  CHECK(counter.count == all);
}

TEST_CASE("accumulators that travel together are reduced alike in hostile environments on one rank and on all") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (auto const& settings : every_fp_environment())
    for (bool const everywhere : {false, true}) {
      INFO(settings.name << (everywhere ? " on all ranks" : " on the last rank"));
      double rounded_sum = 0, rounded_dot = 0;
      {
        ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                        ScopedFpEnvironment::Threads::all);
        Exakt::SumAccumulator<double> sum;
        Exakt::DotAccumulator<double> dot;
        for (int i = 0; i < 100; ++i) {
          sum += 0x1p-1074;
          dot.add_product(0x1p-1074, 0x1p1000);
        }
        allreduce(MPI_COMM_WORLD, sum, dot);
        rounded_sum = sum.round();
        rounded_dot = dot.round();
      }
      EXAKT_CHECK_BITS(rounded_sum, 100 * ranks * 0x1p-1074);
      EXAKT_CHECK_BITS(rounded_dot, 100 * ranks * 0x1p-74);
    }
}

TEST_CASE("accumulators that would travel together are left alone if there is no communicator") {
  Exakt::SumAccumulator<double> a, b;
  a += 1;
  CHECK(refusal_of([&] { allreduce(MPI_COMM_NULL, a, b); }) ==
        "Exakt::Mpi::allreduce: comm is MPI_COMM_NULL; it must be a communicator of this rank");
  EXAKT_CHECK_BITS(a.round(), 1.0);
}
