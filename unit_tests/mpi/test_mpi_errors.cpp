// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_ScatterSum.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <stdexcept>

#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using A = Exakt::SumAccumulator<double>;
using HostSums = Kokkos::View<A*, Kokkos::HostSpace>;

/// Up to seven ranks tell each other their enclosures; of more the digits are added.
bool are_gathered() { return size_of(MPI_COMM_WORLD) <= 7; }

/// How MPI is made to fail: on all ranks at the same call, as it does when the network is gone.
bool fails = false;
/// Or on one rank alone.
bool makes_no_operation = false;
int calls = 0;
long words = 0;

/// How much memory this rank got since the ranks last agreed on something, in messages of some words, where it is more than lists take;
/// and how much it had got at the messages that follow.
std::atomic<std::size_t> since_agreement{0};
std::size_t too_late = 0;
constexpr int most_words_of_agreement = 13;

void count_memory(std::uint64_t bytes) {
  constexpr std::uint64_t list = 4096;
  if (bytes > list) since_agreement += bytes;
}
void count_message(int count) {
  if (count <= most_words_of_agreement) {
    since_agreement = 0;
  } else {
    too_late += since_agreement;
  }
}

int failure_on(MPI_Comm comm) {
  // What MPI itself does: the communicator's error handler comes first, and may end the program.
  PMPI_Comm_call_errhandler(comm, MPI_ERR_INTERN);
  return MPI_ERR_INTERN;
}

/// An accumulator that cannot be read where something went wrong.
struct Broken {
  bool is_broken = false;
  Broken& operator+=(Broken const&) { return *this; }
  Broken& to_long_accumulator() {
    if (is_broken) throw std::runtime_error("broken");
    return *this;
  }
};

/// Of a type for which MPI has made nothing yet.
struct FirstOfItsType {
  int value = 0;
  FirstOfItsType& operator+=(FirstOfItsType const& other) {
    value += other.value;
    return *this;
  }
};

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

}  // namespace

void* operator new(std::size_t bytes) {
  count_memory(bytes);
  if (void* const memory = std::malloc(bytes + (bytes == 0))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// MPI's own profiling interface: these replace the library's functions in this program.
extern "C" {
int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++calls;
  words += count;
  count_message(count);
  return fails ? failure_on(comm) : PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Allgather(void const* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                  MPI_Comm comm) {
  ++calls;
  words += count;
  count_message(count);
  return fails ? failure_on(comm) : PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}
int MPI_Reduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count_message(count);
  return fails ? failure_on(comm) : PMPI_Reduce(from, to, count, type, op, root, comm);
}
int MPI_Iallreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return fails ? failure_on(comm) : PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Op_create(MPI_User_function* function, int is_commutative, MPI_Op* op) {
  return makes_no_operation ? MPI_ERR_INTERN : PMPI_Op_create(function, is_commutative, op);
}
}

TEST_CASE("more numbers than a message has are refused on every rank, whoever would send or get them") {
  using Exakt::Mpi::Impl::Lists;
  int const ranks = size_of(MPI_COMM_WORLD);
  Exakt::Mpi::Impl::Communicator const comm("SpmvPlan", MPI_COMM_WORLD);
  Lists mine(ranks);
  mine.counts[0] = 3;
  mine.numbers = {rank_in(MPI_COMM_WORLD), 1, 2};
  auto const all = static_cast<std::size_t>(3 * ranks);
  Lists const theirs = Exakt::Mpi::Impl::exchanged(comm, mine, all);
  CHECK(theirs.size() == (rank_in(MPI_COMM_WORLD) == 0 ? all : 0));
  for (std::size_t i = 0; i < theirs.numbers.size(); i += 3)
    CHECK(theirs.numbers[i] == static_cast<std::int64_t>(i / 3));
  auto const said = refusal_of([&] { exchanged(comm, mine, all - 1); });
  CHECK(said ==
        (rank_in(MPI_COMM_WORLD) == 0
             ? "Exakt::Mpi::SpmvPlan: this rank would tell the others 3 numbers of entries, and hear " +
                   std::to_string(all) + "; a message has " + std::to_string(all - 1) + " at most: take more ranks"
             : "Exakt::Mpi::SpmvPlan: another rank refused its operands or failed; it says why"));
}

TEST_CASE("a null communicator is refused by every function") {
  A sum;
  HostSums const sums("sums", 2);
  Kokkos::View<double*> const x("x", 3);
  Exakt::Mpi::Request request;
  auto const null = [](std::string const& name) {
    return "Exakt::Mpi::" + name + ": comm is MPI_COMM_NULL; it must be a communicator of this rank";
  };
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_NULL, sum); }) == null("allreduce"));
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_NULL, sums); }) == null("allreduce"));
  CHECK(refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_NULL, sum, 0); }) == null("reduce"));
  CHECK(refusal_of([&] { Exakt::Mpi::iallreduce(MPI_COMM_NULL, sums, request); }) == null("iallreduce"));
  CHECK(refusal_of([&] { Exakt::Mpi::sum(MPI_COMM_NULL, x); }) == null("sum"));
  CHECK(refusal_of([&] { Exakt::Mpi::dot(MPI_COMM_NULL, x, x); }) == null("dot"));
  CHECK(refusal_of([&] { Exakt::Mpi::nrm1(MPI_COMM_NULL, x); }) == null("nrm1"));
  CHECK(refusal_of([&] { Exakt::Mpi::nrm2(MPI_COMM_NULL, x); }) == null("nrm2"));
  CHECK(refusal_of([&] { Exakt::Mpi::mean(MPI_COMM_NULL, x); }) == null("mean"));
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_NULL, sum, sum); }) == null("allreduce"));
}

