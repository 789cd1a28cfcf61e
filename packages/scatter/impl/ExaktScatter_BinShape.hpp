// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_BINSHAPE_HPP
#define EXAKTSCATTER_BINSHAPE_HPP

/// \file
/// \brief Bins of any rank: T, T*, T**, T*[3], ... as a View has them.

#include "ExaktScatter_Refusals.hpp"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class X>
struct Pointee {
  using type = X;
  static constexpr int depth = 0;
};
template <class X>
struct Pointee<X*> {
  using type = typename Pointee<X>::type;
  static constexpr int depth = Pointee<X>::depth + 1;
};

/// The last index runs fastest: bin (i, j) is i * extent[1] + j.
template <class DataType>
struct BinShape {
  using Dynamic = Pointee<std::remove_all_extents_t<DataType>>;
  using value_type = typename Dynamic::type;
  static constexpr bool is_plain = std::is_same_v<DataType, value_type>;  // T stands for T*
  static constexpr int rank_dynamic = is_plain ? 1 : Dynamic::depth;
  static constexpr int rank = rank_dynamic + static_cast<int>(std::rank_v<DataType>);

  std::int64_t extent[rank] = {};

  BinShape() = default;

  template <class... N>
  static BinShape of(N... n) {
    static_assert(sizeof...(N) == rank_dynamic,
                  "Exakt: bins have as many extents as their type has stars: ScatterSum<double*[3]> forces(name, n)");
    static_assert((std::is_integral_v<N> && ...), "Exakt: an extent is an integer");
    std::int64_t const extents[rank_dynamic + 1] = {static_cast<std::int64_t>(n)...};
    return of_dynamic(extents);
  }
  static BinShape of_dynamic(std::int64_t const* extents) {
    BinShape result;
    for (int r = 0; r < rank_dynamic; ++r) result.extent[r] = extents[r];
    set_static_extents(result, std::make_index_sequence<std::rank_v<DataType>>());
    return result;
  }

  /// extent[R], which the compiler knows of those in brackets: not of the first, which is zero where there are no bins.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t extent_of() const {
    if constexpr (R == 0 || R < rank_dynamic) {
      return extent[R];
    } else {
      return std::extent_v<DataType, R - rank_dynamic>;
    }
  }

  template <int R, class Index>
  KOKKOS_FORCEINLINE_FUNCTION bool has(Index i) const {
    return is_below(i, extent_of<R>());
  }

  KOKKOS_FUNCTION std::int64_t size() const {
    std::uint64_t product = 1;  // goes round where a later extent is zero
    for (int r = 0; r < rank; ++r) product *= static_cast<std::uint64_t>(extent[r]);
    return static_cast<std::int64_t>(product);
  }

  friend KOKKOS_FUNCTION bool operator==(BinShape const& a, BinShape const& b) {
    bool same = true;
    for (int r = 0; r < rank; ++r) same = same && a.extent[r] == b.extent[r];
    return same;
  }

  /// The number here of bin `i` of the other shape; -1 if it is not here.
  KOKKOS_FUNCTION std::int64_t index_in(BinShape const& other, std::int64_t i) const {
    std::int64_t index[rank] = {};
    for (int r = rank - 1; r >= 0; --r) {
      index[r] = i % other.extent[r];
      i /= other.extent[r];
    }
    std::int64_t result = 0;
    for (int r = 0; r < rank; ++r) {
      if (index[r] >= extent[r]) return -1;
      result = result * extent[r] + index[r];
    }
    return result;
  }

  /// "1 bin", "10 bins", "10 x 3 bins".
  std::string text() const {
    std::string result = std::to_string(extent[0]);
    for (int r = 1; r < rank; ++r) result += " x " + std::to_string(extent[r]);
    return result + (rank == 1 && extent[0] == 1 ? " bin" : " bins");
  }

 private:
  template <std::size_t... D>
  static void set_static_extents([[maybe_unused]] BinShape& shape, std::index_sequence<D...>) {
    ((shape.extent[rank_dynamic + D] = static_cast<std::int64_t>(std::extent_v<DataType, D>)), ...);
  }
};

/// The number of bin (..., i), which is bin * extent + i: goes round, without harm, if a later index is of no bin.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t next_rank(std::int64_t bin, std::int64_t extent, std::int64_t i) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(bin) * static_cast<std::uint64_t>(extent) +
                                   static_cast<std::uint64_t>(i));
}

/// view(i, j, ...) of bin number `bin`.
template <class V, class Shape, class... Known>
KOKKOS_FORCEINLINE_FUNCTION auto& entry_of(V const& view, Shape const& shape, std::int64_t bin, Known... known) {
  if constexpr (sizeof...(Known) + 1 == Shape::rank) {
    return view(bin, known...);
  } else {
    std::int64_t const extent = shape.template extent_of<Shape::rank - 1 - static_cast<int>(sizeof...(Known))>();
    return entry_of(view, shape, bin / extent, bin % extent, known...);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
