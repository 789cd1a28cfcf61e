/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sums and dots from C: plain loops depend on the order of the terms, Exakt does not. Then a sum of two parts that another
 * process might have added up, which travel as bytes. */

#include <exakt.h>

#include <stdio.h>
#include <stdlib.h>

enum { n = 100000 };

static void require(exakt_status status) {
  if (status == EXAKT_SUCCESS) return;
  fprintf(stderr, "%s\n", exakt_message());
  exit(2);
}

int main(void) {
  static double x[n], y[n];
  double plain = 0, backwards = 0, sum, sum_backwards, dot, mean, parts;
  exakt_accumulator *first, *second;
  unsigned char bytes[EXAKT_BYTES_AT_MOST];
  size_t size;
  int i;

  for (i = 0; i < n; ++i) {
    x[i] = 1.0 / (i + 1);
    y[i] = i % 2 == 0 ? 1 : -1;
  }
  for (i = 0; i < n; ++i) plain += x[i];
  for (i = n - 1; i >= 0; --i) backwards += x[i];

  require(exakt_dsum(n, x, 1, &sum));
  require(exakt_dsum(n, x, -1, &sum_backwards));
  require(exakt_ddot(n, x, 1, y, 1, &dot));
  require(exakt_dmean(n, x, 1, &mean));
  printf("plain: %.17g, backwards %.17g\n", plain, backwards);
  printf("exact: %.17g, backwards %.17g\n", sum, sum_backwards);
  printf("dot:   %.17g\nmean:  %.17g\n", dot, mean);

  require(exakt_accumulator_create(EXAKT_SUM, &first));
  require(exakt_accumulator_add_array(first, n / 3, x, 1));
  require(exakt_accumulator_to_bytes(first, bytes, sizeof bytes, &size));
  require(exakt_accumulator_from_bytes(bytes, size, &second));
  require(exakt_accumulator_add_array(second, n - n / 3, x + n / 3, 1));
  require(exakt_accumulator_round(second, EXAKT_TO_NEAREST, &parts));
  printf("parts: %.17g\n", parts);
  exakt_accumulator_destroy(first);
  exakt_accumulator_destroy(second);
  return 0;
}
