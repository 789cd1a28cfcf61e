/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <exakt.h>

#include <stdio.h>

int main(void) {
  double const x[] = {1, 1e100, 1, -1e100}, a[] = {2, 0, 0, 2};
  double sum = 0, y[2];
  if (exakt_dsum(4, x, 1, &sum) != EXAKT_SUCCESS ||
      exakt_dgemv(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 2, 2, 1, a, 2, x, 2, 0, y, 1) != EXAKT_SUCCESS) {
    fprintf(stderr, "%s\n", exakt_message());
    return 2;
  }
  printf("%s: %g, not %g\n", exakt_version(), sum, x[0] + x[1] + x[2] + x[3]);
  return sum == 2 && y[0] == 2 && y[1] == 2 ? 0 : 1;
}
