// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODULARTILE_HPP
#define EXAKTBLAS_MODULARTILE_HPP

/// \file
/// \brief A tile of C in the modular engine: products of residues, integers, and the one rounding.
///
///     s products of matrices of bytes --> y_t --> integers X --> (alpha X 2^units + beta C) rounded once
///
/// X = sum over k of a b, with |a| <= 2^p and |b| <= 2^q in units of their lines, and 2^h >= k: |X| <= 2^(p + q + h).
/// So many bits the moduli must have room for. X is exact, and whatever the entries cancel it costs the same; an entry
/// next to a tie is decided by the integer itself.
///
/// Where lines have been cut, each entry rounded to the nearest unit, X is not the sum S of what there was:
///
///     |S - X|  <=  k (1/2 * 2^q [A was cut] + 1/2 * 2^p [B was cut]),      in units,
///
/// for the other factor is at most 2^q (B as it was) and 2^p (A as it is now). That is a bound as those of the direct
/// engine. Entries that it does not decide are added exactly, one by one, as are those of lines with infinities or NaN.

#include "../../kernels/ExaktBlas_Multipliers.hpp"
#include "../ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_BalancedInteger.hpp"
#include "ExaktBlas_ModularLines.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t largest_tile_rows = 512, largest_tile_columns = 512;

/// What a tile needs while it is computed.
struct TileMemory {
  std::int32_t* sums;
  std::int8_t* y;
  EnclosureArrays row;  // the sums of a row
  CutLines columns;

  static std::size_t stride(std::size_t columns) {
    return (columns + bytes_at_once - 1) / bytes_at_once * bytes_at_once;
  }
  /// In bytes, of which the first has to be at the beginning of a cache line.
  static std::size_t size_for(std::size_t rows, std::size_t columns, int moduli_of_tile) {
    std::size_t const entries = rows * stride(columns);
    return (6 * largest_tile_columns * sizeof(double) +
            entries * (sizeof(std::int32_t) + static_cast<std::size_t>(moduli_of_tile)) + 63) /
           64 * 64;
  }
  TileMemory(std::uint8_t* memory, std::size_t most_rows, std::size_t most_columns) {
    for (double** const part : {&row.high, &row.low, &row.bound, &columns.scale, &columns.cut, &columns.size}) {
      *part = reinterpret_cast<double*>(memory);
      memory += largest_tile_columns * sizeof(double);
    }
    sums = reinterpret_cast<std::int32_t*>(memory);
    y = reinterpret_cast<std::int8_t*>(sums + most_rows * stride(most_columns));
  }
};

/// \brief The integer X of one entry times 2^unit, exactly.
///
/// \param y  Of the entry's line, in the order of bytes; that of modulus t at t * stride.
inline ExactProducts exact_integer(std::int8_t const* y, std::size_t entry, std::size_t stride,
                                   Basis<ByteResidues> const& basis, int unit) {
  y += place_of_byte(entry);
  auto const y_of = [=](int t) { return static_cast<double>(y[static_cast<std::size_t>(t) * stride]); };
  return scaled(BalancedInteger<ByteResidues, double>(basis, y_of), unit);
}

/// R is float or double.
template <class T, class U, class R>
struct ModularTile {
  GemmProblem<T, U, R> problem;
  LineFactor<T> all_rows;
  LineFactor<U> all_columns;
  EnclosureArrays sums;  // where they are wanted instead of C: of the entry (i, j) at i * sums_stride + j
  std::size_t sums_stride;

  /// \brief The bytes y_t of all entries of a tile. \return False if oneDNN had no memory for it.
  bool multiply(Span rows, Span columns, Basis<ByteResidues> const& basis, TileMemory const& memory) const {
    std::size_t const stride = TileMemory::stride(columns.size()), size = rows.size() * stride;
    // What oneDNN does not write must not be just anything; the numbers of those columns are not used.
    if (stride != columns.size()) std::memset(memory.sums, 0, size * sizeof(std::int32_t));
    for (int t = 0; t < basis.count; ++t) {
      for (std::size_t begin = 0; begin < all_rows.padded_depth(); begin += depth_of_integers) {
        std::size_t const depth = std::min(all_rows.padded_depth() - begin, depth_of_integers);
        if (begin > 0) matrix_kernels().shorten_sums(memory.sums, size, t);
        if (!multiply_integers(rows.size(), columns.size(), depth, all_rows.residues_of(rows.begin, begin, t),
                               all_rows.stride(),
                               reinterpret_cast<std::int8_t const*>(all_columns.residues_of(columns.begin, begin, t)),
                               all_columns.stride(), begin > 0, memory.sums, stride))
          return false;
      }
      matrix_kernels().reduce_to_bytes(memory.sums, size, t, basis.inverse[t],
                                       memory.y + static_cast<std::size_t>(t) * size);
    }
    return true;
  }

