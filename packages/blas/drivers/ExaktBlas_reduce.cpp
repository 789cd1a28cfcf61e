// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../ExaktBlas1_dot.hpp"
#include "../ExaktBlas1_mean.hpp"
#include "../ExaktBlas1_nrm1.hpp"
#include "../ExaktBlas1_nrm2.hpp"
#include "../ExaktBlas1_nrm2_squared.hpp"
#include "../ExaktBlas1_sum.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

namespace {

/// f(verb, terms of x, or of x and y).
template <class X, class F>
auto with_verb(Reduction which, X const& x, X const& y, F const& f) {
  switch (which) {
    case Reduction::sum:
      return f(Impl::Sum(), Impl::Sum::of(x));
    case Reduction::nrm1:
      return f(Impl::Nrm1(), Impl::Nrm1::of(x));
    case Reduction::nrm2:
      return f(Impl::Nrm2(), Impl::Nrm2::of(x));
    case Reduction::nrm2_squared:
      return f(Impl::Nrm2Squared(), Impl::Nrm2Squared::of(x));
    case Reduction::mean:
      return f(Impl::Mean(), Impl::Mean::of(x));
    case Reduction::dot:
      break;
  }
  return f(Impl::Dot(), Impl::Dot::of(x, y));
}

}  // namespace

template <class R, class Space, class T>
R reduce(Space const& space, Reduction which, std::size_t n, Rounding mode, Matrix<T const> const& x,
         Matrix<T const> const& y) {
  return with_verb(which, matrix_of(x, n, 1), matrix_of(y, n, 1), [&](auto verb, auto const& terms) {
    return Impl::reduce_vector<R>(Impl::Label{verb.name, "::accumulate"}, space, terms, n,
                                  verb.template round<R>(n, mode));
  });
}

template <class Space, class T, class R>
void reduce_columns(Space const& space, Reduction which, std::size_t n, Matrix<R> const& r, std::size_t columns,
                    Matrix<T const> const& X, Matrix<T const> const& Y) {
  with_verb(which, matrix_of(X, n, columns), matrix_of(Y, n, columns), [&](auto verb, auto const& terms) {
    Impl::reduce_each_column(Impl::Label{verb.name, "::accumulate"}, space, terms, n,
                             verb.template round<R>(n, Rounding::to_nearest), vector_of(r, columns));
  });
}

#define INSTANTIATE_FOR(R, Space, T)                                                                                  \
  template EXAKT_CORE_EXPORT R reduce<R>(Space const&, Reduction, std::size_t, Rounding, Matrix<T const> const&,      \
                                         Matrix<T const> const&);                                                     \
  template EXAKT_CORE_EXPORT void reduce_columns(Space const&, Reduction, std::size_t, Matrix<R> const&, std::size_t, \
                                                 Matrix<T const> const&, Matrix<T const> const&);
#define INSTANTIATE(Space, T) INSTANTIATE_FOR(float, Space, T) INSTANTIATE_FOR(double, Space, T)
EXAKT_BLAS_COMPILE(INSTANTIATE)

}  // namespace Exakt::Compiled
