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
///     | 2  2  0      |      1, 2, 4  squares of this many triangles: certified sums, shared among the threads
///     | 2  2  1  0   |
///     | 4  4  4  4  0|

#include "ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_TeamProducts.hpp"

namespace Exakt::Impl {

inline constexpr std::size_t large_triangle = 256, small_triangle = 64;
static_assert(large_triangle % small_triangle == 0 && small_triangle % pack_lanes == 0);

/// \brief A small triangle in the order in which it is solved, by columns, and the sums of its rows.
///
/// For a product a*x = p + r and a sum kept as high + low:
///
///     high, e = two_sum(high, p);   t = e + r;   low = low + t;   tails = tails + |t|
///
/// All is exact but t and low: after m products they are off by at most 2^-53 |t| each and m * 2^-53 of the tails,
/// hence (m + 2) * 2^-52 tails is more than enough, and 2^-1074 for each product that underflows.
struct alignas(64) SmallTriangle {
  static constexpr std::size_t size = small_triangle;
  double entries[size][size];  // of column j: those below the diagonal
  double high[size], low[size], tails[size], bound[size];

  KOKKOS_FORCEINLINE_FUNCTION Estimate sum(std::size_t row) const {
    double const m = static_cast<double>(row);
    return {high[row], low[row],
            bound[row] + ((m + 2) * 0x1p-52 * tails[row] + bound_of_underflows(1, static_cast<int>(row)))};
  }

  /// Adds the products of column j to the rows below.
  KOKKOS_FORCEINLINE_FUNCTION void add_column(std::size_t j, double x, std::size_t rows) {
    Pack const factor = broadcast(x);
    constexpr auto lanes = static_cast<std::size_t>(pack_lanes);
    for (std::size_t i = (j + 1) / lanes * lanes; i < rows; i += lanes) {
      Pack const a = load(entries[j] + i), sum = load(high + i);
      Pack const p = rounded_product(a, factor), r = fused_subtract(a, factor, p);
      Pack const s = sum + p, p_part = s - sum, sum_part = s - p_part;
      Pack const t = ((sum - sum_part) + (p - p_part)) + r;
      store(s, high + i);
      store(load(low + i) + t, low + i);
      store(load(tails + i) + absolute(t), tails + i);
    }
  }
};

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

