// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WITHOUTKOKKOS_KOKKOS_CORE_HPP
#define EXAKT_WITHOUTKOKKOS_KOKKOS_CORE_HPP

/// \file
/// \brief What Exakt's headers ask of Kokkos on hosts, on the calling thread and a few of its own: for libraries that any
/// thread of any program calls (packages/c), where Kokkos' spaces refuse threads that did not initialize them.
///
/// Found in place of Kokkos' own by the include path of such a library, which defines EXAKT_WITHOUT_KOKKOS. Not
/// installed. Its namespace has another name, so that one program may hold both: none of its functions is Kokkos' to a
/// linker. What runs in teams is declared and never instantiated.

#if !defined(EXAKT_WITHOUT_KOKKOS)
#error "This folder is for sources that are compiled with EXAKT_WITHOUT_KOKKOS"
#endif

#define Kokkos ExaktWithoutKokkos
#define KOKKOS_ENABLE_SERIAL
#define KOKKOS_VERSION 0

#include "ExaktWithoutKokkos_View.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace Kokkos {

// ---- numbers

template <class T>
class complex {
 public:
  complex() = default;
  complex(T real, T imaginary = 0) : m_real(real), m_imaginary(imaginary) {}
  T real() const { return m_real; }
  T imag() const { return m_imaginary; }

 private:
  T m_real = 0, m_imaginary = 0;
};

template <class T>
struct reduction_identity;

// ---- atomic operations: the memory of a call is its own, the bins of a scatter are shared

