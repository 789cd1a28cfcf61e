// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../ExaktBlas1_dot.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

template <class R, class Space, class T>
R dot(Space const& space, Matrix<T const> const& x, Matrix<T const> const& y, std::size_t n, Rounding mode) {
  return Impl::reduce_vectors<Impl::Dot, R>(mode, space, matrix_of(x, n, 1), matrix_of(y, n, 1));
}

template <class Space, class T, class R>
void dot_columns(Space const& space, Matrix<T const> const& X, Matrix<T const> const& Y, std::size_t n,
                 Matrix<R> const& r, std::size_t columns) {
  Impl::reduce_multivectors<Impl::Dot>(space, vector_of(r, columns), matrix_of(X, n, columns),
                                       matrix_of(Y, n, columns));
}

#define INSTANTIATE_FOR(R, Space, T)                                                                             \
  template EXAKT_CORE_EXPORT R dot<R>(Space const&, Matrix<T const> const&, Matrix<T const> const&, std::size_t, \
                                      Rounding);                                                                 \
  template EXAKT_CORE_EXPORT void dot_columns(Space const&, Matrix<T const> const&, Matrix<T const> const&,      \
                                              std::size_t, Matrix<R> const&, std::size_t);
#define INSTANTIATE(Space, T) INSTANTIATE_FOR(float, Space, T) INSTANTIATE_FOR(double, Space, T)
EXAKT_BLAS_COMPILE(INSTANTIATE)

}  // namespace Exakt::Compiled
