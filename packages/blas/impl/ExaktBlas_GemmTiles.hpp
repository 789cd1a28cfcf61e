// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMTILES_HPP
#define EXAKTBLAS_GEMMTILES_HPP

/// \file
/// \brief Packed factors of gemm, and its kernels: tiles of C in registers, known up to a bound.
///
///     multiply_tile               a head and a rest an entry: four operations a product
///     multiply_tile_carefully     several heads and a rest, for tiles whose sums cancel: 11 with two heads, or 18 with
///                                 three, which nearly always are the exact sum

#include "ExaktBlas_Estimates.hpp"

namespace Exakt::Impl {

inline constexpr int packs_of_tile = 2, columns_of_tile = 6;
inline constexpr int rows_of_tile = packs_of_tile * pack_lanes;

/// Either factor, packed: panels of `width` rows (of A) or columns (of B), behind each other for each k.
template <int width>
struct PackedFactor {
  double* entries;     // panels() * width * depth
  double* magnitudes;  // panels() * width: 2^e, e above all entries of the line; infinite where there is none
  double* least;       // panels() * width: 2^e, all entries zero or at least that; 0 below 2^-480
  std::size_t lines;   // rows of A, columns of B
  std::size_t depth;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t panels() const { return (lines + width - 1) / width; }
  KOKKOS_FORCEINLINE_FUNCTION double* panel(std::size_t number) const { return entries + number * width * depth; }

  /// Packs one panel. Lines beyond the last one are zero.
  ///
  /// \param from  The entry 0 of line 0; the steps lead to the next line, and to the next entry of a line.
  template <class T>
  KOKKOS_INLINE_FUNCTION void pack(std::size_t number, T const* from, std::ptrdiff_t line_step,
                                   std::ptrdiff_t entry_step) const {
    double* const to = panel(number);
    std::size_t const first = number * width, count = lines - first < width ? lines - first : width;
    T const* const begin = from + static_cast<std::ptrdiff_t>(first) * line_step;
    double largest[width] = {}, smallest[width];
    std::uint64_t special[width] = {};  // whether there is an infinity or NaN
    for (std::size_t l = 0; l < width; ++l) smallest[l] = HUGE_VAL;
    auto const pack_entry = [&](std::size_t l, std::size_t k, T const& value) {
      double const entry = exact_double(value), size = magnitude_of(entry), size_or_none = size == 0 ? HUGE_VAL : size;
      to[k * width + l] = entry;
      largest[l] = size > largest[l] ? size : largest[l];
      smallest[l] = size_or_none < smallest[l] ? size_or_none : smallest[l];
      special[l] |= static_cast<std::uint64_t>(!(size < HUGE_VAL));
    };
    if (count == width && line_step == 1) {
      // The compiler is told that lines are neighbours.
      for (std::size_t k = 0; k < depth; ++k) {
        T const* const entries_of_k = begin + static_cast<std::ptrdiff_t>(k) * entry_step;
        // Each k is on another page, where the hardware does not look ahead.
        if (constexpr std::size_t ahead = 16; k + ahead < depth) {
          T const* const later = entries_of_k + static_cast<std::ptrdiff_t>(ahead) * entry_step;
          for (std::size_t l = 0; l < width; l += 64 / sizeof(T)) prefetch(later + l);
        }
        for (std::size_t l = 0; l < width; ++l) pack_entry(l, k, entries_of_k[l]);
      }
    } else {
      for (std::size_t k = 0; k < depth; ++k) {
        T const* next = begin + static_cast<std::ptrdiff_t>(k) * entry_step;
        for (std::size_t l = 0; l < count; ++l, next += line_step) pack_entry(l, k, *next);
        for (std::size_t l = count; l < width; ++l) to[k * width + l] = 0;
      }
    }
    for (std::size_t l = 0; l < width; ++l) {
      int const e = exponent_above(largest[l]);
      // Far from the ends of the range, so that neither heads nor units are.
      bool const usable = special[l] == 0 && e < 450;
      magnitudes[number * width + l] = usable ? power_of_two(e < -400 ? -400 : e) : HUGE_VAL;
      bool const is_zero_line = smallest[l] == HUGE_VAL;
      least[number * width + l] = is_zero_line                        ? 1
                                  : smallest[l] >= power_of_two(-480) ? power_of_two(exponent_above(smallest[l]) - 1)
                                                                      : 0;
    }
  }

