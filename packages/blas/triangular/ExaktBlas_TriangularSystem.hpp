// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TRIANGULARSYSTEM_HPP
#define EXAKTBLAS_TRIANGULARSYSTEM_HPP

/// \file
/// \brief One triangular system: its small triangles, and what is added to the rows behind them.

#include "ExaktBlas_SmallTriangle.hpp"

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

/// add(rows, columns) for the squares that are due, then solve(rows), triangle by triangle.
template <class Add, class Solve>
void for_each_small_triangle(SolvingOrder const& order, Span rows, Add const& add, Solve const& solve) {
  std::size_t number = 0;
  for (std::size_t done = 0; done < rows.size(); done += small_triangle, ++number) {
    if (number > 0) {
      std::size_t const square = (number & (~number + 1)) * small_triangle;
      add(order.block(done, square, rows), order.block(done - square, square, rows));
    }
    solve(order.block(done, small_triangle, rows));
  }
}

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
    for_each_small_triangle(
        order, rows,
        [&](Span square, Span known) {
          if (has_enclosures()) add_known(space, square, known);
        },
        [&](Span triangle) { solve_small(triangle); });
  }

  static bool has_enclosures() { return is_float_v<R> && MatrixVector<T, R>::has_enclosures(); }

  /// Adds the products with known unknowns to the sums of some rows.
  template <class Space>
  void add_known(Space const* space, Span rows, Span columns) const {
    MatrixVector<T, R> const multiply = rows_times_x();
    EnclosureArrays const enclosures = sums;
    std::size_t const threads = space == nullptr ? 1 : static_cast<std::size_t>(space->concurrency());
    bool const threaded = threads > 1 && rows.size() * columns.size() >= products_worth_threads;
    std::size_t const wanted = threaded ? (rows.size() + 2 * threads - 1) / (2 * threads) : multiply.best_block();
    std::size_t const piece = wanted < 32 ? 32 : std::min(multiply.best_block(), (wanted + 7) / 8 * 8);
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

  R& unknown(std::size_t i) const { return *this->B.at(i, 0); }
  double old(std::size_t i) const { return Base::old(i, 0); }

  using Triangle = SmallTriangle<kernel_lanes>;

 private:
  MatrixVector<T, R> rows_times_x() const { return {A, x, n, this->epilogue(), this->B.data, this->B.row_stride}; }

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
    gather_sums(rows, triangle);
    if (!stay_in_place(rows, triangle)) gather_entries(rows, triangle);
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
      solve_undecided(i, triangle.sum(r));
      results[r] = unknown(i);
      x[i] = exact_double(results[r]);
    }
  }

  /// Whether the kernel finds its columns in A.
  bool stay_in_place(Span rows, Triangle& to) const {
    if constexpr (std::is_same_v<T, double>) {
      if (!order.is_lower || A.row_stride != 1 || rows.size() % Triangle::lanes != 0) return false;
      to.in_place = A.at(rows.begin, rows.begin);
      to.step = A.column_stride;
      return true;
    } else {
      return false;
    }
  }

  void gather_sums(Span rows, Triangle& to) const {
    std::size_t const size = rows.size(), whole = (size + Triangle::lanes - 1) / Triangle::lanes * Triangle::lanes;
    for (std::size_t r = 0; r < size; ++r) to.set_sum(r, sums.get(order.number_of(r, rows)));
    for (std::size_t r = size; r < whole; ++r) to.set_sum(r, {0, 0, 0});
  }

 public:
  void gather_entries(Span rows, Triangle& to) const {
    std::ptrdiff_t const row_step = order.is_lower ? A.row_stride : -A.row_stride;
    std::ptrdiff_t const column_step = order.is_lower ? A.column_stride : -A.column_stride;
    std::size_t const begin = order.number_of(0, rows);
    if constexpr (is_float_v<T>) {
      MatrixKernelsOf<T> const& kernels = matrix_kernels();
      kernels.gather_triangle(A.at(begin, begin), row_step, column_step, rows.size(), to);
    } else {
      double entries[small_triangle * small_triangle];
      for (std::size_t c = 0; c < rows.size(); ++c) {
        for (std::size_t r = c + 1; r < rows.size(); ++r)
          entries[r + c * small_triangle] = exact_double(*A.at(order.number_of(r, rows), order.number_of(c, rows)));
      }
      MatrixKernelsOf<double> const& kernels = matrix_kernels();
      kernels.gather_triangle(entries, 1, static_cast<std::ptrdiff_t>(small_triangle), rows.size(), to);
    }
  }

  /// An unknown that the sum of its row has not decided. \param sum  Of the products with all unknowns before.
  EXAKT_NOINLINE_FUNCTION void solve_undecided(std::size_t i, Enclosure const& sum) const {
    if (!is_nothing_yet(i, sum)) solve_row(i);
  }

 private:
  bool is_nothing_yet(std::size_t i, Enclosure const& sum) const {
    Span const known = order.known_to({i, i + 1}, {0, n});
    bool const is_nothing = this->leave_zero(sum, old(i), this->divisor(i), x, 0) && !has_products(i, known);
    if (is_nothing) unknown(i) = R{};
    return is_nothing;
  }

  /// Whether there is one without a factor of zero.
  bool has_products(std::size_t i, Span known) const {
    if constexpr (is_float_v<T>) {
      MatrixKernelsOf<T> const& kernels = matrix_kernels();
      Strided<T const> const columns{A.at(0, known.begin), A.row_stride, A.column_stride};
      return kernels.has_products(columns, x + known.begin, i, known.size());
    } else {
      return std::any_of(x + known.begin, x + known.end, [](double entry) { return !is_zero(entry); });
    }
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

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