TEST_CASE("Views of different lengths are refused on every rank, and the next call goes well") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  std::size_t const n = rank == 0 ? 2 : 5;
  std::string const disagreement = "the View has " + std::to_string(n) + " entries on rank " + std::to_string(rank) +
                                   ", from 2 to 5 on the " + std::to_string(ranks) +
                                   " ranks; all must have the same number";
  HostSums const sums("sums", n);
  for (std::size_t i = 0; i < n; ++i) sums(i) += 1.5;
  for (Method const method : every_method) {
    CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums, method); }) ==
          "Exakt::Mpi::allreduce: " + disagreement);
    CHECK(refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, sums, 0, method); }) ==
          "Exakt::Mpi::reduce: " + disagreement);
    for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(sums(i).round(), 1.5);
  }
  Method const different = rank == 0 ? Method::words : Method::accumulators;
  HostSums const same_number("same_number", 3);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, same_number, different); }) ==
        "Exakt::Mpi::allreduce: all ranks must give the same type of accumulators and the same method");
  if (rank == 0) {  // of the same size
    Kokkos::View<Exakt::HighPrecision<4, 1>*, Kokkos::HostSpace> const low("low", 3);
    CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, low); }) ==
          "Exakt::Mpi::allreduce: all ranks must give the same type of accumulators and the same method");
  } else {
    Kokkos::View<Exakt::HighPrecision<4, 2>*, Kokkos::HostSpace> const high("high", 3);
    CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, high); }) ==
          "Exakt::Mpi::allreduce: all ranks must give the same type of accumulators and the same method");
  }
  same_number(1) += 1;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, same_number);
  EXAKT_CHECK_BITS(same_number(1).round(), 1.0 * ranks);
}

TEST_CASE("a Request of Views of different lengths is refused on every rank when it is waited for") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  // The message, on its way already, never arrives everywhere: a communicator of its own takes it out of the way.
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  HostSums const sums("sums", rank == 0 ? 2 : 5);
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(comm, sums, request);
  CHECK(refusal_of([&] { request.wait(); }).substr(0, 40) == "Exakt::Mpi::Request::wait: the View has ");
  CHECK(!request.active());
}

