/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* test_unload LIBRARY, with EXAKT_NUM_THREADS=4: a plugin that uses the library is loaded, unloaded and loaded again, as
   interpreters do it, while the library's own threads wait for work. */

#define _POSIX_C_SOURCE 200809L

#include <exakt.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { n = 200000, times = 20 };

int main(int argc, char **argv) {
  struct timespec const a_moment = {0, 2000000};
  double *const x = malloc(n * sizeof *x);
  int i, k;
  if (argc != 2 || x == NULL) return 1;
  for (i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 1e30 : -1e30;
  /* All others cancel but the last one, which is lost in the result. */
  x[n / 2] += 1e20;
  x[n - 1] = 1;
  for (k = 0; k < times; ++k) {
    exakt_status (*sum)(ptrdiff_t, double const *, ptrdiff_t, double *);
    double result = 0;
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *symbol;
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    symbol = dlsym(library, "exakt_dsum");
    memcpy(&sum, &symbol, sizeof sum);
    if (sum(n, x, 1, &result) != EXAKT_SUCCESS || result != x[n / 2]) {
      fprintf(stderr, "the sum is %a\n", result);
      return 1;
    }
    dlclose(library);
    nanosleep(&a_moment, NULL);
  }
  free(x);
  puts("loaded and unloaded");
  return 0;
}
