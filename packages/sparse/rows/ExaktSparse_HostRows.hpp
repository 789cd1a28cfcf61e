// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_HOSTROWS_HPP
#define EXAKTSPARSE_HOSTROWS_HPP

/// \file
/// \brief Rows of a real matrix times a vector, on hosts: by the compiled kernel, and exactly where that leaves rows
/// undecided.

#include "../kernels/ExaktSparse_Kernels.hpp"
#include "../operands/ExaktSparse_Matrix.hpp"

#include <matrix_vector/ExaktBlas_MatrixVector.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The column numbers that kernels know.
template <class Index>
using KernelIndex = std::conditional_t<sizeof(Index) == 4, std::int32_t, std::int64_t>;

/// Whether there is a kernel for a matrix, and results of type R.
template <class Matrix, class R>
inline constexpr bool has_sparse_kernel_v = is_float_v<typename Matrix::Value>&& is_float_v<R> &&
                                            (sizeof(typename Matrix::Index) == 4 ||
                                             sizeof(typename Matrix::Index) == 8);

/// The offsets of some rows; false if they decrease or leave the entries.
template <class Matrix>
bool copy_offsets(Matrix const& a, std::size_t entry_count, std::size_t first, int count, std::size_t* offsets) {
  auto const* const map = a.row_map.data() + first;
  for (int i = 0; i <= count; ++i) offsets[i] = static_cast<std::size_t>(map[i]);
  // Numbers below 2^63, of which none is less than the one before: differences that have no sign.
  std::size_t signs = offsets[count];
  for (int i = 0; i < count; ++i) signs |= offsets[i] | (offsets[i + 1] - offsets[i]);
  return signs >> 63 == 0 && offsets[count] <= entry_count && entry_count <= a.entry_count();
}

/// Rows as kernels take them.
template <class Matrix>
auto sparse_rows(Matrix const& a, std::size_t const* offsets) {
  using Index = KernelIndex<typename Matrix::Index>;
  return SparseRows<typename Matrix::Value, Index>{a.values.data(), reinterpret_cast<Index const*>(a.columns.data()),
                                                   offsets, a.column_count(), a.entry_count()};
}

/// \brief y(i) := epilogue of the sum of A(i, j) x(j), i in a range of rows; of a matrix without blocks.
template <class Matrix, class R>
struct HostRows {
  using T = typename Matrix::Value;
  using Index = KernelIndex<typename Matrix::Index>;

  Matrix A;
  std::size_t entry_count;  // that the row map ends with: what lies behind may be anything
  double const* x;
  Epilogue epilogue;
  R* y;
  std::ptrdiff_t y_stride;
  FirstBadRow* bad;
  int grain_of_x;

  void operator()(Span rows) const {
    RowKernelOf<T, Index, R> const& kernel = sparse_kernels();
    KnownOfRows known;
    known.grain_of_x = grain_of_x;
    for (std::size_t first = rows.begin; first < rows.end; first += sparse_block) {
      int const count = rows.end - first < sparse_block ? static_cast<int>(rows.end - first) : sparse_block;
      std::size_t offsets[sparse_block + 1];
      if (!copy_offsets(A, entry_count, first, count, offsets)) return bad->note(first);
      int undecided[sparse_block];
      int const others =
          kernel.multiply(sparse_rows(A, offsets), x, count, epilogue, &result(first), y_stride, undecided, known);
      if (others < 0) return bad->note(first);
      for (int k = 0; k < others; ++k) {
        auto const row = static_cast<std::size_t>(undecided[k]);
        finish_exactly(first + row, {offsets[row], offsets[row + 1]});
      }
    }
  }

 private:
  R& result(std::size_t row) const { return y[static_cast<std::ptrdiff_t>(row) * y_stride]; }

  EXAKT_NOINLINE_FUNCTION void finish_exactly(std::size_t row, RowRange const& range) const {
    constexpr std::size_t gathered = extraction_tile_size / 2;
    double factors[gathered];
    ExactProducts sum;
    Extraction<ExactProducts, 4> extraction;
    for (std::size_t k = range.begin; k < range.end; k += gathered) {
      std::size_t const count = range.end - k < gathered ? range.end - k : gathered;
      for (std::size_t j = 0; j < count; ++j) factors[j] = x[A.block_column(k + j)];
      extraction.add_products(A.values.data() + k, factors, count, sum);
    }
    extraction.drain(sum);
    result(row) = epilogue.template exactly<R>(sum, epilogue.reads_y ? exact_double(result(row)) : 0, 1);
  }
};

/// The grain of x where nothing but sums is rounded, to doubles, for it shows which of them are exact; else Grain::none.
template <class R, class Matrix>
int grain_of_x(Matrix const& a, Factors const& factors, double const* x) {
  if (!std::is_same_v<R, double> || factors.alpha != 1 || factors.reads_y || factors.has_divisor) return Grain::none;
  RowKernelOf<typename Matrix::Value, KernelIndex<typename Matrix::Index>, R> const& kernel = sparse_kernels();
  std::size_t const some = a.entry_count() < 64 ? a.entry_count() : 64;
  return kernel.grain_of_x(a.values.data(), some, x, a.column_count());
}

/// \brief All rows, shared among the threads in pieces of some thousand entries.
///
/// \pre There is a kernel, A is contiguous and has rows and columns, no blocks.
template <class Space, class Matrix, class X, class Y>
void multiply_on_host(Space const& space, Matrix const& a, Epilogue const& epilogue, X const& x, Y const& y) {
  using R = EntryOf<Y>;
  std::size_t const rows = a.row_count(), threads = static_cast<std::size_t>(space.concurrency());
  VectorOfDoubles<Space, X> const doubles(space, x);
  FirstBadRow bad;
  HostRows<Matrix, R> const product{
      a,        static_cast<std::size_t>(a.row_map(rows)), doubles.data(), epilogue,
      y.data(), static_cast<std::ptrdiff_t>(y.stride(0)),  &bad,           grain_of_x<R>(a, epilogue, doubles.data())};
  // Enough pieces for threads that are not equally fast, or have rows that are not equally long; in each of them heads
  // are made anew once.
  std::size_t const wanted = rows / (16 * threads), least = 64, most = std::size_t{16} * sparse_block;
  std::size_t const piece = wanted < least ? least : wanted > most ? most : wanted;
  for_each_task("Exakt::spmv", space, (rows + piece - 1) / piece, a.entry_count() >= products_worth_threads,
                [=](std::size_t i) {
                  product({i * piece, rows - i * piece < piece ? rows : (i + 1) * piece});
                });
  if constexpr (!std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) space.fence();
  if (bad.is_known()) refuse_rows(a, bad.row());
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
