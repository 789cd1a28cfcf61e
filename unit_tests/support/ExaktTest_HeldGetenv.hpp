// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_HELDGETENV_HPP
#define EXAKTTEST_HELDGETENV_HPP

/// \file
/// \brief Holds the thread that is the first to ask for the number of threads. For one source of a program.

#include <atomic>
#include <string_view>
#include <thread>

namespace {

std::atomic<bool> is_held{false}, may_go_on{false};

}  // namespace

/// In place of the C library's: keeps the thread that asks first.
extern "C" char* getenv(char const* name) noexcept {
  static char four[] = "4";
  if (std::string_view(name) != "EXAKT_NUM_THREADS") return nullptr;
  if (!is_held.exchange(true))
    while (!may_go_on) std::this_thread::yield();
  return four;
}

#endif
