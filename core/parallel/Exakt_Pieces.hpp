// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PIECES_HPP
#define EXAKT_PIECES_HPP

/// \file
/// \brief Ranges of numbers, for kernels that are compiled for each instruction set as well.

#include "../numerics/Exakt_Abi.hpp"

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// A range of rows or columns.
struct Span {
  std::size_t begin, end;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t size() const { return end - begin; }
};

/// \brief A range in pieces of one size, but for the last one: `for (Span const piece : Pieces{rows, 64})`, or by their
/// numbers, as threads take them.
struct Pieces {
  Span all;
  std::size_t size;  // not zero

  KOKKOS_FORCEINLINE_FUNCTION std::size_t count() const { return (all.size() + size - 1) / size; }
  KOKKOS_FORCEINLINE_FUNCTION Span operator[](std::size_t i) const { return from(all.begin + i * size); }

  struct Iterator {
    Pieces const& pieces;
    std::size_t first;
    KOKKOS_FORCEINLINE_FUNCTION Span operator*() const { return pieces.from(first); }
    KOKKOS_FORCEINLINE_FUNCTION void operator++() { first += pieces.size; }
    KOKKOS_FORCEINLINE_FUNCTION bool operator!=(Iterator const& end) const { return first < end.first; }
  };
  KOKKOS_FORCEINLINE_FUNCTION Iterator begin() const { return {*this, all.begin}; }
  KOKKOS_FORCEINLINE_FUNCTION Iterator end() const { return {*this, all.end}; }

  KOKKOS_FORCEINLINE_FUNCTION Span from(std::size_t first) const {
    return {first, all.end - first < size ? all.end : first + size};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
