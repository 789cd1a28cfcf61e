/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As pages.cpp, in C. */
#include <exakt.h>
#include <mpi.h>
#include <stdint.h>

double sum_of_squares(MPI_Comm comm, exakt_accumulator* sum, ptrdiff_t n, double const* x, double const* y);
double sum_of_squares(MPI_Comm comm, exakt_accumulator* sum, ptrdiff_t n, double const* x, double const* y) {
  double result = 0;
  int64_t words[EXAKT_DOT_WORDS];
  exakt_accumulator_add_products(sum, n, x, 1, y, 1);
  exakt_accumulator_to_words(sum, words);
  MPI_Allreduce(MPI_IN_PLACE, words, EXAKT_DOT_WORDS, MPI_INT64_T, MPI_SUM, comm);
  exakt_accumulator_clear(sum);
  exakt_accumulator_add_words(sum, words);
  exakt_accumulator_round(sum, EXAKT_TO_NEAREST, &result);      /* or exakt_accumulator_round_sqrt: a norm */
  return result;
}