template <class T>
T atomic_fetch_add(T* x, std::type_identity_t<T> value) {
  return __atomic_fetch_add(x, value, __ATOMIC_RELAXED);
}
template <class T>
void atomic_add(T* x, std::type_identity_t<T> value) {
  __atomic_fetch_add(x, value, __ATOMIC_RELAXED);
}
template <class T>
T atomic_fetch_and(T* x, std::type_identity_t<T> value) {
  return __atomic_fetch_and(x, value, __ATOMIC_RELAXED);
}
template <class T>
T atomic_fetch_or(T* x, std::type_identity_t<T> value) {
  return __atomic_fetch_or(x, value, __ATOMIC_RELAXED);
}
template <class T>
T atomic_compare_exchange(T* x, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  __atomic_compare_exchange_n(x, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
T atomic_exchange(T* x, std::type_identity_t<T> value) {
  return __atomic_exchange_n(x, value, __ATOMIC_RELAXED);
}
template <class T, class Better>
T atomic_replace_if(T* x, T value, Better const& better) {
  T before = __atomic_load_n(x, __ATOMIC_RELAXED);
  while (better(value, before) &&
         !__atomic_compare_exchange_n(x, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
template <class T>
T atomic_fetch_max(T* x, std::type_identity_t<T> value) {
  return atomic_replace_if(x, value, [](T a, T b) { return a > b; });
}
template <class T>
T atomic_fetch_min(T* x, std::type_identity_t<T> value) {
  return atomic_replace_if(x, value, [](T a, T b) { return a < b; });
}

// ---- loops

template <class T>
struct IndexType;
template <class T>
struct Schedule;
struct Dynamic;
template <unsigned threads, unsigned blocks>
struct LaunchBounds;
namespace Experimental {
struct WorkItemProperty {
  static int const HintLightWeight;
};
template <class Policy>
Policy require(Policy const&, int);
}  // namespace Experimental
struct ChunkSize {
  std::size_t size;
  explicit ChunkSize(int n) : size(static_cast<std::size_t>(n)) {}
};

template <class... Properties>
class RangePolicy {
 public:
  using execution_space = Serial;
  using index_type = std::size_t;
  using work_tag = void;
  /// Some chunks for each thread. Short loops, of single entries perhaps, are not worth waking them.
  RangePolicy(Serial const&, std::size_t begin, std::size_t end)
      : m_begin(begin), m_end(end), m_chunk((end - begin) / (4 * static_cast<std::size_t>(thread_count())) + 1) {}
  /// Tasks, which the caller has found worth it.
  RangePolicy(Serial const&, std::size_t begin, std::size_t end, ChunkSize chunk)
      : m_begin(begin), m_end(end), m_chunk(chunk.size), m_least(2) {}
  std::size_t begin() const { return m_begin; }
  std::size_t end() const { return m_end; }
  Serial space() const { return {}; }
  void set_chunk_size(int) {}

  std::size_t least() const { return m_least; }
  bool is_shared(std::size_t least) const { return thread_count() > 1 && m_end - m_begin >= least; }
  /// f(i) for the indices of chunks that nobody else has taken from `next`, which begins as begin().
  template <class F>
  void take(std::atomic<std::size_t>& next, F const& f) const {
    for (std::size_t i; (i = next.fetch_add(m_chunk)) < m_end;)
      for (std::size_t const end = std::min(i + m_chunk, m_end); i < end; ++i) f(i);
  }

 private:
  std::size_t m_begin, m_end, m_chunk, m_least = 32;
};

/// Named by loops over ranges of any rank, and never made.
enum class Iterate { Default, Left, Right };
template <class... Properties>
class MDRangePolicy;

template <class... Properties, class F>
void parallel_for(std::string_view, RangePolicy<Properties...> const& range, F const& f) {
  if (!range.is_shared(range.least())) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) f(i);
    return;
  }
  std::atomic<std::size_t> next{range.begin()};
  ThreadPool::run([&] { range.take(next, f); });
}

template <class... Properties, class F, class Reducer>
void parallel_reduce(std::string_view, RangePolicy<Properties...> const& range, F const& f, Reducer const& reducer) {
  reducer.init(reducer.reference());
  if (!range.is_shared(2)) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) f(i, reducer.reference());
    return;
  }
  std::atomic<std::size_t> next{range.begin()};
  std::mutex joining;
  ThreadPool::run([&] {
    typename Reducer::value_type value;
    reducer.init(value);
    range.take(next, [&](std::size_t i) { f(i, value); });
    std::lock_guard const lock(joining);
    reducer.join(reducer.reference(), value);
  });
}

/// By the calling thread alone.
template <class... Properties, class F>
void parallel_scan(std::string_view, RangePolicy<Properties...> const& range, F const& f) {
  typename F::value_type sum{};
  for (std::size_t i = range.begin(); i < range.end(); ++i) f(i, sum, true);
}

// ---- teams: the path of devices

struct AUTO_t {};
inline constexpr AUTO_t AUTO{};
struct ParallelForTag {};
template <class... Properties>
class TeamPolicy {
 public:
  struct member_type;
};
struct TeamLoop;
template <class... T>
TeamLoop TeamThreadRange(T const&...);
template <class... T>
TeamLoop TeamVectorRange(T const&...);
template <class... T>
TeamLoop ThreadVectorRange(T const&...);
template <class... T>
TeamLoop PerTeam(T const&...);
template <class... T>
TeamLoop PerThread(T const&...);
template <class F>
void parallel_for(TeamLoop const&, F const&);
template <class F, class Reducer>
void parallel_reduce(TeamLoop const&, F const&, Reducer const&);
template <class F>
void single(TeamLoop const&, F const&);

// ---- profilers, none of which listens; the end of Kokkos, which there is not

namespace Tools {
inline bool profileLibraryLoaded() { return false; }
}  // namespace Tools
namespace Profiling {
inline void pushRegion(std::string const&) {}
inline void popRegion() {}
}  // namespace Profiling
template <class F>
void push_finalize_hook(F const&) {}
inline void fence() {}
[[noreturn]] inline void abort(char const* message) {
  std::fprintf(stderr, "%s\n", message);
  std::abort();
}

}  // namespace Kokkos

#endif
