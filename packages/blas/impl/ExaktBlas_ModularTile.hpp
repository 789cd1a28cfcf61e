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

#include "ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_IntegerGemm.hpp"
#include "ExaktBlas_ModularLines.hpp"
#include "ExaktBlas_Reconstruction.hpp"

namespace Exakt::Impl {

#ifdef EXAKT_HAS_INTEGER_GEMM

inline constexpr std::size_t largest_tile_rows = 512, largest_tile_columns = 512;

/// What a tile needs while it is computed.
struct TileMemory {
  std::int32_t* sums;
  std::int8_t* y;
  double *high, *low, *scale, *cut, *size, *old;  // of the entries of a row

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
  TileMemory(std::uint8_t* memory, std::size_t rows, std::size_t columns) {
    for (double** const part : {&high, &low, &scale, &cut, &size, &old}) {
      *part = reinterpret_cast<double*>(memory);
      memory += largest_tile_columns * sizeof(double);
    }
    sums = reinterpret_cast<std::int32_t*>(memory);
    y = reinterpret_cast<std::int8_t*>(sums + rows * stride(columns));
  }
};

/// R is float or double.
template <class T, class U, class R>
struct ModularTile {
  GemmProblem<T, U, R> problem;
  LineFactor<T> all_rows;
  LineFactor<U> all_columns;
  EstimateArrays sums;  // where they are wanted instead of C: of the entry (i, j) at i * sums_stride + j
  std::size_t sums_stride;

  /// \brief The bytes y_t of all entries of a tile. \return False if oneDNN had no memory for it.
  bool multiply(Span rows, Span columns, Basis<ByteResidues> const& basis, TileMemory const& memory) const {
    std::size_t const stride = TileMemory::stride(columns.size()), size = rows.size() * stride;
    // What oneDNN does not write must not be just anything; the numbers of those columns are not used.
    if (stride != columns.size()) std::memset(memory.sums, 0, size * sizeof(std::int32_t));
    for (int t = 0; t < basis.count; ++t) {
      for (std::size_t begin = 0; begin < all_rows.padded_depth(); begin += depth_of_integers) {
        std::size_t const depth = std::min(all_rows.padded_depth() - begin, depth_of_integers);
        if (begin > 0) reduce_sums_in_place(memory.sums, size, t);
        if (!multiply_integers(rows.size(), columns.size(), depth, all_rows.residues_of(rows.begin, begin, t),
                               all_rows.stride(),
                               reinterpret_cast<std::int8_t const*>(all_columns.residues_of(columns.begin, begin, t)),
                               all_columns.stride(), begin > 0, memory.sums, stride))
          return false;
      }
      reduce_sums(memory.sums, size, basis, t, memory.y + static_cast<std::size_t>(t) * size);
    }
    return true;
  }

