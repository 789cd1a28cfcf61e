// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Ranks.hpp"

#include <algorithm>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_ReductionCases.hpp"

namespace {

using namespace ExaktTest;

/// The results that Exakt::Mpi and the oracle give for the same vector. The oracle works before any rank's environment
/// is changed.
template <class T>
struct Results {
  T sum, nrm1, nrm2, mean, dot;
};

template <class T>
Results<T> expected_results(ProductTerms<T> const& terms, Exakt::Rounding mode = Exakt::Rounding::to_nearest) {
  Exact sum, nrm1, squares, dot;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    double const x = static_cast<double>(terms.x[i]), y = static_cast<double>(terms.y[i]);
    sum.add(x);
    nrm1.add(std::fabs(x));
    squares.add_product(x, x);
    dot.add_product(x, y);
  }
  return {sum.round<T>(mode).value, nrm1.round<T>(mode).value, squares.round_sqrt<T>(mode).value,
          sum.round_quotient<T>(static_cast<std::uint64_t>(terms.size()), mode).value, dot.round<T>(mode).value};
}

template <class T, class... Space, class X, class Y>
Results<T> results(MPI_Comm comm, X const& x, Y const& y, Space const&... space) {
  using namespace Exakt;
  return {Mpi::sum(comm, space..., x), Mpi::nrm1(comm, space..., x), Mpi::nrm2(comm, space..., x),
          Mpi::mean(comm, space..., x), Mpi::dot(comm, space..., x, y)};
}

template <class T, class X, class Y>
Results<T> results_in_mode(MPI_Comm comm, X const& x, Y const& y, Exakt::Rounding mode) {
  using namespace Exakt;
  return {Mpi::sum(comm, x, mode), Mpi::nrm1(comm, x, mode), Mpi::nrm2(comm, x, mode), Mpi::mean(comm, x, mode),
          Mpi::dot(comm, x, y, mode)};
}

template <class T>
void check(Results<T> const& actual, Results<T> const& expected) {
  EXAKT_CHECK_BITS(actual.sum, Expected<T>{expected.sum});
  EXAKT_CHECK_BITS(actual.nrm1, Expected<T>{expected.nrm1});
  EXAKT_CHECK_BITS(actual.nrm2, Expected<T>{expected.nrm2});
  EXAKT_CHECK_BITS(actual.mean, Expected<T>{expected.mean});
  EXAKT_CHECK_BITS(actual.dot, Expected<T>{expected.dot});
}

/// Vectors that are hard for sums, with a second factor that is hard for products.
template <class T>
std::vector<ProductTerms<T>> terms_of_all_ranks(Random& random) {
  std::vector<ProductTerms<T>> all;
  auto const take_sums = [&](auto const& families, std::uint64_t count) {
    for (auto const& family : families)
      for (std::uint64_t i = 0; i < count; ++i) {
        auto x = family.make(random);
        auto y = x;
        random.shuffle(y);
        all.push_back({std::move(x), std::move(y)});
      }
  };
  auto const take_products = [&](auto const& families, std::uint64_t count) {
    for (auto const& family : families)
      for (std::uint64_t i = 0; i < count; ++i) all.push_back(family.make(random));
  };
  all.push_back({});
  take_sums(short_families<T>(), case_factor());
  take_products(short_product_families<T>(), case_factor());
  take_sums(long_families<T>(), 1);
  return all;
}

template <class T>
ProductTerms<T> part_of_factors(ProductTerms<T> const& terms, std::vector<int> const& owners, int rank) {
  return {part_of(terms.x, owners, rank), part_of(terms.y, owners, rank)};
}

}  // namespace

