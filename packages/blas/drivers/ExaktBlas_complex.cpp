// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../gemm/ExaktBlas_Gemm.hpp"
#include "../matrix_vector/ExaktBlas_Gemv.hpp"
#include "../reduce/ExaktBlas_ReductionVerbs.hpp"
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
  Impl::multiply_vector("Exakt::gemv", space, matrix, vector_of(x, columns), factor_of(alpha), factor_of(beta),
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
  Impl::multiply_planes("Exakt::gemm", space, planes, factor_of(alpha), factor_of(beta), matrix_of(C, m, n), options);
}

template <class Space, class T>
void solve_triangular(Space const& space, ComplexTriangularProblem<T> const& problem) {
  auto const& [A, B, n, right_sides, is_lower, has_unit_diagonal, A_conjugated, alpha, label] = problem;
  Impl::Structured<StridedView<T const**>> const matrix{
      matrix_of(A, n, n), has_unit_diagonal ? Impl::Structure::unit_triangular : Impl::Structure::triangular, is_lower,
      false, A_conjugated};
  Impl::solve_gathered(label, space, matrix, factor_of(alpha), matrix_of(B, n, right_sides));
}

template <Reduction which, class Space, class T>
void reduce_complex(Space const& space, std::size_t n, Rounding mode, Matrix<Kokkos::complex<T> const> const& x,
                    [[maybe_unused]] Matrix<Kokkos::complex<T> const> const& y, [[maybe_unused]] bool conjugates_x,
                    T* result) {
  using Verb = Impl::VerbOf<which>;
  using Vector = StridedView<Kokkos::complex<T> const*>;
  Vector const entries = vector_of(x, n);
  if constexpr (Impl::Norm<Verb>) {
    *result = Impl::reduce_complex_to<Verb, T>(space, mode, entries);
  } else {
    auto const terms = [&] {
      if constexpr (Verb::operands == 1)
        return Verb::of_complex(entries);
      else
        return Impl::ComplexProductsOf<Vector, Vector>(entries, vector_of(y, n), conjugates_x);
    }();
    T parts[2];
    if (mode != Rounding::to_nearest || terms.terms() > Impl::small_sum || !Impl::try_few_parts<Verb>(terms, parts)) {
      auto const sum =
          Impl::reduce_parts<T>(Impl::accumulate_label<Verb>, space, terms, Verb::template round<T>(n, mode));
      parts[0] = sum.real();
      parts[1] = sum.imag();
    }
    result[0] = parts[0];
    result[1] = parts[1];
  }
}

#define EXAKT_INSTANTIATE_VERB(which, Space, T)                                                             \
  template EXAKT_CORE_EXPORT void reduce_complex<Reduction::which>(Space const&, std::size_t, Rounding,     \
                                                                   Matrix<Kokkos::complex<T> const> const&, \
                                                                   Matrix<Kokkos::complex<T> const> const&, bool, T*);
#define EXAKT_INSTANTIATE(Space, T)                                                                                    \
  template EXAKT_CORE_EXPORT void gemv(Space const&, ComplexGemvProblem<Kokkos::complex<T>> const&);                   \
  template EXAKT_CORE_EXPORT void solve_triangular(Space const&, ComplexTriangularProblem<Kokkos::complex<T>> const&); \
  template EXAKT_CORE_EXPORT void gemm(Space const&, ComplexGemmProblem<Kokkos::complex<T>> const&,                    \
                                       GemmOptions const&);                                                            \
  EXAKT_INSTANTIATE_VERB(sum, Space, T)                                                                                \
  EXAKT_INSTANTIATE_VERB(nrm1, Space, T)                                                                               \
  EXAKT_INSTANTIATE_VERB(nrm2, Space, T)                                                                               \
  EXAKT_INSTANTIATE_VERB(nrm2_squared, Space, T)                                                                       \
  EXAKT_INSTANTIATE_VERB(mean, Space, T)                                                                               \
  EXAKT_INSTANTIATE_VERB(dot, Space, T)
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE
#undef EXAKT_INSTANTIATE_VERB

}  // namespace Exakt::Compiled
