// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TRIANGULARLANES_HPP
#define EXAKTBLAS_TRIANGULARLANES_HPP

/// \file
/// \brief Several systems with one matrix: their unknowns of a row together.

#include "ExaktBlas_TriangularSystem.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief Systems with one matrix, a lane for each: no unknown waits for others of its row, and triangles are read once.
/// \pre TriangularSystem::has_enclosures()
template <class System>
struct TriangularLanes {
  using R = std::remove_pointer_t<decltype(System::B.data)>;
  static constexpr std::size_t lanes = RightSides::lanes;
  static constexpr std::size_t worth_lanes = 3;  // fewer are faster one after the other

  System const* systems;
  std::size_t count;  // at most `lanes`

  /// As TriangularSystem::solve(), on the calling thread.
  void solve(Span rows) const {
    constexpr Kokkos::DefaultHostExecutionSpace const* this_thread = nullptr;
    for_each_small_triangle(
        systems->order, rows,
        [&](Span square, Span known) {
          for (std::size_t k = 0; k < count; ++k) systems[k].add_known(this_thread, square, known);
        },
        [&](Span triangle) { solve_small(triangle); });
  }

 private:
  EXAKT_NOINLINE_FUNCTION void solve_small(Span rows) const {
    MatrixKernelsOf<R> const& kernels = matrix_kernels();
    System const& any = *systems;
    alignas(64) typename System::Triangle triangle;
    alignas(64) RightSides sides;
    any.gather_entries(rows, triangle);
    sides.count = count;
    sides.rows = (rows.size() + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
    for (std::size_t k = 0; k < lanes; ++k) gather_lane(rows, k, sides);
    R results[lanes];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const i = any.order.number_of(r, rows);
      std::uint32_t const decided = kernels.solve_lanes(any.epilogue(), triangle, sides, r, any.divisor(i), results);
      std::uint32_t const all = (std::uint32_t{1} << count) - 1;
      for (std::size_t k = 0; (decided & all) != all && k < count; ++k) {
        if ((decided >> k & 1) == 0) solve_undecided(rows, r, k, sides);
      }
    }
    for (std::size_t k = 0; k < count; ++k) write_unknowns(rows, rows.size(), k, sides);
  }

  void solve_undecided(Span rows, std::size_t r, std::size_t k, RightSides& sides) const {
    System const& system = systems[k];
    std::size_t const i = system.order.number_of(r, rows), at = r * lanes + k;
    write_unknowns(rows, r, k, sides);
    system.solve_undecided(i, {sides.high[at], sides.low[at], sides.bound[at]});
    sides.known[at] = negated(exact_double(system.unknown(i)));
  }

  /// The first unknowns of the triangle of one system.
  void write_unknowns(Span rows, std::size_t size, std::size_t k, RightSides const& from) const {
    System const system = systems[k];
    for (std::size_t r = 0; r < size; ++r) {
      std::size_t const i = system.order.number_of(r, rows);
      system.x[i] = negated(from.known[r * lanes + k]);
      system.unknown(i) = static_cast<R>(system.x[i]);
    }
  }

  /// Lanes without a system have sums of nothing.
  void gather_lane(Span rows, std::size_t k, RightSides& to) const {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const i = systems->order.number_of(r, rows), at = r * lanes + k;
      Enclosure const sum = k < count ? systems[k].sums.get(i) : Enclosure{0, 0, 0};
      to.high[at] = sum.high;
      to.low[at] = sum.low;
      to.bound[at] = sum.bound;
      to.old[at] = k < count ? systems[k].old(i) : 0;
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