TEST_CASE("after a Request that was refused because a rank had nothing the communicator goes on") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  for (Method const method : every_method) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    HostSums const none_here("none_here", rank == ranks - 1 ? 0 : 3);
    Exakt::Mpi::Request request;
    Exakt::Mpi::iallreduce(comm, none_here, method, request);
    CHECK(refusal_of([&] { request.wait(); }).substr(0, 40) == "Exakt::Mpi::Request::wait: the View has ");
    HostSums const sums("sums", 3), none("none", 0);
    for (int i = 0; i < 3; ++i) sums(i) += i + 0.5;
    Exakt::Mpi::iallreduce(comm, none, method, request);
    Exakt::Mpi::iallreduce(comm, sums, method, request);
    request.wait();
    for (int i = 0; i < 3; ++i) EXAKT_CHECK_BITS(sums(i).round(), ranks * (i + 0.5));
  }
}

TEST_CASE("a Request that one rank refuses, or fails to make, is refused on every rank, and the communicator goes on") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // there is no other rank
  for (int const different : {0, ranks - 1}) {
    bool const differs = rank == different;
    auto const check = [&](auto const& sums, Method method, std::string const& refusal) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      Exakt::Mpi::Request request;
      auto const said = refusal_of([&] {
        Exakt::Mpi::iallreduce(comm, sums, method, request);
        CHECK(!differs);
        request.wait();
      });
      CHECK(said == (differs ? refusal
                             : "Exakt::Mpi::Request::wait: another rank refused its operands or failed; it says why"));
      CHECK(!request.active());
      HostSums const others("others", 3);
      others(1) += 0.5;
      Exakt::Mpi::iallreduce(comm, others, request);
      request.wait();
      EXAKT_CHECK_BITS(others(1).round(), 0.5 * ranks);
    };
    check(Kokkos::View<Exakt::HighPrecision<4, 1>*, Kokkos::HostSpace>("fixed", 3),
          differs ? Method::words : Method::accumulators,
          "Exakt::Mpi::iallreduce: Method::words needs accumulators with a long accumulator; for this type use "
          "Method::accumulators");
    Kokkos::View<Broken*, Kokkos::HostSpace> const broken("broken", 3);
    broken(1).is_broken = differs;
    check(broken, Method::accumulators, "error: broken");
  }
}

TEST_CASE("a Request used again after a call that one rank refused says so, and all ranks take part in the new call") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // there is no other rank
  for (int const different : {0, ranks - 1}) {
    bool const differs = rank == different;
    auto const check = [&](auto& sums, A& one, Method method) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      Exakt::Mpi::Request request;
      Kokkos::View<Broken*, Kokkos::HostSpace> const broken("broken", 3);
      broken(1).is_broken = differs;
      CHECK(refusal_of([&] { Exakt::Mpi::iallreduce(comm, broken, Method::accumulators, request); }) ==
            (differs ? "error: broken" : "no refusal"));
      one = A();
      one += 0.5;
      auto const said = refusal_of([&] {
        Exakt::Mpi::iallreduce(comm, sums, method, request);
        CHECK(differs);  // whose Request has nothing of the call before
        request.wait();
      });
      CHECK(said == (differs ? "no refusal"
                             : "Exakt::Mpi::Request::wait: another rank refused its operands or failed; it says why"));
      CHECK(!request.active());
      EXAKT_CHECK_BITS(one.round(), differs ? 0.5 * ranks : 0.5);
      one = A();
      one += 1.5;
      Exakt::Mpi::iallreduce(comm, sums, method, request);
      request.wait();
      EXAKT_CHECK_BITS(one.round(), 1.5 * ranks);
    };
    for (Method const method : every_method) {
      HostSums const many("many", 3);
      check(many, many(1), method);
      A single;
      check(single, single, method);
      Kokkos::View<A, Kokkos::HostSpace> const rank_0("rank_0");
      check(rank_0, rank_0(), method);
    }
  }
}

