// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_LINEPIECES_HPP
#define EXAKTBLAS_LINEPIECES_HPP

/// \file
/// \brief Lines (rows of A, columns of B) of any storage, gathered for the kernels of hosts.

#include "../matrix_vector/ExaktBlas_RowEnclosures.hpp"

#include <cstring>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t lines_at_once = 8, piece_of_line = 512;

/// Some lines, a piece of each, behind each other in local memory; zeros behind the last entry.
struct alignas(64) LinePieces {
  // Some more, for lines a whole page apart would compete for the same places in the cache.
  double entries[lines_at_once][piece_of_line + kernel_lanes];
  std::size_t size;  // of each, a multiple of bytes_at_once

  template <class T>
  void gather(Strided<T const> const& from, Span lines, std::size_t begin, std::size_t depth) {
    std::size_t const count = depth - begin < piece_of_line ? depth - begin : piece_of_line;
    size = (count + bytes_at_once - 1) / bytes_at_once * bytes_at_once;
    if (std::is_same_v<T, double> && from.column_stride == 1) {
      for (std::size_t l = 0; l < lines.size(); ++l)
        std::memcpy(entries[l], from.at(lines.begin + l, begin), count * sizeof(double));
    } else if (from.row_stride == 1 && lines.size() == lines_at_once) {
      for (std::size_t k = 0; k < count; ++k) {
        T const* const at = from.at(lines.begin, begin + k);
        for (std::size_t l = 0; l < lines_at_once; ++l) entries[l][k] = exact_double(at[l]);
      }
    } else {
      for (std::size_t l = 0; l < lines.size(); ++l)
        widen(from.at(lines.begin + l, begin), from.column_stride, count, entries[l]);
    }
    for (std::size_t l = 0; l < lines.size(); ++l) {
      for (std::size_t k = count; k < size; ++k) entries[l][k] = 0;
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
