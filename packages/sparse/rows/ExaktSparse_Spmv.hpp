// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_ROWS_SPMV_HPP
#define EXAKTSPARSE_ROWS_SPMV_HPP

/// \file
/// \brief y := alpha op(A) x + beta y: which rows are multiplied by the compiled kernels, and what becomes of the others.

#include "ExaktSparse_AnyRows.hpp"
#include "ExaktSparse_DeviceColumns.hpp"
#include "ExaktSparse_DeviceRows.hpp"
#include "ExaktSparse_HostColumns.hpp"
#include "ExaktSparse_HostRows.hpp"
#include "ExaktSparse_Transposed.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// The first rows of a vector, or of a vector per column.
template <class V>
auto first_rows(V const& v, std::size_t rows) {
  std::pair<std::size_t, std::size_t> const some(0, rows);
  if constexpr (V::rank == 1) {
    return Kokkos::subview(v, some);
  } else {
    return Kokkos::subview(v, some, Kokkos::ALL);
  }
}

/// Whether there are compiled kernels for it, if the matrix is contiguous and has no blocks.
template <class Space, class Matrix, class X, class Y>
inline constexpr bool has_compiled_rows_v =
    runs_on_host<Space>&& has_sparse_kernel_v<Matrix, EntryOf<Y>> && !has_complex_entries<X>;

/// y := alpha * A x + beta * y, a column after the other.
template <class Space, class Matrix, class X, class Y>
void multiply_sparse(Space const& space, Matrix const& a, bool conjugated, Factor const& alpha, Factor const& beta,
                     X const& x, Y const& y) {
  if constexpr (X::rank == 2) {
    for (std::size_t j = 0; j < x.extent(1); ++j)
      multiply_sparse(space, a, conjugated, alpha, beta, Kokkos::subview(x, Kokkos::ALL, j),
                      Kokkos::subview(y, Kokkos::ALL, j));
  } else {
    if constexpr (has_compiled_rows_v<Space, Matrix, X, Y>) {
      if (a.suits_kernels()) return multiply_on_host(space, a, EntryEpilogue(alpha, beta), x, y);
    }
    if constexpr (runs_on_host<Space>) {
      FirstBadRow bad;
      loop("Exakt::spmv", space, a.row_count(), AnyRows<Matrix, X, Y>{a, x, y, {alpha, beta}, conjugated, &bad});
      if constexpr (!std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) space.fence();
      if (bad.is_known()) refuse_rows(a, bad.row());
    } else {
      multiply_on_device(space, a, conjugated, {alpha, beta}, x, y);
    }
  }
}

/// Whether that of the transpose is added up by columns on devices.
template <class Space, class Matrix, class X, class Y>
inline constexpr bool has_device_columns_v =
    !runs_on_host<Space> && is_float_v<typename Matrix::Value> && is_float_v<EntryOf<X>> && is_float_v<EntryOf<Y>>;

/// The same with the transpose: made once where there are many columns, or no kernels for them.
template <class Space, class Matrix, class X, class Y>
void multiply_transposed(Space const& space, Matrix const& a, bool conjugated, Factor const& alpha, Factor const& beta,
                         X const& x, Y const& y) {
  if constexpr (X::rank == 1 && has_compiled_rows_v<Space, Matrix, X, Y>) {
    if (a.suits_kernels())
      return multiply_transposed_on_host(space, a, EntryEpilogue(alpha, beta), x, y);
  }
  if constexpr (X::rank == 1 && has_device_columns_v<Space, Matrix, X, Y>)
    return multiply_transposed_on_device(space, a, {alpha, beta}, x, y);
  multiply_sparse(space, transposed(space, a), conjugated, alpha, beta, x, y);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
