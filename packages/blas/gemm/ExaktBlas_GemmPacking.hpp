// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMPACKING_HPP
#define EXAKTBLAS_GEMMPACKING_HPP

/// \file
/// \brief The factors of gemm's direct engine as panels of doubles: their memory, entries of any type in it, and how
/// many panels make a block.

#include "../kernels/ExaktBlas_GemmKernels.hpp"
#include "../matrix_vector/ExaktBlas_RowEnclosures.hpp"

#include <algorithm>
#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t doubles_in_line = 64 / sizeof(double);  // of cache

inline std::size_t pieces(std::size_t all, std::size_t size) { return (all + size - 1) / size; }
inline Span piece(std::size_t number, std::size_t size, std::size_t all) {
  return {number * size, std::min(all, (number + 1) * size)};
}
/// The first line of cache that begins in this memory.
inline double* first_line(double* memory) {
  auto const beyond_line = reinterpret_cast<std::uintptr_t>(memory) % 64;
  return memory + (64 - beyond_line) % 64 / sizeof(double);
}
inline std::size_t whole_lines(std::size_t doubles) { return pieces(doubles, doubles_in_line) * doubles_in_line; }

/// \brief Panels of A and of B that make a block of C, the task of a thread: as large as the caches allow, as small as
/// keeps the threads busy.
struct PanelsOfBlock {
  std::size_t down = 6, across = 32;

  PanelsOfBlock() = default;
  PanelsOfBlock(std::size_t all_down, std::size_t all_across, std::size_t threads) {
    auto const blocks = [&] { return pieces(all_down, down) * pieces(all_across, across); };
    while (across > 4 && blocks() < 4 * threads) across /= 2;
    while (down > 1 && blocks() < 2 * threads) --down;
    down = std::min(down, all_down);
    across = std::min(across, all_across);
  }
};

/// Doubles that a packed factor takes. Each of its arrays begins a line of cache.
inline std::size_t memory_of(PackedFactor const& factor) {
  std::size_t const lines = factor.panels() * factor.width;
  return whole_lines(lines * factor.depth) + 2 * whole_lines(lines) + whole_lines(factor.panels());
}

/// Gives a factor its memory; what is behind that is returned.
inline double* place(PackedFactor& factor, double* memory) {
  std::size_t const lines = factor.panels() * factor.width;
  factor.entries = memory;
  factor.magnitudes = memory + whole_lines(lines * factor.depth);
  factor.units = factor.magnitudes + whole_lines(lines);
  factor.spreads = factor.units + whole_lines(lines);
  return memory + memory_of(factor);
}

/// Entries that are neither float nor double are packed as doubles first.
template <class X>
using Packed = std::conditional_t<is_float_v<X>, X, double>;

template <class X>
GemmKernelsOf<Packed<X>> const& gemm_kernels_of() {
  return gemm_kernels();
}

/// \brief Packs one panel of a matrix.
///
/// \param from  Entry 0 of line 0; the steps lead to the next line, and to the next entry of a line.
template <class X>
void pack_panel(PackedFactor const& factor, std::size_t number, typename GemmKernelsOf<Packed<X>>::PackPanel kernel,
                X const* from, std::ptrdiff_t line_step, std::ptrdiff_t entry_step) {
  std::size_t const first = number * factor.width, lines = std::min(factor.width, factor.lines - first);
  double* const to = factor.panel(number);
  from += static_cast<std::ptrdiff_t>(first) * line_step;
  double *const magnitudes = factor.magnitudes + first, *const units = factor.units + first;
  if constexpr (is_float_v<X>) {
    factor.spreads[number] = kernel(from, line_step, entry_step, lines, factor.depth, to, magnitudes, units);
  } else {
    for (std::size_t k = 0; k < factor.depth; ++k, from += entry_step)
      widen(from, line_step, lines, to + k * factor.width);
    auto const width = static_cast<std::ptrdiff_t>(factor.width);
    factor.spreads[number] = kernel(to, 1, width, lines, factor.depth, to, magnitudes, units);
  }
}

/// One line as a contiguous array.
inline void unpack(PackedFactor const& factor, std::size_t line, double* to) {
  double const* const from = factor.panel(line / factor.width) + line % factor.width;
  for (std::size_t k = 0; k < factor.depth; ++k) to[k] = from[k * factor.width];
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
