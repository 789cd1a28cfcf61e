// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_THREADS_HPP
#define EXAKTPYTHON_THREADS_HPP

/// \file
/// \brief Threads for large arrays. They end with the call, so that a process may fork between two.

#include "ExaktPython.hpp"

#include <without_kokkos/ExaktWithoutKokkos_StartThread.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace ExaktPython {

inline constexpr Py_ssize_t most_threads = 64;

/// As many as there are processors for this process, or as the environment variable EXAKT_NUM_THREADS says. Called
/// without the global lock: the child of a fork could wait for ever at the guard of a static variable; this one begins
/// as a constant and has none. Threads that come at once all ask, and the first one complains.
inline Py_ssize_t threads_at_most() {
  static std::atomic<Py_ssize_t> count{0};
  if (Py_ssize_t const known = count.load(std::memory_order_relaxed)) return known;
  auto mine = std::clamp<Py_ssize_t>(std::thread::hardware_concurrency(), 1, most_threads);
  char const* const text = std::getenv("EXAKT_NUM_THREADS");
  bool is_right = true;
  if (text != nullptr && *text != '\0') {
    char* end = nullptr;
    long const number = std::strtol(text, &end, 10);
    is_right = *end == '\0' && number >= 1;
    if (is_right) mine = std::min<Py_ssize_t>(number, most_threads);
  }
  Py_ssize_t others = 0;
  if (!count.compare_exchange_strong(others, mine)) return others;
  if (!is_right)
    std::fprintf(stderr, "Exakt: EXAKT_NUM_THREADS=%s is not a positive number; %d threads work\n", text,
                 static_cast<int>(mine));
  return mine;
}

/// How many are worth starting.
inline Py_ssize_t threads_for(Py_ssize_t terms) {
  constexpr Py_ssize_t worth_a_thread = Py_ssize_t{1} << 19;
  return std::clamp<Py_ssize_t>(terms / worth_a_thread, 1, threads_at_most());
}

/// \brief f(begin, end) for as many parts of [0, n), each on a thread of its own, one of them the caller's. f throws nothing
/// and has nothing to do with Python. \return The status of the first part that is no success; exakt_message() is that
/// part's, whatever thread had it.
template <class F>
exakt_status for_each_part(Py_ssize_t parts, Py_ssize_t n, F const& f) {
  parts = std::clamp<Py_ssize_t>(parts, 1, std::clamp<Py_ssize_t>(n, 1, most_threads));
  if (parts == 1) return f(Py_ssize_t{0}, n);
  auto const begin_of = [&](Py_ssize_t part) { return n / parts * part + std::min(part, n % parts); };
  struct Failure {
    std::mutex mutex;
    Py_ssize_t part = most_threads;
    exakt_status status = EXAKT_SUCCESS;
    char message[512];  // exakt_message() of the thread, which ends
  } failed;
  auto const work = [&](Py_ssize_t part) {
    exakt_status const status = f(begin_of(part), begin_of(part + 1));
    if (status == EXAKT_SUCCESS) return;
    std::lock_guard const lock(failed.mutex);
    if (part > failed.part) return;
    failed.part = part;
    failed.status = status;
    std::snprintf(failed.message, sizeof failed.message, "%s", exakt_message());
  };
  struct Thread {
    decltype(work)* of_part;
    Py_ssize_t part;
    pthread_t thread;
  } threads[most_threads];
  auto const work_on_thread = [](void* argument) -> void* {
    auto const& mine = *static_cast<Thread*>(argument);
    (*mine.of_part)(mine.part);
    return nullptr;
  };
  Py_ssize_t started = 1;
  for (; started < parts; ++started) {
    threads[started].of_part = &work;
    threads[started].part = started;
    if (!ExaktWithoutKokkos::start_thread(threads[started].thread, work_on_thread, &threads[started])) break;
  }
  work(0);
  for (Py_ssize_t part = started; part < parts; ++part) work(part);  // no more threads: this one does the rest
  for (Py_ssize_t part = 1; part < started; ++part) pthread_join(threads[part].thread, nullptr);
  if (failed.status != EXAKT_SUCCESS) exakt_set_message(failed.message);
  return failed.status;
}

}  // namespace ExaktPython

#endif
