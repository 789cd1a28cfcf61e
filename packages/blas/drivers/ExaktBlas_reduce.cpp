// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../reduce/ExaktBlas_ReductionVerbs.hpp"
#include "ExaktBlas_SmallSums.hpp"
#include "ExaktBlas_Views.hpp"

#include <memory>

namespace Exakt::Compiled {

namespace {

using Impl::VerbOf;

template <Reduction which>
constexpr Impl::Label label = Impl::accumulate_label<VerbOf<which>>;

template <Reduction which, class X>
auto terms_of(X const& x, X const& y) {
  if constexpr (VerbOf<which>::operands == 1) {
    return VerbOf<which>::of(x);
  } else {
    return VerbOf<which>::of(x, y);
  }
}

/// \brief Whether sums of columns are had faster as the product of a matrix with ones, which goes along the lines of the
/// memory: of columns side by side, and of many short ones that lie one after the other.
template <class T>
bool are_sums_by_product(std::size_t n, std::size_t columns, Matrix<T const> const& X) {
  constexpr std::size_t short_column = 512;
  if (n == 0 || columns < 2 || n >> 53 != 0 || !Impl::matrix_kernels().has_enclosures) return false;
  bool const side_by_side = X.column_stride == 1 && X.row_stride >= static_cast<std::ptrdiff_t>(columns);
  return side_by_side || (n <= short_column && X.row_stride == 1 && X.column_stride >= static_cast<std::ptrdiff_t>(n));
}

/// The sums, or means: each product with a one is exact, and infinite or NaN as its term is.
template <Reduction which, class Space, class T>
void sum_by_product(Space const& space, std::size_t n, Matrix<T> const& r, std::size_t columns,
                    Matrix<T const> const& X) {
  constexpr bool is_mean = which == Reduction::mean;
  std::unique_ptr<double[]> const ones(new double[n]);
  for (std::size_t i = 0; i < n; ++i) ones[i] = 1;
  Impl::multiply(label<which>, space,
                 Impl::MatrixVector<T, T>{{X.data, X.column_stride, X.row_stride},
                                          ones.get(),
                                          n,
                                          Impl::Epilogue{1, 0, false, is_mean},
                                          r.data,
                                          r.row_stride,
                                          is_mean ? static_cast<double>(n) : 1},
                 columns);
}

/// Out of line: few terms have no use for the buffers.
template <class R, Reduction which, class Space, class T>
EXAKT_NOINLINE_FUNCTION R reduce_many(Space const& space, std::size_t n, Rounding mode, Matrix<T const> const& x,
                                      Matrix<T const> const& y) {
  auto const terms = terms_of<which>(matrix_of(x, n, 1), matrix_of(y, n, 1));
  return Impl::reduce_vector<R>(label<which>, space, terms, n, VerbOf<which>::template round<R>(n, mode));
}

}  // namespace

template <class R, Reduction which, class Space, class T>
R reduce(Space const& space, std::size_t n, Rounding mode, Matrix<T const> const& x, Matrix<T const> const& y) {
  if constexpr (std::is_same_v<R, T>) {
    R result;
    if (Impl::are_few_terms(n, mode, x) && (VerbOf<which>::operands == 1 || y.row_stride == 1) &&
        Impl::try_small_sum<which>(x.data, y.data, n, result))
      return result;
  }
  return reduce_many<R, which>(space, n, mode, x, y);
}

template <Reduction which, class Space, class T, class R>
void reduce_columns(Space const& space, std::size_t n, Matrix<R> const& r, std::size_t columns,
                    Matrix<T const> const& X, Matrix<T const> const& Y) {
  if constexpr (std::is_same_v<T, R> && (which == Reduction::sum || which == Reduction::mean)) {
    if (are_sums_by_product(n, columns, X)) return sum_by_product<which>(space, n, r, columns, X);
  }
  auto const terms = terms_of<which>(matrix_of(X, n, columns), matrix_of(Y, n, columns));
  Impl::reduce_each_column(label<which>, space, terms, n, VerbOf<which>::template round<R>(n, Rounding::to_nearest),
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
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
