// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

// Against the same functions of the whole vector, which have tests of their own against exact integers, and the oracle.

namespace {

using namespace ExaktTest;
namespace Mpi = Exakt::Mpi;

template <class T>
using Written = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// The entries of a rank if each gets a run of them, in the order of the ranks.
template <class T>
std::vector<T> run_of(std::vector<T> const& x, std::vector<int> owners, int rank) {
  std::sort(owners.begin(), owners.end());
  return part_of(x, owners, rank);
}

/// Vectors, and others of the same length.
template <class T>
std::vector<ProductTerms<T>> vectors(Random& random) {
  std::vector<ProductTerms<T>> all{{}};
  for (auto const& family : short_product_families<T>()) all.push_back(family.make(random));
  for (int const n : {1, 2, 100, 20'000}) {
    ProductTerms<T> terms;
    for (int i = 0; i < n; ++i) {
      terms.x.push_back(static_cast<T>(n > 2 ? 1e6 : 0) + random.value<T>(random.between(-8, 8)));
      terms.y.push_back(terms.x.back() / 3 + random.value<T>(random.between(-8, 0)));
    }
    all.push_back(terms);
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("variance, stddev, covariance and correlation over ranks are those of the whole", "", double,
                   float) {
  using T = TestType;
  Random random(987);
  EveryCommunicator const comms;
  Kokkos::DefaultHostExecutionSpace const space;
  for (auto const& [x, y] : vectors<T>(random)) {
    INFO(x.size() << " entries");
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const owners = random_owners(random, x.size(), size_of(comm));
    auto const a = contiguous(part_of(x, owners, rank_in(comm)));
    auto const b = strided(part_of(y, owners, rank_in(comm)));
    auto const whole_x = borrowed(x), whole_y = borrowed(y);
    EXAKT_CHECK_BITS(Mpi::variance(comm, a), Exakt::variance(whole_x));
    EXAKT_CHECK_BITS(Mpi::stddev(comm, b), Exakt::stddev(whole_y));
    EXAKT_CHECK_BITS(Mpi::covariance(comm, a, b), Exakt::covariance(whole_x, whole_y));
    EXAKT_CHECK_BITS(Mpi::correlation(comm, a, b), Exakt::correlation(whole_x, whole_y));
    for (Rounding const mode : every_rounding) {
      INFO(name_of(mode));
      std::int64_t const beyond = std::int64_t{1} << 32, ddof = random.one_of(-1, 0, 1, 2, 3, beyond, -beyond);
      EXAKT_CHECK_BITS(Mpi::variance(comm, space, b, ddof, mode), Exakt::variance(whole_y, ddof, mode));
      EXAKT_CHECK_BITS(Mpi::stddev(comm, space, a, ddof, mode), Exakt::stddev(whole_x, ddof, mode));
      EXAKT_CHECK_BITS(Mpi::covariance(comm, space, b, a, ddof, mode), Exakt::covariance(whole_y, whole_x, ddof, mode));
      EXAKT_CHECK_BITS(Mpi::correlation(comm, space, b, a, mode), Exakt::correlation(whole_y, whole_x, mode));
    }
  }
}

TEST_CASE("covariance and correlation of half precision and another type are of the wider type") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    Random random(1015);
    HalfFormats::MixedFactors<X, Y> const pairs(100);
    auto const owners = random_owners(random, 100, size_of(MPI_COMM_WORLD));
    int const rank = rank_in(MPI_COMM_WORLD);
    auto const x = contiguous(part_of(pairs.x, owners, rank));
    auto const y = contiguous(part_of(pairs.y, owners, rank));
    auto const covariance = Mpi::covariance(MPI_COMM_WORLD, x, y);
    auto const correlation = Mpi::correlation(MPI_COMM_WORLD, x, y);
    CHECK(std::is_same_v<decltype(covariance), R const>);
    CHECK(std::is_same_v<decltype(correlation), R const>);
    EXAKT_CHECK_BITS(covariance, Exakt::covariance(borrowed(pairs.x), borrowed(pairs.y)));
    EXAKT_CHECK_BITS(correlation, Exakt::correlation(borrowed(pairs.x), borrowed(pairs.y)));
  });
}

TEMPLATE_TEST_CASE("scans over ranks are the scan of the parts in the order of the ranks", "", double, float) {
  using T = TestType;
  Random random(988);
  EveryCommunicator const comms;
  Kokkos::DefaultHostExecutionSpace const space;
  std::vector<std::vector<T>> all{{}};
  for (auto const& family : short_families<T>()) all.push_back(family.make(random));
  for (auto const& family : long_families<T>()) all.push_back(family.make(random));
  for (auto const& x : all) {
    INFO(x.size() << " entries");
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const owners = random_owners(random, x.size(), size_of(comm));
    int const rank = rank_in(comm);
    auto const part = run_of(x, owners, rank);
    std::vector<T> inclusive(x.size()), exclusive(x.size());
    Exakt::inclusive_scan(borrowed(x), Written<T>(inclusive.data(), x.size()));
    Exakt::exclusive_scan(borrowed(x), Written<T>(exclusive.data(), x.size()));
    auto const expected = run_of(inclusive, owners, rank), before = run_of(exclusive, owners, rank);
    auto const r = poisoned<HostVector<T>>(part.size());
    auto const in_place = contiguous(part);
    Mpi::inclusive_scan(comm, strided(part), r);
    Mpi::exclusive_scan(comm, space, in_place, in_place);
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXAKT_CHECK_BITS(r(i), expected[i]);
      EXAKT_CHECK_BITS(in_place(i), before[i]);
    }
  }
}

