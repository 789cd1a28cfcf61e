/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* CG and GMRES of PETSc, plain and exact: mpirun -n 4 example_12_petsc [-n 16] [-steps 60] [-time]. The plain residuals
 * depend on the number of ranks, the exact ones do not. */

#include <exakt_petsc.h>

#include <petscksp.h>
#include <time.h>

static PetscInt n = 16, steps = 60;

/* The 27-point stencil of HPCG on n^3 points, its entries made a little different; with wind it is not symmetric. */
static PetscErrorCode make_matrix(PetscReal wind, Mat *A) {
  PetscInt first, last;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n));
  PetscCall(MatSetType(*A, MATMPIAIJ));
  PetscCall(MatMPIAIJSetPreallocation(*A, 27, NULL, 27, NULL));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt row = first; row < last; ++row)
    for (PetscInt k = 0; k < 27; ++k) {
      PetscInt const x = row % n + k % 3 - 1, y = row / n % n + k / 3 % 3 - 1, z = row / n / n + k / 9 - 1;
      PetscInt const column = (z * n + y) * n + x;
      PetscReal const value = -1 - (row + column) % 97 / 97e3 + (column > row ? wind : 0);
      if (x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n)
        PetscCall(MatSetValue(*A, row, column, column == row ? 26.01 : value, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  return 0;
}

/* Solves, and says how large the residuals were; or how long this rank works on a step, in microseconds of its processor. */
static PetscErrorCode solve(KSPType method, PetscBool exact, PetscReal *time) {
  Mat A, B;
  Vec b, x;
  KSP solver;
  PC jacobi;
  PetscInt first, last, count;
  PetscReal const *history;
  clock_t start, end;
  PetscCall(make_matrix(strcmp(method, KSPCG) == 0 ? 0 : 0.3, &A));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &b));
  PetscCall(VecSetSizes(b, PETSC_DECIDE, n * n * n));
  PetscCall(VecSetType(b, exact ? "exakt" : VECMPI)); /* this */
  B = A;
  if (exact) PetscCall(MatCreateExakt(A, &B)); /* and this makes it exact */
  PetscCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(b, i, 1.0 / (1 + i % 101), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetType(solver, method));
  PetscCall(KSPGetPC(solver, &jacobi));
  PetscCall(PCSetType(jacobi, PCJACOBI));
  PetscCall(KSPSetOperators(solver, B, A));
  PetscCall(KSPSetTolerances(solver, 1e-300, 1e-300, PETSC_DEFAULT, steps));
  PetscCall(KSPSetResidualHistory(solver, NULL, steps + 1, PETSC_TRUE));
  PetscCall(KSPSetUp(solver));
  start = clock();
  PetscCall(KSPSolve(solver, b, x));
  end = clock();
  PetscCall(KSPGetResidualHistory(solver, &history, &count));
  for (PetscInt i = 0; i < count && !time; ++i)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s %3d: %a\n", exact ? "exact" : "plain", method, (int)i, history[i]));
  if (time) *time = PetscMin(*time, 1e6 * (end - start) / CLOCKS_PER_SEC / steps);
  PetscCall(KSPDestroy(&solver));
  if (exact) PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  return 0;
}

int main(int argc, char **argv) {
  KSPType const methods[] = {KSPCG, KSPGMRES};
  PetscReal best[4] = {1e9, 1e9, 1e9, 1e9};
  PetscBool times = PETSC_FALSE;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-time", &times));
  PetscCall(VecRegister("exakt", VecCreate_Exakt));
  for (int round = 0; round < (times ? 9 : 1); ++round)
    for (int i = 0; i < 4; ++i) PetscCall(solve(methods[i / 2], i % 2, times ? best + i : NULL));
  for (int i = 0; i < 4 && times; i += 2)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, a step: plain %.0f us, exact %.0f us, ratio %.2f\n", methods[i / 2],
                          best[i], best[i + 1], best[i + 1] / best[i]));
  return PetscFinalize();
}
