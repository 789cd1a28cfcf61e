// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_Views.hpp"

namespace Exakt::Compiled {

template <class Space, class T>
void scale_entries(Space const& space, char const* label, double beta, Matrix<T> const& y, std::size_t rows,
                   std::size_t columns) {
  Impl::scale_each_entry(label, space, {beta, 0, false}, matrix_of(y, rows, columns));
}

#define EXAKT_INSTANTIATE(Space, T)                                                                               \
  template EXAKT_CORE_EXPORT void scale_entries(Space const&, char const*, double, Matrix<T> const&, std::size_t, \
                                                std::size_t);
EXAKT_BLAS_COMPILE(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace Exakt::Compiled
