// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Binned.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>

#include <cstdlib>
#include <optional>
#include <string>

#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::DotAccumulator;
using Exakt::Expansion;
using Exakt::LongAccumulator;
using Exakt::SumAccumulator;

template <class A, class T>
void check_sums() {
  Random random(920);
  EveryCommunicator const comms;
  for (auto const& sum_case : stored_sum_cases<T>(2 * case_factor(), 921)) {
    INFO(sum_case.family);
    MPI_Comm const comm = random.one_of(comms.begin()[0], comms.begin()[1]);
    auto const owners = random_owners(random, sum_case.terms.size(), size_of(comm));
    for (Method const method : every_method) {
      auto sum = sum_of_part<A>(sum_case.terms, owners, rank_in(comm));
      Exakt::Mpi::allreduce(comm, sum, method);
      check_accumulator<T>(sum, sum_case.terms.size(), sum_case.expected);
    }
  }
}

template <class A>
using HostView = Kokkos::View<A*, Kokkos::HostSpace>;

/// Entry i of the view is this rank's part of case i.
template <class A, class View>
void fill_with_parts(View const& view, std::vector<SumCase<double>> const& cases, Random& random) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const owners = random_owners(random, cases[i].terms.size(), size_of(MPI_COMM_WORLD));
    view(i) = sum_of_part<A>(cases[i].terms, owners, rank_in(MPI_COMM_WORLD));
  }
}

template <class View>
void check_entries(View const& view, std::vector<SumCase<double>> const& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].family << ", entry " << i);
    check_accumulator<double>(view(i), cases[i].terms.size(), cases[i].expected);
  }
}

template <class A>
void check_views() {
  Random random(922);
  // Enough for the threads to share them.
  auto const& cases = stored_sum_cases<double>(12 * case_factor(), 923);
  std::size_t const n = cases.size();
  REQUIRE(n >= 256);
  for (Method const method : every_method) {
    HostView<A> const sums("sums", n);
    fill_with_parts<A>(sums, cases, random);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums, method);
    check_entries(sums, cases);

    Kokkos::View<A**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix("matrix", n, 2);
    auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
    fill_with_parts<A>(column, cases, random);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, column, method);
    check_entries(column, cases);
    for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(matrix(i, 0).round(), 0.0);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("allreduce gives every rank the exact sum, on communicators of any order", "",
                   SumAccumulator<double>, (Expansion<double, 3>), (LongAccumulator<double, 32>),
                   (LongAccumulator<double, 60>)) {
  check_sums<TestType, double>();
}

TEST_CASE("allreduce of floats gives every rank the exact sum") { check_sums<SumAccumulator<float>, float>(); }

TEST_CASE("allreduce of products gives every rank the exact sum of products") {
  Random random(924);
  for (auto const& dot_case : stored_dot_cases<double>(2 * case_factor(), 925)) {
    INFO(dot_case.family);
    auto const owners = random_owners(random, dot_case.terms.size(), size_of(MPI_COMM_WORLD));
    for (Method const method : every_method) {
      DotAccumulator<double> sum;
      for (std::size_t i = 0; i < dot_case.terms.size(); ++i)
        if (owners[i] == rank_in(MPI_COMM_WORLD)) sum.add_product(dot_case.terms.x[i], dot_case.terms.y[i]);
      Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, method);
      check_accumulator<double>(sum, dot_case.terms.size(), dot_case.expected);
    }
  }
}

TEST_CASE("allreduce of a View is the allreduce of each of its entries") { check_views<SumAccumulator<double>>(); }

