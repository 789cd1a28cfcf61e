// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_PENDING_HPP
#define EXAKTMPI_PENDING_HPP

/// \file
/// \brief Reductions under way: the message, the requests of MPI, and what remains to be done when they are complete.

#include "ExaktMpi_Message.hpp"

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief A header, unless there is but one sum, and a message; both sent at once, for there is no second call in which
/// all ranks would take part.
class Pending {
 public:
  explicit Pending(MPI_Comm communicator) : comm(communicator) {}
  virtual ~Pending() = default;
  Pending(Pending const&) = delete;
  Pending& operator=(Pending const&) = delete;

  MPI_Comm const comm;

  /// \brief Sends what the constructor has made ready: what may fail on this rank alone has been done there.
  virtual void start(Communicator const& ranks) = 0;

  bool is_under_way() const { return m_header_request != MPI_REQUEST_NULL || m_request != MPI_REQUEST_NULL; }

  /// \brief Waits for the end, or sees whether it is there.
  bool complete(Communicator const& ranks, bool wait) {
    if (!arrived(ranks, m_header_request, wait)) return false;
    // If the ranks disagree, the message will perhaps never arrive.
    if (m_has_header) m_header.require_agreement(ranks, "the View", m_count);
    if (!arrived(ranks, m_request, wait)) return false;
    unpack();
    return true;
  }

 protected:
  void start_header(Communicator const& ranks, Header const& header, std::size_t count) {
    m_header = header;
    m_count = count;
    m_has_header = true;
    ranks.check("MPI_Iallreduce", MPI_Iallreduce(MPI_IN_PLACE, m_header.greatest, Header::length, MPI_INT64_T, MPI_MAX,
                                                 ranks, &m_header_request));
  }

  static void require_length(Communicator const& ranks, std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      ranks.refuse("the message has " + std::to_string(count) + " words; one that is not waited for can have " +
                   std::to_string(std::numeric_limits<int>::max()));
  }

  /// \pre require_length()
  void start_message(Communicator const& ranks, void* buffer, std::size_t count, MPI_Datatype type, MPI_Op op) {
    // Open MPI gives a message without entries no number in its sequence. Where other ranks have entries, this rank would be one
    // message behind them from then on; so it sends a word.
    int const result = count > 0
                           ? MPI_Iallreduce(MPI_IN_PLACE, buffer, static_cast<int>(count), type, op, ranks, &m_request)
                           : MPI_Iallreduce(MPI_IN_PLACE, &m_nothing, 1, MPI_INT64_T, MPI_SUM, ranks, &m_request);
    ranks.check("MPI_Iallreduce", result);
  }

 private:
  virtual void unpack() = 0;

  static bool arrived(Communicator const& ranks, MPI_Request& request, bool wait) {
    int done = 1;
    if (wait) {
      ranks.check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      ranks.check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    return done != 0;
  }

  Header m_header{};
  std::size_t m_count = 0;
  bool m_has_header = false;
  std::int64_t m_nothing = 0;
  MPI_Request m_header_request = MPI_REQUEST_NULL, m_request = MPI_REQUEST_NULL;
};

template <class Sums>
class PendingWords : public Pending {
 public:
  PendingWords(Communicator const& ranks, Sums const& sums) : Pending(ranks), m_message(sums, ranks, all_ranks, any) {
    m_message.pack_all();
    require_length(ranks, m_message.length(sums.size()));
  }
  void start(Communicator const& ranks) override {
    if (!Sums::is_single) start_header(ranks, m_message.header(), m_message.count());
    start_message(ranks, m_message.words(), m_message.length(m_message.count()), MPI_INT64_T, MPI_SUM);
  }

 private:
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();  // number of words at once

  void unpack() override {
    m_message.unpack({0, m_message.count()}, m_message.words());
    m_message.write_back();
  }

  WordMessage<Sums> m_message;
};

template <class Sums>
class PendingAccumulators : public Pending {
  using Merge = Operation<typename AccumulatorMessage<Sums>::Element>;

