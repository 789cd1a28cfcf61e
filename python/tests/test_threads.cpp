// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What for_each_part() returns, and exakt_message() says then, where f fails on other threads than the caller's.
#include <ExaktPython_Threads.hpp>

#include <string>

namespace {

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

}  // namespace

int main() {
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
