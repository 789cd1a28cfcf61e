// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// test_dlopen LIBRARY: a program without Kokkos loads the kernels of core as a shared library and calls them.

#include <kernels/Exakt_Kernels.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <string>

using Exakt::Impl::Kernels;
using Exakt::Impl::KernelsOf;

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  std::string const version = EXAKT_ABI_STRING(EXAKT_COMPILED),
                    name = "_ZN5Exakt4Impl" + std::to_string(version.size()) + version + "14choose_kernelsEv";
  void* const symbol = library != nullptr ? dlsym(library, name.c_str()) : nullptr;
  if (symbol == nullptr) {
    std::printf("%s\n", argc == 2 ? dlerror() : "usage: test_dlopen LIBRARY");
    return 1;
  }
  Kernels const& kernels = reinterpret_cast<Kernels const& (*)()>(symbol)();
  std::printf("%s, of %s\n", kernels.name, kernels.names);

  double const terms[] = {3, 0x1p-60, -1, 0x1p-60, -7.5};
  std::int64_t units[4];
  KernelsOf<double> const& kernel = kernels;
  bool const is_exact = kernel.extract(terms, 5, 0, 4, 3, -1074, units);
  // The units of levels 1 and 2 are 2^(3 - 40) and 2^(3 - 80).
  bool const is_right = is_exact && units[0] == -11 * (std::int64_t{1} << 36) && units[1] == std::int64_t{1} << 18 &&
                        kernel.largest(terms, 5, 0) == 7.5;
  if (!is_right) std::printf("a kernel gives something else\n");
  return is_right ? 0 : 1;
}
