// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TRIANGULAR_HPP
#define EXAKTBLAS_TRIANGULAR_HPP

/// \file
/// \brief Triangular systems: x(i) := (beta * b(i) - sum of A(i, j) x(j)) / A(i, i), the whole rounded once.
///
/// Left-looking in blocks of two sizes; of an upper triangle from the last row to the first:
///
///         known columns      block
///     |  .  .  .  .  .  .  | \ . .  |     rows of a large block: known columns are added, shared among the threads
///     |  .  .  .  .  .  .  | . \ .  |     rows of a small block: the columns since the large block began
///     |  .  .  .  .  .  .  | . . \  |     a row: the columns since the small block began, then the quotient

#include "ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_TeamProducts.hpp"

namespace Exakt::Impl {

inline constexpr std::size_t large_triangle = 256, small_triangle = 64;
static_assert(large_triangle <= MatrixVector<double, double>::largest_block && large_triangle % small_triangle == 0);

/// \brief One system with one right-hand side, which the solution replaces.
template <class T, class R>
struct TriangularSystem {
  Strided<T const> A;  // op(A) already
  std::size_t n;
  bool is_lower, has_unit_diagonal;
  double beta;  // factor of the right-hand side
  R* b;
  std::ptrdiff_t b_stride;
  double* x;            // n doubles: the solution so far
  EstimateArrays sums;  // of n rows, zero

  /// \param space  Shares the rows of large blocks among its threads; nullptr: stay on the calling one.
  template <class Space>
  KOKKOS_INLINE_FUNCTION void solve(Space const* space) const {
    for (std::size_t done = 0; done < n; done += large_triangle) {
      Span const rows = block(done, large_triangle, {0, n});
      if (estimates_are_trusted() && done > 0) add_known(space, rows, known_to(rows, {0, n}));
      solve_block(rows);
    }
  }

  /// Rows of a large block whose sums over all columns that are known to them are estimated.
  KOKKOS_INLINE_FUNCTION void solve_block(Span rows) const {
    for (std::size_t solved = 0; solved < rows.size(); solved += small_triangle) {
      Span const some = block(solved, small_triangle, rows);
      if (solved > 0 && estimates_are_trusted()) product().estimate(some, known_to(some, rows), sums.from(some.begin));
      for (std::size_t i = 0; i < some.size(); ++i) solve_row(is_lower ? some.begin + i : some.end - 1 - i, some);
    }
  }

  /// `size` rows, after `done` others of `all`.
  KOKKOS_FORCEINLINE_FUNCTION Span block(std::size_t done, std::size_t size, Span all) const {
    std::size_t const last = done + size < all.size() ? done + size : all.size();
    return is_lower ? Span{all.begin + done, all.begin + last} : Span{all.end - last, all.end - done};
  }

