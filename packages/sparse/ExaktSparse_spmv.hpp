// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_SPMV_HPP
#define EXAKTSPARSE_SPMV_HPP

#include "ExaktSparse_CrsViews.hpp"
#include "rows/ExaktSparse_Spmv.hpp"

#include <parallel/Exakt_Region.hpp>
#include <vectors/ExaktBlas_ScaleEntries.hpp>

namespace Exakt {

/// \brief y := alpha*op(A)*x + beta*y with a sparse A, the whole right side rounded once per entry.
///
/// Method: for each row an enclosure of its sum of products (summation/Exakt_EnclosedSum.hpp), and alpha and beta
/// applied to it without an error that matters; where that does not decide the rounding, the sum by exact extraction into
/// integers, and last in a long accumulator. In whatever order the entries of a row are stored, the bits are the same.
/// Of complex numbers real and imaginary part are rounded once each.
///
/// \param space  Where to run. On devices the work is enqueued, not awaited; but modes T and H wait for what they find out
///               about A.
/// \param mode   "N", "T", "C" or "H": op(A) is A, its transpose, its conjugate, its conjugate transpose.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and x are not read: y := beta*y, and
///               y stays as it is if beta is one.
/// \param A      A KokkosSparse::CrsMatrix, a BsrMatrix, Exakt::CrsViews, or whatever has their members; m x n, read.
///               Entries of one column in one row add up. A row without entries is a sum of 0, as a row of zeros is
///               for gemv; with no column of op(A) at all there is no sum, as with alpha = 0.
/// \param x      At least n entries (m with modes T and H) or, of rank 2, a vector per column; read.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      At least m entries (n with modes T and H), of the rank of x, read and written; complex if anything else
///               is. It overlaps nothing. Entries behind the last row stay as they are.
/// \throws std::invalid_argument  Extents disagree, mode is unknown, or y overlaps x or the values of A. On hosts also if
///               the row map decreases, leaves the entries, or a column does not exist, in which case some entries of y
///               have been written; on devices such rows become NaN in modes N and C.
/// \par Cost  One pass over A, at the speed of memory; rows that cancel are summed again, in about four times the time.
///            Every column number is looked at before it is used, in packs: two per cent of the time in the cache.
///            Modes T and H of one vector keep 20 bytes per column, for each thread as long as that is less than A, and
///            take twice the time of a plain loop; columns that cancel, several vectors at once, complex numbers
///            and blocks make the transpose first, of as much memory as A has. Complex numbers, blocks and half
///            precision take more time: a row per thread, without packs. Devices give a row to as many lanes as it has
///            entries for, and add those of modes T and H as integers, 40 bytes and atomic additions for each column.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void spmv(Space const& space, ModeLetter mode, F const& alpha, A const& a, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_sparse_operand<Space, A>());
  static_assert(Impl::require_operand<Space, X, Impl::RealOf>() && Impl::require_operand<Space, Y, Impl::RealOf>() &&
                Impl::require_output<Y>());
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y are both vectors, or both have a vector per column");
  using Values = std::decay_t<decltype(a.values)>;
  static_assert(Impl::has_complex_entries<Y> || (!Impl::has_complex_entries<Values> && !Impl::has_complex_entries<X> &&
                                                 !Impl::Scalar<F>::is_complex && !Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex y");
  Impl::require_mode("spmv", "mode", mode, "NTCH");
  bool const is_transposed = mode.is('T') || mode.is('H'), is_conjugated = mode.is('C') || mode.is('H');
  Impl::require_sparse_sizes("spmv", a);
  auto const matrix = Impl::sparse_matrix(a);
  Impl::require_sparse_shapes(matrix, x, y, is_transposed, std::string(1, mode.as_given()));

  Impl::in_region("Exakt::spmv", [&] {
    auto const scale = Impl::factor(alpha), old_scale = Impl::factor(beta);
    auto const result = Impl::first_rows(y, is_transposed ? matrix.column_count() : matrix.row_count());
    if (result.extent(0) == 0 || result.size() == 0) return;
    if (scale.is_zero() || matrix.row_count() == 0 || matrix.column_count() == 0)
      return Impl::scale_entries("Exakt::spmv", space, old_scale, result);
    if (is_transposed) {
      Impl::multiply_transposed(space, matrix, is_conjugated, scale, old_scale, x, result);
    } else {
      Impl::multiply_sparse(space, matrix, is_conjugated, scale, old_scale, x, result);
    }
  });
}

/// \brief The same on the execution space of the values of A.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void spmv(ModeLetter mode, F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::CompressedRows<A>,
                "Exakt: a sparse matrix has the members graph.row_map, graph.entries, values and numCols(), as "
                "KokkosSparse::CrsMatrix has them; of Views take Exakt::crs_matrix(row_map, entries, values, columns)");
  spmv(typename std::decay_t<decltype(a.values)>::execution_space(), mode, alpha, a, x, beta, y);
}

/// \brief The same. Behind `using namespace Exakt` a call with a KokkosSparse::CrsMatrix and a string finds KokkosSparse::spmv as
/// well, which rounds each addition, and would fit better: these fit as well, and better where it has the same parameters.
template <Impl::ExecutionSpace Space, class F, Impl::CompressedRows A, class X, class G, class Y>
EXAKT_ABI_TAG void spmv(Space const& space, char const mode[], F const& alpha, A const& a, X const& x, G const& beta,
                        Y const& y) {
  Exakt::spmv(space, ModeLetter(mode), alpha, a, x, beta, y);
}
template <class F, Impl::CompressedRows A, class X, class G, class Y>
EXAKT_ABI_TAG void spmv(char const mode[], F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  Exakt::spmv(ModeLetter(mode), alpha, a, x, beta, y);
}

}  // namespace Exakt

#endif