TEMPLATE_TEST_CASE("sum, nrm1, nrm2, mean and dot of distributed vectors are those of the whole", "", double, float) {
  using T = TestType;
  Random random(950);
  EveryCommunicator const comms;
  for (auto const& terms : terms_of_all_ranks<T>(random)) {
    INFO(terms.size() << " terms");
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const owners = random_owners(random, terms.size(), size_of(comm));
    auto const part = part_of_factors(terms, owners, rank_in(comm));
    check(results<T>(comm, contiguous(part.x), contiguous(part.y)), expected_results(terms));
    for (Exakt::Rounding const mode : every_rounding)
      check(results_in_mode<T>(comm, contiguous(part.x), contiguous(part.y), mode), expected_results(terms, mode));
  }
}

TEMPLATE_TEST_CASE("sum, nrm1, nrm2, mean and dot of complex numbers are those of the whole", "", double, float) {
  using T = TestType;
  using Number = Kokkos::complex<T>;
  Random random(953);
  EveryCommunicator const comms;
  for (auto const& terms : terms_of_all_ranks<T>(random)) {
    INFO(terms.size() << " numbers");
    Exact sums[2], nrm1, squares, products[2];
    for (std::size_t i = 0; i < terms.size(); ++i) {
      double const re = static_cast<double>(terms.x[i]), im = static_cast<double>(terms.y[i]);
      sums[0].add(re);
      sums[1].add(im);
      for (double const part : {re, im}) {
        nrm1.add(std::fabs(part));
        squares.add_product(part, part);
        products[0].add_product(re, im);
      }
      products[1].add_product(re, re);
      products[1].subtract_product(im, im);
    }
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const part = part_of_factors(terms, random_owners(random, terms.size(), size_of(comm)), rank_in(comm));
    // One rank has its numbers next to each other, the others do not.
    Kokkos::View<Number**, Kokkos::LayoutStride, Kokkos::HostSpace> const memory =
        Kokkos::View<Number**, Kokkos::LayoutRight, Kokkos::HostSpace>("z", part.size(), rank_in(comm) == 0 ? 1 : 2);
    auto const z = Kokkos::subview(memory, Kokkos::ALL, 0);
    HostVector<Number> const w("w", part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      z(i) = Number(part.x[i], part.y[i]);
      w(i) = Number(part.y[i], part.x[i]);
    }
    using namespace Exakt;
    for (Rounding const mode : every_rounding) {
      Number const sum = Mpi::sum(comm, z, mode), mean = Mpi::mean(comm, z, mode), dot = Mpi::dot(comm, z, w, mode);
      EXAKT_CHECK_BITS(sum.real(), sums[0].round<T>(mode));
      EXAKT_CHECK_BITS(sum.imag(), sums[1].round<T>(mode));
      EXAKT_CHECK_BITS(mean.real(), sums[0].round_quotient<T>(terms.size(), mode));
      EXAKT_CHECK_BITS(mean.imag(), sums[1].round_quotient<T>(terms.size(), mode));
      EXAKT_CHECK_BITS(dot.real(), products[0].round<T>(mode));
      EXAKT_CHECK_BITS(dot.imag(), products[1].round<T>(mode));
      EXAKT_CHECK_BITS(Mpi::nrm1(comm, z, mode), nrm1.round<T>(mode));
      EXAKT_CHECK_BITS(Mpi::nrm2(comm, z, mode), squares.round_sqrt<T>(mode));
      EXAKT_CHECK_BITS(Mpi::nrm2_squared(comm, z, mode), squares.round<T>(mode));
    }
  }
}