  /// \brief Solves for the given unknowns; the sums of their rows hold those before.
  ///
  /// \param space  Shares the rows of squares among its threads; nullptr: stay on the calling one.
  template <class Space>
  void solve(Span rows, Space const* space) const {
    std::size_t number = 0;
    for (std::size_t done = 0; done < rows.size(); done += small_triangle, ++number) {
      if (number > 0 && estimates_are_trusted()) {
        std::size_t const square = (number & (~number + 1)) * small_triangle;
        add_known(space, block(done, square, rows), block(done - square, square, rows));
      }
      solve_small(block(done, small_triangle, rows));
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

  template <class Space>
  void add_known(Space const* space, Span rows, Span columns) const {
    MatrixVector<T, R> const multiply{A, x, n, combination(), b, b_stride};
    EstimateArrays const estimates = sums;
    std::size_t const threads = space == nullptr ? 1 : static_cast<std::size_t>(space->concurrency());
    bool const threaded = threads > 1 && rows.size() * columns.size() >= products_worth_threads;
    std::size_t const wanted = threaded ? (rows.size() + 2 * threads - 1) / (2 * threads) : multiply.largest_block;
    std::size_t const piece = wanted < 32                       ? 32
                              : wanted > multiply.largest_block ? multiply.largest_block
                                                                : (wanted + 7) / 8 * 8;
    auto const add = [=](std::size_t task) {
      std::size_t const begin = rows.begin + task * piece;
      Span const some{begin, rows.end - begin < piece ? rows.end : begin + piece};
      if (estimates_are_trusted()) {
        multiply.estimate(some, columns, estimates.from(begin));
      } else {
        for (std::size_t i = some.begin; i < some.end; ++i) estimates.bound[i] = HUGE_VAL;
      }
    };
    std::size_t const pieces = (rows.size() + piece - 1) / piece;
    if (threaded) {
      for_each_task("Exakt::trsv", *space, pieces, true, add);
    } else {
      for (std::size_t task = 0; task < pieces; ++task) add(task);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION R& unknown(std::size_t i) const { return b[static_cast<std::ptrdiff_t>(i) * b_stride]; }
  KOKKOS_FORCEINLINE_FUNCTION double old(std::size_t i) const { return is_zero(beta) ? 0 : exact_double(unknown(i)); }
  KOKKOS_FORCEINLINE_FUNCTION double divisor(std::size_t i) const {
    return has_unit_diagonal ? 1 : exact_double(*A.at(i, i));
  }

  EXAKT_NOINLINE_FUNCTION void solve_small(Span rows) const {
    bool const trusted = estimates_are_trusted();
    SmallTriangle triangle;
    if (trusted) gather(rows, triangle);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t const i = number_of(r, rows);
      if (!trusted || !decide_row(combination(), triangle.sum(r), old(i), divisor(i), unknown(i)))
        solve_row(i, trusted);
      x[i] = exact_double(unknown(i));
      if (trusted) triangle.add_column(r, x[i], rows.size());
    }
  }

  /// The row that is solved after r others.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t number_of(std::size_t r, Span rows) const {
    return is_lower ? rows.begin + r : rows.end - 1 - r;
  }

  KOKKOS_INLINE_FUNCTION void gather(Span rows, SmallTriangle& to) const {
    std::size_t const size = rows.size();
    std::size_t const whole = (size + pack_lanes - 1) / pack_lanes * pack_lanes;
    for (std::size_t r = 0; r < size; ++r) {
      Estimate const sum = sums.get(number_of(r, rows));
      to.high[r] = sum.high;
      to.low[r] = sum.low;
      to.tails[r] = magnitude_of(sum.low);
      to.bound[r] = sum.bound;
    }
    for (std::size_t r = size; r < whole; ++r) to.high[r] = to.low[r] = to.tails[r] = to.bound[r] = 0;
    for (std::size_t c = 0; c < size; ++c) {
      for (std::size_t r = c / pack_lanes * pack_lanes; r <= c; ++r) to.entries[c][r] = 0;
      for (std::size_t r = size; r < whole; ++r) to.entries[c][r] = 0;
    }
    std::ptrdiff_t const row_step = is_lower ? A.row_stride : -A.row_stride;
    std::ptrdiff_t const column_step = is_lower ? A.column_stride : -A.column_stride;
    T const* const first = A.at(number_of(0, rows), number_of(0, rows));
    auto const at = [=](std::size_t r, std::size_t c) {
      return exact_double(
          first[static_cast<std::ptrdiff_t>(r) * row_step + static_cast<std::ptrdiff_t>(c) * column_step]);
    };
    if (row_step == 1) {
      // The compiler is told that these are neighbours.
      for (std::size_t c = 0; c < size; ++c) {
        T const* const column = first + static_cast<std::ptrdiff_t>(c) * column_step;
        for (std::size_t r = c + 1; r < size; ++r) to.entries[c][r] = exact_double(column[r]);
      }
    } else if (A.column_stride == 1) {
      for (std::size_t r = 1; r < size; ++r) {
        for (std::size_t c = 0; c < r; ++c) to.entries[c][r] = at(r, c);
      }
    } else {
      for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t r = c + 1; r < size; ++r) to.entries[c][r] = at(r, c);
      }
    }
  }

  /// A row whose sum did not decide its unknown.
  EXAKT_NOINLINE_FUNCTION void solve_row(std::size_t i, bool trusted) const {
    Span const known = is_lower ? Span{0, i} : Span{i + 1, n};
    int largest;
    if (trusted &&
        decide_row(combination(), estimate_carefully(A, x, i, known, largest), old(i), divisor(i), unknown(i)))
      return;
    ExactProducts sum;
    add_exactly(A, x, &i, 1, known, &sum);
    unknown(i) = combination().template exactly<R>(sum, old(i), divisor(i));
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
    for_each_task(label, space, count, threaded, [=](std::size_t k) {
      system(begin + k, memory + k * stride).solve(rows, static_cast<Space const*>(nullptr));
    });
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
        system(begin, memory.data()).solve({0, n}, &space);
      } else {
        solve_together(label, space, system, begin, count, memory.data());
      }
    }
  }
}

}  // namespace Exakt::Impl

#endif
