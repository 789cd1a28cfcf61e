// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Call.hpp"

#include <Exakt_Version.hpp>
#include <kernels/Exakt_Kernels.hpp>

#include <cstdio>

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
  static ExaktC::Description const description;
  return description.text;
}
