// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMKERNELS_HPP
#define EXAKTBLAS_GEMMKERNELS_HPP

/// \file
/// \brief The loops of gemm's direct engine on hosts, compiled for each instruction set: packed factors, and tiles of C
/// whose sums are enclosed in registers.
///
/// Both factors are packed into panels of doubles:
///
///     A, packed:  panels of tile_rows rows           B, packed:  panels of tile_columns columns
///                 | k = 0: a a .. a | k = 1: ...                 | k = 0: b b .. b | k = 1: ...
///
/// A panel of A and one of B make a tile of tile_rows x tile_columns entries of C. Shapes depend on the number and the
/// size of the registers. The environment is the default one, as for all kernels.

#include "ExaktBlas_Kernels.hpp"

namespace Exakt::Impl::inline EXAKT_COMPILED {

inline constexpr std::size_t tile_rows_at_most = 32, tile_columns_at_most = 8;
inline constexpr int careful_heads_at_most = 3;

/// Either factor, packed. Lines are rows of A, or columns of B.
struct PackedFactor {
  double* entries;     // panels() * width * depth; lines beyond the last one are zero
  double* magnitudes;  // panels() * width: 2^e, e above all entries of the line; infinite where there is none
  double* units;       // panels() * width: 2^e, all entries are multiples of it; 0 where that is below 2^-530
  double* spreads;     // panels(): the largest magnitude / unit of a line
  std::size_t lines, depth, width;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t panels() const { return (lines + width - 1) / width; }
  KOKKOS_FORCEINLINE_FUNCTION double* panel(std::size_t number) const { return entries + number * width * depth; }
};

/// \brief Products that may be added plainly: heads and rests then absorb the sums, instead of each product.
struct PlainSums {
  std::size_t products = 1;  // of such a sum at most; 1 where products are absorbed
  double error = 0;          // what a sum may be off by for each of its products, in units of 2^(e_i + f_j) (GemmTile)

  KOKKOS_FORCEINLINE_FUNCTION bool are_used() const { return products > 1; }
  KOKKOS_FORCEINLINE_FUNCTION bool are_exact() const { return are_used() && error == 0; }
};

inline constexpr std::size_t shortest_plain_sum = 8;  // of products that pay for what becomes of it

/// Whether plain sums, rounded, tell most results: products are doubles, and results have far fewer bits.
template <class T, class U, class R>
inline constexpr bool plain_sums_decide = (FloatFormat<T>::precision + FloatFormat<U>::precision <=
                                           FloatFormat<double>::precision) &&
                                          (FloatFormat<R>::precision <= FloatFormat<float>::precision);

/// \brief A tile of C and the enclosures of its sums.
///
/// With |a_ik| < 2^e_i and |b_kj| < 2^f_j a head that is started at 1.5 * 2^(e_i + f_j + h), h with 2^(h - 1) > k,
/// never leaves its binade (Exakt_EnclosedSum.hpp): nothing is checked.
struct GemmTile {
  double const *a, *b;                               // its panels
  double const *row_magnitudes, *column_magnitudes;  // of their lines
  double const *row_units, *column_units;
  double headroom;     // 2^h for a segment of k
  std::size_t depth;   // k
  double* state;       // tile_rows heads for each of tile_columns columns, then as many rests
  double* enclosures;  // high, low and bound likewise, where k has several segments; else null
  int rows, columns;   // that C has
  PlainSums plain_sums;
};

/// Kernels for entries of one type, float or double.
template <class T>
struct GemmKernelsOf {
  /// \brief Packs a panel: its entries, and the magnitudes and the units of its lines.
  /// \param from  Entry 0 of its first line; the steps lead to the next line, and to the next entry of a line. May be
  ///              `entries` itself.
  /// \return The largest magnitude / unit of a line.
  using PackPanel = double (*)(T const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step, std::size_t lines,
                               std::size_t depth, double* entries, double* magnitudes, double* units);
  PackPanel pack_rows, pack_columns;

  /// \brief Writes the entries of a tile that its sums decide; others too where C is not read, and none is decided yet.
  /// \param C        Its first entry.
  /// \param decided  A bit for each row, for each column.
  void (*try_round)(GemmTile const& tile, Factors const& factors, Strided<T> const& C, std::uint32_t* decided);

  /// The same where each product has a factor of zero, and C has zeros or is not read: by zeros. \pre Factors are finite.
  void (*write_zeros)(GemmTile const& tile, Factors const& factors, Strided<T> const& C, std::uint32_t* decided);

  /// The same for some columns from their parts (CarefulKernel), and for entries that are not decided yet.
  /// \param exact  Receives a bit for each row, for each of the columns: whether the parts are the exact sum.
  void (*try_round_parts)(GemmTile const& tile, int heads, int first_column, double const* parts,
                          Factors const& factors, Strided<T> const& C, std::uint32_t* decided, std::uint32_t* exact);
};

/// All of k once more for some columns of a tile, with several heads: nearly always these are the exact sum.
struct CarefulKernel {
  int columns;  // divides tile_columns

  /// \param parts  How far each head has moved, then the rests: tile_rows for each of the columns.
  void (*multiply)(GemmTile const& tile, int first_column, double* parts);
};

/// \brief A product of small matrices, read where they are: copies of them would take as long as the product.
struct SmallGemm {
  static constexpr std::size_t lines_at_most = 256;  // m and n, for what is known about lines is on the stack
  static constexpr std::size_t depth_at_most = 256;  // of whole products; longer ones are worth copies

  /// Whether it is a whole product for the kernel.
  static KOKKOS_FORCEINLINE_FUNCTION bool is_small(std::size_t m, std::size_t n, std::size_t k) {
    return m <= lines_at_most && n <= lines_at_most && k <= depth_at_most;
  }

  Strided<double const> A;  // m x k, rows are neighbours
  Strided<double const> B;  // k x n, rows are neighbours, or columns
  Strided<double> C;        // m x n, rows are neighbours
  std::size_t m, n, k;      // k > 0
  bool leaves_short =
      false;  // whether products of entries of few bits, where packed tiles are faster, are left to these
};

/// Those of one instruction set; without functions where the processor has no fused multiply-add.
struct GemmKernels : GemmKernelsOf<double>, GemmKernelsOf<float> {
  std::size_t tile_rows, tile_columns;
  double product_cost, plain_product_cost;  // nanoseconds of one thread, as the choice of an engine counts them
  CarefulKernel careful[careful_heads_at_most + 1];  // by the number of heads, from 2 on

  /// Adds the products of some k to heads and rests, which are started if `is_first`.
  void (*multiply)(GemmTile const& tile, Span some, bool is_first);

  /// The same by plain sums. \pre tile.plain_sums.are_used()
  void (*multiply_plainly)(GemmTile const& tile, Span some, bool is_first);

  /// C := alpha A B + beta C, if sums and units decide all of its entries: else false, and C says nothing.
  bool (*multiply_small)(SmallGemm const& problem, Factors const& factors);

  /// Adds what heads and rests say about `depth` products to the enclosures, which are started if `is_first`.
  void (*add_segment)(GemmTile const& tile, std::size_t depth, bool is_first);

  /// What is known about the sums: that of the entry (i, j) goes to i + j * column_stride.
  void (*write_sums)(GemmTile const& tile, EnclosureArrays const& to, std::size_t column_stride);
};

/// Those of the set that core has chosen.
EXAKT_ABI_TAG inline GemmKernels const& gemm_kernels() { return *matrix_kernels().gemm; }

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