  /// \brief From these to C. \return False, and nothing written, if too many entries would have to be added one by one.
  bool finish(Span rows, Span columns, Basis<ByteResidues> const& basis, TileMemory const& memory) const {
    std::size_t const stride = TileMemory::stride(columns.size());
    bool is_cut = false;
    for (std::size_t j = 0; j < stride; ++j) {
      LineScale const line = j < columns.size() ? all_columns.scales(columns.begin + j) : LineScale{};
      auto const of_column = cut_line(line);
      memory.columns.scale[j] = of_column.scale;
      memory.columns.cut[j] = of_column.cut;
      memory.columns.size[j] = of_column.size;
      is_cut = is_cut || line.is_truncated;
    }
    for (std::size_t i = rows.begin; i < rows.end; ++i) is_cut = is_cut || all_rows.scales(i).is_truncated;
    if (is_cut) {
      std::size_t const step = rows.size() / rows_to_try + 1;
      std::size_t undecided = 0, seen = 0;
      for (std::size_t r = 0; r < rows.size(); r += step, seen += columns.size())
        undecided += finish_row(rows, r, columns, basis, memory, false);
      if (undecided * 64 > seen) return false;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) finish_row(rows, r, columns, basis, memory, true);
    return true;
  }

 private:
  static constexpr std::size_t rows_to_try = 8;

  /// \return How many entries of cut lines are not decided; all are written if `write`.
  std::size_t finish_row(Span rows, std::size_t r, Span columns, Basis<ByteResidues> const& basis,
                         TileMemory const& memory, bool write) const {
    std::size_t const stride = TileMemory::stride(columns.size()), tile = rows.size() * stride, row = rows.begin + r;
    std::int8_t const* const y = memory.y + r * stride;
    LineScale const line = all_rows.scales(row);
    double const depth = static_cast<double>(problem.k) * (1 + 0x1p-10);
    matrix_kernels().sums_of_bytes(y, tile, stride, basis, cut_line(line), memory.columns, depth, memory.row);
    if (sums.high != nullptr) return write_sums(row, columns, memory.row, write);

    R tried[largest_tile_columns];
    if (!write && problem.epilogue.reads_y) {
      for (std::size_t j = 0; j < columns.size(); ++j) tried[j] = *problem.C.at(row, columns.begin + j);
    }
    MatrixKernelsOf<R> const& kernel = matrix_kernels();
    int undecided[largest_tile_columns];
    int const others = kernel.try_round(problem.epilogue, memory.row, static_cast<int>(columns.size()),
                                        write ? problem.C.at(row, columns.begin) : tried,
                                        write ? problem.C.column_stride : 1, undecided);
    std::size_t count = 0;
    for (int i = 0; i < others; ++i) {
      auto const j = static_cast<std::size_t>(undecided[i]);
      std::size_t const column = columns.begin + j;
      LineScale const& other = all_columns.scales(column);
      if (!line.is_special && !other.is_special && (line.is_truncated || other.is_truncated)) ++count;
      if (!write) continue;
      *problem.C.at(row, column) = finish_entry(row, column, y, j, tile, basis, memory.row.high[j] == 0);
    }
    return count;
  }

  /// \return How many of them are not known well enough for most decisions.
  std::size_t write_sums(std::size_t row, Span columns, EnclosureArrays const& of_row, bool write) const {
    constexpr double well_enough = 0x1p-60;
    std::size_t uncertain = 0;
    for (std::size_t j = 0; j < columns.size(); ++j)
      uncertain += of_row.bound[j] > well_enough * magnitude_of(of_row.high[j]);
    if (write) {
      auto const to = sums.from(row * sums_stride + columns.begin);
      std::memcpy(to.high, of_row.high, columns.size() * sizeof(double));
      std::memcpy(to.low, of_row.low, columns.size() * sizeof(double));
      std::memcpy(to.bound, of_row.bound, columns.size() * sizeof(double));
    }
    return uncertain;
  }

  [[gnu::noinline]] R finish_entry(std::size_t row, std::size_t column, std::int8_t const* y, std::size_t entry,
                                   std::size_t stride, Basis<ByteResidues> const& basis, bool is_zero) const {
    LineScale const line = all_rows.scales(row), other = all_columns.scales(column);
    auto const& epilogue = problem.epilogue;
    double const old = problem.old_entry(row, column);
    if (line.is_special || other.is_special || line.is_truncated || other.is_truncated)
      return epilogue.template exactly<R>(exact_entry(problem, row, column), old, 1);
    if (is_zero && !epilogue.reads_y && is_finite(epilogue.alpha)) return R{0};
    return epilogue.template exactly<R>(exact_integer(y, entry, stride, basis, line.unit + other.unit), old, 1);
  }

  /// Scales of lines that are neither special nor next to the ends of the range; infinite for others, for which nothing
  /// is decided: 2^297 2^(2 * 300) and 2^-98 2^(-2 * 300) are doubles.
  static CutLine cut_line(LineScale const& line) {
    bool const usable = !line.is_special && line.unit > -300 && line.unit < 300;
    return {usable ? power_of_two(line.unit) : HUGE_VAL, line.is_truncated ? 1.0 : 0.0, power_of_two(line.bits - 1)};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
