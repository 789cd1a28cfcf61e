// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Call.hpp"

#include <Exakt_Version.hpp>
#include <kernels/Exakt_Kernels.hpp>

#include <atomic>
#include <cstdio>
#include <new>

namespace ExaktC {
namespace {

thread_local char message[512] = "";

struct Description {
  char text[256];
  Description() {
    auto const& kernels = Exakt::Impl::kernels();
    std::snprintf(text, sizeof(text), "Exakt %s for C, kernels %s of %s, %d thread%s per call", EXAKT_VERSION,
                  kernels.name, kernels.names, Kokkos::thread_count(), Kokkos::thread_count() == 1 ? "" : "s");
  }
};

}  // namespace

void set_message(char const* function, char const* sentence) noexcept {
  std::snprintf(message, sizeof(message), "%s: %s", function, sentence);
}

}  // namespace ExaktC

char const* exakt_message(void) { return ExaktC::message; }

void exakt_set_message(char const* sentence) {
  std::snprintf(ExaktC::message, sizeof(ExaktC::message), "%s", sentence == nullptr ? "" : sentence);
}

char const* exakt_version(void) { return EXAKT_VERSION; }

char const* exakt_describe(void) {
  // Not a static variable with an initializer, at whose guard the child of a fork could wait for ever.
  static std::atomic<ExaktC::Description const*> known{nullptr};
  ExaktC::Description const* one = known.load();
  if (one != nullptr) return one->text;
  auto const* const mine = new (std::nothrow) ExaktC::Description;
  if (mine == nullptr) return EXAKT_VERSION;
  if (known.compare_exchange_strong(one, mine)) return mine->text;
  delete mine;
  return one->text;
}
