// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WITHOUTKOKKOS_THREADS_HPP
#define EXAKT_WITHOUTKOKKOS_THREADS_HPP

/// \file
/// \brief Threads of the library's own: as many as EXAKT_NUM_THREADS says, one by default, which is the calling one.
///
/// They are started by the first call that has work for them, and sleep between calls. One call at a time has them;
/// another one that comes meanwhile, or from inside of one, works on its own thread. The child of a fork starts new ones.

#include "ExaktWithoutKokkos_StartThread.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace Kokkos {

/// The calling thread among them. The child of a fork could wait for ever at the guard of a static variable: this one begins as a
/// constant and has none. Threads that come at once all ask, and the first one complains.
inline int thread_count() {
  static std::atomic<int> count{0};
  if (int const known = count.load(std::memory_order_relaxed)) return known;
  constexpr long most = 1024;
  char const* const text = std::getenv("EXAKT_NUM_THREADS");
  long number = 1;
  bool is_right = true;
  if (text != nullptr && *text != '\0') {
    char* end = nullptr;
    number = std::strtol(text, &end, 10);
    is_right = *end == '\0' && number >= 1 && number <= most;
  }
  int const mine = is_right ? static_cast<int>(number) : 1;
  int others = 0;
  if (!count.compare_exchange_strong(others, mine)) return others;
  if (!is_right)
    std::fprintf(stderr, "Exakt: EXAKT_NUM_THREADS=%s is not a number from 1 to %ld; one thread works\n", text, most);
  return mine;
}

class ThreadPool {
 public:
  /// work() on the calling thread, and on the others as far as they come before it has ended; what one of them throws, it
  /// throws.
  template <class Work>
  static void run(Work const& work) {
    ThreadPool& pool = instance();
    std::unique_lock owner(pool.m_owner, std::defer_lock);
    if (thread_count() == 1 || is_worker() || !owner.try_lock()) return work();
    is_worker() = true;
    pool.begin(&work, [](void const* lambda) { (*static_cast<Work const*>(lambda))(); });
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    is_worker() = false;
    if (std::exception_ptr const others = pool.end()) error = others;
    if (error) std::rethrow_exception(error);
  }

 private:
  ThreadPool() = default;

  /// Never destroyed: its threads wait when the program ends. The child of a fork has none of them, and a pool of its own.
  inline static std::atomic<ThreadPool*> m_pool{nullptr};

  static ThreadPool& instance() {
    ThreadPool* const pool = m_pool.load(std::memory_order_acquire);
    return pool != nullptr ? *pool : make();
  }
  /// By some threads at once, perhaps: one of the pools stays.
  static ThreadPool& make() {
    pthread_atfork(nullptr, nullptr, [] {
      if (m_pool.load() != nullptr) m_pool.store(new ThreadPool);
    });
    std::unique_ptr<ThreadPool> mine(new ThreadPool);
    ThreadPool* pool = nullptr;
    return m_pool.compare_exchange_strong(pool, mine.get()) ? *mine.release() : *pool;
  }
  static bool& is_worker() {
    static thread_local bool is = false;
    return is;
  }

  void begin(void const* work, void (*call)(void const*)) {
    if (m_started == 0) start();
    {
      std::lock_guard const lock(m_mutex);
      m_work = work;
      m_call = call;
      ++m_round;
    }
    m_wake.notify_all();
  }

  /// Late ones need not come any more.
  std::exception_ptr end() {
    std::unique_lock lock(m_mutex);
    m_work = nullptr;
    m_done.wait(lock, [this] { return m_working == 0; });
    return std::exchange(m_error, nullptr);
  }

  /// Signals are for the threads of the program. What cannot be started is not needed.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    auto const work = [](void* pool) -> void* {
      static_cast<ThreadPool*>(pool)->work_for_ever();
      return nullptr;
    };
    pthread_t thread;
    for (m_started = 1; m_started < thread_count(); ++m_started) {
      if (!ExaktWithoutKokkos::start_thread(thread, work, this)) break;
      pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void work_for_ever() {
    is_worker() = true;
    unsigned long seen = 0;
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_wake.wait(lock, [&] { return m_round != seen; });
      seen = m_round;
      if (m_work == nullptr) continue;
      void const* const work = m_work;
      auto const call = m_call;
      ++m_working;
      lock.unlock();
      std::exception_ptr error;
      try {
        call(work);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error) m_error = error;
      if (--m_working == 0) m_done.notify_one();
    }
  }

  std::mutex m_owner, m_mutex;
  std::condition_variable m_wake, m_done;
  void const* m_work = nullptr;
  void (*m_call)(void const*) = nullptr;
  unsigned long m_round = 0;
  int m_working = 0, m_started = 0;
  std::exception_ptr m_error;
};

}  // namespace Kokkos

#endif
