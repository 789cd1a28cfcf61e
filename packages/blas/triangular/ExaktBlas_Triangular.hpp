// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TRIANGULAR_HPP
#define EXAKTBLAS_TRIANGULAR_HPP

/// \file
/// \brief Triangular systems: x(i) := (beta * b(i) - sum of A(i, j) x(j)) / A(i, i), the whole rounded once.
///
/// In small triangles along the diagonal. What is solved is added to the sums of rows below (of an upper triangle:
/// above) in squares, so that most of A is read in long pieces, once. After b triangles, with s the largest power of
/// two that divides b, the columns of the last s go to the rows of the next s:
///
///     | 0            |
///     | 1  0         |      0  compensated sums, an unknown after the other; of several right-hand sides together
///     | 2  2  0      |      1, 2, 4  squares of this many triangles: enclosed sums, shared among the threads
///     | 2  2  1  0   |
///     | 4  4  4  4  0|

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../gemm/ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_TeamTriangular.hpp"
#include "ExaktBlas_TriangularLanes.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t large_triangle = 128;
static_assert(large_triangle % small_triangle == 0);

/// Working memory of one system: its solution and its sums.
inline constexpr std::size_t doubles_per_unknown = 4;
inline constexpr std::size_t right_sides_at_once = 128;
inline constexpr std::size_t small_system = 256;  // unknowns whose memory is on the stack

/// Several right-hand sides, a large block of all of them after the other: what is known goes through the kernel of
/// gemm, the rest is solved a lane for each, or by column where there are few.
template <class Space, class System>
void solve_together(char const* label, Space const& space, System const& system, std::size_t begin, std::size_t count,
                    double* memory) {
  auto const some = system(begin, memory);
  using T = std::remove_const_t<std::remove_pointer_t<decltype(some.A.data)>>;
  std::size_t const n = some.n, stride = doubles_per_unknown * n;
  bool const threaded = n * n * count >= products_worth_threads;
  for (std::size_t done = 0; done < n; done += large_triangle) {
    Span const rows = some.order.block(done, large_triangle, {0, n}), known = some.order.known_to(rows, {0, n});
    // Without the kernel of gemm each system is on its own.
    bool const together = some.has_enclosures();
    if (done == 0 || !together) {
      for (std::size_t k = 0; k < count; ++k) system(begin + k, memory + k * stride).start(rows);
    } else {
      auto const columns = static_cast<std::ptrdiff_t>(stride);
      GemmProblem<T, double, double> const problem{
          {some.A.at(rows.begin, known.begin), some.A.row_stride, some.A.column_stride},
          {memory + known.begin, 1, columns},
          {nullptr, 0, 0},
          rows.size(),
          count,
          known.size()};
      DirectGemm::run(space, problem, GemmEpilogue{{}, some.sums.from(rows.begin), 1, stride});
    }
    auto const number = [=](std::size_t k) { return system(begin + k, memory + k * stride); };
    using One = std::remove_const_t<decltype(some)>;
    if (together && count >= TriangularLanes<One>::worth_lanes) {
      constexpr std::size_t lanes = TriangularLanes<One>::lanes;
      Pieces const groups{{0, count}, lanes};
      for_each_task(label, space, groups.count(), threaded, [=](std::size_t group) {
        std::size_t const first = groups[group].begin, last = groups[group].end - 1;
        One systems[lanes];
        for (std::size_t l = 0; first + l <= last; ++l) systems[l] = number(first + l);
        if constexpr (is_float_v<typename TriangularLanes<One>::R>)
          TriangularLanes<One>{systems, groups[group].size()}.solve(rows);
      });
      continue;
    }
    for_each_task(label, space, count, threaded, [=](std::size_t k) {
      constexpr Space const* this_thread = nullptr;
      number(k).solve(rows, this_thread);
    });
  }
}

/// \brief Systems with several right-hand sides, on hosts.
template <class Space, class T, class R>
void solve_on_host(char const* label, Space const& space, TriangularSystems<T, R> const& systems,
                   std::size_t right_sides) {
  std::size_t const n = systems.n;
  auto const system = [=](std::size_t k, double* memory) {
    TriangularSystem<T, R> one{systems, memory, {memory + n, memory + 2 * n, memory + 3 * n}};
    one.B.data = systems.B.at(0, k);
    return one;
  };
  std::size_t const at_once = right_sides < right_sides_at_once ? right_sides : right_sides_at_once;
  if (right_sides == 1 && n <= small_system) {
    alignas(64) double memory[doubles_per_unknown * small_system];
    auto const only = system(0, memory);
    only.start({0, n});
    return only.solve({0, n}, &space);
  }
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const memory(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::triangular"), at_once, doubles_per_unknown * n);
  for (Span const some : Pieces{{0, right_sides}, at_once}) {
    if (some.size() == 1) {
      auto const only = system(some.begin, memory.data());
      only.start({0, n});
      only.solve({0, n}, &space);
    } else {
      solve_together(label, space, system, some.begin, some.size(), memory.data());
    }
  }
}

/// \brief op(A) X = beta B for several right-hand sides, each a column of B, or a row if by_rows.
template <class Space, class A, class B>
void solve_triangular(char const* label, Space const& space, Operated<A> const& matrix, bool is_lower,
                      bool has_unit_diagonal, double beta, B const& b, std::size_t right_sides, bool by_rows) {
  if (matrix.rows() == 0 || right_sides == 0) return;
  auto const systems = systems_of(matrix, is_lower, has_unit_diagonal, beta, b, by_rows);
  if constexpr (!runs_on_host<Space>) {
    solve_by_teams(label, space, systems, right_sides);
  } else if constexpr (is_compiled<Space, EntryOf<A>, EntryOf<B>>) {
    Compiled::solve_triangular(
        space, Compiled::TriangularProblem<EntryOf<A>>{{systems.A.data, systems.A.row_stride, systems.A.column_stride},
                                                       {systems.B.data, systems.B.row_stride, systems.B.column_stride},
                                                       systems.n,
                                                       right_sides,
                                                       is_lower,
                                                       has_unit_diagonal,
                                                       beta,
                                                       label});
  } else {
    solve_on_host(label, space, systems, right_sides);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