TEST_CASE("allreduce of a View takes few and no entries, and a single one of rank 0") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (Method const method : every_method) {
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, HostView<SumAccumulator<double>>("none", 0), method);

    HostView<SumAccumulator<double>> const zeros("zeros", 3);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, zeros, method);
    for (int i = 0; i < 3; ++i) EXAKT_CHECK_BITS(zeros(i).round(), 0.0);

    // Digits in use on one rank only, and infinities in one entry only.
    HostView<SumAccumulator<double>> const mixed("mixed", 3);
    if (rank == 0) mixed(0) += 0x1p-1074;
    if (rank == ranks - 1) mixed(0) += 0x1p1000;
    if (rank == ranks - 1) mixed(2) += -std::numeric_limits<double>::infinity();
    mixed(1) += -1.0;
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, mixed, method);
    EXAKT_CHECK_BITS(mixed(0).round(Rounding::upward), std::nextafter(0x1p1000, 0x1p1001));
    EXAKT_CHECK_BITS(mixed(1).round(), -1.0 * ranks);
    EXAKT_CHECK_BITS(mixed(2).round(), -std::numeric_limits<double>::infinity());

    Kokkos::View<DotAccumulator<double>, Kokkos::HostSpace> const single("single");
    single().add_product(0x1p-600, 0x1p-600);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, single, method);
    EXAKT_CHECK_BITS(single().round_sqrt(), exact_sum<double>({1.0 * ranks}).round_sqrt<double>().value * 0x1p-600);
  }
}

TEST_CASE("sums packed where they are, as on devices, have the same bits, whether MPI reads them there or not") {
  namespace Impl = Exakt::Mpi::Impl;
  using View = HostView<SumAccumulator<double>>;
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Random random(927);
  auto const& cases = stored_sum_cases<double>(12 * case_factor(), 923);
  std::size_t most_words = 0;
  auto const reduce = [&](auto const& view, bool is_device_aware, int root) {
    std::optional<Impl::DeviceMessage<std::decay_t<decltype(view)>>> message;
    Impl::Communicator const comm("allreduce", MPI_COMM_WORLD);
    auto const all = Impl::agree_on_sums(comm, view.extent(0), root, [&] {
      message.emplace(view, comm, root, is_device_aware, most_words);
      return message->header();
    });
    Impl::reduce_words(comm, all, *message, root);
  };
  // Room for all sums at once, for some, and for a single one.
  for (auto const& [is_device_aware, words] :
       {std::pair<bool, std::size_t>(false, 1 << 20), {true, 1 << 20}, {false, 1000}, {true, 500}, {true, 0}}) {
    most_words = words;
    Kokkos::View<SumAccumulator<double>**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix("m", cases.size(), 2);
    auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
    fill_with_parts<SumAccumulator<double>>(column, cases, random);
    reduce(column, is_device_aware, Exakt::Mpi::Impl::all_ranks);
    check_entries(column, cases);

    View const at_root("at root", cases.size());
    fill_with_parts<SumAccumulator<double>>(at_root, cases, random);
    std::vector<double> before;
    for (std::size_t i = 0; i < cases.size(); ++i) before.push_back(at_root(i).round());
    reduce(at_root, is_device_aware, ranks - 1);
    if (rank == ranks - 1) {
      check_entries(at_root, cases);
    } else {
      for (std::size_t i = 0; i < cases.size(); ++i) EXAKT_CHECK_BITS(at_root(i).round(), before[i]);
    }

    reduce(View("none", 0), is_device_aware, Exakt::Mpi::Impl::all_ranks);
    View const finite("finite", 700);
    for (int i = 0; i < 700; ++i) finite(i) += i - rank;
    reduce(finite, is_device_aware, Exakt::Mpi::Impl::all_ranks);
    for (int i = 0; i < 700; ++i) EXAKT_CHECK_BITS(finite(i).round(), i * ranks - ranks * (ranks - 1) / 2.0);
    if (ranks > 1) {
      CHECK(refusal_of([&] {
              reduce(View("unequal", rank == 0 ? 1 : 2), is_device_aware, 0);
            }).find("all must have the same number") != std::string::npos);
    }
  }
}

