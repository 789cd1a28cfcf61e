// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../matrix_vector/ExaktBlas_Gemv.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

template <class Space, class T>
void gemv(Space const& space, GemvProblem<T> const& problem) {
  auto const& [A, x, y, rows, columns, alpha, beta, reads_y] = problem;
  Impl::gemv_on_host(space, Impl::Strided<T const>{A.data, A.row_stride, A.column_stride}, vector_of(x, columns),
                     Impl::Epilogue{alpha, beta, reads_y, false}, y.data, y.row_stride, rows);
}

#define EXAKT_INSTANTIATE(Space, T) template EXAKT_CORE_EXPORT void gemv(Space const&, GemvProblem<T> const&);
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
