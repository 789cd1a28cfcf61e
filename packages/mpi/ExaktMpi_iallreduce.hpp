// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_IALLREDUCE_HPP
#define EXAKTMPI_IALLREDUCE_HPP

#include "impl/ExaktMpi_Pending.hpp"

#include <memory>
#include <utility>

namespace Exakt::Mpi {

/// \brief An allreduce that is under way, with the message that it needs until it is done.
///
/// The accumulators have their new value after `wait` or a successful `test`; until then they are not touched and stay
/// where they are. The destructor waits.
class Request {
 public:
  EXAKT_ABI_TAG Request() = default;
  EXAKT_ABI_TAG Request(Request&&) = default;
  // It waits, and says what went wrong. NOLINTNEXTLINE(bugprone-exception-escape, performance-noexcept-move-constructor)
  EXAKT_ABI_TAG Request& operator=(Request&& other) {
    wait();
    m_pending = std::move(other.m_pending);
    return *this;
  }
  EXAKT_ABI_TAG ~Request() { finish_quietly(); }

  /// \brief Whether there is something to wait for.
  EXAKT_ABI_TAG bool active() const { return m_pending != nullptr; }

  /// \brief Returns when the accumulators have the sum. Nothing happens if there is nothing to wait for.
  /// \throws std::invalid_argument  On every rank, if they disagreed on the number of entries, the type or the method; or one
  ///                                refused its operands or failed, which the others say here.
  /// \throws Error  MPI failed.
  EXAKT_ABI_TAG void wait() { complete(true); }

  /// \brief The same without waiting.
  /// \return Whether it is done.
  EXAKT_ABI_TAG bool test() { return complete(false); }

 private:
  friend struct Impl::StartPending;

  EXAKT_ABI_TAG bool complete(bool wait) {
    if (!m_pending) return true;
    try {
      Impl::Communicator const comm(wait ? "Request::wait" : "Request::test", m_pending->comm);
      if (!m_pending->complete(comm, wait)) return false;
    } catch (...) {
      // What MPI may still be reading and writing has to stay.
      if (m_pending->is_under_way()) static_cast<void>(m_pending.release());
      m_pending.reset();
      throw;
    }
    m_pending.reset();
    return true;
  }

  EXAKT_ABI_TAG void finish_quietly() noexcept {
    try {
      wait();
    } catch (...) {  // reported by wait()
    }
  }

  std::unique_ptr<Impl::Pending> m_pending;
};

/// \brief Begins an allreduce; `request.wait()` ends it.
///
/// \param comm         As for allreduce. It is not freed before the end.
/// \param accumulator  As for allreduce. Neither touched nor moved before the end.
/// \param method       How it travels.
/// \param request      Takes charge of it; what it had in charge before is waited for.
/// \throws std::invalid_argument, Error  As for allreduce; and what `request.wait()` says of the call before: this rank
///                                       has sent its part all the same, so that the others get their sum, but its own
///                                       accumulators keep what they hold, and `request` is not active.
template <Impl::Mergeable Accumulator>
EXAKT_ABI_TAG void iallreduce(MPI_Comm comm, Accumulator& accumulator, Method method, Request& request) {
  auto const region = Impl::region_of("iallreduce");
  Impl::StartPending::start(
      comm, [&] { return Impl::SingleSum<Accumulator>{&accumulator}; }, method, request);
}

/// \brief The same for each entry of a View; see allreduce. All words travel: which are in use is not known in time.
///
/// With a View of rank 1, what one rank refuses, or fails in, is refused by the others, when they wait.
template <Impl::ViewOfSums V>
EXAKT_ABI_TAG void iallreduce(MPI_Comm comm, V const& sums, Method method, Request& request) {
  auto const region = Impl::region_of("iallreduce");
  Impl::StartPending::start(
      comm, [&] { return Impl::SumsOfView<V>(sums); }, method, request);
}

/// \brief The same with a request of MPI, to be waited for by MPI_Wait and its kin.
///
/// After MPI_Wait no code of ours runs that could unpack anything, so the accumulators travel as they are, whole and in place, like
/// Method::accumulators; `method` does not matter to the bits.
template <Impl::Mergeable Accumulator>
EXAKT_ABI_TAG void iallreduce(MPI_Comm comm, Accumulator& accumulator, Method, MPI_Request& request) {
  auto const region = Impl::region_of("iallreduce");
  Impl::start_in_place(Impl::Communicator("iallreduce", comm), &accumulator, 1, request);
}

/// \brief The same for a contiguous View that the host reaches. If the ranks disagree on the number of its entries, it
/// is left to MPI to notice.
/// \throws std::invalid_argument  The View is not contiguous, or has more entries than an int can count: on this rank
///                                alone, and the others wait.
template <Impl::ViewOfSums V>
EXAKT_ABI_TAG void iallreduce(MPI_Comm comm, V const& sums, Method, MPI_Request& request) {
  auto const region = Impl::region_of("iallreduce");
  Impl::start_view_in_place(Impl::Communicator("iallreduce", comm), sums, request);
}

/// \brief Does not compile: a sum of numbers would depend on the order in which MPI adds them.
template <class S, class R>
requires(!Impl::Reducible<S>) EXAKT_ABI_TAG void iallreduce(MPI_Comm, S&&, Method, R&) { Impl::refuse_numbers<S>(); }

/// \brief The same, with the default method.
template <class Sums, class R>
requires(std::is_same_v<R, Request> || std::is_same_v<R, MPI_Request>) EXAKT_ABI_TAG
    void iallreduce(MPI_Comm comm, Sums&& sums, R& request) {
  iallreduce(comm, std::forward<Sums>(sums), Impl::default_method_for<std::decay_t<Sums>>(), request);
}

/// \brief The same, with the method last, as it is in allreduce.
template <class Sums, class R>
requires(std::is_same_v<R, Request> || std::is_same_v<R, MPI_Request>) EXAKT_ABI_TAG
    void iallreduce(MPI_Comm comm, Sums&& sums, R& request, Method method) {
  iallreduce(comm, std::forward<Sums>(sums), method, request);
}

/// \brief The same with a pointer to a request, as MPI takes it.
template <class Sums>
EXAKT_ABI_TAG void iallreduce(MPI_Comm comm, Sums&& sums, MPI_Request* request) {
  iallreduce(comm, std::forward<Sums>(sums), *request);
}

}  // namespace Exakt::Mpi

#endif
