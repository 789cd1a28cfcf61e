// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_KERNELS_HPP
#define EXAKTSPARSE_KERNELS_HPP

/// \file
/// \brief The loop of sparse rows times a vector, compiled for each instruction set, and the plain types that it works
/// on.
///
/// They live in libExaktSparse, and the set is the one that core has chosen (kernels/Exakt_Kernels.hpp). As there,
/// pointers, counts and strides come in, and callers hold the default floating-point environment.

#include <kernels/ExaktBlas_Kernels.hpp>

namespace Exakt::Impl {

/// \brief Some rows of a matrix in compressed row storage: entries offsets[i] ... offsets[i + 1] - 1 are those of row i.
template <class T, class Index>
struct SparseRows {
  T const* values;
  Index const* columns;
  std::size_t const* offsets;  // one more than rows; they do not decrease
  std::size_t entry_count;     // of the whole matrix: what may be read
  std::size_t column_count;
};

/// Rows that a kernel takes at once, at most.
inline constexpr int sparse_block = 512;

/// A kernel for values of type T (float or double), column numbers of type Index (std::int32_t or std::int64_t), and
/// results of type R (float or double).
template <class T, class Index, class R>
struct SparseKernelOf {
  /// \brief y(i) := alpha * (sum of a(i, j) x(j)) + beta * y(i) for rows [0, rows), where that is decided.
  ///
  /// \param x          Entries at the columns, as doubles.
  /// \param undecided  Numbers of the rows to be added exactly. Room for `rows`.
  /// \param e          Exponent above the products, as far as is known from other rows; kept for the next ones.
  /// \return           How many rows are undecided; -1 if a column does not exist: some rows may be written, and no x
  ///                   was read that does not exist.
  int (*multiply)(SparseRows<T, Index> const& A, double const* x, int rows, Factors const& factors, R* y,
                  std::ptrdiff_t y_stride, int* undecided, int& e);
};

/// The kernels of one instruction set.
template <class... Kernels>
struct SparseKernelsOf : Kernels... {};
using SparseKernels =
    SparseKernelsOf<SparseKernelOf<double, std::int32_t, double>, SparseKernelOf<double, std::int64_t, double>,
                    SparseKernelOf<double, std::int32_t, float>, SparseKernelOf<double, std::int64_t, float>,
                    SparseKernelOf<float, std::int32_t, double>, SparseKernelOf<float, std::int64_t, double>,
                    SparseKernelOf<float, std::int32_t, float>, SparseKernelOf<float, std::int64_t, float>>;

/// \param target  Kernels::target.
EXAKT_CORE_EXPORT SparseKernels const& choose_sparse_kernels(std::int64_t target);

/// Those of the set that core has chosen.
EXAKT_ABI_TAG inline SparseKernels const& sparse_kernels() {
  static SparseKernels const& chosen = choose_sparse_kernels(kernels().target);
  return chosen;
}

}  // namespace Exakt::Impl

#endif
