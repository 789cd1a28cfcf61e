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
///     | 1  0         |      0  solved together: compensated sums of a lane for each row, an unknown after the other
///     | 2  2  0      |      1, 2, 4  squares of this many triangles: enclosed sums, shared among the threads
///     | 2  2  1  0   |
///     | 4  4  4  4  0|

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../gemm/ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_SmallTriangle.hpp"
#include "ExaktBlas_TeamTriangular.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t large_triangle = 256;
static_assert(large_triangle % small_triangle == 0);

/// \brief One system with one right-hand side, the first of B, which the solution replaces.
template <class T, class R>
struct TriangularSystem : TriangularSystems<T, R> {
  using Base = TriangularSystems<T, R>;
  using Base::A;
  using Base::n;
  using Base::order;
  double* x;             // n doubles: the solution so far
  EnclosureArrays sums;  // of n rows

  /// The sums of some rows become those of nothing yet.
  void start(Span rows) const {
    for (std::size_t i = rows.begin; i < rows.end; ++i) sums.set(i, empty_sum());
  }

  /// \brief Solves for the given unknowns; the sums of their rows hold those before.
  ///
  /// \param space  Shares the rows of squares among its threads; nullptr: stay on the calling one.
  template <class Space>
  void solve(Span rows, Space const* space) const {
    std::size_t number = 0;
    for (std::size_t done = 0; done < rows.size(); done += small_triangle, ++number) {
      if (number > 0 && has_enclosures()) {
        std::size_t const square = (number & (~number + 1)) * small_triangle;
        add_known(space, order.block(done, square, rows), order.block(done - square, square, rows));
      }
      solve_small(order.block(done, small_triangle, rows));
    }
  }

  static bool has_enclosures() { return is_float_v<R> && MatrixVector<T, R>::has_enclosures(); }

  /// Adds the products with known unknowns to the sums of some rows.
  template <class Space>
  void add_known(Space const* space, Span rows, Span columns) const {
    MatrixVector<T, R> const multiply = rows_times_x();
    EnclosureArrays const enclosures = sums;
    std::size_t const threads = space == nullptr ? 1 : static_cast<std::size_t>(space->concurrency());
    bool const threaded = threads > 1 && rows.size() * columns.size() >= products_worth_threads;
    std::size_t const wanted = threaded ? (rows.size() + 2 * threads - 1) / (2 * threads) : multiply.largest_block;
    std::size_t const piece = wanted < 32                       ? 32
                              : wanted > multiply.largest_block ? multiply.largest_block
                                                                : (wanted + 7) / 8 * 8;
    Pieces const pieces{rows, piece};
    auto const add = [=](std::size_t task) {
      multiply.enclose(pieces[task], columns, enclosures.from(pieces[task].begin));
    };
    if (threaded) {
      for_each_task("Exakt::trsv", *space, pieces.count(), true, add);
    } else {
      for (std::size_t task = 0; task < pieces.count(); ++task) add(task);
    }
  }

 private:
  using Triangle = SmallTriangle<kernel_lanes>;

  MatrixVector<T, R> rows_times_x() const { return {A, x, n, this->epilogue(), this->B.data, this->B.row_stride}; }

  R& unknown(std::size_t i) const { return *this->B.at(i, 0); }
  double old(std::size_t i) const { return Base::old(i, 0); }

  EXAKT_NOINLINE_FUNCTION void solve_small(Span rows) const {
    if constexpr (is_float_v<R>) {
      if (has_enclosures()) return solve_enclosed(rows);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const i = order.number_of(r, rows);
      solve_row(i);
      x[i] = exact_double(unknown(i));
    }
  }

