// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../triangular/ExaktBlas_Triangular.hpp"

namespace Exakt::Compiled {

template <class Space, class T>
void solve_triangular(Space const& space, TriangularProblem<T> const& problem) {
  auto const& [A, B, n, right_sides, is_lower, has_unit_diagonal, beta, label] = problem;
  Impl::TriangularSystems<T, T> const systems{
      {A.data, A.row_stride, A.column_stride}, n, {is_lower}, has_unit_diagonal, beta,
      {B.data, B.row_stride, B.column_stride}};
  Impl::solve_on_host(label, space, systems, right_sides);
}

#define EXAKT_INSTANTIATE(Space, T) \
  template EXAKT_CORE_EXPORT void solve_triangular(Space const&, TriangularProblem<T> const&);
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
