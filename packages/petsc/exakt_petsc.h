/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef EXAKT_PETSC_H
#define EXAKT_PETSC_H

/* PETSc's vectors and products with matrices, the same bits at any number of ranks:
 *
 *     VecRegister("exakt", VecCreate_Exakt);      then VecSetType(x, "exakt"), or the option -vec_type exakt
 *     MatCreateExakt(A, &B);                      B x is A x, each entry rounded once; KSPSetOperators(ksp, B, A)
 *
 * Inner products and norms are those of all ranks, rounded once. What PETSc adds entry by entry with the BLAS, which
 * may treat the last entries of a rank in another way, is a plain expression here: compile with -ffp-contract=off.
 * There are no local inner products: VecDotBegin() would add them up as doubles. VecSum() stays PETSc's, not exact. */

#include <exakt.h>

#include <petsc/private/vecimpl.h> /* the places of inner products among the operations of a Vec */
#include <petscmat.h>

#if !defined(PETSC_USE_REAL_DOUBLE) || defined(PETSC_USE_COMPLEX)
#error "exakt_petsc.h is for a PETSc of real numbers in double precision"
#endif
#if defined(PETSC_USE_64BIT_INDICES)
#define ExaktProduct exakt_dcsrmv_64
#else
#define ExaktProduct exakt_dcsrmv
#endif
#define ExaktCall(...) PetscCheck((__VA_ARGS__) == EXAKT_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", exakt_message())

/* r[i] := x . y[i], or its root, i < n, where one rank has all: rounded at once, which is faster than integers. */
static PetscErrorCode ExaktDotsOfOneRank(Vec x, PetscInt n, Vec const y[], PetscBool is_root, PetscScalar *r) {
  PetscScalar const *a, *b;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(VecGetArrayRead(y[i], &b));
    ExaktCall(is_root ? exakt_dnrm2(x->map->n, a, 1, r + i) : exakt_ddot(x->map->n, a, 1, b, 1, r + i));
    PetscCall(VecRestoreArrayRead(y[i], &b));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}