  void solve_enclosed(Span rows) const {
    alignas(64) Triangle triangle;
    double old_of[small_triangle] = {}, divisor_of[small_triangle], inverse_of[small_triangle];
    R results[small_triangle];
    gather(rows, triangle);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const i = order.number_of(r, rows);
      old_of[r] = old(i);
      divisor_of[r] = this->divisor(i);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) inverse_of[r] = 1 / divisor_of[r];
    MatrixKernelsOf<R> const& kernels = matrix_kernels();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const decided =
          kernels.solve(this->epilogue(), triangle, r, rows.size(), old_of, divisor_of, inverse_of, results);
      for (; r < decided; ++r) {
        std::size_t const i = order.number_of(r, rows);
        unknown(i) = results[r];
        x[i] = exact_double(results[r]);
      }
      if (r == rows.size()) break;
      std::size_t const i = order.number_of(r, rows);
      if (!is_nothing_yet(i, triangle.sum(r))) solve_row(i);
      results[r] = unknown(i);
      x[i] = exact_double(results[r]);
    }
  }

  void gather(Span rows, Triangle& to) const {
    constexpr std::size_t lanes = Triangle::lanes;
    std::size_t const size = rows.size();
    std::size_t const whole = (size + lanes - 1) / lanes * lanes;
    for (std::size_t r = 0; r < size; ++r) to.set_sum(r, sums.get(order.number_of(r, rows)));
    for (std::size_t r = size; r < whole; ++r) to.set_sum(r, {0, 0, 0});
    for (std::size_t c = 0; c < size; ++c) {
      double* const column = to.column(c);
      for (std::size_t r = c / lanes * lanes; r <= c; ++r) column[r] = 0;
      for (std::size_t r = size; r < whole; ++r) column[r] = 0;
    }
    std::ptrdiff_t const row_step = order.is_lower ? A.row_stride : -A.row_stride;
    std::ptrdiff_t const column_step = order.is_lower ? A.column_stride : -A.column_stride;
    T const* const first = A.at(order.number_of(0, rows), order.number_of(0, rows));
    auto const at = [=](std::size_t r, std::size_t c) {
      return exact_double(
          first[static_cast<std::ptrdiff_t>(r) * row_step + static_cast<std::ptrdiff_t>(c) * column_step]);
    };
    if (row_step == 1) {
      // Written so that the compiler sees neighbours.
      for (std::size_t c = 0; c < size; ++c) {
        T const* const from = first + static_cast<std::ptrdiff_t>(c) * column_step;
        double* const column = to.column(c);
        for (std::size_t r = c + 1; r < size; ++r) column[r] = exact_double(from[r]);
      }
    } else if (A.column_stride == 1) {
      // A pack of each row at a time.
      for (std::size_t c = 0; c < size; c += lanes) {
        double* const columns = to.column(c);
        for (std::size_t r = c + 1; r < size; ++r) {
          std::size_t const count = r - c < lanes ? r - c : lanes;
          for (std::size_t l = 0; l < count; ++l) columns[l * to.column_stride(c) + r] = at(r, c + l);
        }
      }
    } else {
      for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t r = c + 1; r < size; ++r) to.column(c)[r] = at(r, c);
      }
    }
  }

  EXAKT_NOINLINE_FUNCTION bool is_nothing_yet(std::size_t i, Enclosure const& sum) const {
    Span const known = order.known_to({i, i + 1}, {0, n});
    bool const is_nothing = this->leave_zero(sum, old(i), this->divisor(i), x + known.begin, known.size());
    if (is_nothing) unknown(i) = R{};
    return is_nothing;
  }

  bool try_round(std::size_t i, Enclosure const& sum) const {
    if constexpr (is_float_v<R>) {
      MatrixKernelsOf<R> const& kernels = matrix_kernels();
      return kernels.try_round_row(this->epilogue(), sum, old(i), this->divisor(i), unknown(i));
    } else {
      return false;
    }
  }

  /// A row whose sum did not decide its unknown.
  EXAKT_NOINLINE_FUNCTION void solve_row(std::size_t i) const {
    Span const known = order.known_to({i, i + 1}, {0, n});
    if (has_enclosures() && try_round(i, rows_times_x().enclose_row(i, known))) return;
    ExactProducts sum;
    add_exactly(A, x, &i, 1, known, &sum);
    unknown(i) = this->epilogue().template exactly<R>(sum, old(i), this->divisor(i));
  }
};

/// Working memory of one system: its solution and its sums.
inline constexpr std::size_t doubles_per_unknown = 4;
inline constexpr std::size_t right_sides_at_once = 128;

/// Several right-hand sides, a large block of all of them after the other: what is known goes through the kernel of
/// gemm, the rest is done by column.
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
    for_each_task(label, space, count, threaded, [=](std::size_t k) {
      auto const one = system(begin + k, memory + k * stride);
      constexpr Space const* this_thread = nullptr;
      if (done > 0 && !together && one.has_enclosures()) one.add_known(this_thread, rows, known);
      one.solve(rows, this_thread);
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
