// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Next.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ExaktBlasAbi {
namespace {

/// Where the BLAS of a system is found if nothing else names one: as programs find it, and, if that is this library,
/// OpenBLAS, BLIS, and Debian's reference implementation; then LAPACK, of which some is ours and compared, too.
constexpr char const* usual_names[] = {
    "libblas" EXAKT_BLAS_SUFFIX ".so.3", "libopenblas" EXAKT_BLAS_SUFFIX ".so.0", "libblis" EXAKT_BLAS_SUFFIX ".so.4",
    "/usr/lib/" EXAKT_BLAS_ARCHITECTURE "/blas" EXAKT_BLAS_SUFFIX "/libblas" EXAKT_BLAS_SUFFIX ".so.3",
    "liblapack" EXAKT_BLAS_SUFFIX ".so.3"};

void* address_of_this_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&next_symbol), &info);
  return info.dli_fbase;
}

/// The symbol, unless it is ours: this library may be what the system calls libblas.so.3.
void* others_symbol(void* handle, char const* name) {
  void* const symbol = dlsym(handle, name);
  Dl_info info{};
  if (symbol == nullptr || dladdr(symbol, &info) == 0) return symbol;
  return info.dli_fbase == address_of_this_library() ? nullptr : symbol;
}

/// The library that the user names, or what comes behind this one.
void* open_first_library() {
  char const* const name = std::getenv("EXAKT_BLAS_NEXT");
  if (name == nullptr || *name == '\0') return RTLD_NEXT;
  void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail("EXAKT_BLAS_NEXT", dlerror());
  return handle;
}

/// What was found by a name stays loaded: there is one handle for the life of the program.
void* usual_symbol(char const* name) {
  static std::atomic<void*> handles[sizeof(usual_names) / sizeof(*usual_names)];
  for (std::size_t k = 0; k < sizeof(usual_names) / sizeof(*usual_names); ++k) {
    void* handle = handles[k].load();
    if (handle == nullptr) handles[k] = handle = dlopen(usual_names[k], RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    if (void* const symbol = others_symbol(handle, name)) return symbol;
  }
  return nullptr;
}

}  // namespace

void fail(char const* what, char const* why) {
  std::fprintf(stderr, "Exakt: libexakt_blas" EXAKT_BLAS_SUFFIX ": %s: %s\n", what, why);
  std::abort();
}

void* next_symbol(char const* name) {
  static std::atomic<void*> first{nullptr};  // without a guard: Exakt::Impl::chosen_once() says why
  void* handle = first.load();
  if (handle == nullptr) first = handle = open_first_library();
  void* const symbol = others_symbol(handle, name);
  return symbol == nullptr && handle == RTLD_NEXT ? usual_symbol(name) : symbol;
}

void* next_function(char const* name) {
  if (void* const symbol = next_symbol(name)) return symbol;
  std::string_view const plain = name;
  char other[64];  // no allocation: whoever calls the BLAS catches no exception
  std::snprintf(other, sizeof(other), "scipy_%s", name);
  if (void* const symbol = next_symbol(other)) return symbol;
  constexpr std::string_view ending = "64_";
  if (!plain.starts_with("cblas_") || !plain.ends_with(ending)) return nullptr;
  std::snprintf(other, sizeof(other), "%.*s_64", static_cast<int>(plain.size() - ending.size()), name);
  return next_symbol(other);
}

// For products of ours that use a BLAS inside: by its exported names they would find this library.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) void* exakt_blas_next_(char const* name) { return next_symbol(name); }

void* require_next_symbol(char const* name) {
  void* const symbol = next_symbol(name);
  if (symbol == nullptr) fail(name, "no BLAS behind this library has it; EXAKT_BLAS_NEXT names the file of one");
  return symbol;
}

}  // namespace ExaktBlasAbi