/* The same on any number of ranks: the exact sums of each rank as integers, which MPI may add in any order. */
static PetscErrorCode ExaktDots(Vec x, PetscInt n, Vec const y[], PetscBool is_root, PetscScalar *r) {
  PetscMPIInt const count = (PetscMPIInt)n * EXAKT_DOT_WORDS;
  exakt_accumulator *sum;
  int64_t *words;
  PetscScalar const *a, *b;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)x), &ranks));
  if (ranks == 1) {
    PetscCall(ExaktDotsOfOneRank(x, n, y, is_root, r));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc1(count, &words));
  ExaktCall(exakt_accumulator_create(EXAKT_DOT, &sum));
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(VecGetArrayRead(y[i], &b));
    ExaktCall(exakt_accumulator_clear(sum));
    ExaktCall(exakt_accumulator_add_products(sum, x->map->n, a, 1, b, 1));
    ExaktCall(exakt_accumulator_to_words(sum, words + i * EXAKT_DOT_WORDS));
    PetscCall(VecRestoreArrayRead(y[i], &b));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, MPI_SUM, PetscObjectComm((PetscObject)x)));
  for (PetscInt i = 0; i < n; ++i) {
    ExaktCall(exakt_accumulator_clear(sum));
    ExaktCall(exakt_accumulator_add_words(sum, words + i * EXAKT_DOT_WORDS));
    ExaktCall((is_root ? exakt_accumulator_round_sqrt : exakt_accumulator_round)(sum, EXAKT_TO_NEAREST, r + i));
  }
  ExaktCall(exakt_accumulator_destroy(sum));
  PetscCall(PetscFree(words));
  PetscFunctionReturn(0);
}
static PetscErrorCode VecMDot_Exakt(Vec x, PetscInt n, Vec const y[], PetscScalar *r) {
  return ExaktDots(x, n, y, PETSC_FALSE, r);
}
static PetscErrorCode VecDot_Exakt(Vec x, Vec y, PetscScalar *r) { return ExaktDots(x, 1, &y, PETSC_FALSE, r); }
static PetscErrorCode VecDotNorm2_Exakt(Vec s, Vec t, PetscScalar *st, PetscScalar *tt) {
  Vec const both[] = {s, t};
  PetscScalar r[2];
  PetscFunctionBegin;
  PetscCall(ExaktDots(t, 2, both, PETSC_FALSE, r));
  *st = r[0];
  *tt = r[1];
  PetscFunctionReturn(0);
}
static PetscErrorCode VecNorm_Exakt(Vec x, NormType type, PetscReal *r) {
  PetscFunctionBegin;
  if (type == NORM_INFINITY) { /* by the bits of magnitudes, which are in the order of the numbers, NaN behind infinity */
    PetscScalar const *entry;
    int64_t const infinity = INT64_C(0x7ff) << 52;
    int64_t bits, largest = 0;
    PetscCall(VecGetArrayRead(x, &entry));
    for (PetscInt i = 0; i < x->map->n; ++i) {
      memcpy(&bits, entry + i, sizeof bits);
      largest = PetscMax(largest, bits & INT64_MAX);
    }
    PetscCall(VecRestoreArrayRead(x, &entry));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, PetscObjectComm((PetscObject)x)));
    memcpy(r, &largest, sizeof *r);
    if (largest > infinity) *r = NAN;
    PetscFunctionReturn(0);
  }
  if (type == NORM_1 || type == NORM_1_AND_2) { /* the entries times their signs, subnormal ones as well where those count as zeros */
    PetscScalar *entry;
    Vec signs;
    PetscCall(VecDuplicate(x, &signs));
    PetscCall(VecCopy(x, signs));
    PetscCall(VecGetArray(signs, &entry));
    for (PetscInt i = 0; i < x->map->n; ++i) entry[i] = signbit(entry[i]) ? -1 : 1;
    PetscCall(VecRestoreArray(signs, &entry));
    PetscCall(ExaktDots(x, 1, &signs, PETSC_FALSE, r++));
    PetscCall(VecDestroy(&signs));
  }
  if (type != NORM_1) PetscCall(ExaktDots(x, 1, &x, PETSC_TRUE, r));
  PetscFunctionReturn(0);
}

/* What a factor of zero multiplies is not read. */
static PetscErrorCode VecAXPBY_Exakt(Vec y, PetscScalar a, PetscScalar b, Vec x) {
  PetscScalar const *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < y->map->n; ++i) to[i] = (a == 0 ? 0 : a * from[i]) + (b == 0 ? 0 : b * to[i]);
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(0);
}
static PetscErrorCode VecAXPY_Exakt(Vec y, PetscScalar a, Vec x) { return VecAXPBY_Exakt(y, a, 1, x); }
static PetscErrorCode VecMAXPY_Exakt(Vec y, PetscInt n, PetscScalar const *a, Vec *x) {
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(VecAXPBY_Exakt(y, a[i], 1, x[i]));
  PetscFunctionReturn(0);
}

/* Duplicates of such a vector have its operations. */
static PetscErrorCode VecCreate_Exakt(Vec x) {
#define AT(operation) offsetof(struct _VecOps, operation) / sizeof(void (*)(void)), (void (*)(void))
  struct {
    size_t place;
    void (*function)(void);
  } const table[] = {{AT(dot) VecDot_Exakt},     {AT(tdot) VecDot_Exakt},  {AT(mdot) VecMDot_Exakt},
                     {AT(mtdot) VecMDot_Exakt},  {AT(norm) VecNorm_Exakt}, {AT(dotnorm2) VecDotNorm2_Exakt},
                     {AT(axpby) VecAXPBY_Exakt}, {AT(axpy) VecAXPY_Exakt}, {AT(maxpy) VecMAXPY_Exakt},
                     {AT(dot_local) NULL},       {AT(tdot_local) NULL},    {AT(norm_local) NULL},
                     {AT(mdot_local) NULL},      {AT(mtdot_local) NULL}};
#undef AT
  PetscFunctionBegin;
  /* Of a vector that had a type, the name is left, and with the same name VecSetType would do nothing. */
  PetscCall(PetscObjectChangeTypeName((PetscObject)x, NULL));
  PetscCall(VecSetType(x, VECMPI));
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
    PetscCall(VecSetOperation(x, (VecOperation)table[i].place, table[i].function));
  PetscFunctionReturn(0);
}