  /// \brief From these to C. \return False, and nothing written, if too many entries would have to be added one by one.
  bool finish(Span rows, Span columns, Basis<ByteResidues> const& basis, TileMemory const& memory) const {
    std::size_t const stride = TileMemory::stride(columns.size());
    bool is_cut = false;
    for (std::size_t j = 0; j < stride; ++j) {
      LineScale const line = j < columns.size() ? all_columns.scales(columns.begin + j) : LineScale{};
      memory.scale[j] = scale_of(line);
      memory.cut[j] = line.is_truncated ? 1 : 0;
      memory.size[j] = power_of_two(line.bits - 1);
      memory.old[j] = 0;
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
    reconstruct(y, tile, stride, basis, memory.high, memory.low);
    if (problem.combination.reads_y) {
      for (std::size_t j = 0; j < columns.size(); ++j) memory.old[j] = problem.old_entry(row, columns.begin + j);
    }
    LineScale const line = all_rows.scales(row);
    Pack const row_scale = broadcast(scale_of(line)), row_cut = broadcast(line.is_truncated ? 1 : 0),
               size_in_row = broadcast(power_of_two(line.bits - 1));
    double const k = static_cast<double>(problem.k) * (1 + 0x1p-10);
    constexpr std::uint32_t all_lanes = (std::uint32_t{1} << pack_lanes) - 1;
    std::size_t undecided = 0;
    for (std::size_t j = 0; j < columns.size(); j += pack_lanes) {
      Pack const scale = row_scale * load(memory.scale + j), high = load(memory.high + j);
      Pack const cut = row_cut * load(memory.size + j) + load(memory.cut + j) * size_in_row;
      Pack const bound = (absolute(high) * bound_of_reconstruction + k * cut) * scale;
      std::size_t const lanes = std::min<std::size_t>(pack_lanes, columns.size() - j);
      if (sums.high != nullptr) {
        undecided +=
            write_sums(row, columns.begin + j, lanes, {high * scale, load(memory.low + j) * scale, bound}, write);
        continue;
      }
      R results[pack_lanes] = {};
      auto const some =
          decided_lanes(interval_of(problem.combination, {high * scale, load(memory.low + j) * scale, bound},
                                    load(memory.old + j), broadcast(1)),
                        results);
      if (some == all_lanes && lanes == pack_lanes && problem.C.column_stride == 1) {
        if (write) std::memcpy(problem.C.at(row, columns.begin + j), results, sizeof(results));
        continue;
      }
      for (std::size_t l = 0; l < lanes; ++l) {
        std::size_t const column = columns.begin + j + l;
        bool const decided = (some >> l & 1) != 0;
        LineScale const& other = all_columns.scales(column);
        if (!decided && !line.is_special && !other.is_special && (line.is_truncated || other.is_truncated)) ++undecided;
        if (!write) continue;
        *problem.C.at(row, column) =
            decided ? results[l]
                    : finish_entry(row, column, y, j + l, tile, basis, memory.high[j + l] == 0, memory.old[j + l]);
      }
    }
    return undecided;
  }

  /// \return How many of them are not known well enough for most decisions.
  std::size_t write_sums(std::size_t row, std::size_t column, std::size_t lanes, EstimatePack const& sum,
                         bool write) const {
    constexpr double well_enough = 0x1p-60;
    double high[pack_lanes], bound[pack_lanes];
    store(sum.high, high);
    store(sum.bound, bound);
    std::size_t uncertain = 0;
    for (std::size_t l = 0; l < lanes; ++l) uncertain += bound[l] > well_enough * magnitude_of(high[l]);
    if (write) {
      auto const to = sums.from(row * sums_stride + column);
      store_some(sum.high, to.high, static_cast<int>(lanes));
      store_some(sum.low, to.low, static_cast<int>(lanes));
      store_some(sum.bound, to.bound, static_cast<int>(lanes));
    }
    return uncertain;
  }

  [[gnu::noinline]] R finish_entry(std::size_t row, std::size_t column, std::int8_t const* y, std::size_t entry,
                                   std::size_t stride, Basis<ByteResidues> const& basis, bool is_zero,
                                   double old) const {
    LineScale const line = all_rows.scales(row), other = all_columns.scales(column);
    auto const& combination = problem.combination;
    if (line.is_special || other.is_special || line.is_truncated || other.is_truncated)
      return combination.template exactly<R>(exact_entry(problem, row, column), old, 1);
    if (is_zero && !combination.reads_y && is_finite(combination.alpha)) return R{0};
    return combination.template exactly<R>(exact_integer(y, entry, stride, basis, line.unit + other.unit), old, 1);
  }

  /// Scales of lines that are neither special nor next to the ends of the range; infinite for others, for which nothing
  /// is decided: 2^297 2^(2 * 300) and 2^-98 2^(-2 * 300) are doubles.
  static double scale_of(LineScale const& line) {
    bool const usable = !line.is_special && line.unit > -300 && line.unit < 300;
    return usable ? power_of_two(line.unit) : HUGE_VAL;
  }
};

#endif

}  // namespace Exakt::Impl

#endif
