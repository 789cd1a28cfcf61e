/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <exakt.h>
#include <stdio.h>

int main(void) {
  double const x[] = {1, 1e100, 1, -1e100};
  double sum;
  if (exakt_dsum(4, x, 1, &sum) != EXAKT_SUCCESS) return fprintf(stderr, "%s\n", exakt_message()), 1;
  printf("%g\n", sum); /* 2 */
}