  /// The part of `all` that is solved before `rows`.
  KOKKOS_FORCEINLINE_FUNCTION Span known_to(Span rows, Span all) const {
    return is_lower ? Span{all.begin, rows.begin} : Span{rows.end, all.end};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Combination combination() const { return {-1, beta, !is_zero(beta), !has_unit_diagonal}; }
  KOKKOS_FORCEINLINE_FUNCTION MatrixVector<T, R> product() const { return {A, x, n, combination(), b, b_stride}; }

  template <class Space>
  void add_known(Space const* space, Span rows, Span columns) const {
    auto const multiply = product();
    EstimateArrays const estimates = sums;
    if (space == nullptr) return multiply.estimate(rows, columns, estimates.from(rows.begin));
    std::size_t const threads = static_cast<std::size_t>(space->concurrency());
    std::size_t const wanted = (rows.size() + 2 * threads - 1) / (2 * threads),
                      piece = wanted < 32 ? 32 : (wanted + 7) / 8 * 8;
    for_each_task("Exakt::trsv", *space, (rows.size() + piece - 1) / piece,
                  rows.size() * columns.size() >= products_worth_threads, [=](std::size_t task) {
                    std::size_t const begin = rows.begin + task * piece;
                    Span const some{begin, rows.end - begin < piece ? rows.end : begin + piece};
                    if (estimates_are_trusted()) {
                      multiply.estimate(some, columns, estimates.from(begin));
                    } else {
                      for (std::size_t i = some.begin; i < some.end; ++i) estimates.bound[i] = HUGE_VAL;
                    }
                  });
  }

  KOKKOS_INLINE_FUNCTION void solve_row(std::size_t i, Span some) const {
    R& entry = b[static_cast<std::ptrdiff_t>(i) * b_stride];
    double const old = is_zero(beta) ? 0 : exact_double(entry);
    double const divisor = has_unit_diagonal ? 1 : exact_double(*A.at(i, i));
    Span const known = is_lower ? Span{0, i} : Span{i + 1, n};
    if (!decide(i, some, old, divisor, entry)) {
      ExactProducts sum;
      add_exactly(A, x, &i, 1, known, &sum);
      entry = combination().template exactly<R>(sum, old, divisor);
    }
    x[i] = exact_double(entry);
  }

  KOKKOS_INLINE_FUNCTION bool decide(std::size_t i, Span some, double old, double divisor, R& result) const {
    if (!estimates_are_trusted()) return false;
    double row[small_triangle];
    Span const in_block = is_lower ? Span{some.begin, i} : Span{i + 1, some.end};
    Estimate sum = sums.get(i);
    if (in_block.size() > 0) {
      widen(A.at(i, in_block.begin), A.column_stride, in_block.size(), row);
      int e;
      if (!estimate_piece(row, x + in_block.begin, static_cast<int>(in_block.size()), sum, e)) return false;
    }
    if (decide_row(combination(), sum, old, divisor, result)) return true;
    int largest;
    Span const known = is_lower ? Span{0, i} : Span{i + 1, n};
    return decide_row(combination(), estimate_carefully(A, x, i, known, largest), old, divisor, result);
  }
};

/// Working memory of one system: its solution and its sums.
inline constexpr std::size_t doubles_per_unknown = 4;
inline constexpr std::size_t right_sides_at_once = 128;

/// One right-hand side by one team, exactly; the road of devices.
template <class Member, class A, class B>
KOKKOS_INLINE_FUNCTION void team_solve(Member const& member, A const& entry, std::size_t n, bool is_lower,
                                       bool has_unit_diagonal, double beta, B const& b) {
  using R = std::decay_t<decltype(b(n))>;
  Combination const combination{-1, beta, !is_zero(beta), !has_unit_diagonal};
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t const i = is_lower ? step : n - 1 - step, begin = is_lower ? 0 : i + 1, end = is_lower ? i : n;
    DotAccumulator<double> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, end - begin),
        [&](std::size_t j, DotAccumulator<double>& partial) {
          partial.add_product(exact_double(entry(i, begin + j)), exact_double(b(begin + j)));
        },
        Reducer<DotAccumulator<double>>(sum));
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      b(i) = combination.template exactly<R>(sum.normalized(), combination.reads_y ? exact_double(b(i)) : 0,
                                             has_unit_diagonal ? 1 : exact_double(entry(i, i)));
    });
    member.team_barrier();
  }
}

/// b is a column, or a row, of a view.
template <class V>
struct Line {
  V view;
  std::size_t number;
  bool is_row;
  KOKKOS_FORCEINLINE_FUNCTION auto& operator()(std::size_t i) const {
    if constexpr (V::rank == 1) {
      return view(i);
    } else {
      return is_row ? view(number, i) : view(i, number);
    }
  }
};

