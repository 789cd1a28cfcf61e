// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_KERNELS_HPP
#define EXAKTBLAS_KERNELS_HPP

/// \file
/// \brief The loops of matrix times vector, compiled for each instruction set, and the plain types that they work on.
/// Those of products by residues are in ExaktBlas_ResidueKernels.hpp.
///
/// They live in libExaktBlas, and the set is the one that core has chosen (kernels/Exakt_Kernels.hpp). As there,
/// pointers, counts and strides come in, and callers hold the default floating-point environment.

#include "ExaktBlas_ResidueKernels.hpp"

#include <kernels/Exakt_Kernels.hpp>
#include <numerics/Exakt_ErrorFree.hpp>
#include <parallel/Exakt_Pieces.hpp>
#include <summation/Exakt_Enclosure.hpp>
#include <summation/Exakt_ExtractionLevels.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// A matrix in memory, whatever view it came from: kernels depend on the type of its entries only.
template <class T>
struct Strided {
  T* data;
  std::ptrdiff_t row_stride, column_stride;

  KOKKOS_FORCEINLINE_FUNCTION T* at(std::size_t row, std::size_t column) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride;
  }
};

/// alpha * S + beta * y, and a divisor where there is one, all of them real.
struct Factors {
  double alpha;
  double beta;
  bool reads_y;      // beta is not zero
  bool has_divisor;  // else the divisor is 1
};

/// Enclosures of many rows, as arrays for the vector unit.
struct EnclosureArrays {
  double *high, *low, *bound;

  KOKKOS_FORCEINLINE_FUNCTION EnclosureArrays from(std::size_t i) const { return {high + i, low + i, bound + i}; }
  KOKKOS_FORCEINLINE_FUNCTION Enclosure get(std::size_t i) const { return {high[i], low[i], bound[i]}; }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, Enclosure const& e) const {
    high[i] = e.high;
    low[i] = e.low;
    bound[i] = e.bound;
  }
};

/// A vector that multiplies rows, and the sums of their products.
struct VectorProducts {
  double const* x;
  EnclosureArrays sums;      // entry 0 belongs to the first of the rows
  int e = unknown_exponent;  // above the products, as far as is known from other rows; kept for the next ones
};
inline constexpr int vectors_at_most = 2;  // real and imaginary part of one

inline constexpr std::size_t small_gemv = 512;  // rows and columns whose sums stay in registers
inline constexpr int lane_block = 4096;         // rows at most whose state goes along with the columns

inline constexpr std::size_t kernel_lanes = 8;  // at most; all numbers of lanes divide it
inline constexpr std::size_t small_triangle = 64;
static_assert(small_triangle % kernel_lanes == 0);

/// \brief A small triangle in the order in which it is solved, by columns, and the sums of its rows.
///
/// For a product a*x = p + r and a sum kept as high + low:
///
///     high, e = two_sum(high, p);   t = e + r;   low = low + t;   tails = tails + |t|
///
/// All is exact but t and low: after m products they are off by at most 2^-53 |t| each and m * 2^-53 of the tails,
/// hence (m + 2) * 2^-52 tails is more than enough, and 2^-1074 for each product that underflows. Row r has r products,
/// and the right-hand side times beta may be one more.
template <std::size_t Lanes>
struct SmallTriangle {
  static constexpr std::size_t size = small_triangle, lanes = Lanes;
  // Of each column the packs of rows from the one with its diagonal on: lanes fewer for each pack of columns.
  static constexpr std::size_t entry_count = size * (size + lanes) / 2;
  double entries[entry_count];
  double high[size], low[size], tails[size], bound[size];

  /// Where the columns are instead, `step` apart, if this is not null: what is above the diagonal is anything then.
  double const* in_place = nullptr;
  std::ptrdiff_t step = 0;