TEST_CASE("many sums for which MPI fails on one rank to make an operation are refused on every rank") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // nothing is sent
  bool const differs = rank == ranks - 1;
  Kokkos::View<FirstOfItsType*, Kokkos::HostSpace> const sums("sums", 3);
  sums(1).value = 1;
  makes_no_operation = differs;
  auto const said = refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums); });
  makes_no_operation = false;
  CHECK(said == (differs ? "error: Exakt::Mpi::allreduce: MPI_Op_create failed: " + text_of(MPI_ERR_INTERN)
                         : "Exakt::Mpi::allreduce: another rank refused its operands or failed; it says why"));
  CHECK(sums(1).value == 1);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  CHECK(sums(1).value == ranks);
}

TEST_CASE("memory is asked for before the ranks agree, for one that has none could not tell the others later") {
  if (size_of(MPI_COMM_WORLD) == 1) return;  // nothing is sent
  namespace Tools = Kokkos::Tools::Experimental;
  Tools::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) { count_memory(bytes); });
  auto const late = [](auto const& communicate) {
    Exakt::Impl::ScratchMemory<Kokkos::DefaultHostExecutionSpace>::let_go();
    too_late = 0;
    communicate();
    return too_late;
  };
  int const last = size_of(MPI_COMM_WORLD) - 1;
  std::size_t const n = 2000;
  HostSums const sums("sums", n);
  for (std::size_t i = 0; i < n; ++i) sums(i) += 0.1;
  for (Method const method : every_method) {
    CHECK(late([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums, method); }) == 0);
    CHECK(late([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, sums, last, method); }) == 0);
  }
  Kokkos::View<Exakt::HighPrecision<4, 2>*, Kokkos::HostSpace> const fixed("fixed", n);
  CHECK(late([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, fixed, 0); }) == 0);
  Exakt::ScatterSum<double> const bins("bins", n);
  CHECK(late([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, bins); }) == 0);

  // Rows that cancel are added once more. Up to seven ranks gather enclosures, but for a half type of its own.
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const a("A", n, 64);
  Kokkos::View<double*, Kokkos::HostSpace> const x("x", 64), y("y", n);
  Kokkos::View<Kokkos::Experimental::half_t*, Kokkos::HostSpace> const halves("halves", n);
  for (std::size_t j = 0; j < 64; ++j) {
    x(j) = j % 2 == 0 ? 0.1 : -0.1;
    for (std::size_t i = 0; i < n; ++i) a(i, j) = 0.1 * static_cast<double>(i + 1);
  }
  auto const gemv = [&](auto const& result) {
    Exakt::Mpi::gemv(MPI_COMM_WORLD, Exakt::Mpi::Distribution::columns, "N", 1, a, x, 0, result);
  };
  CHECK(late([&] { gemv(y); }) == 0);
  CHECK(late([&] { gemv(halves); }) == 0);
  for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(y(i), 0.0);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const tall("tall", 64, 40), gram("gram", 40, 40);
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      tall(i, j) = (i % 2 == 0 && j % 2 == 0 ? 0.1 : -0.1) * static_cast<double>(j + 1);
  CHECK(late([&] { Exakt::Mpi::gemm(MPI_COMM_WORLD, "T", "N", 1, tall, tall, 0, gram); }) == 0);
  EXAKT_CHECK_BITS(gram(0, 1), 0.0);
  Tools::set_allocate_data_callback(nullptr);
}

