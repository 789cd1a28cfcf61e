// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_BLOCKGEMM_HPP
#define EXAKTBLAS_BLOCKGEMM_HPP

/// \file
/// \brief What the kernels of ExaktBlas_TeamGemm.hpp have in common: the problem in real products, how C is dealt out,
/// and how enclosures are decided.
///
/// Complex matrices are real ones of twice as many rows (PlaneProblem), each thread having both parts of an entry of C.

#include "ExaktBlas_DirectGemm.hpp"

#include <parallel/Exakt_AtomicWords.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Where the tile of a thread lies in C: its rows and columns are as far apart as the threads of its team.
struct TilePlace {
  std::size_t first_row, first_column;
  int down_bits, across_bits;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t row(int r) const {
    return first_row + (static_cast<std::size_t>(r) << down_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t column(int c) const {
    return first_column + (static_cast<std::size_t>(c) << across_bits);
  }
};

/// \brief Blocks of C for teams, tiles of a block for their threads. Sizes are powers of two: devices divide slowly.
///
/// \tparam side  Rows, and columns, of sums of a thread.
template <int parts, int side>
struct Blocks {
  static constexpr int rows_of_tile = side / parts;

  std::size_t m, n;
  int down_bits, across_bits;  // 2^these are the threads of a team

  void set_threads(int bits) {
    down_bits = (bits + 1) / 2;
    across_bits = bits / 2;
  }
  KOKKOS_FORCEINLINE_FUNCTION int bits() const { return down_bits + across_bits; }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t down() const { return pieces(m, row_bits()); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t across() const { return pieces(n, column_bits()); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return down() * across(); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t tiles() const { return count() << bits(); }

  KOKKOS_FORCEINLINE_FUNCTION int thread_down(std::size_t tile) const {
    return static_cast<int>(tile & ((std::size_t{1} << down_bits) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION int thread_across(std::size_t tile) const {
    return static_cast<int>(tile >> down_bits & ((std::size_t{1} << across_bits) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION TilePlace place(std::size_t tile) const {
    std::size_t const block = tile >> bits(), across = block / down(), down_there = block - across * down();
    return {(down_there << row_bits()) + static_cast<std::size_t>(thread_down(tile)),
            (across << column_bits()) + static_cast<std::size_t>(thread_across(tile)), down_bits, across_bits};
  }

 private:
  static_assert((rows_of_tile & (rows_of_tile - 1)) == 0 && (side & (side - 1)) == 0);
  KOKKOS_FORCEINLINE_FUNCTION int row_bits() const { return down_bits + bit_width(rows_of_tile) - 1; }
  KOKKOS_FORCEINLINE_FUNCTION int column_bits() const { return across_bits + bit_width(side) - 1; }
  static KOKKOS_FORCEINLINE_FUNCTION std::size_t pieces(std::size_t lines, int piece_bits) {
    return (lines + (std::size_t{1} << piece_bits) - 1) >> piece_bits;
  }
};

/// Tiles with entries that are not certain: their numbers, and a bit for each such entry.
template <int sums_of_tile>
struct UndecidedTiles {
  Word* tiles;
  Word* count;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t tile, unsigned entries) const {
    if (entries != 0)
      tiles[Kokkos::atomic_fetch_add(count, Word{1})] = static_cast<Word>(tile) << sums_of_tile | entries;
  }
  KOKKOS_FORCEINLINE_FUNCTION void remove(std::size_t i, int entry) const {
    Kokkos::atomic_fetch_and(&tiles[i], ~(Word{1} << entry));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t tile(std::size_t i) const {
    return static_cast<std::size_t>(tiles[i] >> sums_of_tile);
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned entries(std::size_t i) const {
    return static_cast<unsigned>(tiles[i] & ((Word{1} << sums_of_tile) - 1));
  }
};

/// Enclosures on their way to a decision: those of neighbouring tiles side by side.
template <int sums_of_tile>
struct EnclosureSlots {
  double* values;
  std::size_t tiles;

  static KOKKOS_FORCEINLINE_FUNCTION std::size_t size(std::size_t slots, std::size_t tiles) {
    return slots * tiles * 3 * sums_of_tile;
  }
  KOKKOS_FORCEINLINE_FUNCTION double& at(std::size_t slot, int sum, std::size_t tile, int value) const {
    return values[((slot * sums_of_tile + static_cast<std::size_t>(sum)) * 3 + static_cast<std::size_t>(value)) *
                      tiles +
                  tile];
  }
  KOKKOS_FORCEINLINE_FUNCTION Enclosure get(std::size_t slot, int sum, std::size_t tile) const {
    return {at(slot, sum, tile, 0), at(slot, sum, tile, 1), at(slot, sum, tile, 2)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t slot, int sum, std::size_t tile, Enclosure const& value) const {
    at(slot, sum, tile, 0) = value.high;
    at(slot, sum, tile, 1) = value.low;
    at(slot, sum, tile, 2) = value.bound;
  }
};

/// What all kernels know.
template <class T, class U, class Y, int side>
struct BlockGemm {
  static_assert(Scalar<T>::is_complex || !Scalar<U>::is_complex, "C^T = B^T A^T is such a product");
  using Problem = PlaneProblem<T, U, Y>;
  using Real = typename Problem::Real;
  static constexpr int parts = Problem::parts;
  static constexpr int rows_of_tile = Blocks<parts, side>::rows_of_tile, entries_of_tile = rows_of_tile * side,
                       sums_of_tile = side * side;

  Problem problem;
  EntryEpilogue epilogue;
  Blocks<parts, side> blocks;
  LineMeasure const *of_rows, *of_columns;
  std::size_t segment, segments, slots;
  EnclosureSlots<sums_of_tile> enclosures;
  UndecidedTiles<sums_of_tile> undecided;

  /// The entries of the tile that exist.
  KOKKOS_FORCEINLINE_FUNCTION bool exists(TilePlace const& place, int r, int c) const {
    return place.row(r) < blocks.m && place.column(c) < blocks.n;
  }
  KOKKOS_FORCEINLINE_FUNCTION Y& entry(TilePlace const& place, int r, int c) const {
    return *problem.matrices.C.at(place.row(r), place.column(c));
  }

  /// \brief Writes the entries of a tile that enclosures decide; the others go to the list.
  ///
  /// \param enclosure  enclosure(q, c): of part q % parts of the sum for the entry (q / parts, c) of the tile.
  EXAKT_CALLS_ARGUMENT
  template <class EnclosureOf>
  KOKKOS_FORCEINLINE_FUNCTION void try_round(std::size_t tile, TilePlace const& place,
                                             EnclosureOf const& enclose) const {
    unsigned left = 0;
    EXAKT_UNROLLED_LOOP
    for (int c = 0; c < side; ++c) {
      EXAKT_UNROLLED_LOOP
      for (int r = 0; r < rows_of_tile; ++r) {
        if (!exists(place, r, c)) continue;
        auto const enclose_part = [&](int part) { return enclose(r * parts + part, c); };
        if (!try_round_entry(entry(place, r, c), enclose_part)) left |= 1u << (c * rows_of_tile + r);
      }
    }
    undecided.add(tile, left);
  }

  /// The same for an entry. \param enclose  enclose(part): of part of its sum.
  EXAKT_CALLS_ARGUMENT
  template <class EnclosureOf>
  KOKKOS_FORCEINLINE_FUNCTION bool try_round_entry(Y& result, EnclosureOf const& enclose) const {
    if constexpr (is_float_v<Real> && has_fused_packs) {
      Enclosure sums[parts];
      for (int part = 0; part < parts; ++part) sums[part] = enclose(part);
      return try_parts(epilogue, sums, result, result);
    } else {
      return false;
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
