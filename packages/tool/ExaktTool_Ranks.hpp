// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_RANKS_HPP
#define EXAKTTOOL_RANKS_HPP

#include "ExaktTool_Share.hpp"
#include "ExaktTool_Table.hpp"
#include "ExaktTool_Total.hpp"

#include <exception>

namespace Exakt::Tool {

/// \brief Another rank has failed and says why.
struct FailureElsewhere : std::exception {
  char const* what() const noexcept override { return "another rank has failed"; }
};

/// \brief The ranks of MPI, if the program was started by mpirun or its like; else this process alone.
///
/// Rank 0 prints for all: the others' standard output is closed.
class Ranks {
 public:
  /// \throws Failure  There are other ranks which this process cannot work with: built without MPI, or with another
  /// one.
  Ranks();
  ~Ranks();
  Ranks(Ranks const&) = delete;
  Ranks& operator=(Ranks const&) = delete;

  int rank() const { return m_rank; }
  int size() const { return m_size; }

  /// \brief Calls f on every rank and waits for all.
  /// \param failed_at  What f says about where it failed; the first place counts.
  /// \throws  If f threw on any rank: on the one that failed first what f threw, on the others FailureElsewhere.
  template <class F>
  auto together(std::atomic<std::uint64_t> const& failed_at, F const& f) const {
    std::exception_ptr failure;
    decltype(f()) result{};
    try {
      result = f();
    } catch (...) {
      failure = std::current_exception();
    }
    // Failures without a place come before all others.
    std::uint64_t const place = !failure ? Share::nowhere : failed_at == Share::nowhere ? 0 : failed_at.load();
    int const speaker = first_to_fail(failure != nullptr, place);
    if (speaker == m_rank) std::rethrow_exception(failure);
    if (speaker != nobody) throw FailureElsewhere();
    return result;
  }
  template <class F>
  auto together(F const& f) const {
    return together(Share().failed_at, f);
  }

  /// \brief The total of all ranks, on rank 0.
  void reduce(Total& total) const;

  /// \brief The groups of all ranks, on rank 0.
  void gather(Table& table) const;

 private:
  static constexpr int nobody = -1;
  int first_to_fail(bool failed, std::uint64_t place) const;

  int m_rank = 0, m_size = 1;
};

}  // namespace Exakt::Tool

#endif
