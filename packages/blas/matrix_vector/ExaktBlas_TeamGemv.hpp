// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMGEMV_HPP
#define EXAKTBLAS_TEAMGEMV_HPP

/// \file
/// \brief gemv by one team inside a kernel of the user: rows for each thread, on hosts by the compiled kernels, on
/// devices shared among its vector lanes.

#include "../reduce/ExaktBlas_TeamReduce.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_ComplexRows.hpp"
#include "ExaktBlas_TeamRows.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// The rows and columns that all operands have.
template <class A, class X, class Y>
struct CommonExtents {
  std::size_t rows, columns;
  KOKKOS_FORCEINLINE_FUNCTION CommonExtents(Operated<A> const& a, X const& x, Y const& y)
      : rows(a.rows() < y.extent(0) ? a.rows() : y.extent(0)),
        columns(a.columns() < x.extent(0) ? a.columns() : x.extent(0)) {}
};

/// \pre The default floating-point environment.
template <class Member, class A, class X, class Y>
void team_gemv_on_host(Member const& member, Operated<A> const& matrix, X const& x, Factor const& alpha,
                       Factor const& beta, Y const& y) {
  CommonExtents const extents(matrix, x, y);
  Span const rows = piece_of_thread(member, extents.rows);
  if (alpha.is_zero() || extents.columns == 0) {
    for (std::size_t i = rows.begin; i < rows.end; ++i) y(i) = scaled_entry(beta, y(i));
  } else if constexpr (has_complex_entries<Y>) {
    ComplexRows<A, X, Y> const product{matrix, x, extents.columns, {alpha, beta}, y};
    product(rows);
  } else {
    auto const a = strided(matrix.view, matrix.transposed);
    TeamRows<EntryOf<A>, X, EntryOf<Y>> const product{
        {a.data, a.row_stride, a.column_stride}, x, extents.columns, EntryEpilogue(alpha, beta), y.data(),
        static_cast<std::ptrdiff_t>(y.stride(0))};
    product(rows);
  }
}

/// A row for each thread, shared by its vector lanes: three doubles and a bound, and if these do not decide, exactly.
template <class Member, class A, class X, class Y>
KOKKOS_INLINE_FUNCTION void team_gemv_on_device(Member const& member, Operated<A> const& matrix, X const& x,
                                                Factor const& alpha, Factor const& beta, Y const& y) {
  constexpr bool complex = has_complex_entries<Y>;
  CommonExtents const extents(matrix, x, y);
  bool const adds_nothing = alpha.is_zero() || extents.columns == 0;
  EntryEpilogue const epilogue(alpha, beta);
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, extents.rows), [&](std::size_t i) {
    if (adds_nothing) {
      Kokkos::single(Kokkos::PerThread(member), [&] { y(i) = scaled_entry(beta, y(i)); });
      return;
    }
    auto const row = [&](std::size_t j) { return matrix.entry(i, j); };
    auto const factors = [&](std::size_t j) { return x(j); };
    EntryOf<Y> const old = epilogue.reads_y ? y(i) : EntryOf<Y>();
    EntryOf<Y> result;
    bool decided = false;
    if constexpr (is_float_v<RealEntryOf<Y>>) {
      using Known = SumParts<CascadedSum, complex>;
      decided = try_parts(epilogue, thread_sum_of_products<Known>(member, row, factors, 0, extents.columns).parts, old,
                          result);
    }
    if (!decided)
      result =
          epilogue.entry(thread_sum_of_products<ExactParts<complex>>(member, row, factors, 0, extents.columns), old);
    Kokkos::single(Kokkos::PerThread(member), [&] { y(i) = result; });
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
