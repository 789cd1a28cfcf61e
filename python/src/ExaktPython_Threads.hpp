// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_THREADS_HPP
#define EXAKTPYTHON_THREADS_HPP

/// \file
/// \brief Threads for large arrays. They end with the call, so that a process may fork between two.

#include "ExaktPython.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

namespace ExaktPython {

inline constexpr Py_ssize_t most_threads = 64;

/// As many as there are processors for this process, or as the environment variable EXAKT_NUM_THREADS says.
inline Py_ssize_t threads_at_most() {
  static Py_ssize_t const count = [] {
    auto const processors = std::clamp<Py_ssize_t>(std::thread::hardware_concurrency(), 1, most_threads);
    char const* const text = std::getenv("EXAKT_NUM_THREADS");
    if (text == nullptr || *text == '\0') return processors;
    char* end = nullptr;
    long const number = std::strtol(text, &end, 10);
    if (*end == '\0' && number >= 1) return std::min<Py_ssize_t>(number, most_threads);
    std::fprintf(stderr, "Exakt: EXAKT_NUM_THREADS=%s is not a positive number; %d threads work\n", text,
                 static_cast<int>(processors));
    return processors;
  }();
  return count;
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
  std::thread threads[most_threads];
  Py_ssize_t started = 1;
  try {
    for (; started < parts; ++started) threads[started] = std::thread(work, started);
  } catch (std::exception const&) {  // no more threads: this one does the rest
  }
  work(0);
  for (Py_ssize_t part = started; part < parts; ++part) work(part);
  for (Py_ssize_t part = 1; part < started; ++part) threads[part].join();
  if (failed.status != EXAKT_SUCCESS) exakt_set_message(failed.message);
  return failed.status;
}

}  // namespace ExaktPython

#endif