  /// One line as a contiguous array.
  KOKKOS_INLINE_FUNCTION void unpack(std::size_t line, double* to) const {
    double const* const from = panel(line / width) + line % width;
    for (std::size_t k = 0; k < depth; ++k) to[k] = from[k * width];
  }
};

using PackedRows = PackedFactor<rows_of_tile>;
using PackedColumns = PackedFactor<columns_of_tile>;

/// Heads and rests of one tile, in memory between passes.
struct alignas(64) TileState {
  double head[columns_of_tile][rows_of_tile], rest[columns_of_tile][rows_of_tile];
};

/// The kernel: all entries of a tile, `depth` values of k.
KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(double const* a, double const* b, std::size_t depth, TileState& state) {
  Pack head[columns_of_tile][packs_of_tile], rest[columns_of_tile][packs_of_tile];
  for (int c = 0; c < columns_of_tile; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      head[c][p] = load(state.head[c] + p * pack_lanes);
      rest[c][p] = load(state.rest[c] + p * pack_lanes);
    }
  }
  for (std::size_t k = 0; k < depth; ++k, a += rows_of_tile, b += columns_of_tile) {
    Pack entries[packs_of_tile];
    for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + p * pack_lanes);
    for (int c = 0; c < columns_of_tile; ++c) {
      Pack const factor = broadcast(b[c]);
      for (int p = 0; p < packs_of_tile; ++p) {
        Pack const s = fused_add(entries[p], factor, head[c][p]);
        rest[c][p] = rest[c][p] + fused_subtract(entries[p], factor, s - head[c][p]);
        head[c][p] = s;
      }
    }
  }
  for (int c = 0; c < columns_of_tile; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      store(head[c][p], state.head[c] + p * pack_lanes);
      store(rest[c][p], state.rest[c] + p * pack_lanes);
    }
  }
}

/// Some columns of a tile with several heads; as many columns as the registers hold.
template <int heads>
struct alignas(64) CarefulState {
  static constexpr int columns = heads == 2 ? 3 : 2;
  static_assert(columns_of_tile % columns == 0);
  double head[heads][columns][rows_of_tile], rest[columns][rows_of_tile];
};

/// \brief The kernel for sums that cancel: several heads M_1, M_2, ..., each for what the one before has left.
///
/// With products p + r = a*b, exactly, below 2^e, and k < 2^(h - 1) of them:
///
///     s = M_1 + p;         t = p - (s - M_1);      M_1 = s
///     n = (M_2 + t) + r;   d = t - (n - M_2);      M_2 = n
///     w = d + r;           r = r - (w - d);        t = w;      and so on with M_3; after the last one R = R + w
///
/// M_1 is started at 1.5 * 2^(e + h), its unit is u_1 = 2^(e + h - 52); each other head 2^(52 - h) below the one
/// before. Let g = ulp(p) at first, later ulp(w): t is a multiple of g with |t| < 2^53 g, and |r| <= g/2. With v the
/// unit of the head:
/// - n is rounded twice, by at most v/2 each, so d + r, of at most v, is the sum of the two.
/// - d is exact. If g >= v, it is a multiple of v below g + v <= 2^53 v; if 2^-52 v <= g < v, one of g below 2 v. If g
/// is
///   smaller still, |t| < 2 v and r does not change n: n - M is 0, or t is between its half and its double.
/// - d is zero or at least g > |r|, so w - d and the new r are exact, |r| <= ulp(w)/2: nothing is lost between heads.
/// - A head moves by at most |t| + |r| + v for a product, with |t + r| at most the unit v' of the one before: by less
/// than
///   (k + 1) v' in all, while it has room for 2^(h - 1) v'. So all heads stay in their binades.
/// - After the last head |w| <= v and |R| <= k v, so R is off by less than k(k + 1)/2 * 2^-53 v from its additions and
///   k * 2^-54 v from its terms, below bound_of_rests(1, k) * v.
/// - If all products are multiples of some G, a power of two, so is all that is left of them; where k v <= 2^53 G, R
/// has
///   room for all of it, and heads and R are the exact sum.
template <int heads>
KOKKOS_FORCEINLINE_FUNCTION void multiply_tile_carefully(double const* a, double const* b, std::size_t depth,
                                                         CarefulState<heads>& state) {
  constexpr int columns = CarefulState<heads>::columns;
  Pack head[heads][columns][packs_of_tile], rest[columns][packs_of_tile];
  for (int c = 0; c < columns; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      for (int h = 0; h < heads; ++h) head[h][c][p] = load(state.head[h][c] + p * pack_lanes);
      rest[c][p] = Pack{};
    }
  }
  for (std::size_t k = 0; k < depth; ++k, a += rows_of_tile, b += columns_of_tile) {
    Pack entries[packs_of_tile];
    for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + p * pack_lanes);
    for (int c = 0; c < columns; ++c) {
      Pack const factor = broadcast(b[c]);
      for (int p = 0; p < packs_of_tile; ++p) {
        Pack t = rounded_product(entries[p], factor), r = fused_subtract(entries[p], factor, t);
        Pack const s = head[0][c][p] + t;
        t = t - (s - head[0][c][p]);
        head[0][c][p] = s;
        for (int h = 1; h < heads; ++h) {
          Pack const n = (head[h][c][p] + t) + r, d = t - (n - head[h][c][p]);
          head[h][c][p] = n;
          t = d + r;
          r = r - (t - d);
        }
        rest[c][p] = rest[c][p] + t;
      }
    }
  }
  for (int c = 0; c < columns; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      for (int h = 0; h < heads; ++h) store(head[h][c][p], state.head[h][c] + p * pack_lanes);
      store(rest[c][p], state.rest[c] + p * pack_lanes);
    }
  }
}

}  // namespace Exakt::Impl

#endif