  /// Entries of column j, those below the diagonal; zeros above it and behind the last row, as far as there are packs.
  KOKKOS_FORCEINLINE_FUNCTION double* column(std::size_t j) {
    std::size_t const first = j / lanes * lanes;  // of its pack, behind lanes * (size + ... + size - first + lanes)
    std::size_t const before = first * (2 * size - first + lanes) / 2;
    return entries + before + (j - first) * column_stride(j) - first;
  }

  /// From column j to the next of the same pack.
  static KOKKOS_FORCEINLINE_FUNCTION std::size_t column_stride(std::size_t j) { return size - j / lanes * lanes; }

  KOKKOS_FORCEINLINE_FUNCTION void set_sum(std::size_t row, Enclosure const& sum) {
    high[row] = sum.high;
    low[row] = sum.low;
    tails[row] = magnitude_of(sum.low);
    bound[row] = sum.bound;
  }

  /// The sum of a row, after the products with all columns before.
  KOKKOS_FORCEINLINE_FUNCTION Enclosure sum(std::size_t row) const {
    return {high[row], low[row], bound[row] + (tail_factor(row) * tails[row] + underflows(row))};
  }
  static KOKKOS_FORCEINLINE_FUNCTION double tail_factor(std::size_t row) {
    return (static_cast<double>(row) + 3) * 0x1p-52;
  }
  static KOKKOS_FORCEINLINE_FUNCTION double underflows(std::size_t row) {
    return bound_of_underflows(1, static_cast<int>(row) + 1);
  }
};

/// \brief Several right-hand sides of a small triangle, a lane for each. Those of one pack wait for the unknown before;
/// meanwhile others are on their way.
struct RightSides {
  static constexpr std::size_t lanes = 2 * kernel_lanes, size = small_triangle * lanes;  // row by row
  double high[size], low[size], bound[size];  // of the products with all unknowns before those of the triangle
  double old[size];                           // right-hand sides
  double known[size] = {};                    // unknowns, negated; those to come are zeros
  double largest_known[lanes] = {}, largest_entry = 0;  // magnitudes, of the columns so far
  std::size_t rows;                                     // of the triangle, in whole packs
  std::size_t count;                                    // of right-hand sides; lanes behind them are zeros
};

/// Kernels for matrices and results of one type, float or double; null where the processor has no fused multiply-add,
/// but for those that decide.
template <class T>
struct MatrixKernelsOf {
  /// \brief Adds the products of the given columns to the sums of the given rows. A is read once, for all vectors.
  /// \param count  Of vectors, at most vectors_at_most. Of rows there are at most lane_block; with several vectors
  ///               lane_block / vectors_at_most.
  void (*enclose)(Strided<T const> const& A, VectorProducts* vectors, int count, Span rows, Span columns);

  /// \brief The same where rows are the parts of complex entries: neighbours, in contiguous columns.
  /// \param x     Four numbers for each column: what multiplies a real and an imaginary part for the sum of its own row, then
  ///              what multiplies the imaginary one for the sum of the real row, and the real one for that of the imaginary row.
  /// \param rows  A multiple of kernel_lanes, at most lane_block.
  void (*enclose_parts)(Strided<T const> const& A, double const* x, EnclosureArrays const& sums, Span rows,
                        Span columns);

  /// The sum of one row, with heads of its own in every piece: what to try before adding exactly.
  Enclosure (*enclose_carefully)(Strided<T const> const& A, double const* x, std::size_t row, Span columns);

  /// Writes the results that the sums of `count` rows decide; the numbers of the others go to `undecided`, and how many
  /// they are is returned. They have one divisor.
  int (*try_round)(Factors const& factors, EnclosureArrays const& sums, double divisor, int count, T* y,
                   std::ptrdiff_t y_stride, int* undecided);

  /// The same for one row, with any divisor.
  bool (*try_round_row)(Factors const& factors, Enclosure const& sum, double y, double divisor, T& result);

  /// The result for a sum that is a multiple of a unit, 2^e, if it is known within less than half of it; of
  /// quotients zeros only. Ties are decided so, which enclosures alone never decide.
  bool (*try_round_multiple)(Factors const& factors, Enclosure const& sum, double unit, double y, T& result);

