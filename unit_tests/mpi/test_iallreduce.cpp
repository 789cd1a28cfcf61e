// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Ranks.hpp"

#include <deque>

namespace {

using namespace ExaktTest;
using A = Exakt::SumAccumulator<double>;
using HostSums = Kokkos::View<A*, Kokkos::HostSpace>;

/// All cases at once, each under way while the others begin.
template <class Request, class Wait>
void check_overlapping(std::uint64_t stream, Wait const& wait) {
  Random random(stream);
  auto const& cases = stored_sum_cases<double>(2 * case_factor(), 941);
  for (Method const method : every_method) {
    std::vector<A> sums;
    for (auto const& sum_case : cases) {
      auto const owners = random_owners(random, sum_case.terms.size(), size_of(MPI_COMM_WORLD));
      sums.push_back(sum_of_part<A>(sum_case.terms, owners, rank_in(MPI_COMM_WORLD)));
    }
    HostSums const view("view", cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) view(i) = sums[i];

    std::deque<Request> requests(cases.size() + 1);
    for (std::size_t i = 0; i < cases.size(); ++i) Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sums[i], method, requests[i]);
    Exakt::Mpi::iallreduce(MPI_COMM_WORLD, view, method, requests.back());
    // In any order.
    for (std::size_t i = 0; i < requests.size(); i += 2) wait(requests[i]);
    for (std::size_t i = 1; i < requests.size(); i += 2) wait(requests[i]);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      INFO(cases[i].family << ", entry " << i);
      check_accumulator<double>(sums[i], cases[i].terms.size(), cases[i].expected);
      check_accumulator<double>(view(i), cases[i].terms.size(), cases[i].expected);
    }
  }
}

}  // namespace

TEST_CASE("iallreduce has the exact sum after Request::wait") {
  check_overlapping<Exakt::Mpi::Request>(942, [](Exakt::Mpi::Request& request) {
    request.wait();
    EXAKT_CHECK(!request.active());
    request.wait();
  });
}

TEST_CASE("iallreduce has the exact sum after Request::test says so") {
  check_overlapping<Exakt::Mpi::Request>(943, [](Exakt::Mpi::Request& request) {
    while (!request.test()) {
    }
    EXAKT_CHECK(!request.active());
  });
}

TEST_CASE("iallreduce has the exact sum after MPI_Wait") {
  check_overlapping<MPI_Request>(944, [](MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); });
}

TEST_CASE("iallreduce takes its method before or after the request, or none, and a pointer to MPI's request") {
  double const ranks = size_of(MPI_COMM_WORLD);
  A sum;
  sum += 1;
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, request);
  request.wait();
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, request, Method::accumulators);
  request.wait();
  MPI_Request mpi_request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, mpi_request);
  MPI_Wait(&mpi_request, MPI_STATUS_IGNORE);
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, mpi_request, Method::words);
  MPI_Wait(&mpi_request, MPI_STATUS_IGNORE);
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, &mpi_request);
  MPI_Wait(&mpi_request, MPI_STATUS_IGNORE);
  EXAKT_CHECK_BITS(sum.round(), ranks * ranks * ranks * ranks * ranks);

  Exakt::LongAccumulator<double, 32> radix_32;
  radix_32 += 1;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, radix_32, request);
  request = Exakt::Mpi::Request();  // waits
  EXAKT_CHECK_BITS(radix_32.round(), ranks);
  {
    Exakt::Mpi::Request to_be_moved;
    Exakt::Mpi::iallreduce(MPI_COMM_WORLD, radix_32, to_be_moved);
    request = std::move(to_be_moved);
  }
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, request);  // what was in charge is waited for
  EXAKT_CHECK_BITS(radix_32.round(), ranks * ranks);
}

TEST_CASE("a Request waits when it ends") {
  double const ranks = size_of(MPI_COMM_WORLD);
  for (Method const method : every_method) {
    A sum;
    HostSums const sums("sums", 3);
    sum += 1.5;
    sums(2) += 2.5;
    {
      Exakt::Mpi::Request one, many;
      Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, method, one);
      Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sums, method, many);
    }
    EXAKT_CHECK_BITS(sum.round(), 1.5 * ranks);
    EXAKT_CHECK_BITS(sums(2).round(), 2.5 * ranks);
  }
}

TEST_CASE("a Request of a strided View, and what MPI_Request says to it") {
  int const ranks = size_of(MPI_COMM_WORLD);
  Kokkos::View<A**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix("matrix", 5, 2);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  for (int i = 0; i < 5; ++i) column(i) += 0.1 * i;
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, column, request);
  request.wait();
  for (int i = 0; i < 5; ++i) EXAKT_CHECK_BITS(column(i).round(), Exact().add_product(0.1 * i, ranks).round<double>());
  MPI_Request mpi_request;
  CHECK(refusal_of([&] { Exakt::Mpi::iallreduce(MPI_COMM_WORLD, column, mpi_request); }) ==
        "Exakt::Mpi::iallreduce: the View is not contiguous; make it so, or take an Exakt::Mpi::Request");
}