TEST_CASE("many sums travel some at a time, with the same bits however many these are") {
  namespace Impl = Exakt::Mpi::Impl;
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Random random(928);
  auto const& cases = stored_sum_cases<double>(12 * case_factor(), 929);
  using Sums = Impl::SumsOfView<HostView<SumAccumulator<double>>>;
  for (std::size_t const most_words : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{1000}}) {
    for (int const root : {Impl::all_ranks, ranks - 1}) {
      HostView<SumAccumulator<double>> const sums("sums", cases.size());
      fill_with_parts<SumAccumulator<double>>(sums, cases, random);
      std::vector<double> before;
      for (std::size_t i = 0; i < cases.size(); ++i) before.push_back(sums(i).round());
      Impl::Communicator const comm("allreduce", MPI_COMM_WORLD);
      Impl::WordMessage<Sums> message(Sums(sums), comm, root, most_words);
      Impl::reduce_words(comm, Impl::agree_on_sums(comm, cases.size(), root, [&] { return message.header(); }), message,
                         root);
      if (comm.receives(root)) {
        check_entries(sums, cases);
      } else {
        for (std::size_t i = 0; i < cases.size(); ++i) EXAKT_CHECK_BITS(sums(i).round(), before[i]);
      }
    }
  }
  // More than a message has, where nearly all digits are in use.
  std::size_t const many = Impl::WordRoom::usual / LongAccumulator<double>::digit_count + 300;
  HostView<SumAccumulator<double>> const sums("sums", many);
  for (std::size_t i = 0; i < many; ++i) sums(i) += static_cast<double>(i) + rank;
  sums(0) += 0x1p-1074;
  sums(0) += 0x1p1000;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  EXAKT_CHECK_BITS(sums(0).round(), ranks * 0x1p1000);
  sums(0) -= ranks * 0x1p1000;
  sums(0) -= ranks * (ranks - 1) / 2.0;
  EXAKT_CHECK_BITS(sums(0).round(), ranks * 0x1p-1074);  // digits that only the first of many blocks has
  for (std::size_t i = 1; i < many; ++i)
    EXAKT_CHECK_BITS(sums(i).round(), ranks * (static_cast<double>(i) + (ranks - 1) / 2.0));
}

TEST_CASE("the environment decides whether MPI reads the memory of devices, and MPI where that is silent") {
  using Exakt::Mpi::Impl::mpi_is_device_aware;
  using Space = Kokkos::DefaultHostExecutionSpace;
  setenv("EXAKT_MPI_DEVICE_AWARE", "1", 1);
  CHECK(mpi_is_device_aware<Space>());
  setenv("EXAKT_MPI_DEVICE_AWARE", "0", 1);
  CHECK(!mpi_is_device_aware<Space>());
  unsetenv("EXAKT_MPI_DEVICE_AWARE");
  CHECK(!mpi_is_device_aware<Space>());  // of hosts MPI says nothing
}

TEST_CASE("accumulators can be added to after an allreduce, and reduced again") {
  int const ranks = size_of(MPI_COMM_WORLD);
  for (Method const method : every_method) {
    SumAccumulator<double> sum;
    sum += 0.1;
    for (int i = 0; i < 3; ++i) {
      Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, method);
      sum -= 0.1;
    }
    double const n = ranks;
    Exact exact;  // ((0.1 n - 0.1) n - 0.1) n - 0.1
    for (double const times : {n * n * n, -n * n, -n, -1.0}) exact.add_product(0.1, times);
    EXAKT_CHECK_BITS(sum.round(), exact.round<double>());
  }
}

namespace {

/// An accumulator without a long accumulator: counts, and knows the largest.
struct Largest {
  double value = 0;
  Largest& operator+=(Largest const& other) {
    if (other.value > value) value = other.value;
    return *this;
  }
};

/// Buffers for messages could not be made of it.
struct WithoutDefault : Largest {
  explicit WithoutDefault(double x) : Largest{x} {}
  WithoutDefault& operator+=(WithoutDefault const&) { return *this; }
};
static_assert(Exakt::Mpi::Impl::Mergeable<Largest> && !Exakt::Mpi::Impl::Mergeable<WithoutDefault>);

}  // namespace

namespace {
std::string regions;
}

TEST_CASE("profilers see a region for each call") {
  SumAccumulator<double> sum;
  Kokkos::View<SumAccumulator<double>*, Kokkos::HostSpace> const sums("sums", 3);
  regions.clear();
  Kokkos::Tools::Experimental::set_push_region_callback([](char const* name) { (regions += name) += '('; });
  Kokkos::Tools::Experimental::set_pop_region_callback([] { regions += ") "; });
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  Exakt::Mpi::reduce(MPI_COMM_WORLD, sum, 0);
  Exakt::Mpi::reduce(MPI_COMM_WORLD, sums, 0);
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, request);
  request.wait();
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  std::string const allreduce = "Exakt::Mpi::allreduce() ", reduce = "Exakt::Mpi::reduce() ";
  EXAKT_CHECK(regions == allreduce + allreduce + reduce + reduce + "Exakt::Mpi::iallreduce() ");
}

