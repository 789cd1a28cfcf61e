// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce/ExaktBlas_ReductionVerbs.hpp"
#include "ExaktBlas_Views.hpp"

#include <tuple>

namespace Exakt::Compiled {

namespace {

using Verbs = std::tuple<Impl::Sum, Impl::Nrm1, Impl::Nrm2, Impl::Nrm2Squared, Impl::Mean, Impl::Dot>;
template <Reduction which>
using Verb = std::tuple_element_t<static_cast<std::size_t>(which), Verbs>;
static_assert(Verb<Reduction::sum>::compiled == Reduction::sum && Verb<Reduction::nrm1>::compiled == Reduction::nrm1 &&
              Verb<Reduction::nrm2>::compiled == Reduction::nrm2 &&
              Verb<Reduction::mean>::compiled == Reduction::mean &&
              Verb<Reduction::nrm2_squared>::compiled == Reduction::nrm2_squared &&
              Verb<Reduction::dot>::compiled == Reduction::dot);

template <Reduction which>
constexpr Impl::Label label{Verb<which>::name, "::accumulate"};

template <Reduction which, class X>
auto terms_of(X const& x, X const& y) {
  if constexpr (Verb<which>::operands == 1) {
    return Verb<which>::of(x);
  } else {
    return Verb<which>::of(x, y);
  }
}

}  // namespace

template <class R, Reduction which, class Space, class T>
R reduce(Space const& space, std::size_t n, Rounding mode, Matrix<T const> const& x, Matrix<T const> const& y) {
  auto const terms = terms_of<which>(matrix_of(x, n, 1), matrix_of(y, n, 1));
  return Impl::reduce_vector<R>(label<which>, space, terms, n, Verb<which>::template round<R>(n, mode));
}

template <Reduction which, class Space, class T, class R>
void reduce_columns(Space const& space, std::size_t n, Matrix<R> const& r, std::size_t columns,
                    Matrix<T const> const& X, Matrix<T const> const& Y) {
  auto const terms = terms_of<which>(matrix_of(X, n, columns), matrix_of(Y, n, columns));
  Impl::reduce_each_column(label<which>, space, terms, n, Verb<which>::template round<R>(n, Rounding::to_nearest),
                           vector_of(r, columns));
}

#define EXAKT_INSTANTIATE_VERB(which, R, Space, T)                                                          \
  template EXAKT_CORE_EXPORT R reduce<R, Reduction::which>(Space const&, std::size_t, Rounding,             \
                                                           Matrix<T const> const&, Matrix<T const> const&); \
  template EXAKT_CORE_EXPORT void reduce_columns<Reduction::which>(                                         \
      Space const&, std::size_t, Matrix<R> const&, std::size_t, Matrix<T const> const&, Matrix<T const> const&);
#define EXAKT_INSTANTIATE_FOR(R, Space, T)          \
  EXAKT_INSTANTIATE_VERB(sum, R, Space, T)          \
  EXAKT_INSTANTIATE_VERB(nrm1, R, Space, T)         \
  EXAKT_INSTANTIATE_VERB(nrm2, R, Space, T)         \
  EXAKT_INSTANTIATE_VERB(nrm2_squared, R, Space, T) \
  EXAKT_INSTANTIATE_VERB(mean, R, Space, T)         \
  EXAKT_INSTANTIATE_VERB(dot, R, Space, T)
#define EXAKT_INSTANTIATE(Space, T) EXAKT_INSTANTIATE_FOR(float, Space, T) EXAKT_INSTANTIATE_FOR(double, Space, T)
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)

}  // namespace Exakt::Compiled
