// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../gemm/ExaktBlas_Gemm.hpp"

namespace Exakt::Compiled {

template <class Space, class T>
void gemm(Space const& space, GemmProblem<T> const& problem, GemmOptions const& options) {
  auto const& [A, B, C, m, n, k, alpha, beta, reads_C, part] = problem;
  Impl::GemmProblem<T, T, T> const entries{{A.data, A.row_stride, A.column_stride},
                                           {B.data, B.row_stride, B.column_stride},
                                           {C.data, C.row_stride, C.column_stride},
                                           m,
                                           n,
                                           k,
                                           part};
  Impl::gemm_on_host(space, entries, Impl::GemmEpilogue{{{alpha, beta, reads_C, false}}}, options);
}

#define EXAKT_INSTANTIATE(Space, T) \
  template EXAKT_CORE_EXPORT void gemm(Space const&, GemmProblem<T> const&, GemmOptions const&);
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
