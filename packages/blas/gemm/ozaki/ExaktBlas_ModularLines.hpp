// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODULARLINES_HPP
#define EXAKTBLAS_MODULARLINES_HPP

/// \file
/// \brief Either factor of the modular engine as lines: rows of A, columns of B; measured, cut to a number of bits, and
/// as residues.
///
///     entry = X * 2^unit,  |X| <= 2^bits         | top = unit + bits ....... unit | truncated: rounded at the unit
///
/// A line is measured first: bits above all entries, and the last bit that is set anywhere in it. If these are too many
/// bits, the unit is put higher, and entries are rounded to multiples of it: off by at most half a unit.

#include "../../operands/ExaktBlas_LinePieces.hpp"
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// A line's integers.
struct LineScale {
  int unit = 0, bits = 0;
  bool is_truncated = false;
  bool is_special = false;  // has infinities or NaN, which no integer stands for

  LineScale() = default;
  LineScale(int unit_of_line, int bits_of_line) : unit(unit_of_line), bits(bits_of_line) {}
  explicit LineScale(LineMeasure const& line) : is_special(line.top == LineMeasure::special) {
    if (is_special || line.unit == LineMeasure::none) return;
    unit = line.unit;
    bits = line.top - line.unit;
  }

  int top() const { return unit + bits; }

  /// With at most so many bits.
  LineScale truncated_to(int limit) const {
    LineScale result = *this;
    result.is_truncated = bits > limit;
    if (result.is_truncated) {
      result.unit = top() - limit;
      result.bits = limit;
    }
    return result;
  }
};

/// \brief Asks for large pages: to be given residues in small ones takes as long as to compute them.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#ifdef __linux__
  constexpr std::uintptr_t page = std::uintptr_t{1} << 12;
  std::uintptr_t const begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page,
                       end = (reinterpret_cast<std::uintptr_t>(memory) + size) / page * page;
  // Where they are not to be had nothing is lost.
  if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

/// A factor; copies refer to the same memory.
template <class T>
struct LineFactor {
  using Scales = Kokkos::View<LineScale*, Kokkos::HostSpace>;
  using Bytes = Kokkos::View<std::uint8_t*, Kokkos::HostSpace>;
  template <class V>
  static V reserve(std::size_t size) {
    return V(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::lines"), size);
  }

  Strided<T const> from;  // (line, place in it)
  std::size_t lines, depth;
  std::size_t block;  // lines whose integers are multiplied at once, and which share a number of moduli
  Scales measured = reserve<Scales>(lines), scales = reserve<Scales>(lines);
  Kokkos::View<int*, Kokkos::HostSpace> block_bits{"Exakt::gemm::lines", blocks()};

  // The residues of a panel: of line i and modulus t at (t * panel.size() + i - panel.begin) * stride().
  Span panel{0, 0};
  Bytes residues{};

  std::size_t blocks() const { return (lines + block - 1) / block; }
  std::size_t largest_block() const { return block < lines ? block : lines; }
  Span block_at(std::size_t b) const { return {b * block, lines - b * block < block ? lines : (b + 1) * block}; }
  std::size_t tasks(Span some) const { return (some.size() + lines_at_once - 1) / lines_at_once; }

  /// Residues of each line; behind the last entry they are those of 0.
  std::size_t padded_depth() const { return (depth + bytes_at_once - 1) / bytes_at_once * bytes_at_once; }

  /// Bytes from line to line: an odd number of cache lines, which do not compete for the same places in a cache.
  std::size_t stride() const { return ((depth + 63) / 64 | 1) * 64; }

  /// One task of tasks({0, lines}).
  void measure(std::size_t task) const {
    LinePieces pieces;
    LineMeasure measures[lines_at_once];
    Span const some = lines_of(task, {0, lines});
    for (std::size_t begin = 0; begin < depth; begin += piece_of_line) {
      pieces.gather(from, some, begin, depth);
      for (std::size_t l = 0; l < some.size(); ++l)
        matrix_kernels().measure(pieces.entries[l], pieces.size, measures[l]);
    }
    for (std::size_t l = 0; l < some.size(); ++l) measured(some.begin + l) = LineScale(measures[l]);
  }

  /// Cuts what has more bits than that.
  void truncate(int limit) const {
    for (std::size_t b = 0; b < blocks(); ++b) {
      int& most = block_bits(b);
      most = 0;
      for (std::size_t i = block_at(b).begin; i < block_at(b).end; ++i) {
        scales(i) = measured(i).truncated_to(limit);
        most = scales(i).bits > most ? scales(i).bits : most;
      }
    }
  }

  /// One task of tasks(panel): residues for the first `count(block)` moduli.
  template <class Count>
  void write_residues_of(std::size_t task, bool with_sign, Count const& count) const {
    LinePieces pieces;
    Span const some = lines_of(task, panel);
    for (std::size_t begin = 0; begin < depth; begin += piece_of_line) {
      pieces.gather(from, some, begin, depth);
      for (std::size_t l = 0; l < some.size(); ++l) {
        std::size_t const line = some.begin + l;
        if (scales(line).is_special) {
          for (std::size_t k = 0; k < pieces.size; ++k) pieces.entries[l][k] = 0;
        }
        matrix_kernels().write_bytes(
            pieces.entries[l], pieces.size, scales(line).unit, scales(line).bits, count(line / block), with_sign,
            residues.data() + (line - panel.begin) * stride() + begin, panel.size() * stride());
      }
    }
  }

  std::uint8_t const* residues_of(std::size_t line, std::size_t begin, int t) const {
    return residues.data() + (static_cast<std::size_t>(t) * panel.size() + line - panel.begin) * stride() + begin;
  }

 private:
  static Span lines_of(std::size_t task, Span some) {
    std::size_t const begin = some.begin + task * lines_at_once;
    return {begin, some.end - begin < lines_at_once ? some.end : begin + lines_at_once};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
