// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of gemm that takes a BLAS for residues, in a program where libexakt_blas has the names of the BLAS: it takes
// the one behind. EXAKT_BLAS_VERIFY would have a table otherwise.
#include <kernels/ExaktBlas_Multipliers.hpp>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

int main() {
  if (!Exakt::Impl::has_double_gemm()) {
    std::puts("left out: Exakt is built without a BLAS");
    return 0;
  }
  char const* const table = std::getenv("EXAKT_BLAS_VERIFY");
  if (table == nullptr || dlsym(RTLD_DEFAULT, "scipy_cblas_dgemm64_") == nullptr) {
    std::puts("libexakt_blas is not preloaded");
    return 1;
  }
  std::remove(table);
  pid_t const child = fork();
  if (child == 0) {
    double const a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8, 9, 10}, expected[] = {17, 39, 23, 53, 29, 67};
    double c[6] = {};
    bool const is_done = Exakt::Impl::multiply_doubles(2, 3, 2, a, b, 2, c);
    std::exit(is_done && std::equal(c, c + 6, expected) ? 0 : 1);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  if (!std::ifstream(table).good()) return 0;
  std::puts("the engine of gemm calls libexakt_blas");
  return 1;
}