/* The rows of this rank. Columns are numbered within x: its own entries, then those of other ranks that they need. One rank
 * alone has all of them, and neither x nor halo. */
typedef struct {
  Mat rows;
  Vec x;
  VecScatter halo;
} ExaktRows;

static PetscErrorCode MatMult_Exakt(Mat B, Vec x, Vec y) {
  ExaktRows *A;
  PetscInt n;
  PetscInt const *row_map, *columns;
  PetscScalar const *values, *from;
  PetscScalar *to;
  PetscBool done;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(B, &A));
  if (A->halo) {
    PetscCall(VecScatterBegin(A->halo, x, A->x, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(A->halo, x, A->x, INSERT_VALUES, SCATTER_FORWARD));
    x = A->x;
  }
  PetscCall(MatGetRowIJ(A->rows, 0, PETSC_FALSE, PETSC_FALSE, &n, &row_map, &columns, &done));
  PetscCall(MatSeqAIJGetArrayRead(A->rows, &values));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  ExaktCall(ExaktProduct(EXAKT_NO_TRANS, n, x->map->n, 1, row_map, columns, values, from, 0, to));
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(MatSeqAIJRestoreArrayRead(A->rows, &values));
  PetscCall(MatRestoreRowIJ(A->rows, 0, PETSC_FALSE, PETSC_FALSE, &n, &row_map, &columns, &done));
  PetscFunctionReturn(0);
}
static PetscErrorCode MatDestroy_Exakt(Mat B) {
  ExaktRows *A;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(B, &A));
  PetscCall(MatDestroy(&A->rows));
  PetscCall(VecDestroy(&A->x));
  PetscCall(VecScatterDestroy(&A->halo));
  PetscCall(PetscFree(A));
  PetscFunctionReturn(0);
}
/* *B := the product with A, an assembled MATMPIAIJ, with its values of now. Work vectors that solvers take from one of
 * both are exact ones. */
static PetscErrorCode MatCreateExakt(Mat A, Mat *B) {
  ExaktRows *rows;
  PetscInt m, n, needed;
  PetscMPIInt ranks;
  IS numbers;
  Mat copy;
  Vec x;
  PetscFunctionBegin;
  PetscCall(PetscNew(&rows));
  PetscCall(MatMPIAIJGetLocalMatMerge(A, MAT_INITIAL_MATRIX, &numbers, &rows->rows));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &ranks));
  if (ranks > 1) {
    PetscCall(ISGetLocalSize(numbers, &needed));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, needed, &rows->x));
    PetscCall(MatCreateVecs(A, &x, NULL));
    PetscCall(VecScatterCreate(x, numbers, rows->x, NULL, &rows->halo));
    PetscCall(VecDestroy(&x));
  } else { /* that is a part of A itself, and no copy */
    PetscCall(MatDuplicate(rows->rows, MAT_COPY_VALUES, &copy));
    PetscCall(MatDestroy(&rows->rows));
    rows->rows = copy;
  }
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)A), m, n, PETSC_DETERMINE, PETSC_DETERMINE, rows, B));
  PetscCall(MatShellSetOperation(*B, MATOP_MULT, (void (*)(void))MatMult_Exakt));
  PetscCall(MatShellSetOperation(*B, MATOP_DESTROY, (void (*)(void))MatDestroy_Exakt));
  PetscCall(MatSetVecType(A, "exakt"));
  PetscCall(MatSetVecType(*B, "exakt"));
  PetscCall(ISDestroy(&numbers));
  PetscFunctionReturn(0);
}

#endif