/// A right-hand side per team.
template <class Member, class A, class B>
struct TeamTriangular {
  Operated<A> matrix;
  std::size_t n;
  bool is_lower, has_unit_diagonal, by_rows;
  double beta;
  B b;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    team_solve(
        member, [&](std::size_t i, std::size_t j) { return matrix.entry(i, j); }, n, is_lower, has_unit_diagonal, beta,
        Line<B>{b, static_cast<std::size_t>(member.league_rank()), by_rows});
  }
};

template <class Space, class A, class B>
void solve_by_teams(char const* label, Space const& space, Operated<A> const& matrix, std::size_t n, bool is_lower,
                    bool has_unit_diagonal, double beta, B const& b, std::size_t right_sides, bool by_rows) {
  using Policy = Kokkos::TeamPolicy<Space>;
  if (n == 0 || right_sides == 0) return;
  Kokkos::parallel_for(
      label, Policy(space, static_cast<int>(right_sides), Kokkos::AUTO),
      TeamTriangular<typename Policy::member_type, A, B>{matrix, n, is_lower, has_unit_diagonal, by_rows, beta, b});
}

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
    Span const rows = some.block(done, large_triangle, {0, n}), known = some.known_to(rows, {0, n});
    if (done > 0 && estimates_are_trusted()) {
      auto const columns = static_cast<std::ptrdiff_t>(stride);
      GemmProblem<T, double, double> const problem{
          {some.A.at(rows.begin, known.begin), some.A.row_stride, some.A.column_stride},
          {memory + known.begin, 1, columns},
          {nullptr, 0, 0},
          rows.size(),
          count,
          known.size(),
          {}};
      DirectGemm<T, double, double>(problem, some.sums.from(rows.begin), stride).run(space);
    }
    for_each_task(label, space, count, threaded,
                  [=](std::size_t k) { system(begin + k, memory + k * stride).solve_block(rows); });
  }
}

/// \brief op(A) X = beta B for several right-hand sides, each a column of B, or a row if by_rows.
template <class Space, class A, class B>
void solve_triangular(char const* label, Space const& space, Operated<A> const& matrix, bool is_lower,
                      bool has_unit_diagonal, double beta, B const& b, std::size_t right_sides, bool by_rows) {
  std::size_t const n = matrix.rows();
  if (n == 0 || right_sides == 0) return;
  if constexpr (!runs_on_host<Space>) {
    solve_by_teams(label, space, matrix, n, is_lower, has_unit_diagonal, beta, b, right_sides, by_rows);
  } else {
    using T = EntryOf<A>;
    using R = EntryOf<B>;
    auto const all = strided(matrix.view, matrix.transposed);
    Strided<T const> const entries{all.data, all.row_stride, all.column_stride};
    auto const stride_along = static_cast<std::ptrdiff_t>(b.stride(by_rows ? 1 : 0));
    std::ptrdiff_t stride_across = 0;
    if constexpr (B::rank == 2) stride_across = static_cast<std::ptrdiff_t>(b.stride(by_rows ? 0 : 1));
    R* const first = b.data();

    auto const system = [=](std::size_t k, double* memory) {
      return TriangularSystem<T, R>{entries,           n,      is_lower,
                                    has_unit_diagonal, beta,   first + static_cast<std::ptrdiff_t>(k) * stride_across,
                                    stride_along,      memory, {memory + n, memory + 2 * n, memory + 3 * n}};
    };
    std::size_t const at_once = right_sides < right_sides_at_once ? right_sides : right_sides_at_once;
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const memory("Exakt::triangular", at_once,
                                                                                doubles_per_unknown * n);
    for (std::size_t begin = 0; begin < right_sides; begin += at_once) {
      std::size_t const count = right_sides - begin < at_once ? right_sides - begin : at_once;
      if (begin > 0) Kokkos::deep_copy(memory, 0.0);
      if (count == 1) {
        system(begin, memory.data()).solve(&space);
      } else {
        solve_together(label, space, system, begin, count, memory.data());
      }
    }
  }
}

}  // namespace Exakt::Impl

#endif
