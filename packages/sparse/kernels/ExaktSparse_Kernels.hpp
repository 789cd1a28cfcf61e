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

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// \brief Some rows of a matrix in compressed row storage: entries offsets[i] ... offsets[i + 1] - 1 are those of row i.
template <class T, class Index>
struct SparseRows {
  T const* values;
  Index const* columns;
  std::size_t const* offsets;  // one more than rows; they do not decrease
  std::size_t column_count;
  std::size_t entry_count;  // of the whole matrix, from the first of `values` and `columns` on
};

/// Rows that a kernel takes at once, at most.
inline constexpr int sparse_block = 512;

/// \brief Powers of two that numbers are multiples of; where rests of products are, they may be sums without an error.
struct Grain {
  static constexpr int none = -100'000;  // nothing is known, or it is of no use
  int of_values, of_products;            // their logarithms
};
inline constexpr Grain of_no_products{0, 100'000};

/// Whether numbers are multiples of larger powers of two is not asked.
inline constexpr int coarsest_grain = 900;

/// What is known of rows from those before them.
struct KnownOfRows {
  int e = unknown_exponent;              // above the products
  int grain_of_x = Grain::none;          // all x are multiples of 2^grain_of_x
  int grain_of_values = coarsest_grain;  // and values so far, if that of x is known
};

/// A kernel for values of type T (float or double), column numbers of type Index (std::int32_t or std::int64_t), and
/// results of type R (float or double).
template <class T, class Index, class R>
struct RowKernelOf {
  /// \brief y(i) := alpha * (sum of a(i, j) x(j)) + beta * y(i) for rows [0, rows), where that is decided.
  ///
  /// \param x          Entries at the columns, as doubles.
  /// \param undecided  Numbers of the rows to be added exactly. Room for `rows`.
  /// \param known      Kept for the next rows.
  /// \return           How many rows are undecided; -1 if a column does not exist: some rows may be written, and no x
  ///                   was read that does not exist.
  int (*multiply)(SparseRows<T, Index> const& A, double const* x, int rows, Factors const& factors, R* y,
                  std::ptrdiff_t y_stride, int* undecided, KnownOfRows& known);

  /// \brief KnownOfRows::grain_of_x, if it promises to be of use.
  ///
  /// \param some_values  Of the matrix, a few.
  int (*grain_of_x)(T const* some_values, std::size_t value_count, double const* x, std::size_t count);
};

/// A head and a rest of products.
struct alignas(16) ColumnSum {
  double head, rest;
};

/// The sum of each column, and of how many products, by one thread.
struct ColumnSums {
  ColumnSum* sums;
  std::uint32_t* counts;
};

/// The same by several threads, each with heads that began at a number of their own.
struct ColumnParts {
  ColumnSums const* part;
  double const* start;
  Grain const* grain;
  std::size_t count;
};

enum class Absorbed { all, bad_column, too_large };

template <class T, class Index>
struct ColumnKernelOf {
  /// \brief Adds a(i, j) * x(i) to the sum of column j, for rows [0, rows). Null where the processor has no fused
  /// multiply-add.
  ///
  /// \param e  Heads are made for products below 2^e. If that is too small, it is set to how large they are, and some
  ///           products have been added.
  /// \param grain  That of these products and of those before, which are multiples of 2^grain.of_products.
  Absorbed (*absorb)(SparseRows<T, Index> const& A, double const* x, int rows, ColumnSums const& sums, int& e,
                     Grain& grain);
};

template <class R>
struct ColumnRoundingOf {
  /// \brief y(i) := alpha * (sum of column first + i) + beta * y(i) for i below `columns`, where that is decided;
  /// returns how many are not, and their numbers.
  int (*round)(ColumnParts const& parts, std::size_t first, int columns, Factors const& factors, R* y,
               std::ptrdiff_t y_stride, int* undecided);
};

using RowKernels = KernelTable<RowKernelOf<double, std::int32_t, double>, RowKernelOf<double, std::int64_t, double>,
                               RowKernelOf<double, std::int32_t, float>, RowKernelOf<double, std::int64_t, float>,
                               RowKernelOf<float, std::int32_t, double>, RowKernelOf<float, std::int64_t, double>,
                               RowKernelOf<float, std::int32_t, float>, RowKernelOf<float, std::int64_t, float>>;
using ColumnKernels = KernelTable<ColumnKernelOf<double, std::int32_t>, ColumnKernelOf<double, std::int64_t>,
                                  ColumnKernelOf<float, std::int32_t>, ColumnKernelOf<float, std::int64_t>,
                                  ColumnRoundingOf<double>, ColumnRoundingOf<float>>;

/// The kernels of one instruction set.
struct SparseKernels : RowKernels, ColumnKernels {};

/// Those of the set that core has chosen.
EXAKT_CORE_EXPORT SparseKernels const& choose_sparse_kernels();
EXAKT_ABI_TAG inline SparseKernels const& sparse_kernels() { return chosen_once<choose_sparse_kernels>(); }

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