TEST_CASE("unequal parts, strided ones and an execution space leave no trace in the results") {
  Random random(951);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  // Several blocks for the threads of a rank that has much.
  for (std::size_t const n : {70'001, 3 * ranks + 1}) {
    auto terms = random_terms<double>(random, n);
    for (bool const cancels : {false, true}) {
      if (cancels) {
        // Nothing is left but the last entry, which the enclosure cannot know.
        for (std::size_t i = 0; i + 1 < n; ++i) terms.x[i] = i % 2 == 0 && i + 2 < n ? terms.x[i] : -terms.x[i - 1];
        if (n % 2 == 0) terms.x[n - 2] = 0;
        terms.x[n - 1] = 0x1p-60;
      }
      auto const expected = expected_results(terms);
      // Rank r has the (r+1)-th part of what is left, the last one the rest: large, small and empty parts.
      std::size_t begin = 0, end = n;
      for (int r = 0; r <= rank; ++r) {
        begin = r == 0 ? 0 : end;
        end = r == ranks - 1 ? n : begin + (r % 3 == 1 ? 0 : (n - begin) / (r + 2));
      }
      Kokkos::View<double* [2], Kokkos::LayoutRight, Kokkos::HostSpace> const both("both", end - begin);
      for (std::size_t i = begin; i < end; ++i) {
        both(i - begin, 0) = terms.x[i];
        both(i - begin, 1) = terms.y[i];
      }
      auto const x = Kokkos::subview(both, Kokkos::ALL, 0), y = Kokkos::subview(both, Kokkos::ALL, 1);
      check(results<double>(MPI_COMM_WORLD, x, y, Kokkos::DefaultHostExecutionSpace()), expected);
      Kokkos::View<double const*, Kokkos::HostSpace> const own_x =
          contiguous(std::vector<double>(terms.x.begin() + begin, terms.x.begin() + end));
      auto const own_y = contiguous(std::vector<double>(terms.y.begin() + begin, terms.y.begin() + end));
      check(results<double>(MPI_COMM_WORLD, own_x, own_y), expected);
    }
  }
}

TEST_CASE("dot of float and double parts is rounded once to double") {
  Random random(952);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::vector<float> x;
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(random.value<float>(random.between(-30, 30)));
    y.push_back(random.value<double>(random.between(-300, 300)));
  }
  Exact exact;
  for (int i = 0; i < 100; ++i) exact.add_product(static_cast<double>(x[i]), y[i]);
  auto const owners = random_owners(random, 100, ranks);
  auto const dot =
      Exakt::Mpi::dot(MPI_COMM_WORLD, contiguous(part_of(x, owners, rank)), contiguous(part_of(y, owners, rank)));
  CHECK(std::is_same_v<std::remove_const_t<decltype(dot)>, double>);
  EXAKT_CHECK_BITS(dot, exact.round<double>());
}

TEST_CASE("dot of parts in half precision and another type is rounded once, to the wider one") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    Random random(1014);
    int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    HalfFormats::MixedFactors<X, Y> const factors(100);
    auto const owners = random_owners(random, 100, ranks);
    auto const dot = Exakt::Mpi::dot(MPI_COMM_WORLD, contiguous(part_of(factors.x, owners, rank)),
                                     contiguous(part_of(factors.y, owners, rank)));
    CHECK(std::is_same_v<decltype(dot), R const>);
    EXAKT_CHECK_BITS(dot, exact_dot(factors.wide_x, factors.wide_y).template round<R>());
  });
}

TEST_CASE("one rank in a hostile floating-point environment changes no bit, and waits for nobody") {
  Random random(953);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  auto const terms = random_terms<double>(random, 5'000);
  auto with_subnormals = terms;
  for (auto& x : with_subnormals.x) x *= 0x1p-1060;
  for (auto const& all : {terms, with_subnormals}) {
    auto const expected = expected_results(all);
    auto const owners = random_owners(random, all.size(), ranks);
    auto const part = part_of_factors(all, owners, rank);
    auto const x = contiguous(part.x), y = contiguous(part.y);
    for (auto const& settings : every_fp_environment()) {
      INFO(settings.name);
      Results<double> actual{};
      {
        ScopedFpEnvironment const scope(rank == ranks - 1 ? settings : every_fp_environment()[0],
                                        ScopedFpEnvironment::Threads::all);
        actual = results<double>(MPI_COMM_WORLD, x, y);
      }
      check(actual, expected);
    }
  }
}
