// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../gemm/ExaktBlas_Gemm.hpp"
#include "../matrix_vector/ExaktBlas_Gemv.hpp"
#include "../structured/ExaktBlas_GatheredSystems.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

static Impl::Factor factor_of(ComplexFactor const& factor) {
  return {factor.real, factor.imaginary, factor.is_complex};
}

template <class Space, class T>
void gemv(Space const& space, ComplexGemvProblem<T> const& problem) {
  auto const& [A, x, y, rows, columns, A_conjugated, alpha, beta] = problem;
  Impl::Operated<StridedView<T const**>> matrix(matrix_of(A, rows, columns), 'N');
  matrix.conjugated = A_conjugated;
  Impl::multiply_vector("gemv", space, matrix, vector_of(x, columns), factor_of(alpha), factor_of(beta),
                        vector_of(y, rows));
}

template <class Space, class T>
void gemm(Space const& space, ComplexGemmProblem<T> const& problem, GemmOptions const& options) {
  auto const& [A, B, C, m, n, k, A_conjugated, B_conjugated, alpha, beta, part] = problem;
  Impl::PlaneProblem<T, T, T> const planes{{{A.data, A.row_stride, A.column_stride},
                                            {B.data, B.row_stride, B.column_stride},
                                            {C.data, C.row_stride, C.column_stride},
                                            m,
                                            n,
                                            k,
                                            part},
                                           A_conjugated,
                                           B_conjugated};
  Impl::multiply_planes("gemm", space, planes, factor_of(alpha), factor_of(beta), matrix_of(C, m, n), options);
}

template <class Space, class T>
void solve_triangular(Space const& space, ComplexTriangularProblem<T> const& problem) {
  auto const& [A, B, n, right_sides, is_lower, has_unit_diagonal, A_conjugated, alpha, label] = problem;
  Impl::Structured<StridedView<T const**>> const matrix{
      matrix_of(A, n, n), has_unit_diagonal ? Impl::Structure::unit_triangular : Impl::Structure::triangular, is_lower,
      false, A_conjugated};
  Impl::solve_gathered(label, space, matrix, factor_of(alpha), matrix_of(B, n, right_sides));
}

#define EXAKT_INSTANTIATE(Space, T)                                                                                    \
  template EXAKT_CORE_EXPORT void gemv(Space const&, ComplexGemvProblem<Kokkos::complex<T>> const&);                   \
  template EXAKT_CORE_EXPORT void solve_triangular(Space const&, ComplexTriangularProblem<Kokkos::complex<T>> const&); \
  template EXAKT_CORE_EXPORT void gemm(Space const&, ComplexGemmProblem<Kokkos::complex<T>> const&, GemmOptions const&);
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
