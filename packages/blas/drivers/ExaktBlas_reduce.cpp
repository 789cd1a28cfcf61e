// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../ExaktBlas1_mean.hpp"
#include "../ExaktBlas1_nrm1.hpp"
#include "../ExaktBlas1_nrm2.hpp"
#include "../ExaktBlas1_nrm2_squared.hpp"
#include "../ExaktBlas1_sum.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

namespace {

template <class F>
auto with_verb(Reduction which, F const& f) {
  switch (which) {
    case Reduction::sum:
      return f(Impl::Sum());
    case Reduction::nrm1:
      return f(Impl::Nrm1());
    case Reduction::nrm2:
      return f(Impl::Nrm2());
    case Reduction::nrm2_squared:
      return f(Impl::Nrm2Squared());
    case Reduction::mean:
      break;
  }
  return f(Impl::Mean());
}

}  // namespace

template <class R, class Space, class T>
R reduce(Space const& space, Reduction which, Matrix<T const> const& x, std::size_t n, Rounding mode) {
  return with_verb(which,
                   [&](auto verb) { return Impl::reduce_vectors<decltype(verb), R>(mode, space, matrix_of(x, n, 1)); });
}

template <class Space, class T, class R>
void reduce_columns(Space const& space, Reduction which, Matrix<T const> const& X, std::size_t n, Matrix<R> const& r,
                    std::size_t columns) {
  with_verb(which, [&](auto verb) {
    Impl::reduce_multivectors<decltype(verb)>(space, vector_of(r, columns), matrix_of(X, n, columns));
  });
}

#define INSTANTIATE_FOR(R, Space, T)                                                                              \
  template EXAKT_CORE_EXPORT R reduce<R>(Space const&, Reduction, Matrix<T const> const&, std::size_t, Rounding); \
  template EXAKT_CORE_EXPORT void reduce_columns(Space const&, Reduction, Matrix<T const> const&, std::size_t,    \
                                                 Matrix<R> const&, std::size_t);
#define INSTANTIATE(Space, T) INSTANTIATE_FOR(float, Space, T) INSTANTIATE_FOR(double, Space, T)
EXAKT_BLAS_COMPILE(INSTANTIATE)

}  // namespace Exakt::Compiled