TEST_CASE("Views of accumulators that share memory, and methods that there are none of, are refused on every rank") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  bool const differs = rank == ranks - 1;
  HostSums const memory("memory", 3);
  Kokkos::View<A*, Kokkos::LayoutStride, Kokkos::HostSpace> const apart(memory.data(), Kokkos::LayoutStride(3, 1)),
      shared(memory.data(), Kokkos::LayoutStride(3, 0));
  std::string const elsewhere = "another rank refused its operands or failed; it says why";
  for (Method const method : every_method)
    CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, differs ? shared : apart, method); }) ==
          (differs ? "Exakt::Mpi: the View of accumulators is 3 entries, some of which are one in memory by their "
                     "strides; each is written"
                   : "Exakt::Mpi::allreduce: " + elsewhere));
  auto const method = static_cast<Method>(7);
  auto const none = "Exakt::Mpi::allreduce: method is 7; it must be Method::words or Method::accumulators";
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, memory, differs ? method : Method::words); }) ==
        (differs ? none : "Exakt::Mpi::allreduce: " + elsewhere));
  Kokkos::View<Exakt::HighPrecision<4, 2>*, Kokkos::HostSpace> const fixed("fixed", 3);
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, fixed, method); }) == none);
  A sum;
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, method); }) == none);
}

TEST_CASE("operands of different lengths on one rank are refused on every rank") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  Kokkos::View<double*> const x("x", 3), y("y", rank == ranks - 1 ? 1 : 3);
  CHECK(refusal_of([&] { Exakt::Mpi::dot(MPI_COMM_WORLD, x, y); }) ==
        (rank == ranks - 1 ? "Exakt::Mpi::dot: x is 3 entries, y is 1 entry; they must be the same"
                           : "Exakt::Mpi::dot: 1 of " + std::to_string(ranks) +
                                 " ranks refused their operands or failed; they say why"));
  EXAKT_CHECK_BITS(Exakt::Mpi::dot(MPI_COMM_WORLD, x, x), 0.0);
}

TEST_CASE("ranks whose keys, terms or sums have other types are refused, and nothing is written") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  Kokkos::View<double*> const terms("terms", 2), sums("sums", 2);
  Kokkos::View<int*> const numbers("numbers", 2), found("found", 2);
  Kokkos::View<unsigned*> const counts("counts", 2), found_counts("found_counts", 2);
  Kokkos::deep_copy(sums, 7.0);
  Kokkos::View<float*> const floats("floats", 2), float_sums("float_sums", 2);
  auto const check = [&](auto const& keys, auto const& x, auto const& unique_keys, auto const& results) {
    CHECK(refusal_of([&] {
            if (rank == 0) {
              Exakt::Mpi::sum_by_key(MPI_COMM_WORLD, numbers, terms, found, sums);
            } else {
              Exakt::Mpi::sum_by_key(MPI_COMM_WORLD, keys, x, unique_keys, results);
            }
          }) == "Exakt::Mpi::sum_by_key: all ranks must give the same types of keys, x, unique_keys and sums");
  };
  check(counts, terms, found_counts, sums);
  check(numbers, floats, found, sums);
  check(numbers, terms, found, float_sums);
  EXAKT_CHECK_BITS(sums(0), 7.0);
}

