/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The C interface from C99 alone: no C++, no Kokkos. What must come out is known in integers. */

#define _POSIX_C_SOURCE 200809L

#include <exakt.h>

#include <complex.h>
#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static int failures = 0;

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                   \
    }                                                               \
  } while (0)

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

enum { rows = 131, columns = 47, depth = 83, terms = 20000, threads = 10, repetitions = 12, additions = 1000, times = 500 };

/* The same numbers for every thread: integers of 20 bits, whose products and sums are integers below 2^53. The product is
   large enough for three threads. */
static double a[rows * depth], b[depth * columns], expected[rows * columns], x[terms], expected_sum;

static void make_numbers(void) {
  uint64_t state = 1;
  int64_t sum = 0;
  int i, j, k;
#define NEXT (state = state * 6364136223846793005u + 1442695040888963407u, (double)((int64_t)(state >> 44) - (1 << 19)))
  for (i = 0; i < rows * depth; ++i) a[i] = NEXT;
  for (i = 0; i < depth * columns; ++i) b[i] = NEXT;
  for (i = 0; i < terms; ++i) {
    x[i] = NEXT;
    sum += (int64_t)x[i];
  }
  /* Twice 2^80, which a plain sum would not survive, and once what takes it away. */
  x[17] = 0x1p80, x[terms / 2] = 0x1p80, x[terms - 1] = -0x1p81;
  sum = 0;
  for (i = 0; i < terms; ++i)
    if (i != 17 && i != terms / 2 && i != terms - 1) sum += (int64_t)x[i];
  expected_sum = (double)sum;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < columns; ++j) {
      int64_t entry = 0;
      for (k = 0; k < depth; ++k) entry += (int64_t)a[i * depth + k] * (int64_t)b[k * columns + j];
      expected[i * columns + j] = (double)entry;
    }
  }
}

/* 0 if the product and the sum are the right ones. */
static int compute(void) {
  double c[rows * columns], sum = 0;
  int wrong = 0;
  wrong += exakt_dgemm(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, EXAKT_NO_TRANS, rows, columns, depth, 1, a, depth, b, columns,
                       0, c, columns) != EXAKT_SUCCESS;
  wrong += exakt_dsum(terms, x, 1, &sum) != EXAKT_SUCCESS;
  wrong += memcmp(c, expected, sizeof c) != 0;
  wrong += !same_bits(sum, expected_sum);
  return wrong;
}

/* As many threads as are said to work on a call have been started, where the system tells. */
static void test_started(void) {
  DIR *const tasks = opendir("/proc/self/task");
  int started = 0, wanted = 0;
  if (tasks == NULL) return;
  while (readdir(tasks) != NULL) ++started;
  closedir(tasks);
  CHECK(sscanf(strrchr(exakt_describe(), ','), ", %d thread", &wanted) == 1);
  CHECK(started - 2 >= wanted); /* without . and .. */
}

static exakt_scatter *bins;
static pthread_barrier_t all_are_here;

static void *work(void *argument) {
  int const number = *(int const *)argument;
  long wrong = 0;
  int i;
  double unused, ones[additions];
  ptrdiff_t indices[additions];
  for (i = 0; i < repetitions; ++i) {
    wrong += compute();
    wrong += exakt_scatter_add(bins, i % 2, number % 2 == 0 ? 0x1p1000 : -0x1p1000) != EXAKT_SUCCESS;
    wrong += exakt_scatter_add(bins, i % 2, 1) != EXAKT_SUCCESS;
  }
  /* All at one bin, as fast as they can. */
  for (i = 0; i < additions; ++i) indices[i] = 2, ones[i] = 1;
  pthread_barrier_wait(&all_are_here);
  for (i = 0; i < times; ++i) wrong += exakt_scatter_add_array(bins, additions, indices, ones) != EXAKT_SUCCESS;
  /* Each thread has a message of its own. */
  wrong += exakt_dsum(-number - 1, x, 1, &unused) != EXAKT_INVALID_ARGUMENT;
  pthread_barrier_wait(&all_are_here);
  {
    char text[80];
    sprintf(text, "exakt_dsum: n is %d; it must not be negative", -number - 1);
    wrong += strcmp(text, exakt_message()) != 0;
  }
  return wrong == 0 ? NULL : argument;
}

static void test_threads(void) {
  pthread_t thread[threads];
  int number[threads], i;
  double result = 0;
  CHECK(exakt_scatter_create(3, &bins) == EXAKT_SUCCESS);
  CHECK(pthread_barrier_init(&all_are_here, NULL, threads) == 0);
  for (i = 0; i < threads; ++i) {
    number[i] = i;
    CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
  }
  for (i = 0; i < threads; ++i) {
    void *wrong = NULL;
    CHECK(pthread_join(thread[i], &wrong) == 0);
    CHECK(wrong == NULL);
  }
  CHECK(exakt_scatter_round(bins, 1, EXAKT_TO_NEAREST, &result) == EXAKT_SUCCESS);
  CHECK(result == threads * repetitions / 2);
  CHECK(exakt_scatter_round(bins, 2, EXAKT_TO_NEAREST, &result) == EXAKT_SUCCESS);
  CHECK(result == (double)threads * times * additions);
  pthread_barrier_destroy(&all_are_here);
  CHECK(exakt_scatter_destroy(bins) == EXAKT_SUCCESS);
}