  /// Copies a matrix: rows become contiguous doubles, `to_step` apart.
  void (*gather_rows)(Strided<T const> const& A, std::size_t rows, std::size_t columns, double* to,
                      std::size_t to_step);

  /// A power of two of which all entries of a row are multiples; anything where not all are finite.
  double (*unit_of_row)(Strided<T const> const& A, std::size_t row, std::size_t columns);

  /// Whether a row has products without a factor of zero. \param x  An entry for each column.
  bool (*has_products)(Strided<T const> const& A, double const* x, std::size_t row, std::size_t columns);

  /// \brief Copies the entries of a small triangle.
  /// \param first  The first one on the diagonal; the steps lead to the next row and column in the order of solution.
  void (*gather_triangle)(T const* first, std::ptrdiff_t row_step, std::ptrdiff_t column_step, std::size_t size,
                          SmallTriangle<kernel_lanes>& to);

  /// \brief Copies the entries below the diagonal of a square, or above it, as doubles.
  /// \param from   Entry (r, c), r > c, is `row_step` and `column_step` times r and c behind it.
  /// \param below  Whether (r, c) of the copy, r + c * to_stride, is that entry, or zero. \param above  Likewise (c, r).
  void (*copy_triangle)(T const* from, std::ptrdiff_t row_step, std::ptrdiff_t column_step, std::size_t size,
                        bool below, bool above, double* to, std::size_t to_stride);

  /// \brief Solves for the unknowns of a small triangle from number `begin` on, until one is not decided, whose number
  /// is returned, or `rows`. From then on its sums are what is left of the right-hand sides.
  /// \param y, divisor, inverse  Of each row; y of whole packs of rows.
  /// \param results  Those before `begin` are known; the column of the last of them is the next one to be added.
  std::size_t (*solve)(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, std::size_t begin,
                       std::size_t rows, double const* y, double const* divisor, double const* inverse, T* results);

  /// \brief Solves for the unknowns of one row of a small triangle; a bit for each lane that is decided is returned, and
  /// `sides.known` has these. The sums of the row are then what is left of the right-hand sides.
  std::uint32_t (*solve_lanes)(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, RightSides& sides,
                               std::size_t row, double divisor, T* results);
};

struct GemmKernels;  // ExaktBlas_GemmKernels.hpp

/// The kernels of one instruction set.
struct MatrixKernels : MatrixKernelsOf<double>, MatrixKernelsOf<float>, ResidueKernels {
  bool has_enclosures;    // sums of products, too, are known up to bounds
  std::size_t lane_rows;  // at most lane_block: as many rows at a time are the fastest where columns are contiguous

  /// \brief y := alpha A x + beta y of at most small_gemv rows and columns, at least one. One stride of A is 1.
  /// \param undecided  Receives the numbers of the rows of which sums and units do not decide y: it is as it was there.
  /// \return           How many these are. Their numbers are not written if they are all.
  std::size_t (*multiply_small)(Strided<double const> const& A, double const* x, std::size_t rows, std::size_t columns,
                                Factors const& factors, double* y, std::ptrdiff_t y_stride, std::uint32_t* undecided);

  /// \brief The same of complex entries, whose parts are neighbours.
  /// \param A  Numbers; one of the strides of its entries is 1, and so is that of its numbers.
  std::size_t (*multiply_small_complex)(Strided<double const> const& A, bool conjugated, double const* x,
                                        std::size_t rows, std::size_t columns, Factors const& factors, double* y,
                                        std::uint32_t* undecided);

  GemmKernels const* gemm;
};

/// Those of the set that core has chosen.
EXAKT_CORE_EXPORT MatrixKernels const& choose_matrix_kernels();
EXAKT_ABI_TAG inline MatrixKernels const& matrix_kernels() { return chosen_once<choose_matrix_kernels>(); }

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
