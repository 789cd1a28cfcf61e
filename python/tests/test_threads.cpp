// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What for_each_part() returns, and exakt_message() says then, where f fails on other threads than the caller's; how many
// threads there are, in the child of a fork too; their stacks.
#include <ExaktPython_Threads.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

#include "../../unit_tests/support/ExaktTest_HeldGetenv.hpp"

namespace {

constexpr Py_ssize_t many = Py_ssize_t{1} << 30;

bool all_is_well = true;

/// Of four parts, those fail whose bits are set, each with a message of its own.
void check(unsigned failing, exakt_status status, std::string const& message) {
  exakt_set_message("an older one");
  exakt_status const found = ExaktPython::for_each_part(4, 4, [&](Py_ssize_t begin, Py_ssize_t) -> exakt_status {
    double result = 0;
    return (failing >> begin & 1) != 0 ? exakt_dsum(-1 - begin, nullptr, 1, &result) : EXAKT_SUCCESS;
  });
  if (found == status && exakt_message() == message) return;
  std::printf("%u: the status is %d, the message: %s\n", failing, static_cast<int>(found), exakt_message());
  all_is_well = false;
}

void require(bool holds, char const* what) {
  if (holds) return;
  std::printf("%s\n", what);
  all_is_well = false;
}

/// Another thread asks for the first time how many there are, and the process forks.
void check_count() {
  std::thread first([] { ExaktPython::threads_for(many); });
  while (!is_held) std::this_thread::yield();
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // whoever waits for a thread of its parent waits for ever
    _exit(ExaktPython::threads_for(many) == 4 ? 0 : 1);
  }
  int status = 1;
  require(waitpid(child, &status, 0) == child && status == 0, "the child of a fork while another thread asks first");
  may_go_on = true;
  first.join();
  require(ExaktPython::threads_for(many) == 4, "EXAKT_NUM_THREADS=4");
}

/// Kernels need more than a program may have by default.
void check_stacks() {
#ifdef __linux__
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  require(pthread_setattr_default_np(&small) == 0, "stacks of 128 KB");
  pthread_attr_destroy(&small);
#endif
  ExaktPython::for_each_part(4, 4, [](Py_ssize_t, Py_ssize_t) {
    volatile char memory[std::size_t{512} << 10];
    for (std::size_t i = sizeof memory; i > 0; i -= 512) memory[i - 1] = 0;  // from the beginning of the stack on
    return EXAKT_SUCCESS;
  });
}

}  // namespace

int main() {
  check_count();
  check_stacks();
  check(0, EXAKT_SUCCESS, "an older one");
  for (int round = 0; round < 50; ++round)  // whichever thread is the first one
    for (unsigned failing = 1; failing < 16; ++failing) {
      unsigned first = 0;
      while ((failing >> first & 1) == 0) ++first;
      check(failing, EXAKT_INVALID_ARGUMENT,
            "exakt_dsum: n is -" + std::to_string(1 + first) + "; it must not be negative");
    }
  if (all_is_well) std::puts("messages are those of the first part that fails");
  return all_is_well ? 0 : 1;
}
