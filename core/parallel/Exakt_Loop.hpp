// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_LOOP_HPP
#define EXAKT_LOOP_HPP

#include "../numerics/Exakt_Environment.hpp"
#include "Exakt_Operand.hpp"

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The first exception of the threads of a loop, for the thread that waits for its end: one that leaves a thread of
/// OpenMP ends the program.
class LoopFailure {
 public:
  template <class Call>
  void keep_exception_of(Call const& call) {
    try {
      call();
    } catch (...) {
      if (!m_is_known.test_and_set()) m_first = std::current_exception();
    }
  }
  /// Behind the loop.
  void rethrow() const {
    if (m_first) std::rethrow_exception(m_first);
  }

 private:
  std::atomic_flag m_is_known;
  std::exception_ptr m_first;
};

/// \brief Any kernel over a range, by reference, each call of it in the default floating-point environment.
///
/// What parallel_for gets on hosts, which wait for its end: a Kokkos loop is compiled once for each execution space then,
/// instead of once for each kernel. A call through a pointer is no more than the call out of line of `Held`.
struct AnyKernel {
  void const* kernel;
  void (*call)(void const*, std::size_t);
  LoopFailure* failure;

  void operator()(std::size_t i) const {
    EXAKT_IF_ON_DEVICE((call(kernel, i);))
    EXAKT_IF_ON_HOST((DefaultEnvironment const held; call_on_host(i);))
  }

 private:
  void call_on_host(std::size_t i) const {
    failure->keep_exception_of([&] { call(kernel, i); });
  }
};

/// Not inlined: call_out_of_line.
template <class F>
__attribute__((noinline)) void call_kernel(void const* kernel, std::size_t i) {
  (*static_cast<F const*>(kernel))(i);
}

/// A term of a reduction over a range, likewise by reference. \tparam Sum  What f(i, sum) adds to.
template <class Sum>
struct AnyTerm {
  void const* term;
  void (*call)(void const*, std::size_t, Sum&);
  LoopFailure* failure;

  void operator()(std::size_t i, Sum& sum) const {
    failure->keep_exception_of([&] { call(term, i, sum); });
  }
};

template <class Sum, class F>
void call_term(void const* term, std::size_t i, Sum& sum) {
  (*static_cast<F const*>(term))(i, sum);
}

/// \brief f(i) for i in the range of the policy, each in the default floating-point environment; enqueued.
template <class Label, class Policy, class F>
void loop(Label label, Policy const& policy, F const& f) {
  if constexpr (is_on_host_v<typename Policy::execution_space>) {
    LoopFailure failure;
    Kokkos::parallel_for(label, policy, AnyKernel{&f, call_kernel<F>, &failure});
#if defined(KOKKOS_ENABLE_HPX)
    policy.space().fence();  // the only host whose loops may go on behind parallel_for
#endif
    failure.rethrow();
  } else {
    // As an argument of the kernel: of what is larger than half a kilobyte, Kokkos otherwise makes a copy in constant
    // memory, and waits until the kernel before has read its own.
    using Kokkos::Experimental::WorkItemProperty;
    Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, WorkItemProperty::HintLightWeight), held(f));
  }
}

/// The same for i below n.
template <class Label, class Space, class F>
void loop(Label label, Space const& space, std::size_t n, F const& f) {
  loop(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, n), f);
}

/// \brief f(i) for i below n, in the default floating-point environment; enqueued.
///
/// Threads of hosts take the next one when they are free, if there is enough to do for them; else the calling one does
/// it all.
///
/// \param label  Becomes a std::string only where Kokkos is called: that may allocate memory.
template <class Label, class Space, class F>
void for_each_task(Label const& label, Space const& space, std::size_t n, [[maybe_unused]] bool worth_waking_threads,
                   F const& f) {
  if constexpr (is_on_host_v<Space>) {
    if (n > 1 && worth_waking_threads && space.concurrency() > 1) {
      using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
      loop(std::string(label), Policy(space, 0, n, Kokkos::ChunkSize(1)), f);
    } else {
      in_default_environment([&] {
        for (std::size_t i = 0; i < n; ++i) f(i);
      });
    }
  } else {
    loop(std::string(label), space, n, f);
  }
}

/// \brief The reduction of what f(i, sum) adds for i below n, each a call that is worth it, in the environment of the
/// caller on each thread.
template <class Label, class Space, class F, class Reducer>
void reduce_loop(Label label, Space const& space, std::size_t n, F const& f, Reducer const& reducer) {
  using Sum = typename Reducer::value_type;
  Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>> const range(space, 0, n);
  if constexpr (is_on_host_v<Space>) {
    LoopFailure failure;
    Kokkos::parallel_reduce(label, range, AnyTerm<Sum>{&f, call_term<Sum, F>, &failure}, reducer);
    failure.rethrow();
  } else {
    Kokkos::parallel_reduce(label, range, f, reducer);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