TEST_CASE("ranks that round in different directions are refused, whatever decides their results") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  // One directed mode is known from an enclosure of this sum; to nearest it is next to a tie.
  Kokkos::View<double*> const x("x", 3);
  x(0) = 1;
  x(1) = 0x1p-53;
  x(2) = 0x1p-300;
  auto const term = KOKKOS_LAMBDA(int i) { return x(i); };
  auto const factors = KOKKOS_LAMBDA(int i) { return Kokkos::make_pair(x(i), 1.0); };
  for (Rounding const mode : {Rounding::toward_zero, Rounding::upward, Rounding::downward})
    for (int const different : {0, ranks - 1}) {
      Rounding const mine = rank == different ? mode : Rounding::to_nearest;
      auto const refused = [](std::string const& name) {
        return "Exakt::Mpi::" + name + ": all ranks must give the same Rounding, and numbers of the same types";
      };
      CHECK(refusal_of([&] { Exakt::Mpi::sum(MPI_COMM_WORLD, x, mine); }) == refused("sum"));
      CHECK(refusal_of([&] { Exakt::Mpi::mean(MPI_COMM_WORLD, x, mine); }) == refused("mean"));
      CHECK(refusal_of([&] { Exakt::Mpi::nrm1(MPI_COMM_WORLD, x, mine); }) == refused("nrm1"));
      CHECK(refusal_of([&] { Exakt::Mpi::nrm2(MPI_COMM_WORLD, x, mine); }) == refused("nrm2"));
      CHECK(refusal_of([&] { Exakt::Mpi::nrm2_squared(MPI_COMM_WORLD, x, mine); }) == refused("nrm2_squared"));
      CHECK(refusal_of([&] { Exakt::Mpi::dot(MPI_COMM_WORLD, x, x, mine); }) == refused("dot"));
      CHECK(refusal_of([&] { Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 3, term, mine); }) == refused("transform_sum"));
      CHECK(refusal_of([&] { Exakt::Mpi::transform_dot(MPI_COMM_WORLD, 3, factors, mine); }) ==
            refused("transform_dot"));
      CHECK(refusal_of([&] { Exakt::Mpi::sum(MPI_COMM_WORLD, x, mode); }) == "no refusal");
    }
  // The mean of all modes is that of one rank.
  Rounding const mine = rank % 3 == 0 ? Rounding::toward_zero : rank % 3 == 1 ? Rounding::upward : Rounding::downward;
  CHECK(refusal_of([&] { Exakt::Mpi::sum(MPI_COMM_WORLD, x, mine); }) ==
        "Exakt::Mpi::sum: all ranks must give the same Rounding, and numbers of the same types");
}

TEST_CASE("ranks that give numbers of different types are refused, whatever decides their results") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // one rank always agrees with itself
  Kokkos::View<double*> const x("x", 1);
  Kokkos::View<float*> const f("f", 1);
  Kokkos::View<Kokkos::complex<double>*> const z("z", 1);
  // A tie of doubles, which an enclosure does not decide; of floats it does.
  x(0) = rank == 0 ? 0x1p-53 : 1;
  f(0) = 1;
  Kokkos::View<HalfFormats::DeviceHalf*> const half("half", 1);
  Kokkos::View<HalfFormats::DeviceBfloat*> const bfloat("bfloat", 1);
  half(0) = 1;
  bfloat(0) = 1;
  auto const check = [](std::string const& name, auto const& call) {
    CHECK(refusal_of(call) ==
          "Exakt::Mpi::" + name + ": all ranks must give the same Rounding, and numbers of the same types");
  };
  for (int const different : {0, ranks - 1}) {
    bool const differs = rank == different;
    check("sum",
          [&] { differs ? void(Exakt::Mpi::sum(MPI_COMM_WORLD, f)) : void(Exakt::Mpi::sum(MPI_COMM_WORLD, x)); });
    check("sum",
          [&] { differs ? void(Exakt::Mpi::sum(MPI_COMM_WORLD, z)) : void(Exakt::Mpi::sum(MPI_COMM_WORLD, x)); });
    check("mean",
          [&] { differs ? void(Exakt::Mpi::mean(MPI_COMM_WORLD, f)) : void(Exakt::Mpi::mean(MPI_COMM_WORLD, x)); });
    check("nrm2",
          [&] { differs ? void(Exakt::Mpi::nrm2(MPI_COMM_WORLD, f)) : void(Exakt::Mpi::nrm2(MPI_COMM_WORLD, x)); });
    check("dot",
          [&] { differs ? void(Exakt::Mpi::dot(MPI_COMM_WORLD, z, z)) : void(Exakt::Mpi::dot(MPI_COMM_WORLD, x, x)); });
    check("transform_sum", [&] {
      differs ? void(Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 1, [](int) { return 1.0f; }))
              : void(Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 1, [](int) { return 1.0; }));
    });
    check("transform_sum", [&] {
      using Half = Kokkos::Experimental::half_t;
      differs ? void(Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 1, [](int) { return Half(1.0f); }))
              : void(Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 1, [](int) { return 1.0; }));
    });
    check("sum", [&] {
      differs ? void(Exakt::Mpi::sum(MPI_COMM_WORLD, half)) : void(Exakt::Mpi::sum(MPI_COMM_WORLD, bfloat));
    });
  }
}