TEST_CASE("accumulators without a long accumulator travel whole") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Largest largest{1.0 * rank};
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, largest);
  EXAKT_CHECK_BITS(largest.value, ranks - 1.0);
  HostView<Largest> const many("many", 300);
  for (int i = 0; i < 300; ++i) many(i).value = (i + rank) % ranks;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, many);
  for (int i = 0; i < 300; ++i) EXAKT_CHECK_BITS(many(i).value, ranks - 1.0);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, largest, Method::words); }) ==
        "Exakt::Mpi::allreduce: Method::words needs accumulators with a long accumulator; for this type use "
        "Method::accumulators");
}

TEMPLATE_TEST_CASE("fixed-point and binned sums travel whole, and so does what they report", "",
                   (Exakt::HighPrecision<8, 4>), (Exakt::Hallberg<10, 52>), (Exakt::Binned<double, 3>)) {
  constexpr bool is_exact = requires(TestType const& sum) { sum.status(); };
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Random random(926);
  HostView<TestType> const parts("parts", 100), sums("sums", 100);
  std::vector<TestType> wholes(100);
  std::vector<Exact> exact(100);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> terms(random.between<std::size_t>(0, 40));
    for (double& x : terms) x = random.value<double>(random.between(-190, 200));
    for (double const x : terms) wholes[static_cast<std::size_t>(i)] += x;
    exact[static_cast<std::size_t>(i)].add_all(terms);
    parts(i) = sum_of_part<TestType>(terms, random_owners(random, terms.size(), ranks), rank);
  }
  auto const check = [&](TestType const& sum, int i) {
    auto const k = static_cast<std::size_t>(i);
    EXAKT_CHECK_BITS(sum.round(), wholes[k].round());
    if constexpr (is_exact) EXAKT_CHECK_BITS(sum.round(), exact[k].template round<double>());
  };
  TestType one = parts(0), pending = parts(1), root_only = parts(2);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, one);
  check(one, 0);
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, pending, request);
  request.wait();
  check(pending, 1);
  Exakt::Mpi::reduce(MPI_COMM_WORLD, root_only, ranks - 1);
  if (rank == ranks - 1) check(root_only, 2);
  Kokkos::deep_copy(sums, parts);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  for (int i = 0; i < 100; ++i) check(sums(i), i);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, one, Method::words); }) ==
        "Exakt::Mpi::allreduce: Method::words needs accumulators with a long accumulator; for this type use "
        "Method::accumulators");

  if constexpr (is_exact) {
    // What happened on one rank is known on all.
    TestType large, small, beyond;
    large += rank == 0 ? 1e300 : 1.0;
    small += rank == ranks - 1 ? 0x1p-1000 : 1.0;
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, large);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, small);
    CHECK((large.status().term_overflowed && !large.is_inexact() && std::isnan(large.round())));
    CHECK((small.status().term_underflowed && !small.is_overflowed()));
    EXAKT_CHECK_BITS(small.round(), ranks - 1.0);
    // A sum beyond the range is not lost.
    double const half = std::ldexp(1.0, TestType::highest_exponent - 1);
    for (std::uint64_t n = std::uint64_t{1} << (TestType::sum_exponent - TestType::highest_exponent + 1); n > 0; --n)
      beyond += half;
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, beyond);
    CHECK(beyond.status().sum_overflowed);
    EXAKT_CHECK_BITS(beyond.round(), std::ldexp(1.0 * ranks, TestType::sum_exponent));
    // One that was lost, on a rank or on the way, is an infinity everywhere.
    TestType lost(rank == 0 ? half : 0.0), on_the_way(half);
    for (int i = 0; i < 200; ++i) lost += lost;
    for (int i = TestType::highest_exponent - 1; i < TestType::sum_exponent + 63; ++i) on_the_way += on_the_way;
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, lost);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, on_the_way);
    CHECK((lost.status().sum_overflowed && on_the_way.status().sum_overflowed));
    EXAKT_CHECK_BITS(lost.round(), std::numeric_limits<double>::infinity());
    EXAKT_CHECK_BITS(on_the_way.round(), ranks == 1 ? std::ldexp(1.0, TestType::sum_exponent + 63)
                                                    : std::numeric_limits<double>::infinity());
  }
}