TEST_CASE("scans over ranks begin with the infinities and NaN of the ranks before") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  int const rank = rank_in(MPI_COMM_WORLD);
  Expected<double> const none{std::nan("")};
  auto const x = contiguous(std::vector<double>{1, rank == 0 ? infinity : rank == 1 ? -infinity : 2});
  HostVector<double> const inclusive("inclusive", 2), exclusive("exclusive", 2);
  Mpi::inclusive_scan(MPI_COMM_WORLD, x, inclusive);
  Mpi::exclusive_scan(MPI_COMM_WORLD, x, exclusive);
  auto const expected = [&](double first, double of_rank_1) {
    return rank == 0 ? Expected<double>{first} : rank == 1 ? Expected<double>{of_rank_1} : none;
  };
  EXAKT_CHECK_BITS(exclusive(0), expected(0, infinity));
  EXAKT_CHECK_BITS(exclusive(1), expected(1, infinity));
  EXAKT_CHECK_BITS(inclusive(0), expected(1, infinity));
  EXAKT_CHECK_BITS(inclusive(1), expected(infinity, std::nan("")));
}

TEMPLATE_TEST_CASE("sums by key over ranks are those of the whole, on every rank", "", double, float) {
  using T = TestType;
  Random random(990);
  EveryCommunicator const comms;
  auto const check = [&](auto key, std::size_t n, std::int64_t range) {
    using Key = decltype(key);
    INFO(n << " terms, keys within " << range);
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    std::vector<Key> keys(n);
    std::vector<T> x(n);
    for (Key& k : keys) k = static_cast<Key>(static_cast<Key>(random.between<std::int64_t>(0, range)) + key);
    for (T& entry : x)
      entry =
          random.between(0, 99) == 0 ? std::numeric_limits<T>::infinity() : random.value<T>(random.between(-40, 40));
    auto const owners = random_owners(random, n, size_of(comm));
    HostVector<Key> const whole_keys("keys", n);
    HostVector<T> const whole_sums("sums", n);
    std::size_t const expected = Exakt::sum_by_key(contiguous(keys), borrowed(x), whole_keys, whole_sums);
    HostVector<Key> const found("found", expected + 1);
    auto const sums = strided(std::vector<T>(expected + 1, T(-7)));
    std::size_t const count = Mpi::sum_by_key(comm, contiguous(part_of(keys, owners, rank_in(comm))),
                                              strided(part_of(x, owners, rank_in(comm))), found, sums);
    CHECK(count == expected);
    for (std::size_t k = 0; k < expected; ++k) {
      EXAKT_CHECK(found(k) == whole_keys(k));
      EXAKT_CHECK_BITS(sums(k), whole_sums(k));
    }
    EXAKT_CHECK_BITS(sums(expected), T(-7));
  };
  check(int{0}, 0, 1);
  check(int{-5}, 1, 9);
  check(int{-1000}, 40'000, 1'000'000);  // more keys than are reduced at once
  if constexpr (std::is_same_v<T, double>) {
    check(std::int8_t{-128}, 500, 255);
    check(std::uint64_t{1} << 63, 300, 20);
    check(std::numeric_limits<std::int64_t>::min(), 300, std::numeric_limits<std::int64_t>::max());
    check(short{-3}, 2000, 5);
  }
}

TEST_CASE("sums by key over ranks are rounded once to their own type, and keys go into a wider one") {
  bool const is_first = rank_in(MPI_COMM_WORLD) == 0, is_last = rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1;
  // A tie of floats on the first rank; the last one has what decides it, less than an ulp of a double.
  std::vector<unsigned> keys;
  std::vector<double> x;
  auto const add = [&](unsigned key, double term) {
    keys.push_back(key);
    x.push_back(term);
  };
  for (double const term : {1.0, 0x1p-24})
    if (is_first) add(4'000'000'000u, term);
  if (is_last) add(4'000'000'000u, 0x1p-60);
  add(7, 0.0);
  HostVector<std::int64_t> const found("found", 2);
  HostVector<float> const sums("sums", 2);
  CHECK(Mpi::sum_by_key(MPI_COMM_WORLD, contiguous(keys), contiguous(x), found, sums) == 2);
  CHECK((found(0) == 7 && found(1) == 4'000'000'000));
  EXAKT_CHECK_BITS(sums(0), 0.0f);
  EXAKT_CHECK_BITS(sums(1), 1 + 0x1p-23f);
}

TEST_CASE("statistics and scans over ranks have the same bits in hostile environments on one rank and on all") {
  Random random(989);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::vector<double> x(3'000), y(3'000), inclusive(3'000);
  for (double& entry : x) entry = random.value<double>(random.between(-1074, -1040));
  for (double& entry : y) entry = random.value<double>(random.between(-60, -20));
  Exakt::inclusive_scan(borrowed(x), Written<double>(inclusive.data(), x.size()));
  auto const variance = Exakt::variance(borrowed(y)), covariance = Exakt::covariance(borrowed(x), borrowed(y)),
             correlation = Exakt::correlation(borrowed(x), borrowed(y));
  auto owners = random_owners(random, x.size(), ranks);
  std::sort(owners.begin(), owners.end());
  auto const a = contiguous(part_of(x, owners, rank)), b = contiguous(part_of(y, owners, rank));
  auto const expected = part_of(inclusive, owners, rank);
  for (auto const& settings : every_fp_environment())
    for (bool const everywhere : {false, true}) {
      INFO(settings.name << (everywhere ? " on all ranks" : " on the last rank"));
      auto const r = poisoned<HostVector<double>>(expected.size());
      double actual[3] = {};
      {
        ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                        ScopedFpEnvironment::Threads::all);
        actual[0] = Mpi::variance(MPI_COMM_WORLD, b);
        actual[1] = Mpi::covariance(MPI_COMM_WORLD, a, b);
        actual[2] = Mpi::correlation(MPI_COMM_WORLD, a, b);
        Mpi::inclusive_scan(MPI_COMM_WORLD, a, r);
      }
      EXAKT_CHECK_BITS(actual[0], variance);
      EXAKT_CHECK_BITS(actual[1], covariance);
      EXAKT_CHECK_BITS(actual[2], correlation);
      for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(r(i), expected[i]);
    }
}

TEST_CASE("statistics and scans over ranks refuse what one rank refuses, and what ranks do not agree on") {
  auto const refused_elsewhere = "another rank refused its operands or failed; it says why";
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  HostVector<double> const x("x", 3), y("y", rank == 0 ? 2 : 3);
  auto const check = [&](std::string const& name, char const* other, std::string const& refusal) {
    CHECK(refusal == "Exakt::Mpi::" + name + ": " +
                         (rank == 0 ? std::string("x is 3 entries, ") + other + " is 2 entries; they must be the same"
                                    : refused_elsewhere));
  };
  check("covariance", "y", refusal_of([&] { Mpi::covariance(MPI_COMM_WORLD, x, y); }));
  check("correlation", "y", refusal_of([&] { Mpi::correlation(MPI_COMM_WORLD, x, y); }));
  check("inclusive_scan", "r", refusal_of([&] { Mpi::inclusive_scan(MPI_COMM_WORLD, x, y); }));
  check("exclusive_scan", "r", refusal_of([&] { Mpi::exclusive_scan(MPI_COMM_WORLD, x, y); }));
  HostVector<int> const keys("keys", rank == 0 ? 2 : 3), unique("unique", 1);
  CHECK(refusal_of([&] { Mpi::sum_by_key(MPI_COMM_WORLD, keys, x, unique, y); }) ==
        std::string("Exakt::Mpi::sum_by_key: ") +
            (rank == 0 ? "keys is 2 entries, x is 3 entries; they must be the same" : refused_elsewhere));
  HostVector<int> const one("keys", 1), none("unique", rank == 0 ? 0 : 1);
  CHECK(
      refusal_of([&] { Mpi::sum_by_key(MPI_COMM_WORLD, one, HostVector<double>("x", 1), none, y); }) ==
      std::string("Exakt::Mpi::sum_by_key: ") +
          (rank == 0
               ? "unique_keys is 0 entries, sums is 2 entries; there are 1 different keys, each needs an entry in both"
               : refused_elsewhere));
  if (ranks > 1) {
    CHECK(refusal_of([&] { Mpi::variance(MPI_COMM_WORLD, x, rank == 0 ? 0 : 1); }) ==
          "Exakt::Mpi::variance: all ranks must give the same ddof and Rounding, and numbers of the same types");
    CHECK(refusal_of([&] { Mpi::stddev(MPI_COMM_WORLD, x, 1, rank == 0 ? Rounding::upward : Rounding::to_nearest); }) ==
          "Exakt::Mpi::stddev: all ranks must give the same ddof and Rounding, and numbers of the same types");
    HostVector<float> const f("f", 3);
    auto const check_types = [&](std::string const& name, std::string const& same, auto const& call) {
      CHECK(refusal_of([&] { rank == 0 ? void(call(f)) : void(call(x)); }) ==
            "Exakt::Mpi::" + name + ": all ranks must give the same " + same);
    };
    std::string const same = "ddof and Rounding, and numbers of the same types";
    check_types("variance", same, [](auto const& one) { return Mpi::variance(MPI_COMM_WORLD, one); });
    check_types("stddev", same, [](auto const& one) { return Mpi::stddev(MPI_COMM_WORLD, one); });
    check_types("covariance", same, [&](auto const& one) { return Mpi::covariance(MPI_COMM_WORLD, one, x); });
    check_types("correlation", same, [&](auto const& one) { return Mpi::correlation(MPI_COMM_WORLD, x, one); });
    check_types("inclusive_scan", "types of x and r",
                [&](auto const& one) { Mpi::inclusive_scan(MPI_COMM_WORLD, one, HostVector<double>("r", 3)); });
    check_types("exclusive_scan", "types of x and r",
                [&](auto const& one) { Mpi::exclusive_scan(MPI_COMM_WORLD, x, one); });
  }
  CHECK(refusal_of([&] { Mpi::inclusive_scan(MPI_COMM_NULL, x, x); }) ==
        "Exakt::Mpi::inclusive_scan: comm is MPI_COMM_NULL; it must be a communicator of this rank");
}
