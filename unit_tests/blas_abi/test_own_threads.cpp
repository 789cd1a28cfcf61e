// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXAKT_NUM_THREADS=4: the pool of libexakt and libexakt_blas, and their Views, without Kokkos, which would have their
// names.
#include <ExaktWithoutKokkos_Threads.hpp>
#include <ExaktWithoutKokkos_View.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "../support/ExaktTest_HeldGetenv.hpp"

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

constexpr int tasks = 100;

/// f(i) once for each task.
template <class F>
void for_tasks(F const& f) {
  std::atomic<int> next{0};
  Kokkos::ThreadPool::run([&] {
    for (int i; (i = next.fetch_add(1)) < tasks;) f(i);
  });
}

void add_up(int times) {
  for (int k = 0; k < times; ++k) {
    std::atomic<int> sum{0};
    for_tasks([&](int i) { sum += i; });
    require(sum == tasks * (tasks - 1) / 2, "every task once, and all of them before the call returns");
  }
}

/// On threads whose stacks are as small as the program has them by default.
void use_stack_of_kernels() {
  char volatile memory[std::size_t{512} << 10];
  for (std::size_t i = sizeof memory; i > 0; i -= 512) memory[i - 1] = 0;  // from the beginning of the stack on
}

/// Whether f() returns in the child of a fork.
template <class F>
bool returns_in_child(F const& f) {
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // whoever waits for a thread of its parent waits for ever
    f();
    _exit(0);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

void check_views() {
  using Vector = Kokkos::View<double*, Kokkos::HostSpace>;
  Vector const from("from", 3), to("to", 3);
  for (int i = 0; i < 3; ++i) from(i) = i + 1;
  Kokkos::deep_copy(Kokkos::DefaultHostExecutionSpace(), to, from);
  for (int i = 0; i < 3; ++i) require(to(i) == i + 1, "deep_copy copies what is not the same memory");

  bool is_refused = false;
  try {
    Kokkos::View<double**, Kokkos::HostSpace> const matrix("matrix", std::size_t{1} << 32, std::size_t{1} << 32);
  } catch (std::bad_alloc const&) {
    is_refused = true;
  }
  require(is_refused, "no memory has 2^64 entries");
}

}  // namespace

int main() {
#ifdef __linux__
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  require(pthread_setattr_default_np(&small) == 0, "stacks of 128 KB");
  pthread_attr_destroy(&small);
#endif
  std::thread first([] { add_up(1); });
  while (!is_held) std::this_thread::yield();
  bool const returns = returns_in_child([] { add_up(10); });
  may_go_on = true;
  first.join();
  require(returns, "the child of a fork while another thread makes the first call");
  require(Kokkos::thread_count() == 4, "EXAKT_NUM_THREADS=4");

  std::mutex mutex;
  std::set<std::thread::id> threads;
  for_tasks([&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::lock_guard const lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  require(threads.size() == 4, "four threads work");
  for_tasks([caller = std::this_thread::get_id()](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (std::this_thread::get_id() != caller) use_stack_of_kernels();
  });

  add_up(1000);
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) callers.emplace_back([] { add_up(1000); });
  for (std::thread& caller : callers) caller.join();

  std::atomic<int> inner{0};
  for_tasks([&](int) { for_tasks([&](int) { ++inner; }); });
  require(inner == tasks * tasks, "calls inside of tasks");

  int caught = 0;
  for (int k = 0; k < 100; ++k) {
    try {
      for_tasks([&](int i) {
        if (i == k) throw std::runtime_error("");
      });
    } catch (std::runtime_error const&) {
      ++caught;
    }
  }
  require(caught == 100, "what a task throws, the call throws");
  add_up(10);

  require(returns_in_child([] { add_up(10); }), "the child of a fork");
  add_up(10);
  check_views();
  std::puts("threads of their own: all is well");
}