TEST_CASE("an intercommunicator is refused") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  if (ranks == 1) return;  // there is no other rank
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 7, &inter);
  A sum;
  CHECK(refusal_of([&] { Exakt::Mpi::allreduce(inter, sum); }) ==
        "Exakt::Mpi::allreduce: comm is an intercommunicator; it must join the ranks of one group");
  MPI_Errhandler after = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(inter, &after);
  CHECK(after == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&after);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

TEST_CASE("a failure of MPI is an exception with MPI's own text, and the error handler stays the user's") {
  std::string const text = text_of(MPI_ERR_INTERN);
  A sum;
  sum += 2.5;
  HostSums const sums("sums", 2);
  Kokkos::View<double*> const x("x", 3);
  Exakt::Mpi::Request request;
  bool const alone = size_of(MPI_COMM_WORLD) == 1;  // then MPI is not called for accumulators
  auto const expected = [&](std::string const& name, std::string const& call) {
    return "error: Exakt::Mpi::" + name + ": " + call + " failed: " + text;
  };
  for (auto const handler : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN}) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    fails = true;
    if (!alone) {
      CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum); }) == expected("allreduce", "MPI_Allreduce"));
      CHECK(refusal_of([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums); }) == expected("allreduce", "MPI_Allreduce"));
      CHECK(refusal_of([&] { Exakt::Mpi::reduce(MPI_COMM_WORLD, sum, 0); }) == expected("reduce", "MPI_Reduce"));
      CHECK(refusal_of([&] { Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, request); }) ==
            expected("iallreduce", "MPI_Iallreduce"));
    }
    CHECK(refusal_of([&] { Exakt::Mpi::sum(MPI_COMM_WORLD, x); }) ==
          expected("sum", are_gathered() ? "MPI_Allgather" : "MPI_Allreduce"));
    fails = false;
    MPI_Errhandler after = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
    CHECK(after == handler);
    MPI_Errhandler_free(&after);
    EXAKT_CHECK_BITS(sum.round(), 2.5);
    Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  }
  int code = MPI_SUCCESS;
  try {
    fails = true;
    Exakt::Mpi::sum(MPI_COMM_WORLD, x);
  } catch (Exakt::Mpi::Error const& error) {
    code = error.code();
  }
  fails = false;
  CHECK(code == MPI_ERR_INTERN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("calls that overlap on one communicator give the error handler back when the last one ends") {
  using Exakt::Mpi::Impl::Communicator;
  auto const returns_errors = [] {
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    bool const result = handler == MPI_ERRORS_RETURN;
    MPI_Errhandler_free(&handler);
    return result;
  };
  REQUIRE_FALSE(returns_errors());
  // As a Request that one thread waits for, and a reduction of another thread.
  std::optional<Communicator> first(std::in_place, "sum", MPI_COMM_WORLD), second(std::in_place, "dot", MPI_COMM_WORLD);
  Communicator const other("sum", MPI_COMM_SELF);
  CHECK(returns_errors());
  first.reset();
  CHECK(returns_errors());
  first.emplace("sum", MPI_COMM_WORLD);
  second.reset();
  CHECK(returns_errors());
  first.reset();
  CHECK_FALSE(returns_errors());
}

TEST_CASE("one sum is one message, and so are many, of the digits in use") {
  if (size_of(MPI_COMM_WORLD) == 1) return;  // nothing is sent
  auto const sent = [](auto const& communicate) {
    calls = 0;
    words = 0;
    communicate();
    return std::pair<int, long>(calls, words);
  };
  using Long = Exakt::LongAccumulator<double>;
  constexpr int header = 7;
  A sum;
  sum += 0.1;
  auto const one = sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum); });
  CHECK(one.first == 1);
  CHECK(one.second == Long::digit_count + 1);
  HostSums const sums("sums", 1000);
  for (int i = 0; i < 1000; ++i)
    sums(i) += 0.1 * (i + 1);  // bits from 2^-56 to 2^6; digits begin at 2^-66, 2^-10 and 2^46
  auto const few = sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums); });
  CHECK(few.first == 2);
  CHECK(few.second <= header + 3 * 1000);
  CHECK(few.second >= header + 2 * 1000);
  sums(999) += std::numeric_limits<double>::infinity();
  CHECK(sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums); }).second == few.second + 1000);
  // Normalized negative ones have digits up to the last.
  Kokkos::View<Long*, Kokkos::HostSpace> const negative("negative", 1000);
  for (int i = 0; i < 1000; ++i) negative(i) = (Long() -= 0.1 * (i + 1)).normalized();
  CHECK(sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, negative); }).second <= header + 3 * 1000);
  Kokkos::View<double*> const x("x", 10);
  Kokkos::deep_copy(x, 0.3);  // of up to 9 ranks neither sum is next to a tie, nor that of the squares
  // Three doubles, one more for the roundings of the bound, a count, whether the rank failed, and its mode; of products as well.
  std::pair<int, long> const enclosure(1, are_gathered() ? 7 : 2 * (Long::digit_count + 1) + 3);
  CHECK(sent([&] { Exakt::Mpi::sum(MPI_COMM_WORLD, x); }) == enclosure);
  auto const squares = sent([&] { Exakt::Mpi::nrm2_squared(MPI_COMM_WORLD, x); });
  if (Exakt::Impl::has_fused_kernels) {
    CHECK(squares == enclosure);
  } else {
    CHECK(squares.first == 2);  // products are not enclosed
  }

  // Several together, of words or whole; terms of a function; products whose sums are known, and such that cancel.
  using Products = Exakt::LongAccumulator<double, 56, Exakt::Terms::products>;
  Exakt::DotAccumulator<double> dot;
  auto const together = sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, dot, sum); });
  CHECK(together.first == 1);
  CHECK(together.second == 2 * (Long::digit_count + 1) + Products::digit_count + 1);
  Exakt::HighPrecision<4, 2> fixed;
  CHECK(sent([&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, fixed); }) == std::pair<int, long>(1, 1));
  Kokkos::DefaultHostExecutionSpace const space;
  CHECK(sent([&] { Exakt::Mpi::transform_sum(MPI_COMM_WORLD, space, 9, [](int i) { return 0.1 * i; }); }) == enclosure);
  Kokkos::View<double* [3], Kokkos::HostSpace> const tall("tall", 100);
  Kokkos::View<double[3][3], Kokkos::HostSpace> const gram("gram");
  for (int i = 0; i < 100; ++i) tall(i, 0) = tall(i, 1) = tall(i, 2) = 1.0 / (i + 3);
  constexpr int product_header = header + 4;
  auto const gemm = [&] { Exakt::Mpi::gemm(MPI_COMM_WORLD, "T", "N", 1, tall, tall, 0, gram); };
  auto const product = sent(gemm);
  CHECK(product.first == 2);
  CHECK(product.second <= product_header + 9 * 2 * 4);
  for (int i = 1; i < 100; i += 2) {
    for (int j = 0; j < 3; ++j) tall(i, j) = tall(i - 1, j);
    tall(i, 1) = -tall(i, 1);
  }
  auto const cancelling = sent(gemm);
  // The rest has a header, and is zero: no digits.
  CHECK(cancelling.first == (Exakt::Impl::matrix_kernels().has_enclosures ? 3 : 2));
}
