// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../ExaktBlas2_gemv.hpp"

namespace Exakt::Compiled {

template <class Space, class T>
void gemv(Space const& space, GemvProblem<T> const& problem) {
  using Vector = Kokkos::View<T const*, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  auto const& [A, x, y, rows, columns, alpha, beta, reads_y] = problem;
  Impl::gemv_on_host(space, Impl::Strided<T const>{A.data, A.row_stride, A.column_stride},
                     Vector(x.data, Kokkos::LayoutStride(columns, static_cast<std::size_t>(x.row_stride))),
                     Impl::Combination{alpha, beta, reads_y, false}, y.data, y.row_stride, rows);
}

#define INSTANTIATE(Space, T) template void gemv(Space const&, GemvProblem<T> const&);
EXAKT_BLAS_COMPILE(INSTANTIATE)

}  // namespace Exakt::Compiled