static void test_fork(void) {
  int status = -1;
  pid_t const child = fork();
  if (child == 0) _exit(compute());
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_environments(void) {
  static int const modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  size_t i;
  for (i = 0; i < sizeof modes / sizeof *modes; ++i) {
    int wrong, after;
    fesetround(modes[i]);
    wrong = compute();
    after = fegetround();
    fesetround(FE_TONEAREST);
    CHECK(wrong == 0);
    CHECK(after == modes[i]);
  }
#if defined(__SSE2__)
  {
    double const tiny[] = {0x1p-1074, 0x1p-1074, 0x1p-1074};
    double sum = 0, three = 3 * 0x1p-1074;
    unsigned const before = _mm_getcsr(), hostile = before | 0x8040 | 0x6000;
    unsigned after;
    int wrong;
    _mm_setcsr(hostile);
    wrong = compute();
    wrong += exakt_dsum(3, tiny, 1, &sum) != EXAKT_SUCCESS;
    after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(wrong == 0);
    CHECK(same_bits(sum, three));
    CHECK((after & 0xffc0) == (hostile & 0xffc0));
  }
#endif
}

static void test_modes(void) {
  double const third[] = {1, 0, 0}, half[] = {1, 0x1p-53};
  double r[4];
  float f = 0;
  int m;
  for (m = 0; m < 4; ++m) CHECK(exakt_dmean_rounded(3, third, 1, (exakt_rounding)m, &r[m]) == EXAKT_SUCCESS);
  CHECK(r[0] == 0x1.5555555555555p-2 && r[1] == r[0] && r[2] == 0x1.5555555555556p-2 && r[3] == r[0]);
  CHECK(exakt_dsum(2, half, 1, &r[0]) == EXAKT_SUCCESS && r[0] == 1);
  CHECK(exakt_dsum_rounded(2, half, 1, EXAKT_UPWARD, &r[0]) == EXAKT_SUCCESS && r[0] == 0x1.0000000000001p0);
  CHECK(exakt_dnrm2(2, half, 1, &r[0]) == EXAKT_SUCCESS && r[0] == 1);
  {
    float const floats[] = {3, 4};
    CHECK(exakt_snrm2(2, floats, 1, &f) == EXAKT_SUCCESS && f == 5);
  }
}

static void test_accumulators(void) {
  exakt_accumulator *sum = NULL, *other = NULL, *read = NULL;
  unsigned char bytes[EXAKT_BYTES_AT_MOST];
  size_t size = 0;
  int equal = 0;
  double result = 0;
  CHECK(exakt_accumulator_create(EXAKT_DOT, &sum) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_copy(sum, &other) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_add_array(sum, terms, x, 1) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_add_product(sum, 0x1p600, 0x1p600) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_add_product(other, 0x1p601, -0x1p599) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_merge(sum, other) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_round(sum, EXAKT_TO_NEAREST, &result) == EXAKT_SUCCESS);
  CHECK(same_bits(result, expected_sum));
  CHECK(exakt_accumulator_to_bytes(sum, bytes, sizeof bytes, &size) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_from_bytes(bytes, size, &read) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_equal(sum, read, &equal) == EXAKT_SUCCESS && equal == 1);
  bytes[size - 5] ^= 1;
  CHECK(exakt_accumulator_from_bytes(bytes, size, &read) == EXAKT_INVALID_ARGUMENT);
  CHECK(strcmp(exakt_message(), "exakt_accumulator_from_bytes: damaged: the checksum does not match") == 0);
  exakt_accumulator_destroy(sum);
  exakt_accumulator_destroy(other);
  exakt_accumulator_destroy(read);
}

/* C99's complex numbers: -i (1e100 + i) + 1e100 i is 1. */
static void test_complex(void) {
  double complex const left[2] = {I, 1e100}, right[2] = {1e100 + I, I}, one = 1;
  double complex result = 2;
  CHECK(exakt_zgemm(EXAKT_COLUMN_MAJOR, EXAKT_CONJ_TRANS, EXAKT_NO_TRANS, 1, 1, 2, &one, left, 2, right, 2, &one, &result,
                    1) == EXAKT_SUCCESS);
  CHECK(creal(result) == 3 && cimag(result) == 0);
  CHECK(exakt_zgemv(EXAKT_COLUMN_MAJOR, EXAKT_CONJ_TRANS, 2, 1, &one, left, 2, right, 1, &one, &result, 1) ==
        EXAKT_SUCCESS);
  CHECK(creal(result) == 4 && cimag(result) == 0);
}

int main(void) {
  CHECK(strcmp(exakt_message(), "") == 0);
  make_numbers();
  CHECK(compute() == 0);
  test_started();
  test_threads();
  test_fork();
  test_environments();
  test_modes();
  test_accumulators();
  test_complex();
  CHECK(exakt_dsum(1, NULL, 1, NULL) == EXAKT_INVALID_ARGUMENT);
  exakt_set_message("a binding's own sentence");
  CHECK(strcmp(exakt_message(), "a binding's own sentence") == 0);
  exakt_set_message(NULL);
  CHECK(strcmp(exakt_message(), "") == 0);
  CHECK(strcmp(exakt_version(), EXAKT_TEST_VERSION) == 0);
  printf("%s: %d failures\n", exakt_describe(), failures);
  return failures == 0 ? 0 : 1;
}
