// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Ranks.hpp"

#include "ExaktTool_Failure.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace Exakt::Tool {
namespace {

/// How many processes a launcher has started, as Open MPI, MPICH and those descended from it, and MVAPICH2 say it.
constexpr char const* size_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};

/// \brief Refuses to be one of several processes that know nothing of each other: each would print the answer.
/// \param why  What keeps them from working together, and what to do.
void check_alone(std::string const& why) {
  for (char const* variable : size_variables) {
    char const* const value = std::getenv(variable);
    std::string_view const text = value != nullptr ? value : "";
    unsigned long ranks = 0;
    std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (ranks > 1)
      throw Failure("started as one of " + std::to_string(ranks) + " ranks (" + variable + "), but " + why);
  }
}

}  // namespace
}  // namespace Exakt::Tool

#ifdef EXAKT_TOOL_HAS_MPI

#include <ExaktMpi_reduce.hpp>

#include <cstdio>

namespace Exakt::Tool {
namespace {

/// MPI_Init takes a while, and a program that was started alone does not need it. The usual launchers leave their
/// mark; so does anything with PMIx.
bool started_by_launcher() {
  auto const is_set = [](char const* variable) { return std::getenv(variable) != nullptr; };
  return std::any_of(std::begin(size_variables), std::end(size_variables), is_set) || is_set("PMI_RANK") ||
         is_set("PMIX_RANK");
}

template <class Accumulator>
void reduce_exact(Accumulator& exact) {
  Mpi::reduce(MPI_COMM_WORLD, exact, 0);
}
void reduce_exact(Moments& moments) {
  reduce_exact(moments.sum);
  reduce_exact(moments.squares);
}
/// Sums of decimal numbers are gathered with their tables.
void reduce_exact(GrowingSum&) {}

}  // namespace

Ranks::Ranks() {
  if (!started_by_launcher()) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m_size);
  if (m_size == 1) {
    try {
      check_alone("its MPI is alone: use the mpirun of the MPI that exakt was built with");
    } catch (...) {
      MPI_Finalize();
      throw;
    }
  }
  if (m_rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
    throw Failure("/dev/null: cannot be opened for writing");
}

Ranks::~Ranks() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Finalize();
}

int Ranks::first_to_fail(bool failed, std::uint64_t place) const {
  if (m_size == 1) return failed ? m_rank : nobody;
  auto first = static_cast<std::int64_t>(place);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  int speaker = failed && place == static_cast<std::uint64_t>(first) ? m_rank : m_size;
  MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return speaker == m_size ? nobody : speaker;
}

void Ranks::reduce(Total& total) const {
  if (m_size == 1) return;
  std::visit([](auto& exact) { reduce_exact(exact); }, total.exact);
  for (std::uint64_t* const part : {&total.count, &total.skipped}) {
    std::uint64_t whole = 0;
    MPI_Reduce(part, &whole, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (m_rank == 0) *part = whole;
  }
}

// What may lack memory is done in together(), between the messages: no rank waits for one that has failed.
void Ranks::gather(Table& table) const {
  constexpr int tag = 0;
  constexpr std::uint64_t at_a_time = std::uint64_t{1} << 28;  // counts are of type int
  std::string bytes = together([&] { return m_rank == 0 ? "" : table.bytes(); });
  for (int rank = 1; rank < m_size; ++rank) {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
    together([&] {
      if (m_rank == 0) bytes.resize(size);
      return true;
    });
    for (std::uint64_t begin = 0; begin < size; begin += at_a_time) {
      int const count = static_cast<int>(std::min(at_a_time, size - begin));
      if (m_rank == rank) MPI_Send(bytes.data() + begin, count, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
      if (m_rank == 0) MPI_Recv(bytes.data() + begin, count, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    together([&] {
      if (m_rank == 0) table.merge_bytes(bytes);
      return true;
    });
  }
}

}  // namespace Exakt::Tool

#else

namespace Exakt::Tool {

Ranks::Ranks() { check_alone("built without MPI: build exakt with -DExakt_ENABLE_MPI=ON, or start it without mpirun"); }
Ranks::~Ranks() = default;
int Ranks::first_to_fail(bool failed, std::uint64_t) const { return failed ? m_rank : nobody; }
void Ranks::reduce(Total&) const {}
void Ranks::gather(Table&) const {}

}  // namespace Exakt::Tool

#endif
