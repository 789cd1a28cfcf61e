// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../ExaktBlas1_dot.hpp"
#include "../ExaktBlas1_mean.hpp"
#include "../ExaktBlas1_nrm1.hpp"
#include "../ExaktBlas1_nrm2.hpp"
#include "../ExaktBlas1_nrm2_squared.hpp"
#include "../ExaktBlas1_sum.hpp"

namespace Exakt::Compiled {

namespace {

template <class T>
auto view_of(Matrix<T const> const& x, std::size_t n) {
  using Vector = Kokkos::View<T const*, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  return Vector(x.data, Kokkos::LayoutStride(n, static_cast<std::size_t>(x.row_stride)));
}

}  // namespace

template <class Space, class T>
T reduce(Space const& space, Reduction which, Matrix<T const> const& x, std::size_t n, Rounding mode) {
  auto const view = view_of(x, n);
  switch (which) {
    case Reduction::sum: return Impl::reduce_vectors<Impl::Sum, T>(mode, space, view);
    case Reduction::nrm1: return Impl::reduce_vectors<Impl::Nrm1, T>(mode, space, view);
    case Reduction::nrm2: return Impl::reduce_vectors<Impl::Nrm2, T>(mode, space, view);
    case Reduction::nrm2_squared: return Impl::reduce_vectors<Impl::Nrm2Squared, T>(mode, space, view);
    case Reduction::mean: break;
  }
  return Impl::reduce_vectors<Impl::Mean, T>(mode, space, view);
}

template <class Space, class T>
T dot(Space const& space, Matrix<T const> const& x, Matrix<T const> const& y, std::size_t n, Rounding mode) {
  return Impl::reduce_vectors<Impl::Dot, T>(mode, space, view_of(x, n), view_of(y, n));
}

#define INSTANTIATE(Space, T)                                                                  \
  template T reduce(Space const&, Reduction, Matrix<T const> const&, std::size_t, Rounding);   \
  template T dot(Space const&, Matrix<T const> const&, Matrix<T const> const&, std::size_t, Rounding);
EXAKT_BLAS_COMPILE(INSTANTIATE)

}  // namespace Exakt::Compiled