 public:
  PendingAccumulators(Communicator const& ranks, Sums const& sums)
      : Pending(ranks), m_message(sums, ranks, all_ranks), m_operation(Merge::get(ranks)) {
    require_length(ranks, m_message.length());
  }
  void start(Communicator const& ranks) override {
    if (!Sums::is_single) start_header(ranks, m_message.header(), m_message.length());
    start_message(ranks, m_message.elements(), m_message.length(), m_operation.type, m_operation.op);
  }

 private:
  void unpack() override { m_message.unpack(m_message.elements()); }

  AccumulatorMessage<Sums> m_message;
  Merge const& m_operation;
};

/// \brief Of a rank that failed: a header that says so, and a message for the one that the others send.
class PendingFailure : public Pending {
 public:
  using Pending::Pending;
  void start(Communicator const& ranks) override {
    start_header(ranks, Header::of_failure(), 0);
    start_message(ranks, nullptr, 0, MPI_INT64_T, MPI_SUM);
  }

 private:
  void unpack() override {}
};

/// \brief The one type that may put something into a Request.
struct StartPending {
  template <class MakeSums, class Request>
  static void start(MPI_Comm comm, MakeSums const& make_sums, Method method, Request& request) {
    using Sums = decltype(make_sums());
    using A = typename Sums::type;
    Communicator const ranks("iallreduce", comm);
    // If the call before failed, this one need not: the others get their sum, and the ranks remain at the same call.
    auto const failure_before = failure_of([&] { request.wait(); });
    std::unique_ptr<Pending> pending;
    auto const failure = failure_of([&] {
      require_method<A>(ranks, method);
      if (ranks.size() == 1) return;
      if (method == Method::accumulators) {
        pending = std::make_unique<PendingAccumulators<Sums>>(ranks, make_sums());
      } else if constexpr (is_long_v<TravellingOf<A>>) {
        pending = std::make_unique<PendingWords<Sums>>(ranks, make_sums());
      }
    });
    if (failure) {
      if (Sums::is_single || ranks.size() == 1) std::rethrow_exception(failure);  // no header could say so
      pending = std::make_unique<PendingFailure>(ranks);
    }
    try {
      if (pending) pending->start(ranks);
      if (failure_before) std::rethrow_exception(failure_before);
      if (failure) std::rethrow_exception(failure);
    } catch (...) {
      // MPI may still be reading and writing it. The caller's sums, which may end now, are not written any more.
      if (pending && pending->is_under_way()) static_cast<void>(pending.release());
      throw;
    }
    request.m_pending = std::move(pending);
  }
};

/// \brief n accumulators, in place, with a request of MPI's own.
template <class A>
void start_in_place(Communicator const& ranks, A* accumulators, std::size_t n, MPI_Request& request) {
  request = MPI_REQUEST_NULL;
  if (ranks.size() == 1) return;
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    ranks.refuse("the View has " + std::to_string(n) + " entries; a request can be for " +
                 std::to_string(std::numeric_limits<int>::max()));
  // Nothing is left in buffers, whose unused part MPI would not copy for nothing.
  for_each("Exakt::Mpi::pack", n, 1, [=](std::size_t i) { Travelling<A>::of(accumulators[i]); });
  auto const& operation = Operation<A>::get(ranks);
  ranks.check("MPI_Iallreduce", MPI_Iallreduce(MPI_IN_PLACE, accumulators, static_cast<int>(n), operation.type,
                                               operation.op, ranks, &request));
}

template <class V>
void start_view_in_place(Communicator const& ranks, V const& view, MPI_Request& request) {
  using Sums = SumsOfView<V>;
  static_assert(Sums::in_place,
                "Exakt: accumulators that the host cannot reach are copied; take an Exakt::Mpi::Request");
  Sums const sums(view);
  if (!view.span_is_contiguous())
    ranks.refuse("the View is not contiguous; make it so, or take an Exakt::Mpi::Request");
  start_in_place(ranks, view.data(), sums.size(), request);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
